/** The board on a phone: a long press drags a card, a swipe only scrolls, and one column fills the screen. */

import type { Locator } from 'playwright-core'
import { card, column, projectWith, titlesIn, untilSaved } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { drag, hold, swipe } from './gestures.ts'
import { until } from './until.ts'

const PHONE = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } } as const
const TABLET = { hasTouch: true, isMobile: true, viewport: { width: 1280, height: 700 } } as const

onBoard('cards are dragged by touch after a long press', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three'], Done: ['Old'] })
  const { page, go } = await person(TABLET)
  const ready = page.waitForResponse(/touch/)
  await go(path)
  await Promise.all([card(page, 'One').waitFor(), ready])
  await drag(page, card(page, 'One'), card(page, 'Three'), { touch: true, at: { x: 0.5, y: 0.8 } })
  t.strictSame(await untilSaved(api, id, 'To Do', ['Two', 'Three', 'One']), ['Two', 'Three', 'One'])
  await drag(page, card(page, 'Two'), card(page, 'Old'), { touch: true, at: { x: 0.5, y: 0.2 } })
  t.strictSame(await untilSaved(api, id, 'Done', ['Two', 'Old']), ['Two', 'Old'])
  await card(page, 'Old').tap()
  await page.getByRole('dialog').waitFor()
  t.match(page.url(), /\/items\//, 'a tap opens')
})

onBoard('a swipe over cards scrolls and drags nothing', async (t, { api, person }) => {
  const titles = Array.from({ length: 40 }, (_, index) => `Card ${index + 1}`)
  const { path } = await projectWith(api, { 'To Do': titles })
  const { page, go } = await person(PHONE)
  await page.clock.install()
  await go(path)
  await card(page, 'Card 5').waitFor()
  // A swipe is quick, however long a busy machine takes between two touches. A long press that it may have started has
  // ended too.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
  await swipe(page, card(page, 'Card 5'), { x: 0, y: -250 })
  await page.clock.fastForward(1000)
  await page.clock.resume()
  const body = column(page, 'To Do').locator('.column-body')
  // Wait until it has stopped scrolling, because a tap before that only stops it.
  await page.waitForFunction(async () => {
    const scrolled = () => document.querySelector('.column-body')?.scrollTop ?? 0
    const before = scrolled()
    await new Promise((resolve) => setTimeout(resolve, 200))
    return before > 50 && scrolled() === before
  })
  t.strictSame(await titlesIn(page, 'To Do'), titles)
  t.equal(await body.locator('.is-held').count(), 0)
  const { width = 0 } = (await column(page, 'To Do').boundingBox()) ?? {}
  t.ok(width > 340 && width < 390, 'one column a screen')
  await page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: 'Done' }).tap()
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll('.column')]
    const { left = -1 } = all.at(-1)?.getBoundingClientRect() ?? {}
    return left >= 0 && left < 50
  })
  t.equal(
    await page.evaluate(() => document.documentElement.scrollWidth),
    390,
    'the page itself does not scroll sideways',
  )

  t.comment('the field for a new card below all others is in view, with its buttons')
  await page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: 'To Do' }).tap()
  await body.evaluate((element) => element.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Add a card to To Do' }).tap()
  await page.getByRole('textbox', { name: 'Card title' }).fill('One !high\nTwo\nThree')
  const submit = page.getByRole('button', { name: 'Create 3 cards' })
  await submit.waitFor()
  const isInView = () =>
    submit.evaluate((button) => {
      const { bottom } = button.getBoundingClientRect()
      return bottom <= (button.closest('.column-body')?.getBoundingClientRect().bottom ?? 0)
    })
  t.ok(await until(isInView, Boolean))
})

