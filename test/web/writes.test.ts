/** Writes on their way: in order, sent again when they are lost, and none held up by one that takes long. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { link, projectWith, untilSaved, untilShown } from './board-steps.ts'
import { type Board, onBoard } from './browser.ts'

/** Longer than after which a write counts as lost, in milliseconds. */
const LONG = 31_000

async function addCard(page: Page, title: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Card title' }).fill(title)
  await page.keyboard.press('Enter')
}

onBoard('are made in the order in which they were done, whatever the network does', async (t, board) => {
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

onBoard('that are never answered are sent again, and those after them too', async (t, board) => {
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
  await page.clock.fastForward(LONG)
  // A pause comes before each repetition.
  await page.clock.fastForward(LONG)
  const all = ['Old', 'Lost', 'Next']
  t.strictSame(await untilSaved(board.api, id, 'To Do', all), all)
  t.strictSame([keys.length, keys[1], keys[2] === keys[0]], [3, keys[0], false])
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
onBoard('are not held up by a webhook that does not answer', addBesideTest, { mode: 'required' })
