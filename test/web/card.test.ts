/** The dialog of a card: a user changes everything on it. */
import { onBoard } from './browser.ts'
import { dialogOf, historyLines, makeCard, partOf } from './card-steps.ts'
import { choosePerson } from './choose-person.ts'
import { drag } from './gestures.ts'
import { until } from './until.ts'

onBoard('a card is found by its number', async (t, { api, person }) => {
  const { item, path, projectId } = await makeCard({ api }, { title: 'Flyer' })
  const { key } = await api.get('/api/projects/{id}', { path: { id: projectId } })
  const text = `Before ${key}-${item.number}, not UTF-8, \`${key}-1\` nor x${key}-1: [${key}-1](https://example.org/) `
  const body = { title: 'Poster', description: text }
  const other = await api.post('/api/projects/{id}/kanban-items', { path: { id: projectId }, body })
  const { page, go } = await person()
  await go(`/projects/${projectId}`)
  await page.getByText(`${key}-${other.number}`, { exact: true }).waitFor()
  await go(`/${key}-${other.number}`.toLowerCase())
  await dialogOf(page, 'Poster').waitFor()
  t.equal(new URL(page.url()).pathname, `/projects/${projectId}/items/${other.id}`)
  const links = partOf(page, 'Description').getByRole('link', { name: `${key}-${item.number}`, exact: true })
  const own = links.and(page.locator(`[href="/${key}-${item.number}"]`))
  await own.waitFor()
  t.strictSame([await links.count(), await own.count()], [2, 1], 'the other is the link that was written')
  await own.click()
  await dialogOf(page, 'Flyer').waitFor()
  t.equal(new URL(page.url()).pathname, path)
  t.equal(
    await dialogOf(page)
      .getByRole('link', { name: `${key}-${item.number}` })
      .count(),
    1,
  )
  await go(`/${key}-99`)
  await page.getByText('There is no such card.').waitFor()
})

onBoard(
  'several people are added to a card and removed again',
  async (t, { api, person }) => {
    const ids: string[] = []
    for (const name of ['Ada Adler', 'Bob Baker', 'Cy Clark', 'Dee Dale']) {
      const { id } = await api.post('/api/members', {
        body: { name, email: `people-${name.split(' ', 1)[0]}@example.test`.toLowerCase() },
      })
      ids.push(id)
    }
    const [ada, bob, cy, dee] = ids as [string, string, string, string]
    const { item, path, projectId } = await makeCard({ api }, { title: 'Poster' })
    const other = await api.post('/api/projects/{id}/kanban-items', {
      path: { id: projectId },
      body: { title: 'Flyer', assigneeIds: [ada, bob, cy, dee] },
    })
    const idsOf = (id: string) => async () =>
      (await api.get('/api/kanban-items/{id}', { path: { id } })).assigneeIds
    const { page, go } = await person({ signIn: true })
    await go(path)
    await choosePerson(dialogOf(page), 'Assignee', 'Ada Adler')
    await choosePerson(dialogOf(page), 'Another assignee', 'Bob Baker')
    await until(idsOf(item.id), (ids) => ids.join() === `${ada},${bob}`)
    await choosePerson(dialogOf(page), 'Assignee', 'Cy Clark')
    await until(idsOf(item.id), (ids) => ids.join() === `${cy},${bob}`)
    await dialogOf(page).getByText('also assigned it to').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Unassign Cy Clark' }).click()
    await until(idsOf(item.id), (ids) => ids.join() === bob)
    await go(`/projects/${projectId}`)
    const face = page.getByRole('listitem').filter({ hasText: 'Flyer' })
    await face
      .getByText('Assigned to Ada Adler, Bob Baker, Cy Clark, Dee Dale')
      .waitFor({ state: 'attached' })
    t.equal(await face.locator('.avatar').count(), 3)
    await face.getByText('+1', { exact: true }).waitFor()
    await go(`/projects/${projectId}?assignee=${bob}`)
    await page.getByText('2 of 2 cards shown').waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Poster', exact: true }).hover()
    await page.keyboard.press('a')
    const picker = page.getByRole('dialog', { name: 'Assignee: Poster' })
    await picker.getByRole('option', { name: 'Several people' }).click()
    await picker.getByRole('option', { name: 'Dee Dale' }).click()
    await until(idsOf(item.id), (ids) => ids.join() === `${bob},${dee}`)
    await picker.getByRole('option', { name: 'Bob Baker' }).click()
    await until(idsOf(item.id), (ids) => ids.join() === dee)
    t.strictSame(await idsOf(other.id)(), [ada, bob, cy, dee])
  },
  { mode: 'required' },
)

