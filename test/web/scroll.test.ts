/** Where a page is scrolled, when the browser goes back to it or reloads it. */
import type { Page } from 'playwright-core'
import { link, projectWith } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { lookUntil } from './until.ts'

const TITLES = Array.from({ length: 60 }, (_, index) => `Card ${index}`)
const PLACE = 900

const scrolled = (page: Page) => page.evaluate(() => Math.round(scrollY))

/** Waits until the page is scrolled to a place. @returns where it is at last */
const untilAt = (page: Page, place: number) =>
  lookUntil(
    () => scrolled(page),
    (now) => now === place,
  )

onBoard('back and a reload return to where a page was scrolled', async (t, { api, person }) => {
  const { path, cards } = await projectWith(api, { 'To Do': TITLES })
  await api.post('/api/batch', {
    body: {
      requests: [...cards.values()].map((id) => ({
        method: 'PATCH' as const,
        path: `/api/kanban-items/${id}`,
        body: { assigneeId: 'local' },
      })),
    },
  })
  const { page, go } = await person()
  const type = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** Lets the cards of "My work" through. */
  let letThrough = () => {}
  const hold = async () => {
    await page.unroute('**/api/kanban-items?*')
    const isLetThrough = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    await page.route('**/api/kanban-items?*', async (route) => {
      await isLetThrough
      await route.continue()
    })
  }
  /** Reloads "My work", which stays without its cards. */
  const reload = async () => {
    await hold()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  }

  await go('/mine')
  await link(page, 'Card 59').waitFor()
  await page.evaluate((place) => scrollTo(0, place), PLACE)
  // A press on a link would scroll to it.
  await type('g', 'i')
  await page.getByRole('heading', { level: 1, name: 'Ideas' }).waitFor()
  await page.goBack()
  t.equal(await untilAt(page, PLACE), PLACE, 'back')

  await reload()
  t.equal(await scrolled(page), 0, 'there is nothing yet')
  letThrough()
  t.equal(await untilAt(page, PLACE), PLACE, 'a reload, once the cards are there')

  await reload()
  await type('Shift')
  letThrough()
  await link(page, 'Card 59').waitFor()
  // Two frames: the page would be scrolled in the first one.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  t.equal(await scrolled(page), 0, 'not after the user has begun to scroll or type')

  await go(path)
  await type('g', 'm')
  await link(page, 'Card 59').waitFor()
  t.equal(await scrolled(page), 0, 'a page that is chosen begins at its top')
})
