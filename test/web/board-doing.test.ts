/** Working on cards: select many, the menu on a right click, small pickers, the command palette, collapsed columns, print. */
import type { Locator, Page } from 'playwright-core'
import type { KanbanItem } from '../../src/client/api.d.ts'
import type { Client } from '../../src/client/types.d.ts'
import {
  card,
  column,
  link,
  type Made,
  projectWith,
  titlesIn,
  untilFocused,
  untilSaid,
  untilShown,
} from './board-steps.ts'
import { onBoard } from './browser.ts'
import { until } from './until.ts'

/** A card of a project, by its title. */
const itemOf = (api: Client, { cards }: Made, title: string): Promise<KanbanItem> =>
  api.get('/api/kanban-items/{id}', { path: { id: cards.get(title) ?? '' } })

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Selected cards' })

/** The titles of the selected cards. */
const selected = (page: Page): Promise<string[]> =>
  page.locator('.card.is-selected').getByRole('heading', { level: 3 }).allInnerTexts()

/** The small picker of a field. */
const picker = (page: Page, name: string): Locator => page.getByRole('dialog', { name })

/** The number of requests that change something, from now on. */
function countWrites(page: Page): string[] {
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  return writes
}

onBoard(
  'many cards are selected, and changed in one write that one undo takes back',
  async (t, { api, person }) => {
    const made = await projectWith(api, { 'To Do': ['One', 'Two', 'Three', 'Four'], Done: ['Old'] })
    await api.post('/api/projects/{id}/kanban-labels', { path: { id: made.id }, body: { name: 'Print' } })
    const { page, go, check } = await person()
    await go(made.path)
    await card(page, 'One').waitFor()

    t.comment('by Ctrl and Shift')
    await card(page, 'One').click({ modifiers: ['Control'] })
    await card(page, 'Three').click({ modifiers: ['Shift'] })
    t.strictSame(await selected(page), ['One', 'Two', 'Three'])
    await card(page, 'Two').click({ modifiers: ['Control'] })
    t.strictSame(await selected(page), ['One', 'Three'])
    await bar(page).getByText('2 cards selected').waitFor()
    t.equal(new URL(page.url()).pathname, made.path, 'no card opens')
    t.ok(await page.getByRole('checkbox', { name: 'Select Three' }).isChecked(), 'screen readers know it too')
    await check()

    t.comment('each action is one request')
    const writes = countWrites(page)
    await bar(page).getByRole('button', { name: 'Labels' }).click()
    await picker(page, 'Labels: 2 cards').getByRole('option', { name: 'Print' }).click()
    await until(
      async () => (await itemOf(api, made, 'Three')).labels.length,
      (count) => count === 1,
    )
    t.equal((await itemOf(api, made, 'One')).labels[0]?.name, 'Print')
    await page.keyboard.press('Escape')
    await bar(page).getByRole('button', { name: 'Due date' }).click()
    await page.keyboard.type('2030-02-03')
    await page.keyboard.press('Enter')
    await page.getByText('2 cards changed.', { exact: true }).waitFor()
    await bar(page).getByRole('button', { name: 'Column' }).click()
    await picker(page, 'Column: 2 cards').getByRole('option', { name: 'Done' }).click()
    await page.getByText('2 cards moved to Done.').waitFor()
    t.strictSame(await untilShown(page, 'Done', ['Old', 'One', 'Three']), ['Old', 'One', 'Three'])
    t.equal((await itemOf(api, made, 'One')).dueDate, '2030-02-03T00:00:00.000Z')
    t.strictSame(writes, ['POST /api/batch', 'POST /api/batch', 'POST /api/batch'])
    await page.getByText('2 cards moved to Done.').locator('..').getByRole('button', { name: 'Undo' }).click()
    t.strictSame(
      await untilShown(page, 'To Do', ['One', 'Two', 'Three', 'Four']),
      ['One', 'Two', 'Three', 'Four'],
      'one undo takes the whole move back',
    )
    await page.keyboard.press('Escape')
    t.strictSame(await selected(page), [], 'Escape ends the selection')
    t.equal(await bar(page).count(), 0)

    t.comment('by the keyboard alone: S, Shift and arrows, then letters')
    await link(page, 'Two').focus()
    await page.mouse.move(0, 0)
    await link(page, 'Two').focus()
    await page.keyboard.press('s')
    t.strictSame(await selected(page), ['Two'])
    await page.keyboard.press('Shift+ArrowDown')
    await untilFocused(page, 'Three')
    await page.keyboard.press('Shift+ArrowDown')
    await untilFocused(page, 'Four')
    t.strictSame(await selected(page), ['Two', 'Three', 'Four'])
    await page.keyboard.press('Shift+ArrowUp')
    await untilFocused(page, 'Three')
    t.strictSame(await selected(page), ['Two', 'Three'], 'the way back ends it')
    await page.keyboard.press('p')
    await page.keyboard.type('crit')
    await page.keyboard.press('Enter')
    await until(
      () => itemOf(api, made, 'Two'),
      ({ priority }) => priority === 'critical',
    )
    t.equal((await itemOf(api, made, 'Three')).priority, 'critical')
    await untilFocused(page, 'Two')
    await page.keyboard.press('x')
    await page.getByText('2 cards archived.').waitFor()
    t.strictSame(await untilShown(page, 'To Do', ['One', 'Four']), ['One', 'Four'])
    await page.keyboard.press('Control+z')
    t.strictSame(await untilShown(page, 'To Do', ['One', 'Two', 'Three', 'Four']), [
      'One',
      'Two',
      'Three',
      'Four',
    ])

    t.comment('a filter ends the selection of what it hides')
    await card(page, 'One').click({ modifiers: ['Control'] })
    await card(page, 'Two').click({ modifiers: ['Control'] })
    await go(`${made.path}?q=two`)
    t.strictSame(await selected(page), [])
  },
)