onBoard('title, description and fields are edited in place', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages', description: 'All *pages*' })
  const itemPath = { path: { id: item.id } }
  const now = () => api.get('/api/kanban-items/{id}', itemPath)
  const { page, go } = await person()
  await go(path)
  const dialog = dialogOf(page, 'Rewrite pages')
  await dialog.waitFor()
  t.equal(await page.title(), 'Rewrite pages · Website relaunch · Phaseboard')
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  t.equal(await focused(), 'Rewrite pages', 'the title has the focus')
  t.equal(await partOf(page, 'Description').locator('em').textContent(), 'pages', 'Markdown is rendered')

  await page.keyboard.press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Rewrite the pages')
  await page.keyboard.press('Enter')
  await dialogOf(page, 'Rewrite the pages').waitFor()
  t.equal(await until(focused, (text) => text === 'Rewrite the pages'), 'Rewrite the pages')

  await page.getByRole('button', { name: 'Edit the description' }).click()
  await page.getByRole('textbox', { name: 'Description' }).fill('Some **pages**')
  await page.keyboard.press('Control+Enter')
  await partOf(page, 'Description').locator('strong').waitFor()

  await dialogOf(page).getByRole('combobox', { name: 'Column' }).selectOption('Review')
  await choosePerson(dialogOf(page), 'Assignee', 'local', 'loc')
  await dialogOf(page).getByRole('combobox', { name: 'Priority' }).selectOption('High')
  await dialogOf(page).getByLabel('Due date').fill('2020-02-01')
  await dialogOf(page).getByLabel('Due date').press('Enter')
  await dialog.or(dialogOf(page)).getByText('Overdue').waitFor()
  const changed = await until(now, ({ dueDate }) => dueDate !== null)
  t.match(changed, {
    title: 'Rewrite the pages',
    description: 'Some **pages**',
    column: 'Review',
    assigneeId: 'local',
    priority: 'high',
    dueDate: '2020-02-01T00:00:00.000Z',
  })
  const said = await until(
    () => historyLines(page),
    ({ length }) => length === 7,
  )
  t.strictSame(said, [
    'local set the due date to 1 February 2020',
    'local changed the priority from medium to high',
    'local assigned it to local',
    'local moved it from To Do to Review',
    'local changed the description',
    'local changed the title from Rewrite pages to Rewrite the pages',
    'local created this card',
  ])

  // Every entry of the history can be undone, and so can the last change.
  await partOf(page, 'History')
    .getByRole('button', { name: /moved it from To Do to Review/ })
    .click()
  await until(now, ({ column }) => column === 'To Do')
  await dialogOf(page).getByRole('combobox', { name: 'Priority' }).selectOption('Low')
  await until(now, ({ priority }) => priority === 'low')
  await page.getByRole('heading', { level: 2, name: 'Rewrite the pages' }).focus()
  await page.keyboard.press('Control+z')
  await until(now, ({ priority }) => priority === 'high')
  await until(
    () => historyLines(page),
    ([latest]) => latest === 'local changed the priority from low to high',
  )
})

