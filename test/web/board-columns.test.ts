/** Columns: rename, limit, reorder, colour, delete; and moves to a full column, or beside a card that is gone. */
import { card, column, projectWith, savedIn, titlesIn, untilSaved, untilShown } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { drag, hold, type Point } from './gestures.ts'

onBoard('columns are managed', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two'] })
  const { page, go } = await person()
  await go(path)
  const heads = page.getByRole('heading', { level: 2 })
  const act = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const names = async () =>
    (await api.get('/api/projects/{id}/kanban-columns', { path: { id } })).map(({ name }) => name)

  await page.getByRole('button', { name: 'Add column' }).click()
  await page.getByRole('textbox', { name: 'Column name' }).fill('Ideas')
  await page.keyboard.press('Enter')
  await page.getByText('Added Ideas.').waitFor()
  t.equal((await heads.allInnerTexts()).at(-1), 'Ideas')

  await act('To Do', 'Rename')
  await page.getByRole('textbox', { name: 'Column name' }).fill('Next')
  await page.keyboard.press('Enter')
  t.strictSame(await untilShown(page, 'Next', ['One', 'Two']), ['One', 'Two'], 'its cards go along')
  await page.getByText('Renamed to Next.').waitFor()
  t.strictSame(await untilSaved(api, id, 'Next', ['One', 'Two']), ['One', 'Two'])
  t.strictSame(await untilShown(page, 'Next', ['One', 'Two']), ['One', 'Two'])

  await act('Next', 'Move right')
  await page.getByText('Moved Next.').waitFor()
  t.strictSame((await names()).slice(0, 2), ['In Progress', 'Next'])
  await drag(page, column(page, 'Next').getByRole('heading', { level: 2 }), column(page, 'Done'), {
    at: { x: 0.8, y: 0.5 },
  })
  await page.waitForFunction(() => [...document.querySelectorAll('h2')].at(-2)?.textContent === 'Next')

  await act('Next', 'Settings…')
  const dialog = page.getByRole('dialog', { name: 'Settings of Next' })
  const columns = await api.get('/api/projects/{id}/kanban-columns', { path: { id } })
  await api.patch('/api/kanban-columns/{id}', {
    path: { id: columns.find(({ name }) => name === 'Next')?.id ?? '' },
    body: { color: '#00aa00' },
  })
  await page.locator('.column-head[style*="#00aa00"]').waitFor()
  await dialog.getByLabel('Limit of cards (0 for none)').fill('1')
  await dialog.getByLabel('Stage of work').selectOption('Done')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changed Next.').waitFor()
  t.match((await column(page, 'Next').innerText()).replace(/\s+/g, ' '), /2 cards, limit 1, above it/)
  const next = (await api.get('/api/projects/{id}/kanban-columns', { path: { id } })).find(
    ({ name }) => name === 'Next',
  )
  t.match(next, { wipLimit: 1, stage: 'done', wipPolicy: 'warn', color: '#00aa00' }, "others' changes stay")

  await act('Next', 'Delete column')
  await page.getByLabel('Move its 2 cards to').selectOption('Ideas')
  await page.getByRole('button', { name: 'Delete column' }).click()
  t.strictSame(await untilSaved(api, id, 'Ideas', ['One', 'Two']), ['One', 'Two'])
  t.strictSame(await untilShown(page, 'Ideas', ['One', 'Two']), ['One', 'Two'])
  t.equal(await column(page, 'Next').count(), 0)
  await act('Review', 'Delete column')
  await page.getByText('Deleted Review.').waitFor()
  t.strictSame(await names(), ['In Progress', 'Done', 'Ideas'])
})