onBoard('the whole menu of a card, and letters for the card under the mouse', async (t, { api, person }) => {
  const made = await projectWith(api, { 'To Do': ['One', 'Two'], Done: ['Old'] })
  const { page, context, go } = await person()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await go(made.path)
  await card(page, 'One').waitFor()
  const items = () => page.getByRole('menuitem').allInnerTexts()
  await card(page, 'One').getByRole('heading').click({ button: 'right' })
  const menu = page.getByRole('menu', { name: 'Actions for One' })
  await menu.waitFor()
  const byPointer = await items()
  const names = byPointer.map((text) => text.split('\n')[0])
  for (const name of [
    'Open',
    'Edit title',
    'Assignee…',
    'Labels…',
    'Due date…',
    'Priority…',
    'Move…',
    'Move to bottom',
    'Select',
    'Copy link',
    'Archive',
    'Delete card',
  ]) {
    t.ok(names.includes(name), name)
  }
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await untilFocused(page, 'One')
  await page.getByRole('button', { name: 'Actions for One' }).click()
  await page.getByRole('menuitem', { name: 'Delete card' }).waitFor()
  t.strictSame(await items(), byPointer, 'the same as at the button')
  await page.getByRole('menuitem', { name: 'Due date…' }).click()
  await page.keyboard.type('tomo')
  const tomorrow = new Date(Date.now() + 86_400_000)
  await picker(page, 'Due date: One').getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  const { dueDate } = await until(
    () => itemOf(api, made, 'One'),
    (item) => item.dueDate !== null,
  )
  t.ok(Math.abs(Date.parse(dueDate ?? '') - tomorrow.getTime()) < 2 * 86_400_000, `${dueDate} is tomorrow`)

  t.comment('the card under the mouse comes before the focused one')
  await link(page, 'One').focus()
  await card(page, 'Old').hover()
  await page.keyboard.press('l')
  await page.keyboard.type('Archive box')
  await picker(page, 'Labels: Old').getByRole('option', { name: 'Create label “Archive box”' }).waitFor()
  await page.keyboard.press('Enter')
  await until(
    () => itemOf(api, made, 'Old'),
    ({ labels }) => labels[0]?.name === 'Archive box',
  )
  t.equal((await itemOf(api, made, 'One')).labels.length, 0)
  await page.keyboard.press('Escape')
  await card(page, 'Two').hover()
  await page.keyboard.press('a')
  await picker(page, 'Assignee: Two').getByRole('option', { name: 'local' }).click()
  await until(
    () => itemOf(api, made, 'Two'),
    ({ assigneeId }) => assigneeId === 'local',
  )
  await card(page, 'Two').hover()
  await page.keyboard.press('c')
  await page.getByText('Link copied.').waitFor()
  const { number } = await itemOf(api, made, 'Two')
  t.match(await page.evaluate(() => navigator.clipboard.readText()), `/WR-${number}`)
  await page.keyboard.press('m')
  await page.getByRole('dialog', { name: 'Move Two' }).waitFor()
})

onBoard('keys are for the card under the mouse, also after scrolling', async (t, { api, person }) => {
  const titles = Array.from({ length: 60 }, (_, index) => `Card ${index}`)
  const made = await projectWith(api, { 'To Do': titles })
  const { page, go } = await person()
  await go(made.path)
  const hovered = () =>
    page.evaluate(() => document.querySelector('[data-card]:hover a')?.textContent?.trim() ?? '')
  await card(page, 'Card 3').hover()
  await page.mouse.wheel(0, 500)
  const under = await until(hovered, (title) => title !== '' && title !== 'Card 3')
  t.match(under, /^Card \d+$/)
  await page.keyboard.press('l')
  await picker(page, `Labels: ${under}`).waitFor()
})