onBoard('a new subtask is shown before the service has it', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const { page, go, problems } = await person()
  const subtasks = partOf(page, 'Subtasks')
  const rows = subtasks.getByRole('list', { name: 'Subtasks' }).getByRole('listitem')
  const field = page.getByRole('textbox', { name: 'New subtask' })
  const held = async () => {
    const answer = Promise.withResolvers<void>()
    await page.route('**/subtasks', async (route) => {
      await answer.promise
      await route.fallback()
    })
    return answer.resolve
  }
  await go(path)
  const proceed = await held()
  for (const title of ['Texts', 'Photos']) {
    await field.fill(title)
    await field.press('Enter')
    await rows.filter({ hasText: title }).waitFor()
  }
  t.ok(await subtasks.getByRole('checkbox', { name: 'Texts' }).isDisabled())
  t.equal(await subtasks.getByRole('button', { name: 'Actions for Texts' }).count(), 0)
  await subtasks.getByText('0 of 2').waitFor()
  proceed()
  await subtasks.getByRole('button', { name: 'Actions for Photos' }).waitFor()
  t.strictSame(await rows.allInnerTexts(), ['Texts', 'Photos'])
  const { subtasks: saved } = await api.get('/api/kanban-items/{id}', { path: { id: item.id } })
  t.strictSame(
    saved.map(({ title }) => title),
    ['Texts', 'Photos'],
  )

  t.comment('a refused one disappears')
  await page.unrouteAll()
  problems.expect(/500/)
  await page.route('**/subtasks', (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":"Internal"}' }),
  )
  const refuse = await held()
  await field.fill('Links')
  await field.press('Enter')
  await rows.filter({ hasText: 'Links' }).waitFor()
  refuse()
  await rows.filter({ hasText: 'Links' }).waitFor({ state: 'detached' })
})