onBoard('a full column accepts no card, and one above its limit says so', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two'], 'In Progress': ['Busy'] })
  const [, doing, , done] = await api.get('/api/projects/{id}/kanban-columns', { path: { id } })
  const limit = (one: typeof doing, wipPolicy: 'warn' | 'block') =>
    api.patch('/api/kanban-columns/{id}', { path: { id: one?.id ?? '' }, body: { wipLimit: 1, wipPolicy } })
  await Promise.all([limit(doing, 'block'), limit(done, 'warn')])
  const { page, go } = await person()
  await go(path)
  await card(page, 'One').waitFor()
  t.match((await column(page, 'In Progress').innerText()).replace(/\s+/g, ' '), /1 card, limit 1, full/)
  await drag(page, card(page, 'One'), card(page, 'Busy'))
  await page.getByText('In Progress is full (1 of 1). One stays in To Do.').waitFor()
  t.strictSame(await titlesIn(page, 'To Do'), ['One', 'Two'], 'it went back')
  await drag(page, card(page, 'One'), column(page, 'Done'))
  await page.getByText('“One” moved to Done.').waitFor()
  await drag(page, card(page, 'Two'), column(page, 'Done'))
  await page.getByText('Done is above its limit: 2 of 1.').waitFor()
  t.strictSame(await savedIn(api, id, 'In Progress'), ['Busy'])
})

onBoard('a card moves beside the next card if its neighbour is gone', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, { 'To Do': ['One'], Done: ['A', 'B', 'C'] })
  const { page, go } = await person()
  await go(path)
  await card(page, 'One').waitFor()
  const held = await hold(page, card(page, 'One'))
  await held.moveTo(card(page, 'B'), { x: 0.5, y: 0.2 })
  // The page does not learn of it before it sends the request.
  await page.route('**/api/changes/stream*', (route) => route.abort())
  const asked: unknown[] = []
  await page.route('**/move', async (route) => {
    if (asked.length === 0) await api.delete('/api/kanban-items/{id}', { path: { id: cards.get('B') ?? '' } })
    asked.push(route.request().postDataJSON())
    await route.continue()
  })
  await held.drop()
  t.strictSame(await untilSaved(api, id, 'Done', ['A', 'One', 'C']), ['A', 'One', 'C'])
  t.strictSame(asked, [
    { column: 'Done', beforeId: cards.get('B') },
    { column: 'Done', afterId: cards.get('A') },
  ])
  t.strictSame(await untilShown(page, 'Done', ['A', 'One', 'C']), ['A', 'One', 'C'])
})

onBoard('the whole lane of a column takes cards and columns', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, {
    'To Do': ['One', 'Two', 'Three', 'Four'],
    Done: ['Old', 'Older'],
  })
  const { page, go } = await person({ viewport: { width: 1280, height: 800 } })
  await go(path)
  await card(page, 'One').waitFor()
  const boxOf = async (name: string) => {
    const box = await column(page, name).boundingBox()
    if (box === null) throw new Error(`${name} is not to be seen`)
    return box
  }
  const dropAt = async (title: string, point: Point) => {
    const held = await hold(page, card(page, title))
    await held.moveTo(point)
    await held.drop()
  }

  const done = await boxOf('Done')
  await dropAt('One', { x: done.x + 100, y: 790 })
  t.strictSame(
    await untilSaved(api, id, 'Done', ['Old', 'Older', 'One']),
    ['Old', 'Older', 'One'],
    'far below',
  )
  const review = await boxOf('Review')
  await dropAt('Two', { x: review.x + 100, y: review.y + review.height - 40 })
  t.strictSame(await untilSaved(api, id, 'Review', ['Two']), ['Two'], 'far below in an empty column')
  const older = await card(page, 'Older').boundingBox()
  await dropAt('Three', { x: done.x - 2, y: (older?.y ?? 0) + 10 })
  const between = ['Old', 'Three', 'Older', 'One']
  t.strictSame(await untilSaved(api, id, 'Done', between), between, 'in the gap, at the height of a card')
  await dropAt('Four', { x: done.x - 10, y: 700 })
  t.strictSame(
    await untilSaved(api, id, 'Review', ['Two', 'Four']),
    ['Two', 'Four'],
    'in the other half of the gap',
  )

  const head = column(page, 'Review').getByRole('heading', { level: 2 })
  const held = await hold(page, head)
  const first = await boxOf('To Do')
  await held.moveTo({ x: first.x + 20, y: 600 })
  const mark = await page
    .locator('.drop-before')
    .evaluate((lane) => Number.parseFloat(getComputedStyle(lane, '::before').height))
  t.ok(mark > 600, `the mark of a column is as high as the board: ${mark} pixels`)
  await held.drop()
  await page.waitForFunction(() => document.querySelector('h2')?.textContent === 'Review')
})