onBoard("the heads of a project's pages are alike on a phone", async (t, { api, person }) => {
  const { path } = await projectWith(
    api,
    { 'To Do': ['One'] },
    'A project whose name is longer than the screen',
  )
  const { page, go, check } = await person(PHONE)
  for (const part of ['', '/overview', '/flow', '/trash']) {
    await go(path + part)
    const tabs = page.getByRole('navigation', { name: 'Pages of the project' }).getByRole('link')
    await page.getByText('Live', { exact: true }).waitFor()
    const tops = await tabs.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    t.equal(new Set(tops).size, 1, `${part}: all pages are on one line`)
    const { y = 0, height = 0 } = (await page.getByRole('heading', { level: 1 }).boundingBox()) ?? {}
    t.ok(height < 40, `${part}: the name is on one line`)
    t.ok((tops[0] ?? 0) >= y + height, `${part}: below the name`)
    t.ok((tops[0] ?? 999) < 80, `${part}: both take little room`)
  }
  await check()
})

onBoard(
  'a card held at the edge goes from column to column, and rests at each',
  async (t, { api, person }) => {
    const { path } = await projectWith(api, { 'To Do': ['One'], Fifth: ['Two'], Sixth: ['Three'] })
    const { page, go } = await person(PHONE)
    const ready = page.waitForResponse(/touch/)
    await go(path)
    await Promise.all([card(page, 'One').waitFor(), ready])
    const held = await hold(page, card(page, 'One'), { touch: true })
    await page.evaluate(() => {
      const board = document.querySelector('.board')
      const places: [number, number][] = []
      const note = (time: number) => {
        places.push([time, board?.scrollLeft ?? 0])
        requestAnimationFrame(note)
      }
      requestAnimationFrame(note)
      Object.assign(window, { places })
    })
    await held.moveTo({ x: 385, y: 400 })
    const places = () => page.evaluate(() => (window as unknown as { places: [number, number][] }).places)
    const all = await until(places, (seen) => (seen.at(-1)?.[1] ?? 0) > 3 * 370)
    await held.drop()
    for (const index of [1, 2]) {
      const times = all.filter(([, left]) => Math.abs(left - index * 378) < 30).map(([time]) => time)
      const rest = Math.max(...times) - Math.min(...times)
      t.ok(rest > 400, `rests for ${rest} ms at column ${index + 1}`)
    }
  },
)

onBoard('a card held at the edge stops at the last column', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['One'], Done: ['Old'] })
  const { page, go } = await person({ ...PHONE, reducedMotion: 'reduce' })
  await page.clock.install()
  const ready = page.waitForResponse(/touch/)
  await go(path)
  await Promise.all([card(page, 'One').waitFor(), ready])
  await page.getByRole('navigation', { name: 'Columns' }).getByRole('button', { name: 'Done' }).tap()
  const left = async () => (await column(page, 'Done').boundingBox())?.x ?? -1
  await until(left, (x) => x >= 0 && x < 50)
  const held = await hold(page, card(page, 'Old'), { touch: true })
  await held.moveTo({ x: 385, y: 400 })
  const before = await left()
  await page.clock.fastForward(5000)
  t.equal(await left(), before)
  t.ok(before >= 0 && before < 50, `${before} px`)
  await held.drop()
})

