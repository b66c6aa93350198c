/** Toasts: one at a time, over nothing that can be pressed in a dialog, in the way of no drop, several alike in one, and quiet where the page shows the result itself. */
import type { Page } from 'playwright-core'
import { card, column, link, projectWith, untilSaid, untilSaved, untilShown } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'
import { hold } from './gestures.ts'
import { lookUntil } from './until.ts'

const toastOf = (page: Page) => page.locator('.toast')

/** Dismisses the card that has the focus, which shows a toast. */
async function dismiss(page: Page, title: string): Promise<void> {
  await link(page, title).focus()
  await page.keyboard.press('x')
  await toastOf(page).getByText(`“${title}” archived.`).waitFor()
}

/** What can be pressed below the toast, looked for every few pixels. */
const pressableBelow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const toast = document.querySelector<HTMLElement>('.toast')
    if (!toast) return ['no toast']
    const { left, right, top, bottom } = toast.getBoundingClientRect()
    const box = toast.parentElement ?? toast
    box.style.pointerEvents = 'none'
    const found = new Set<string>()
    for (let x = left; x <= right; x += 4) {
      for (let y = top; y <= bottom; y += 4) {
        const pressable = document
          .elementFromPoint(x, y)
          ?.closest('a, button, input, select, textarea, label, summary, .card, [tabindex="0"]')
        if (pressable) found.add(pressable.outerHTML.slice(0, 120))
      }
    }
    box.style.pointerEvents = ''
    return [...found]
  })

/** The room is made in the next frame. @returns what can still be pressed then */
const untilFree = (page: Page) =>
  lookUntil(
    () => pressableBelow(page),
    (found) => found.length === 0,
  )

/** How far the middle of the toast is from the middle of the window, in pixels. */
const offCentre = (page: Page): Promise<number> =>
  toastOf(page).evaluate((toast) => {
    const { left, right } = toast.getBoundingClientRect()
    return Math.abs((left + right) / 2 - document.documentElement.clientWidth / 2)
  })

onBoard('several writes alike are one toast, and one undo', async (t, { api, person }) => {
  const titles = ['One', 'Two', 'Three']
  const { id, path } = await projectWith(api, { 'To Do': titles })
  const { page, go } = await person()
  await go(path)
  const moveToDone = async (title: string) => {
    await link(page, title).focus()
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: `Move ${title}` })
    await dialog.getByLabel('Column').selectOption('Done')
    await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }
  await moveToDone('One')
  await toastOf(page).getByText('“One” moved to Done.').waitFor()
  await moveToDone('Two')
  await moveToDone('Three')
  await toastOf(page).getByText('3 cards moved.').waitFor()
  t.equal(await toastOf(page).count(), 1, 'one toast at a time')
  t.ok((await offCentre(page)) < 2, 'in the middle')

  const undone: string[] = []
  page.on('request', (request) => request.method() === 'POST' && undone.push(new URL(request.url()).pathname))
  await toastOf(page).getByRole('button', { name: 'Undo' }).press('Enter')
  t.strictSame(await untilSaved(api, id, 'To Do', titles), titles)
  t.strictSame(await untilShown(page, 'To Do', titles), titles)
  t.strictSame(undone, ['/api/batch'], 'all in one write')
  await toastOf(page).getByText('Undone.').waitFor()
  await page.keyboard.press('Control+z')
  await toastOf(page).getByText('There is nothing to undo.').waitFor()

  // The same card again: its toast is of the last move only.
  await moveToDone('One')
  await toastOf(page).getByText('“One” moved to Done.').waitFor()
  await link(page, 'One').focus()
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog', { name: 'Move One' })
  await dialog.getByLabel('Column').selectOption('Review')
  await dialog.getByRole('button', { name: 'Move', exact: true }).press('Enter')
  await toastOf(page).getByText('“One” moved to Review.').waitFor()
  await toastOf(page).getByRole('button', { name: 'Undo' }).press('Enter')
  t.strictSame(await untilSaved(api, id, 'Done', ['One']), ['One'])

  // Another action has its own toast. A long title is shortened.
  await dismiss(page, 'Two')
  const long = `Long ${'word '.repeat(60)}`.trim()
  await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: long } })
  await card(page, long).waitFor()
  await link(page, long).focus()
  await page.keyboard.press('x')
  await toastOf(page).getByText('2 cards archived.').waitFor()
  await link(page, 'Three').focus()
  await page.keyboard.press('x')
  await toastOf(page).getByText('3 cards archived.').waitFor()
})

