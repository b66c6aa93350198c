/** Who sees which project, on the page: chosen in the overview, live, for guests and for those who may only read. */
import type { Client } from '../../src/client/types.d.ts'
import { link, projectWith } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { choosePerson } from './choose-person.ts'
import { until } from './until.ts'

const REQUIRED = { mode: 'required' } as const

/** Adds a member. @returns the id, and what they sign in with */
async function member(api: Client, name: string, role: 'member' | 'guest') {
  const credentials = { email: `${name.toLowerCase()}@example.test`, password: 'a good horse' }
  const { id } = await api.post('/api/members', { body: { ...credentials, name, role } })
  return { id, credentials }
}

onBoard(
  'who sees a project is chosen on its overview, and nobody loses it by mistake',
  async (t, { api, person }) => {
    const bob = await member(api, 'Bob', 'member')
    const gus = await member(api, 'Gus', 'guest')
    const { id, path } = await projectWith(api, { 'To Do': ['Flyer'] })
    const now = () => api.get('/api/projects/{id}', { path: { id } })
    const { page, go, check } = await person({ signIn: bob.credentials })
    await go(`${path}/overview`)
    const section = page.getByRole('region', { name: 'Who sees this project' })
    await section.getByText('Every member sees it.').waitFor()
    await section.getByLabel('Access').selectOption('Only its people')
    await page.getByRole('alert').getByText('you would no longer see this project').waitFor()
    t.equal(await section.getByLabel('Access').inputValue(), 'everyone', 'as it was')

    const dialog = page.getByRole('dialog')
    await section.getByRole('button', { name: 'Add person' }).click()
    await choosePerson(dialog, 'Person', 'Bob')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await until(now, ({ teamAssignments }) => teamAssignments.length === 1)
    await section.getByLabel('Access').selectOption('Only its people')
    await until(now, ({ access }) => access === 'assigned')
    await page.getByRole('main').getByRole('img', { name: 'Private' }).waitFor()
    await section.getByText('Only its people and its team see it').waitFor()

    await section.getByRole('button', { name: 'Add person' }).click()
    await choosePerson(dialog, 'Person', 'Gus')
    await dialog.getByLabel('Role').selectOption('Viewer')
    await dialog.getByText('Can only read the board.').waitFor()
    await check()
    await dialog.getByRole('button', { name: 'Add' }).click()
    await until(now, ({ teamAssignments }) =>
      teamAssignments.some(({ memberId, role }) => memberId === gus.id && role === 'viewer'),
    )
    t.match(
      await section.getByRole('list', { name: 'People' }).innerText(),
      /Gus[\s\S]*Viewer[\s\S]*Can only read the board/,
    )
    await go('/')
    await page.getByRole('listitem').getByRole('img', { name: 'Private' }).waitFor()
  },
  REQUIRED,
)

onBoard(
  'rights, teams and lists are loaded again after a gap in the stream',
  async (t, { api, person }) => {
    const bob = await member(api, 'Bob', 'member')
    const { id, path } = await projectWith(api, { 'To Do': ['Flyer'] })
    const secret = await projectWith(api, { 'To Do': [] }, 'Secret')
    const team = await api.post('/api/teams', { body: { name: 'Crew', memberIds: [bob.id] } })
    await api.patch('/api/projects/{id}', { path: { id }, body: { access: 'assigned', teamId: team.id } })
    const { id: assignment } = await api.post('/api/projects/{id}/team-assignments', {
      path: { id },
      body: { memberId: bob.id, role: 'member' },
    })
    const { page, go } = await person({ signIn: bob.credentials })
    const main = page.getByRole('main')
    await go(path)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await main.getByText(/Team Crew/).waitFor()
    await page.getByRole('link', { name: 'Projects' }).click()
    await link(page, 'Secret').waitFor()
    const actions = main.getByRole('button', { name: 'Actions for Website relaunch' })
    await actions.waitFor()
    // The list is not in use here.
    await link(page, 'Website relaunch').click()
    await link(page, 'Flyer').waitFor()

    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
    await api.patch('/api/teams/{id}', { path: { id: team.id }, body: { name: 'Squad' } })
    await api.patch('/api/team-assignments/{id}', { path: { id: assignment }, body: { role: 'viewer' } })
    await api.patch('/api/projects/{id}', { path: { id: secret.id }, body: { access: 'assigned' } })
    const body = 'event: gone\ndata: {"oldest":9000}\n\n'
    await page.route(
      '**/api/changes/stream*',
      (route) => route.fulfill({ contentType: 'text/event-stream', body }),
      { times: 1 },
    )
    const loaded = [/api\/session$/, /api\/teams$/].map((url) => page.waitForResponse(url))
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await Promise.all(loaded)
    const listed = Promise.withResolvers<void>()
    await page.route('**/api/projects?view=summary', (route) => listed.promise.then(() => route.continue()))
    await page.getByRole('link', { name: 'Projects' }).click()
    await main.locator('[aria-busy=true]').waitFor({ state: 'attached' })
    t.equal(await link(page, 'Secret').count(), 0, 'no old entry is shown')
    listed.resolve()
    await link(page, 'Website relaunch').waitFor()
    t.equal(await actions.count(), 0, 'the project may only be read')
    await link(page, 'Website relaunch').click()
    await page.getByRole('link', { name: 'Overview' }).click()
    await main.getByText(/Team Squad/).waitFor()
  },
  REQUIRED,
)

