/** A board of 4,000 cards: few are in the document, whatever is scrolled, moved and changed. `npm run bench:page` measures the times. */

import { card, column, link, type Made, projectWith, untilShown } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { drag, hold } from './gestures.ts'
import { countOf, heap } from './measures.ts'

const COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']
const EACH = 1000

const many = Object.fromEntries(
  COLUMNS.map((name) => [
    name,
    Array.from({ length: EACH }, (_, index) => `${name} ${index + 1}${' and so on'.repeat(index % 9)}`),
  ]),
)

onBoard('a board of 4,000 cards', async (t, { api, person }) => {
  const made: Made = await projectWith(api, many)
  const { page, go } = await person()
  const first = column(page, 'To Do').getByRole('listitem').first()
  await go(made.path)
  await first.waitFor()
  t.equal(await first.getAttribute('aria-setsize'), String(EACH))
  t.ok((await countOf(page, '.card-row')) <= 120, `${await countOf(page, '.card-row')} cards in the document`)
  const bytes = await heap(page)
  t.ok(bytes <= 60 * 2 ** 20, `${bytes} bytes in the heap`)

  await page.mouse.move(150, 400)
  for (let turn = 0; turn < 40; turn++) await page.mouse.wheel(0, 150)
  await page.waitForFunction(() => (document.querySelector('.column-body')?.scrollTop ?? 0) > 2000)
  t.ok((await countOf(page, '.card-row')) <= 120, 'also after scrolling')

  // Changes by somebody else, all over a column.
  const ids = [...made.cards.values()].slice(0, 1000)
  for (let at = 0; at < ids.length; at += 500) {
    await api.patch('/api/kanban-items', {
      body: { ids: ids.slice(at, at + 500), update: { priority: 'high' } },
    })
  }
  await page.getByText('Priority: High').first().waitFor({ state: 'attached' })
  t.ok((await countOf(page, '.card-row')) <= 120, 'and after many changes')

  // The keyboard moves beyond the cards in the document.
  const titles = many.Review ?? []
  await link(page, titles[0] ?? '').focus()
  for (let step = 0; step < 25; step++) await page.keyboard.press('j')
  await page.waitForFunction((title) => document.activeElement?.textContent === title, titles[25])
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Position').selectOption('1000')
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await page.waitForFunction(
    (title) =>
      document.activeElement?.textContent === title &&
      document.activeElement?.closest('li')?.ariaPosInSet === '1000',
    titles[25],
  )
  const closeToast = () => page.locator('.toast').getByRole('button', { name: 'Close' }).click()
  await closeToast()
  const done = many.Done ?? []
  await drag(page, card(page, done[1] ?? ''), card(page, done[0] ?? ''), { at: { x: 0.5, y: 0.1 } })
  await page.getByText('moved within Done.').waitFor()
  await closeToast()

  // At its edge a column scrolls by itself, and a dragged card stays in the document however far that is.
  const body = column(page, 'Done').locator('.column-body')
  const scrolledTo = () => body.evaluate(({ scrollTop }) => scrollTop)
  const moved = done[2] ?? ''
  const held = await hold(page, card(page, moved))
  await held.moveTo(body, { x: 0.5, y: 0.98 })
  await page.waitForFunction((element) => element && element.scrollTop > 3000, await body.elementHandle())
  t.equal(await card(page, moved).count(), 1)
  await held.moveTo(body, { x: 0.5, y: 0.5 })
  await held.drop()
  await page.getByText('moved within Done.').waitFor()
  const place = async () => Number(await card(page, moved).getAttribute('aria-posinset'))
  t.ok((await place()) > 20, `dropped at ${await place()}`)
  t.ok((await scrolledTo()) > 3000, 'the column stays where it was')

  // The same by touch.
  const tablet = await person({ hasTouch: true, isMobile: true, viewport: { width: 1280, height: 700 } })
  const ready = tablet.page.waitForResponse(/touch/)
  await tablet.go(made.path)
  const touched = card(tablet.page, done[4] ?? '')
  await Promise.all([touched.waitFor(), ready])
  const finger = await hold(tablet.page, touched, { touch: true })
  const touchedBody = column(tablet.page, 'Done').locator('.column-body')
  await finger.moveTo(touchedBody, { x: 0.5, y: 0.98 })
  await tablet.page.waitForFunction(
    (element) => element && element.scrollTop > 3000,
    await touchedBody.elementHandle(),
  )
  await finger.moveTo(touchedBody, { x: 0.5, y: 0.5 })
  await finger.drop()
  await tablet.page.getByText('moved within Done.').waitFor()
  t.ok(Number(await touched.getAttribute('aria-posinset')) > 20)
})

onBoard('up to 300 cards are all in the document', async (t, { api, person }) => {
  const titles = Array.from({ length: 300 }, (_, index) => `Card ${index + 1}`)
  const { path } = await projectWith(api, { 'To Do': titles })
  const { page, go } = await person()
  await go(path)
  await card(page, 'Card 300').waitFor()
  t.strictSame(await untilShown(page, 'To Do', titles), titles)
})