onBoard('a menu button closes its menu', async (_t, { api, person }) => {
  const made = await projectWith(api, { 'To Do': ['One'] })
  const { page, go } = await person()
  await go(made.path)
  const button = page.getByRole('button', { name: 'Actions for To Do', exact: true })
  const open = page.getByRole('menu', { name: 'Actions for To Do' })
  for (const press of [() => button.click(), () => button.press('Enter')]) {
    await press()
    await open.waitFor()
    await press()
    await open.waitFor({ state: 'hidden' })
  }
})

onBoard('a board that stays open over midnight shows what is overdue by then', async (t, { api, person }) => {
  const made = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
  const days = [
    ['Flyer', '2026-11-12'],
    ['Poster', '2026-11-13'],
  ]
  for (const [title = '', day] of days) {
    await api.patch('/api/kanban-items/{id}', {
      path: { id: made.cards.get(title) ?? '' },
      body: { dueDate: `${day}T00:00:00.000Z` },
    })
  }
  const { page, go } = await person()
  await page.clock.install({ time: new Date('2026-11-12T23:58:00Z') })
  await go(made.path)
  const overdue = card(page, 'Flyer').getByText('Due 12 November 2026, overdue')
  await link(page, 'Flyer').waitFor()
  t.equal(await overdue.count(), 0)
  await page.clock.fastForward('03:00')
  await overdue.waitFor()
  await go(`${made.path}?due=today`)
  t.strictSame(await untilShown(page, 'To Do', ['Poster']), ['Poster'])
  await page.clock.fastForward('24:00:00')
  t.strictSame(await untilShown(page, 'To Do', []), [])
})

onBoard(
  '"My work" that stays open over midnight shows what is overdue by then',
  async (_t, { api, person }) => {
    const made = await projectWith(api, { 'To Do': ['Flyer'] })
    await api.patch('/api/kanban-items/{id}', {
      path: { id: made.cards.get('Flyer') ?? '' },
      body: { assigneeId: 'local', dueDate: '2026-11-12T00:00:00.000Z' },
    })
    const { page, go } = await person()
    await page.clock.install({ time: new Date('2026-11-12T23:58:00Z') })
    await go('/mine')
    const itemIn = (group: string) => page.getByRole('list', { name: group }).getByText('Flyer')
    await itemIn('Today').waitFor()
    await page.clock.fastForward('03:00')
    await itemIn('Overdue').waitFor()
  },
)

onBoard('the command palette has commands, projects and cards', async (t, { api, person }) => {
  await api.post('/api/projects', { body: { name: 'Other project' } })
  const made = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
  const elsewhere = await projectWith(api, { 'To Do': ['Far away'] }, 'Second')
  const { page, go, check } = await person()
  await go(made.path)
  await link(page, 'Flyer').focus()
  const palette = page.getByRole('dialog', { name: 'Commands' })
  const run = async (text: string, option: string | RegExp) => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
    await palette.getByRole('option', { name: option }).first().waitFor()
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'detached' })
  }
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await page.keyboard.press('Control+k')
  await palette.waitFor()
  t.ok(
    loaded.some((url) => /palette-/.test(url)),
    'it is loaded when it is used first',
  )
  await check()
  await page.keyboard.press('Escape')
  await untilFocused(page, 'Flyer')
  await run('archive the', /Archive the card.*Flyer/)
  await page.getByText('“Flyer” archived.').waitFor()
  await run('new card', 'New card here')
  await page.getByRole('textbox', { name: 'Card title' }).waitFor()
  await page.keyboard.press('Escape')
  await run('loca', 'Cards of local')
  await page.getByRole('button', { name: 'Remove from the filter: local' }).click()
  await run('poster', 'Poster')
  await page.getByRole('dialog', { name: 'Poster' }).waitFor()
  // A browser takes its time to go back: what was chosen meanwhile stays.
  await page.evaluate(() => {
    const cancel = () =>
      document.querySelector('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }))
    cancel()
    cancel()
    document.querySelector<HTMLElement>('a[href$="/flow"]')?.click()
  })
  await page.waitForURL(/\/flow$/)
  await page.getByRole('heading', { name: 'Throughput' }).waitFor()
  await page.goBack()
  await link(page, 'Poster').waitFor()
  t.match(page.url(), made.path, 'and one step was gone back')
  await run('no such thing', 'Search everywhere: “no such thing”')
  await page.waitForURL(/\/search\?q=no%20such%20thing$/)
  await page.goBack()
  await link(page, 'Poster').waitFor()
  t.comment('a browser that does not go back holds nothing up')
  await link(page, 'Poster').click()
  await page.getByRole('dialog', { name: 'Poster' }).waitFor()
  await page.evaluate(() => {
    history.back = () => undefined
    document.querySelector('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }))
    document.querySelector<HTMLElement>('a[href$="/flow"]')?.click()
  })
  await page.getByRole('heading', { name: 'Throughput' }).waitFor()
  await page.evaluate(() => Reflect.deleteProperty(history, 'back'))
  await run('far away', /^Far away/)
  await page.getByRole('dialog', { name: 'Far away' }).waitFor()
  t.match(page.url(), elsewhere.id)
  await page.keyboard.press('Escape')
  await run('other pro', /^Other project/)
  await page.getByRole('heading', { level: 1, name: 'Other project' }).waitFor()
  await run('colours: dark', 'Colours: Dark')
  await until(
    () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme),
    (scheme) => scheme === 'dark',
  )
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Other project' }).waitFor()
  t.equal(
    await page.evaluate(() => getComputedStyle(document.body).color),
    'rgb(233, 236, 241)',
    'the choice stays',
  )
  await page.evaluate(() => localStorage.clear())
})