onBoard(
  'a project goes from a page when its user loses it, comes back, and may be read-only',
  async (t, { api, person }) => {
    const bob = await member(api, 'Bob', 'member')
    const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer'] })
    const set = (access: 'everyone' | 'assigned') =>
      api.patch('/api/projects/{id}', { path: { id }, body: { access } })
    const { page, go } = await person({ signIn: bob.credentials })
    await go(`${path}/items/${cards.get('Flyer')}`)
    await page.getByRole('dialog', { name: 'Flyer' }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'New comment' }).fill('Half a thought')
    await set('assigned')
    await page.getByRole('alert').getByText('You no longer see this project').waitFor()
    t.equal(await page.title(), 'Project · Phaseboard')
    t.notMatch(await page.content(), /Flyer/, 'nothing of it stays')
    t.notMatch(await page.evaluate(() => JSON.stringify(localStorage)), /Half a thought/)

    const { id: assignment } = await api.post('/api/projects/{id}/team-assignments', {
      path: { id },
      body: { memberId: bob.id, role: 'viewer' },
    })
    await page.getByRole('dialog', { name: 'Flyer' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('You may only read this project.').waitFor()
    const main = page.getByRole('main')
    t.equal(await main.getByRole('button', { name: /Add|Actions/ }).count(), 0, 'nothing is offered')
    t.equal(await page.locator('[draggable=true]').count(), 0, 'nothing is dragged')
    await link(page, 'Flyer').focus()
    await page.keyboard.press('n')
    await page.getByRole('status').getByText('You may only read this project.').waitFor()
    t.equal(await main.getByRole('textbox', { name: 'Card title' }).count(), 0)
    await page.getByRole('link', { name: 'Projects' }).click()
    await page
      .getByRole('listitem')
      .filter({ has: link(page, 'Website relaunch') })
      .waitFor()
    await page.waitForFunction(() => document.querySelector('main [aria-haspopup]') === null)
    await page.goBack()
    await page.goto(`${page.url()}/overview`)
    await page.getByRole('region', { name: 'Who sees this project' }).waitFor()
    t.equal(await main.getByRole('combobox').count(), 0)
    await page.getByRole('link', { name: 'Board' }).click()

    const path2 = { id: assignment }
    await api.patch('/api/team-assignments/{id}', { path: path2, body: { role: 'member' } })
    await main.getByRole('button', { name: 'Add a card to To Do' }).waitFor()
    await set('everyone')
    await api.delete('/api/team-assignments/{id}', { path: path2 })
    t.equal(await page.getByText('You no longer see this project').count(), 0)

    // It is lost while the page has no connection.
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
    await set('assigned')
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.getByText('You no longer see this project').waitFor()
    await page.getByRole('button', { name: 'Go to projects' }).click()
    await page.getByText('No projects yet.').waitFor()
    await set('everyone')
    await link(page, 'Website relaunch').waitFor()
  },
  REQUIRED,
)

onBoard(
  'a guest is taken to the only project, and is offered nothing else',
  async (t, { api, person }) => {
    const gus = await member(api, 'Gus', 'guest')
    const { id, path } = await projectWith(api, { 'To Do': ['Flyer'] })
    const { page, go } = await person({ signIn: gus.credentials })
    await go('/')
    await page.getByText('You are in no project yet.').waitFor()
    t.equal(await page.getByRole('button', { name: /Create|Import/ }).count(), 0)
    const body = { memberId: gus.id, role: 'member' }
    await api.post('/api/projects/{id}/team-assignments', { path: { id }, body })
    await link(page, 'Flyer').waitFor()
    t.match(page.url(), new RegExp(`${path}$`))
    await page.getByRole('button', { name: 'Add a card to To Do' }).waitFor()
    await page.getByRole('button', { name: 'Menu of Gus' }).click()
    t.equal(await page.getByRole('menuitem', { name: 'Members' }).count(), 0)
  },
  REQUIRED,
)
