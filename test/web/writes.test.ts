/** The queue of writes: in order, retried if lost, and not blocked by slow ones. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { link, projectWith, savedIn, untilSaved, untilShown } from './board-steps.ts'
import { type Board, onBoard } from './browser.ts'
import { until } from './until.ts'

/** Longer than the timeout of a request, and than the delay after which a missing response is shown, in milliseconds. */
const LONG = 61_000
const AFTER_TIMEOUT = 11_000

async function addCard(page: Page, title: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Card title' }).fill(title)
  await page.keyboard.press('Enter')
}

onBoard('are sent in the order in which they were made, on any network', async (t, board) => {
  const { id, path } = await projectWith(board.api, { 'To Do': ['Old'] })
  const { page, go } = await board.person()
  await go(path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  const delays = [300, 200, 100]
  await page.route('**/api/projects/*/kanban-items', async (route) => {
    if (route.request().method() === 'POST') await wait(delays.shift() ?? 0)
    await route.continue()
  })
  const titles = ['One', 'Two', 'Three', 'Four']
  for (const title of titles) await addCard(page, title)
  const all = ['Old', ...titles]
  t.strictSame(await untilShown(page, 'To Do', all), all, 'shown at once')
  t.strictSame(await untilSaved(board.api, id, 'To Do', all), all)
})

onBoard('without a response are sent again, and later ones too', async (t, board) => {
  const { id, path } = await projectWith(board.api, { 'To Do': ['Old'] })
  const { page, go } = await board.person()
  await page.clock.install()
  await go(path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  const keys: (string | undefined)[] = []
  await page.route('**/api/projects/*/kanban-items', async (route) => {
    if (route.request().method() === 'POST') keys.push(route.request().headers()['idempotency-key'])
    if (keys.length !== 1) await route.continue()
  })
  await addCard(page, 'Lost')
  await addCard(page, 'Next')
  t.strictSame(await untilShown(page, 'To Do', ['Old', 'Lost', 'Next']), ['Old', 'Lost', 'Next'])
  t.equal(keys.length, 1, 'the next one waits')
  await page.clock.fastForward(AFTER_TIMEOUT)
  await page.getByRole('status').getByText('2 changes are waiting.').waitFor()
  await page.clock.fastForward(LONG)
  const all = ['Old', 'Lost', 'Next']
  t.strictSame(await untilSaved(board.api, id, 'To Do', all), all)
  t.strictSame([keys.length, keys[1], keys[2] === keys[0]], [3, keys[0], false])
})

onBoard('that never succeed are dropped, and later ones are sent', async (t, board) => {
  const { id, path } = await projectWith(board.api, { 'To Do': ['Old'] })
  const { page, go, problems } = await board.person()
  problems.expect(/503/)
  await page.clock.install()
  await go(path)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  await page.route('**/api/projects/*/kanban-items', (route) =>
    route.request().postDataJSON()?.title === 'Never' ? route.fulfill({ status: 503 }) : route.continue(),
  )
  await addCard(page, 'Never')
  await addCard(page, 'Next')
  const refused = page.getByRole('alert').filter({ hasText: 'Not saved' })
  await until(
    async () => {
      await page.clock.fastForward(AFTER_TIMEOUT)
      return refused.count()
    },
    (count) => count > 0,
  )
  t.strictSame(await untilSaved(board.api, id, 'To Do', ['Old', 'Next']), ['Old', 'Next'])
  t.strictSame(await untilShown(page, 'To Do', ['Old', 'Next']), ['Old', 'Next'])
  t.equal(
    await page.getByRole('textbox', { name: 'Card title' }).inputValue(),
    'Never',
    'what was typed is kept',
  )
})

onBoard('that are refused give their text to the field that is open by then', async (t, board) => {
  const { path } = await projectWith(board.api, { 'To Do': ['Old'] })
  const { page, go, problems } = await board.person()
  problems.expect(/409/)
  await go(path)
  const open = () => page.getByRole('button', { name: 'Add a card to To Do' }).click()
  await open()
  const opened = Promise.withResolvers<void>()
  await page.route('**/api/projects/*/kanban-items', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    await opened.promise
    return route.fulfill({ status: 409, json: { error: 'Refused' } })
  })
  await addCard(page, 'Lost')
  await page.keyboard.press('Escape')
  await open()
  opened.resolve()
  const field = page.getByRole('textbox', { name: 'Card title' })
  const typed = () => field.inputValue()
  t.equal(await until(typed, (text) => text !== ''), 'Lost')
  await field.press('End')
  await page.keyboard.type(' again')
  await page.keyboard.press('Escape')
  await open()
  t.equal(await typed(), 'Lost again')
})

onBoard('do not bring back a column that somebody has renamed', async (t, board) => {
  const { id, path } = await projectWith(board.api, { 'To Do': ['Old'], Next: ['Other'] })
  const { page, go, problems } = await board.person()
  problems.expect(/400/)
  await go(path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  const columns = () => board.api.get('/api/projects/{id}/kanban-columns', { path: { id } })
  const [first, ...others] = await columns()
  await page.route('**/api/projects/*/kanban-items', async (route) => {
    if (route.request().method() === 'POST') {
      await board.api.patch('/api/kanban-columns/{id}', {
        path: { id: first?.id ?? '' },
        body: { name: 'Later' },
      })
    }
    await route.continue()
  })
  await addCard(page, 'Late')
  await page
    .getByRole('alert')
    .filter({ hasText: 'column: must be the name of a column of the project' })
    .waitFor()
  t.equal(await page.getByRole('textbox', { name: 'Card title' }).inputValue(), 'Late', 'the text is kept')
  t.strictSame(
    (await columns()).map(({ name }) => name),
    ['Later', ...others.map(({ name }) => name)],
  )
  t.strictSame(await untilShown(page, 'Later', ['Old']), ['Old'])
})

onBoard('of a text happen once, whether the read or the response is lost', async (t, board) => {
  const { id, path } = await projectWith(board.api, {})
  const { page, go, problems } = await board.person()
  problems.expect(/ERR_FAILED/)
  await page.clock.install()
  await go(`${path}/overview`)
  await page.getByText('Live', { exact: true }).waitFor()
  const answers = { read: 0, written: 0 }
  await page.route(`**/api/projects/${id}`, async (route) => {
    if (route.request().method() === 'GET') {
      // The first one never gets a response.
      if (answers.read++ > 0) await route.continue()
      return
    }
    // The responses to the first three requests, which belong to one attempt, are lost.
    const response = await route.fetch()
    if (answers.written++ < 3) await route.abort()
    else await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Edit: Name' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Apollo')
  await page.keyboard.press('Enter')
  await until(
    () => Promise.resolve(answers.read),
    (read) => read > 0,
  )
  await page.clock.fastForward(LONG)
  await page.getByText('Saved: Name').waitFor()
  t.equal(answers.written, 4)
  const changes = await board.api.get('/api/projects/{id}/changes', { path: { id } })
  t.equal(changes.filter(({ action }) => action === 'updated').length, 1, 'one change')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { level: 1, name: 'Website relaunch' }).waitFor()
})

async function addBesideTest(t: Test, board: Board): Promise<void> {
  const { id, path } = await projectWith(board.api, { 'To Do': ['Old'] })
  await board.api.post('/api/webhooks', { body: { url: 'https://hooks.example.test/' } })
  const { page, go } = await board.person({ signIn: true })
  await go('/admin/webhooks')
  await page.route('**/api/webhooks/*/test', () => undefined)
  await page.getByRole('button', { name: /^Actions for / }).click()
  await page.getByRole('menuitem', { name: 'Send a test' }).click()
  await page.getByRole('link', { name: 'Projects', exact: true }).click()
  await page.getByRole('link', { name: 'Website relaunch' }).click()
  await link(page, 'Old').waitFor()
  t.match(page.url(), path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  await addCard(page, 'New')
  t.strictSame(await untilSaved(board.api, id, 'To Do', ['Old', 'New']), ['Old', 'New'])
}
onBoard('do not wait for a webhook that does not respond', addBesideTest, { mode: 'required' })

async function addBeforeSignOut(t: Test, board: Board): Promise<void> {
  const { id, path } = await projectWith(board.api, { 'To Do': ['Old'] })
  const { page, go } = await board.person({ signIn: true })
  await go(path)
  const signingOut = Promise.withResolvers<void>()
  await page.route('**/api/projects/*/kanban-items', async (route) => {
    if (route.request().method() === 'POST') await signingOut.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  await addCard(page, 'Last')
  await page.getByRole('button', { name: /^Menu of / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  signingOut.resolve()
  await page.getByRole('textbox', { name: 'Email' }).waitFor()
  t.strictSame(await savedIn(board.api, id, 'To Do'), ['Old', 'Last'])
}
onBoard('are sent before a sign-out', addBeforeSignOut, { mode: 'required' })

/** Makes the service unreachable for a page, and makes changes that wait for it. */
async function waitOffline(page: Page): Promise<() => Promise<void>> {
  const isApi = /\/api\//
  await page.route(isApi, (route) => route.abort())
  await page.getByRole('button', { name: 'Actions for Two' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  await addCard(page, 'Three')
  await page.getByRole('status').getByText('2 changes are waiting.').waitFor()
  await page.getByTitle('2 changes are waiting.').waitFor()
  return () => page.unroute(isApi)
}

onBoard('that wait survive a reload, and happen once', async (t, board) => {
  const { id, path } = await projectWith(board.api, { 'To Do': ['One', 'Two'] })
  const { page, go, problems } = await board.person()
  problems.expect(/ERR_FAILED/)
  page.on('dialog', (dialog) => void dialog.accept())
  await go(path)
  await page.getByText('Live', { exact: true }).waitFor()
  // The service performs the first write, but its response is lost.
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    const key = request.headers()['idempotency-key']
    if (key !== undefined) keys.push(key)
  })
  await page.route(
    '**/api/kanban-items/*',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  const reconnect = await waitOffline(page)
  t.notOk(await page.getByText('Live', { exact: true }).isVisible(), 'nothing says that all is well')
  const colors = await page.evaluate(() => {
    const dot = document.querySelector('.live-dot') ?? document.body
    const text = document.querySelector('.connection') ?? document.body
    return [getComputedStyle(dot, '::before').backgroundColor, getComputedStyle(text).color]
  })
  t.equal(colors[0], colors[1], 'the mark beside the pages has the colour of the text')
  // Several cards are one write.
  await page.getByRole('textbox', { name: 'Card title' }).fill('Four\nFive')
  await page.getByRole('button', { name: 'Create 2 cards' }).click()
  await page.getByRole('status').getByText('3 changes are waiting.').waitFor()
  // Once without the service: it is still not reachable.
  await page.reload()
  await page.getByText('Phaseboard does not respond.').waitFor()
  await reconnect()
  await page.getByText('Sent 3 changes from before the reload.').waitFor()
  const all = ['One', 'Three', 'Four', 'Five']
  t.strictSame(await untilSaved(board.api, id, 'To Do', all), all)
  t.strictSame(await untilShown(page, 'To Do', all), all)
  t.equal(new Set(keys).size, 3, 'with the same keys')
  const changes = await board.api.get('/api/projects/{id}/changes', { path: { id } })
  t.equal(changes.filter(({ after }) => after?.dismissed === true).length, 1)
  t.equal(changes.filter(({ after }) => after?.title === 'Three').length, 1)
  await page.reload()
  await link(page, 'Three').waitFor()
  t.equal(await page.getByText('from before the reload').count(), 0, 'not again')
})

onBoard('that wait survive the choice of a language, without a question', async (t, board) => {
  const { id, path } = await projectWith(board.api, { 'To Do': ['One', 'Two'] })
  const { page, go, problems } = await board.person()
  problems.expect(/ERR_FAILED/)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await go(path)
  await page.getByText('Live', { exact: true }).waitFor()
  const reconnect = await waitOffline(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Menu of / }).click()
  await page.getByRole('menuitem', { name: 'Appearance…' }).click()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
  await page.waitForFunction(() => document.documentElement.lang === 'de')
  await reconnect()
  await page.getByText('2 Änderungen von vor dem Neuladen gesendet.').waitFor()
  t.strictSame(asked, [])
  t.strictSame(await untilSaved(board.api, id, 'To Do', ['One', 'Three']), ['One', 'Three'])
})

onBoard('that the service refuses after a reload are named and dropped', async (t, board) => {
  const { id, path, cards } = await projectWith(board.api, { 'To Do': ['One', 'Two'] })
  const { page, go, problems } = await board.person()
  problems.expect(/ERR_FAILED/)
  page.on('dialog', (dialog) => void dialog.accept())
  await go(path)
  await page.getByText('Live', { exact: true }).waitFor()
  const reconnect = await waitOffline(page)
  await board.api.delete('/api/kanban-items/{id}', { path: { id: cards.get('Two') ?? '' } })
  await reconnect()
  await page.reload()
  await page.getByText('Not saved after the reload: “Two” archived (Kanban item not found).').waitFor()
  t.strictSame(await untilSaved(board.api, id, 'To Do', ['One', 'Three']), ['One', 'Three'])
  t.strictSame(await untilShown(page, 'To Do', ['One', 'Three']), ['One', 'Three'])
})

async function waitForAnother(t: Test, board: Board): Promise<void> {
  const { id, path } = await projectWith(board.api, { 'To Do': ['One', 'Two'] })
  const bob = { email: 'bob@example.test', password: 'battery staple' }
  await board.api.post('/api/members', { body: { ...bob, name: 'Bob', role: 'member' } })
  const { page, context, go, problems } = await board.person({ signIn: true })
  problems.expect(/ERR_FAILED/)
  page.on('dialog', (dialog) => void dialog.accept())
  await go(path)
  await page.getByText('Live', { exact: true }).waitFor()
  const reconnect = await waitOffline(page)
  const keptBytes = () => page.evaluate(() => JSON.stringify(sessionStorage).length)
  t.ok((await keptBytes()) > 100)
  await context.clearCookies()
  await context.request.post(`${board.url}/api/session`, { data: bob })
  await reconnect()
  await page.reload()
  await page.getByRole('button', { name: 'Menu of Bob' }).waitFor()
  await link(page, 'Two').waitFor()
  t.equal(await keptBytes(), 2, 'nothing is left of them')
  t.equal(await page.getByText('reload').count(), 0, 'nor told')
  t.strictSame(await savedIn(board.api, id, 'To Do'), ['One', 'Two'])
}
onBoard('that wait are not sent for another member', waitForAnother, { mode: 'required' })

onBoard('work where browsers have only the functions for pages without TLS', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two'] })
  const { page, context, go } = await person()
  await context.addInitScript(() => {
    for (const name of ['locks', 'clipboard']) Reflect.deleteProperty(Navigator.prototype, name)
    for (const name of ['randomUUID', 'subtle']) Reflect.deleteProperty(Crypto.prototype, name)
  })
  await go(path)
  await page.getByText('Live', { exact: true }).waitFor()
  await link(page, 'One').focus()
  await page.keyboard.press('x')
  await page.getByText('“One” archived.').waitFor()
  await page.keyboard.press('n')
  await page.keyboard.type('Three')
  await page.keyboard.press('Enter')
  t.strictSame(await untilSaved(api, id, 'To Do', ['Two', 'Three']), ['Two', 'Three'])
})
