/** The overview of a project in typical use. */
import type { Client } from '../../src/client/types.d.ts'
import { onBoard } from './browser.ts'
import { choosePerson } from './choose-person.ts'
import { until } from './until.ts'

const ATTACK = '<img src=x onerror=alert(1)>\u202eevil'

/** Creates a project. @returns its id, and a function that loads it from the service */
async function project(api: Client) {
  const body = { name: 'Apollo', phase: 'Design', nextStep: 'Ask **Ada**' }
  const { id } = await api.post('/api/projects', { body })
  return { id, now: () => api.get('/api/projects/{id}', { path: { id } }) }
}

onBoard("a project's fields are edited in place, live, and undone", async (t, { api, person }) => {
  const { id, now } = await project(api)
  const { page, go } = await person()
  const other = await person({ locale: 'ar', viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
  await go(`/projects/${id}/overview`)
  await other.go(`/projects/${id}/overview`)
  await page.waitForFunction(() => document.title === 'Apollo · Phaseboard')
  const current = page.locator('[aria-current=step]')
  await current.getByText('Design').waitFor()
  await page.getByRole('button', { name: 'Advance to Development' }).click()
  await current.getByText('Development').waitFor()
  await other.page.locator('[aria-current=step]').getByText('Development').waitFor()
  await page.getByRole('status').getByText('Now in Development.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await current.getByText('Design').waitFor()
  await page.getByRole('button', { name: 'Back to Discovery' }).click()
  await current.getByText('Discovery').waitFor()

  await page.getByRole('button', { name: 'Edit the phases' }).click()
  await page.getByRole('textbox', { name: 'Phase 1' }).fill('Find out')
  await page.getByRole('button', { name: 'Remove Testing' }).click()
  await page.getByRole('button', { name: 'Add phase' }).click()
  await page.getByRole('textbox', { name: 'Phase 5' }).fill(ATTACK)
  await page.getByRole('button', { name: 'Save' }).click()
  await current.getByText('Find out').waitFor()
  t.match(await page.getByRole('list', { name: 'Phases' }).innerText(), ATTACK)
  await until(now, ({ phaseConfig }) => phaseConfig[0]?.name === 'Find out')
  t.strictSame(
    (await now()).phaseConfig.map(({ name }) => name),
    ['Find out', 'Design', 'Development', 'Deployment', ATTACK],
  )

  await page.getByLabel('Health').selectOption('At risk')
  await page.getByLabel('Status').selectOption('Active')
  await page.getByLabel('Type').selectOption('Business')
  await until(now, (one) => one.health === 'at-risk' && one.status === 'active' && one.type === 'business')
  await other.page.waitForFunction(
    () => document.querySelector<HTMLOptionElement>('option[value=at-risk]')?.selected,
  )

  await page.getByRole('button', { name: 'Edit: Name' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(ATTACK)
  await page.keyboard.press('Enter')
  await other.page.getByRole('heading', { level: 1 }).getByText('<img src=x').waitFor()
  const files: [string, string][] = [
    ['as CSV', 'export.csv'],
    ['for Linear', 'export.csv?format=linear'],
    ['for Planka', 'export.json'],
    ['for GitHub', 'export.csv?format=github'],
  ]
  for (const [name, file] of files) {
    const started = page.waitForEvent('download')
    await page.getByRole('link', { name: `Cards ${name}` }).click()
    const download = await started
    t.ok(download.url().endsWith(`/api/projects/${id}/${file}`), name)
    t.match(download.suggestedFilename(), /^phaseboard-.*\.(csv|json)$/)
  }
})

onBoard('typed text is never lost, and a conflict asks', async (t, { api, person }) => {
  const { id, now } = await project(api)
  const { page, go, check } = await person()
  await go(`/projects/${id}/overview`)
  await page.getByRole('button', { name: 'Edit: Next step' }).click()
  await page.getByRole('textbox', { name: 'Next step' }).fill('Ask Grace')
  await page.reload()
  await page.getByText('Unsaved changes from').waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await page.getByRole('textbox', { name: 'Next step' }).inputValue(), 'Ask Grace')
  await api.patch('/api/projects/{id}', { path: { id }, body: { nextStep: 'Ask Joan', health: 'blocked' } })
  await page.keyboard.press('Control+Enter')
  await page.getByText('changed the next step while you were editing.').waitFor()
  t.match(await page.getByRole('region', { name: 'Theirs' }).innerText(), 'Ask Joan')
  await check()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await until(now, ({ nextStep }) => nextStep === 'Ask Grace')
  t.equal((await now()).health, 'blocked', 'what else has changed stays')
})

onBoard('objectives and metrics are created, edited and deleted', async (t, { api, person }) => {
  const { id, now } = await project(api)
  const { page, go, check } = await person()
  await go(`/projects/${id}/overview`)
  const dialog = page.getByRole('dialog')
  for (const title of ['One', 'Two', ATTACK]) {
    await page.getByRole('button', { name: 'Add objective' }).click()
    await page.keyboard.type(title)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }
  const list = page.getByRole('list', { name: 'Objectives' })
  const titles = () => list.getByRole('heading').allInnerTexts()
  t.strictSame(await titles(), ['One', 'Two', ATTACK])
  const act = async (name: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await act('Two', 'Up')
  await page.getByRole('status').getByText('Moved Two.').waitFor()
  t.strictSame(await titles(), ['Two', 'One', ATTACK])
  await page.getByLabel('Status of Two').selectOption('Completed')
  await act('One', 'Change…')
  const [, objective] = (await now()).objectives.filter(({ title }) => title !== ATTACK)
  t.ok(objective)
  await dialog.getByLabel('Title').fill('One and more')
  await page.keyboard.press('Enter')
  await list.getByText('One and more').waitFor()
  await act('Two', 'Delete')
  await page.getByRole('status').getByText('Deleted Two.').waitFor()
  t.notOk((await titles()).includes('Two'))
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await page.getByLabel('Status of Two').waitFor()
  t.equal(await page.getByLabel('Status of Two').inputValue(), 'completed', 'as it was')

  await page.getByRole('button', { name: 'Add metric' }).click()
  await dialog.getByLabel('Name').fill('Speed')
  await dialog.getByLabel('Value').fill('3.5')
  await dialog.getByLabel('Unit').fill('s')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Stable').waitFor()
  await act('Speed', 'New value…')
  await dialog.getByLabel('Value').fill('1200.25')
  await page.keyboard.press('Enter')
  await page.getByText('Rising').waitFor()
  t.match(await page.getByRole('list', { name: 'Metrics' }).innerText(), /1,200\.25\ss/)
  await page.getByRole('img', { name: /2 values, from 3\.5\ss to 1,200\.25\ss/ }).waitFor()
  await act('Speed', 'History')
  t.equal(await dialog.getByRole('row').count(), 3)
  await check()
  await page.keyboard.press('Escape')
  await act('Speed', 'Delete')
  await until(now, ({ metrics }) => metrics.length === 0)
})

onBoard('a meeting creates cards to approve, and people are assigned', async (t, { api, person }) => {
  const { id, now } = await project(api)
  const { page, go } = await person()
  await go(`/projects/${id}/overview`)
  await page.getByRole('button', { name: 'Add transcript' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('Kickoff')
  await dialog.getByLabel('Summary').fill('Kept while')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add transcript' }).click()
  t.equal(await dialog.getByLabel('Summary').inputValue(), 'Kept while', 'a closed dialog loses nothing')
  await dialog.getByLabel('Participants').fill('Ada, Grace')
  await dialog.getByLabel('Action items').fill('Write the plan\nRead the plan')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('article', { name: 'Kickoff' }).waitFor()
  await page.getByRole('button', { name: 'Approve Write the plan' }).press('Enter')
  const link = page.getByRole('link', { name: 'Write the plan' })
  t.ok(await link.evaluate((one) => one === document.activeElement), 'the focus stays where one works')
  await page.getByRole('button', { name: 'Archive Read the plan' }).click()
  await until(now, ({ kanbanItems }) => {
    const [first, second] = kanbanItems
    return first?.approved === true && !first.isNew && second?.dismissed === true
  })
  t.equal(await page.getByRole('button', { name: /^(Approve|Archive) / }).count(), 0)
  t.match(await page.getByRole('link', { name: 'Write the plan' }).getAttribute('href'), /\/items\//)

  await page.getByRole('button', { name: 'Add person' }).click()
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByRole('alert').getByText('Choose a person.').waitFor()
  await choosePerson(dialog, 'Person', 'Admin', 'adm')
  await dialog.getByLabel('Role').selectOption('Another word…')
  await dialog.getByLabel('Which word').fill('designer')
  await dialog.getByRole('button', { name: 'Add' }).click()
  const people = page.getByRole('list', { name: 'People' })
  await people.getByText('designer').waitFor()
  await until(now, ({ teamAssignments }) => teamAssignments.length === 1)
  await choosePerson(page.getByRole('main'), 'Lead', 'Admin')
  await until(now, ({ leadId }) => leadId !== null)
  await people.getByRole('button', { name: 'Actions for Admin' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await until(now, ({ teamAssignments }) => teamAssignments.length === 0)
})

onBoard(
  'a viewer reads and changes nothing',
  async (t, { api, person }) => {
    const { id } = await project(api)
    const credentials = { email: 'eve@example.test', password: 'eves horse' }
    await api.post('/api/members', { body: { ...credentials, name: 'Eve', role: 'viewer' } })
    await api.post('/api/projects/{id}/metrics', { path: { id }, body: { name: 'Speed', value: 1 } })
    const { page, go } = await person({ signIn: credentials })
    await go(`/projects/${id}/overview`)
    await page.getByText('You may only read this project.').waitFor()
    t.equal(await page.getByRole('main').getByRole('combobox').count(), 0)
    t.strictSame(
      await page.getByRole('main').getByRole('button').allInnerTexts(),
      ['Watch the project', ''],
      'only watching, which is their own, and the history',
    )
  },
  { mode: 'required' },
)

onBoard('a conflict names the text as the language writes it', async (t, { api, person }) => {
  const { id } = await project(api)
  const { page, go } = await person({ locale: 'de-AT' })
  await go(`/projects/${id}/overview`)
  await page.getByRole('button', { name: 'Bearbeiten: Beschreibung' }).click()
  const field = page.getByRole('textbox', { name: 'Beschreibung' })
  await field.fill('Meine')
  await api.patch('/api/projects/{id}', { path: { id }, body: { description: 'Andere' } })
  await field.press('Control+Enter')
  const alert = page.getByRole('alert').filter({ hasText: 'hat während der Bearbeitung' })
  t.match(
    await alert.innerText(),
    /^(Jemand|Local|local) hat während der Bearbeitung geändert: Beschreibung\./,
  )
})