onBoard('a collapsed column stays collapsed, and takes cards', async (t, { api, person }) => {
  const made = await projectWith(api, { 'To Do': ['One'], 'In Progress': ['Busy'], Review: ['Seen'] })
  const { page, go, check } = await person()
  await go(made.path)
  await page.getByRole('button', { name: 'Collapse In Progress' }).click()
  t.strictSame(await titlesIn(page, 'In Progress'), [])
  const { width = 0 } = (await column(page, 'In Progress').boundingBox()) ?? {}
  t.ok(width < 60, `${width} pixels wide`)
  await page.reload()
  const expand = page.getByRole('button', { name: 'Expand In Progress' })
  await expand.waitFor()
  await check()
  await link(page, 'One').focus()
  await page.keyboard.press('ArrowRight')
  await untilFocused(page, 'Seen')
  t.comment('a picked-up card goes past it, which is said')
  await link(page, 'One').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await untilSaid(page, 'Collapsed: In Progress. Position 1 of 2 in Review.')
  await page.keyboard.press('Escape')
  t.strictSame(await untilShown(page, 'To Do', ['One']), ['One'])
  t.comment('keys are for the columns that are open')
  await link(page, 'One').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await untilFocused(page, 'Seen')
  await page.getByText('2 cards selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Collapse To Do' }).click()
  await page.reload()
  await link(page, 'Seen').waitFor()
  await page.keyboard.press('n')
  await column(page, 'Review').getByRole('textbox', { name: 'Card title' }).waitFor()
  await page.keyboard.press('Escape')
  await page.reload()
  await link(page, 'Seen').waitFor()
  await page.keyboard.press('j')
  await untilFocused(page, 'Seen')
  await page.getByRole('button', { name: 'Expand To Do' }).click()
  await page.getByRole('button', { name: 'Collapse Review' }).click()
  await page.getByRole('button', { name: 'Collapse Done' }).click()
  await link(page, 'One').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await untilSaid(page, 'Collapsed: In Progress, Review, Done.')
  t.strictSame(await titlesIn(page, 'To Do'), ['One'], 'it stays where there is no other column')
  await page.keyboard.press('Escape')
  await link(page, 'One').dragTo(column(page, 'In Progress'))
  await page.getByText('“One” moved to In Progress.').waitFor()
  await expand.click()
  t.strictSame(await untilShown(page, 'In Progress', ['Busy', 'One']), ['Busy', 'One'])
})

onBoard('the printed board has all columns and no controls', async (t, { api, person }) => {
  const made = await projectWith(api, {
    'To Do': Array.from({ length: 30 }, (_, index) => `Card ${index + 1}`),
  })
  const { page, go } = await person()
  await go(made.path)
  await card(page, 'Card 30').waitFor()
  await page.emulateMedia({ media: 'print' })
  t.equal(await page.locator('button:visible').count(), 0)
  t.equal(await page.getByRole('navigation').filter({ visible: true }).count(), 0)
  const { bottom, height, right, width } = await page.evaluate(() => ({
    bottom: [...document.querySelectorAll('.card')].at(-1)?.getBoundingClientRect().bottom ?? 0,
    height: document.documentElement.scrollHeight,
    right: [...document.querySelectorAll('.column')].at(-1)?.getBoundingClientRect().right ?? 0,
    width: innerWidth,
  }))
  t.ok(bottom <= height && height > 1000, 'no card is cut off')
  t.ok(right <= width, 'nor a column')
  await page.emulateMedia({ media: 'screen' })
})