onBoard(
  'a toast lies over nothing that can be pressed in a dialog, and resizes no column',
  async (t, { api, person }) => {
    const many = Array.from({ length: 40 }, (_, index) => `Card ${index}`)
    const { id, path, cards } = await projectWith(api, { 'To Do': many, 'In Progress': many, Done: many })
    const long = 'a link as wide as the column, '.repeat(3)
    const links = Array.from({ length: 80 }, (_, at) => `[Link ${at}, ${long}](https://example.test/${at})`)
    const description = links.join('\n\n')
    await api.patch('/api/kanban-items/{id}', {
      path: { id: cards.get('Card 1') ?? '' },
      body: { description },
    })
    const sizes = [
      { viewport: { width: 1280, height: 720 } },
      { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true },
    ]
    for (const size of sizes) {
      const { page, go, context } = await person(size)
      const name = `${size.viewport.width} px`
      await go(path)
      const inColumn = column(page, 'To Do')
      const dismissFirst = async () => {
        await inColumn.getByRole('link').first().focus()
        await page.keyboard.press('x')
        await toastOf(page).getByRole('button', { name: 'Undo' }).waitFor()
      }
      await inColumn.getByRole('link').first().waitFor()
      const before = await inColumn.boundingBox()
      await dismissFirst()
      t.strictSame(await inColumn.boundingBox(), before, `${name}: above the board`)
      t.ok((await offCentre(page)) < 2)
      await page.evaluate(() => document.documentElement.style.setProperty('--bottom-bar', '56px'))
      const bottom = () =>
        toastOf(page).evaluate((toast) => innerHeight - toast.getBoundingClientRect().bottom)
      t.ok((await bottom()) >= 56, `${name}: above the bar at the bottom`)

      // Above a tall dialog.
      await page.evaluate(() => document.documentElement.style.removeProperty('--bottom-bar'))
      await go(`/projects/${id}/items/${cards.get('Card 1')}`)
      await dialogOf(page).getByRole('link', { name: 'Link 79' }).waitFor()
      await dialogOf(page).getByRole('combobox', { name: 'Priority' }).selectOption('High')
      await toastOf(page).getByText('Priority of “Card 1” changed.').waitFor()
      t.strictSame(await untilFree(page), [], `${name}: above a dialog`)
      await dialogOf(page).getByRole('link', { name: 'Link 40' }).scrollIntoViewIfNeeded()
      t.strictSame(await untilFree(page), [], `${name}: also when it is scrolled`)
      await toastOf(page).getByRole('button', { name: 'Undo' }).press('Enter')
      await toastOf(page).getByText('Undone.').waitFor()
      await toastOf(page).getByRole('button', { name: 'Close' }).press('Enter')
      const room = () => page.evaluate(() => document.documentElement.style.getPropertyValue('--toast-room'))
      t.equal(await room(), '', 'the room is given back')
      await context.close()
    }
  },
)

onBoard('what is dropped on a toast reaches the column below', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two'], Review: ['Old'] })
  const { page, go } = await person({ viewport: { width: 1280, height: 720 } })
  await go(path)
  await dismiss(page, 'One')
  const { x = 0, y = 0, height = 0 } = (await toastOf(page).boundingBox()) ?? {}
  const { x: left = 0, width = 0 } = (await column(page, 'Review').boundingBox()) ?? {}
  const over = { x: Math.max(x + 5, left + width / 2), y: y + height / 2 }
  const held = await hold(page, card(page, 'Two'))
  await held.moveTo(over)
  await held.drop()
  t.strictSame(await untilSaved(api, id, 'Review', ['Old', 'Two']), ['Old', 'Two'])
  // Afterwards the toast can be used.
  await toastOf(page).getByRole('button', { name: 'Undo' }).click()
  t.strictSame(await untilSaved(api, id, 'Review', ['Old']), ['Old'])
})

onBoard('adding and ticking is announced or heard, without a toast', async (t, board) => {
  const { api, person } = board
  const place = await makeCard(board, { title: 'Pages' })
  await api.post('/api/kanban-items/{id}/subtasks', { path: { id: place.item.id }, body: { title: 'Texts' } })
  const { page, go } = await person()
  await go(`/projects/${place.projectId}`)
  await page.getByRole('button', { name: 'Add a card to To Do' }).press('Enter')
  await page.keyboard.type('Flyer')
  await page.keyboard.press('Enter')
  await untilSaid(page, 'Added Flyer.')
  await card(page, 'Flyer').waitFor()
  t.equal(await toastOf(page).count(), 0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+z')
  await toastOf(page).getByText('Undone.').waitFor()
  t.strictSame(await untilSaved(api, place.projectId, 'To Do', ['Pages']), ['Pages'], 'Ctrl+Z undoes it')

  await go(place.path)
  await partOf(page, 'Subtasks').getByRole('checkbox', { name: 'Texts' }).press('Space')
  await partOf(page, 'Subtasks').getByText('1 of 1').waitFor()
  await partOf(page, 'Comments').getByLabel('New comment').fill('Good')
  await page.keyboard.press('Control+Enter')
  await untilSaid(page, 'Comment added.')
  t.equal(await toastOf(page).count(), 0)
})

/** Longer than a toast stays; several together are shorter than the silence after which the page takes its connection for lost. */
const LONGER = 10_000

onBoard('a toast waits while it is pointed at or focused', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three'] })
  const { page, go } = await person()
  await page.clock.install()
  await go(path)
  await dismiss(page, 'One')
  t.equal(await page.getByRole('status').filter({ hasText: '“One” archived.' }).count(), 1, 'said politely')
  await toastOf(page).hover()
  await page.clock.fastForward(LONGER)
  t.equal(await toastOf(page).count(), 1, 'pointed at')
  await toastOf(page).getByRole('button', { name: 'Undo' }).focus()
  await page.mouse.move(5, 5)
  await page.clock.fastForward(LONGER)
  t.equal(await toastOf(page).count(), 1, 'focused')
  await link(page, 'Two').focus()
  await page.clock.fastForward(LONGER)
  await toastOf(page).waitFor({ state: 'detached' })

  // The message of a refused write returns after a newer one.
  await page.route('**/api/kanban-items/*', (route) =>
    route.fulfill({ status: 400, json: { error: 'Nonsense' } }),
  )
  await page.keyboard.press('x')
  await page.getByRole('alert').getByText('Not saved: Nonsense.').waitFor()
  await page.unroute('**/api/kanban-items/*')
  await dismiss(page, 'Three')
  t.equal(await toastOf(page).count(), 1)
  await page.clock.fastForward(LONGER)
  await page.getByRole('alert').getByText('Not saved: Nonsense.').waitFor()
  // Nothing is sent any more.
  await page.clock.fastForward(60_000)
  t.equal(await toastOf(page).count(), 1, 'until it is closed')
  await toastOf(page).getByRole('button', { name: 'Close' }).press('Enter')
  t.equal(await toastOf(page).count(), 0)
})