onBoard('a phone has its pages at the bottom, and shows a card near the top', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['One'], Done: ['Old'] })
  const { page, go, check } = await person(PHONE)
  await go(path)
  await card(page, 'One').waitFor()
  const { y = 999 } = (await page.locator('.card').first().boundingBox()) ?? {}
  t.ok(y < 200, `the first card is ${y} pixels from the top`)
  const nav = page.getByRole('navigation', { name: 'Main' })
  const box = await nav.boundingBox()
  t.ok(box && box.y > 700 && box.y + box.height <= 780, 'the pages are at the bottom')
  t.equal(await page.getByText('To Do', { exact: true }).filter({ visible: true }).count(), 2)
  const shown = await page
    .getByText('To Do', { exact: true })
    .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().width > 2).length)
  t.equal(shown, 1, 'the name of a column is shown once')
  await check()
  await page.getByRole('button', { name: /^Filter/ }).tap()
  const field = page.getByRole('searchbox', { name: 'Filter cards' })
  t.equal(await field.evaluate((one) => getComputedStyle(one).fontSize), '16px')
  for (const name of ['Only mine', 'High']) {
    const { height = 0 } = (await page.getByText(name, { exact: true }).locator('..').boundingBox()) ?? {}
    t.ok(height >= 44, `${name}: ${height}`)
  }
  await check()
  await page.getByRole('checkbox', { name: 'High' }).tap()
  await page.getByRole('dialog', { name: 'Filter' }).press('Escape')
  await page.getByRole('button', { name: 'Remove from the filter: High' }).tap()

  t.comment('a card is selected from its menu, further ones by their boxes')
  await page.getByRole('button', { name: 'Actions for One' }).tap()
  await page.getByRole('menuitem', { name: 'Select' }).tap()
  await page.getByText('1 card selected').waitFor()
  await check()
  await page.getByRole('button', { name: 'Clear the selection' }).tap()

  t.comment('what lists and figures open is large enough for a finger')
  const isLarge = async (what: Locator) => {
    const { height = 0 } = (await what.first().boundingBox()) ?? {}
    t.ok(height >= 44, `${what}: ${height}`)
  }
  await go(`${path}/flow`)
  await isLarge(page.getByText('Show the numbers'))
  await go('/account')
  await isLarge(page.locator('label', { has: page.getByRole('checkbox') }))
  await go('/')
  await isLarge(page.getByRole('link', { name: 'Website relaunch' }))
  await go(path)

  t.comment('the fields of a card are chips in a row')
  await page.getByRole('link', { name: 'One', exact: true }).tap()
  const dialog = page.getByRole('dialog', { name: 'One' })
  const fieldOf = async (label: string) =>
    (await dialog.getByLabel(label, { exact: true }).first().boundingBox())?.y ?? 0
  await dialog.getByLabel('Column', { exact: true }).waitFor()
  const [column1, assignee] = [await fieldOf('Column'), await fieldOf('Assignee')]
  t.ok(Math.abs(column1 - assignee) < 8, `side by side: ${column1}, ${assignee}`)
})

onBoard(
  'the number of unread notifications moves nothing in the bar of a phone',
  async (t, { person }) => {
    const { page, go, check } = await person({
      ...PHONE,
      viewport: { width: 360, height: 740 },
      signIn: true,
    })
    await page.route('**/api/notifications/count', (route) => route.fulfill({ json: { unread: 120 } }))
    await go('/')
    await page.getByRole('link', { name: 'Inbox 120 unread' }).waitFor()
    const nav = page.getByRole('navigation', { name: 'Main' })
    const tops = await nav
      .locator('a > svg')
      .evaluateAll((icons) => icons.map((icon) => Math.round(icon.getBoundingClientRect().top)))
    t.ok(tops.length > 2)
    t.equal(new Set(tops).size, 1, `the icons are in one line: ${tops}`)
    const inside = await nav.evaluate((bar) =>
      [...bar.querySelectorAll('a, b')].every((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect()
        const box = bar.getBoundingClientRect()
        return left >= 0 && right <= 360 && top >= box.top && bottom <= box.bottom
      }),
    )
    t.ok(inside, 'and all of it is in the bar')
    await check()
  },
  { mode: 'required' },
)

onBoard("the entries of the user's menu are whole on a phone", async (t, { person }) => {
  for (const locale of ['en-GB', 'de-DE']) {
    const { page, go } = await person({ ...PHONE, locale })
    await go('/')
    await page.locator('.site-menu').tap()
    await page.getByRole('menuitem').last().waitFor()
    const cut = await page
      .getByRole('menuitem')
      .locator('span')
      .evaluateAll((all) =>
        all
          .filter((one) => one.scrollWidth > Math.ceil(one.getBoundingClientRect().width))
          .map(({ textContent }) => textContent),
      )
    t.strictSame(cut, [], locale)
  }
})

onBoard('a card is as high as its menu button', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['One'] })
  const { page, go } = await person(PHONE)
  await go(path)
  const face = await card(page, 'One').getByRole('article').boundingBox()
  const button = await page.getByRole('button', { name: 'Actions for One' }).boundingBox()
  t.ok((button?.height ?? 0) >= 44 && (button?.width ?? 0) >= 44)
  t.ok((face?.height ?? 0) >= (button?.height ?? 0))
  t.ok((button?.y ?? 0) >= (face?.y ?? 0), 'nothing of it is outside')
  t.ok((button?.y ?? 0) + (button?.height ?? 0) <= (face?.y ?? 0) + (face?.height ?? 0))
})