onBoard('subtasks, labels and comments', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const now = () => api.get('/api/kanban-items/{id}', { path: { id: item.id } })
  const { page, go, problems } = await person()
  await go(path)
  const field = page.getByRole('textbox', { name: 'New subtask' })
  for (const title of ['Texts', 'Photos', 'Links']) {
    await field.fill(title)
    await page.keyboard.press('Enter')
  }
  t.equal(await field.inputValue(), '', 'the field stays for the next')
  const subtasks = partOf(page, 'Subtasks')
  await subtasks.getByRole('checkbox', { name: 'Links' }).check()
  await subtasks.getByText('1 of 3').waitFor()
  const titles = async () => (await now()).subtasks.map(({ title }) => title).join()
  await until(titles, (all) => all === 'Texts,Photos,Links')
  await subtasks.getByRole('checkbox', { name: 'Links' }).press('Alt+ArrowUp')
  await until(titles, (all) => all === 'Texts,Links,Photos')
  await subtasks.getByRole('button', { name: 'Actions for Texts' }).click()
  await page.getByRole('menuitem', { name: 'Move down' }).click()
  await until(titles, (all) => all === 'Links,Texts,Photos')
  await subtasks.getByRole('button', { name: 'Actions for Texts' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await subtasks.getByRole('textbox', { name: 'Subtask title' }).fill('All texts')
  await page.keyboard.press('Enter')
  await until(titles, (all) => all === 'Links,All texts,Photos')
  await subtasks.getByRole('button', { name: 'Actions for Photos' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await until(titles, (all) => all === 'Links,All texts')
  await page.getByRole('status').getByText('Deleted Photos.').waitFor()
  await page.locator('.toast', { hasText: 'Deleted Photos.' }).getByRole('button', { name: 'Undo' }).click()
  await until(titles, (all) => all === 'Links,All texts,Photos')
  const subtask = (title: string) => subtasks.getByRole('listitem').filter({ hasText: title })
  await drag(page, subtask('Photos').locator('.row-handle'), subtask('Links'), { at: { x: 0.5, y: 0.2 } })
  await until(titles, (all) => all === 'Photos,Links,All texts')
  await drag(page, subtask('Photos').locator('.row-handle'), subtask('Links'), { at: { x: 0.5, y: 0.8 } })
  await until(titles, (all) => all === 'Links,Photos,All texts')

  const labels = dialogOf(page).getByRole('group', { name: 'Labels' })
  await labels.getByRole('button', { name: 'Choose labels' }).click()
  await labels.getByRole('textbox', { name: 'New label' }).fill('Design')
  await page.keyboard.press('Enter')
  await labels.getByRole('checkbox', { name: 'Design' }).and(page.locator(':checked')).waitFor()
  const another = labels.getByRole('textbox', { name: 'New label' })
  await another.focus()
  await page.keyboard.insertText('y'.repeat(60))
  t.equal((await another.inputValue()).length, 50, 'no longer than a label may be')
  await page.keyboard.press('Enter')
  const two = await until(now, (card) => card.labels.length === 2)
  t.equal(new Set(two.labels.map(({ color }) => color)).size, 2, 'each has a colour of its own')
  await labels.getByRole('checkbox', { name: 'yyy' }).uncheck()
  await until(now, (card) => card.labels.length === 1)
  await labels.getByRole('button', { name: 'Edit the label Design' }).click()
  await labels.getByRole('textbox', { name: 'Label name' }).fill('Graphics')
  await labels.getByLabel('Colour').first().fill('#b45309')
  await labels.getByRole('button', { name: 'Save' }).click()
  await labels.getByRole('textbox', { name: 'Label name' }).waitFor({ state: 'detached' })
  t.match((await now()).labels, [{ name: 'Graphics', color: '#b45309' }])
  await labels.getByRole('checkbox', { name: 'Graphics' }).uncheck()
  await until(now, (card) => card.labels.length === 0)
  await labels.getByRole('checkbox', { name: 'Graphics' }).check()
  await until(now, (card) => card.labels.length === 1)
  await labels.getByRole('button', { name: 'Edit the label Graphics' }).click()
  await labels.getByRole('button', { name: 'Delete label' }).click()
  await until(now, (card) => card.labels.length === 0)

  const answer = Promise.withResolvers<void>()
  await page.route('**/kanban-labels', async (route) => {
    await answer.promise
    await route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":"Internal"}' })
  })
  await another.fill('Legal')
  await page.keyboard.press('Enter')
  t.equal(await another.inputValue(), '', 'the field is free for the next at once')
  answer.resolve()
  await until(
    () => another.inputValue(),
    (text) => text === 'Legal',
  )
  problems.expect(/500/)
  await page.unrouteAll()

  t.comment('and is left if the next one was typed, also after a reload')
  const nothing = Promise.withResolvers<void>()
  await page.route('**/kanban-labels', () => nothing.promise)
  await page.keyboard.press('Enter')
  await another.fill('Print')
  await page.evaluate(() => dispatchEvent(new Event('pagehide')))
  page.once('dialog', (asked) => void asked.accept())
  await page.reload()
  await page.unrouteAll()
  await labels.getByRole('button', { name: 'Choose labels' }).click()
  const left = labels.getByRole('note')
  await left.getByText('Legal').waitFor()
  t.equal(await another.inputValue(), 'Print')
  await left.getByRole('button', { name: 'Add' }).click()
  await labels.getByRole('checkbox', { name: 'Legal' }).and(page.locator(':checked')).waitFor()
  await left.waitFor({ state: 'detached' })
  await another.fill('')

  const comments = partOf(page, 'Comments')
  await comments.getByRole('textbox', { name: 'New comment' }).fill('What of the *links*?')
  await page.keyboard.press('Control+Enter')
  const comment = comments.getByRole('article')
  await comment.locator('em').waitFor()
  await comment.getByRole('button', { name: 'Edit' }).click()
  await comment.getByRole('textbox', { name: 'Comment' }).fill('What of **them**?')
  await comment.getByRole('button', { name: 'Save' }).click()
  await comment.getByText('edited').waitFor()
  t.equal(await comment.locator('strong').last().textContent(), 'them')
  await comment.getByRole('button', { name: 'Delete' }).click()
  await comment.waitFor({ state: 'detached' })
  await until(
    () => historyLines(page),
    ([latest]) => latest === 'local deleted a comment',
  )
})
