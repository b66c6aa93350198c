/** Details of several pages: what is shown of unusual values, on a phone, and where one clicks. */
import type { Locator } from 'playwright-core'
import { card, link, projectWith } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { makeCard } from './card-steps.ts'

const PHONE = { viewport: { width: 375, height: 780 }, hasTouch: true, isMobile: true }

/** A box in CSS pixels. */
const boxOf = async (what: Locator) =>
  (await what.boundingBox()) ?? { x: Number.NaN, y: Number.NaN, width: 0, height: 0 }

onBoard('a click on a title puts the caret where it falls', async (t, { api, person }) => {
  const { path } = await makeCard({ api }, { title: 'Rewrite all pages' })
  const { page, go } = await person()
  await go(path)
  const title = page.getByRole('heading', { name: 'Rewrite all pages', level: 2 })
  const field = page.getByRole('textbox', { name: 'Title', exact: true })
  const selection = () =>
    field.evaluate((one) => [
      (one as HTMLInputElement).selectionStart,
      (one as HTMLInputElement).selectionEnd,
    ])
  const { height } = await boxOf(title)
  await title.click({ position: { x: 1, y: height / 2 } })
  t.strictSame(await selection(), [0, 0])
  await field.press('Escape')
  await page.keyboard.press('e')
  t.strictSame(await selection(), [0, 17], 'a key selects it, also after a click')
  await field.press('Escape')
  await page.getByRole('button', { name: 'Edit the title' }).click()
  t.strictSame(await selection(), [0, 17], 'the button selects it')
})

onBoard('what one touches is around its checkbox', async (t, { api, person }) => {
  const { path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
  const id = cards.get('Flyer') as string
  await api.post('/api/kanban-items/{id}/subtasks', { path: { id }, body: { title: 'Text' } })
  const { page, go } = await person(PHONE)
  await go(path)
  await page.getByRole('button', { name: 'Actions for Flyer' }).tap()
  await page.getByRole('menuitem', { name: 'Select' }).tap()
  const middle = ({ y, height }: { y: number; height: number }) => y + height / 2
  const isAround = async (box: Locator) => {
    const [inner, outer] = [await boxOf(box), await boxOf(page.locator('label', { has: box }))]
    t.ok(outer.height >= 44, `${box}: ${outer.height}`)
    t.ok(Math.abs(middle(inner) - middle(outer)) < 4, `${box}: ${middle(inner)} in ${middle(outer)}`)
  }
  await isAround(page.getByRole('checkbox', { name: 'Select Flyer' }))
  const poster = await boxOf(card(page, 'Poster').locator('article'))
  await page.touchscreen.tap(poster.x + 14, poster.y + 40)
  await page.getByText('2 cards selected').waitFor()
  await go(`${path}/items/${id}`)
  await page.getByRole('dialog').waitFor()
  await isAround(page.getByRole('checkbox', { name: 'Text' }))
})

onBoard('terms and people of other clients are shown in words', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
  await api.patch('/api/projects/{id}', { path: { id }, body: { health: 'on_track' } })
  const assign = (title: string, assigneeId: string) =>
    api.patch('/api/kanban-items/{id}', {
      path: { id: cards.get(title) ?? '' },
      body: { assigneeId, priority: 'low' },
    })
  await assign('Flyer', 'maria')
  await assign('Poster', '01a22cfc-eeb8-717b-8f3a-f35af8a377d3')
  const { page, go } = await person()
  await go(path)
  await card(page, 'Flyer').getByText('Assigned to maria', { exact: true }).waitFor({ state: 'attached' })
  await card(page, 'Poster').getByText('Assigned to somebody', { exact: true }).waitFor({ state: 'attached' })
  const drawn = (low: Locator) => low.locator('.priority').first().innerHTML()
  const onBoardDrawn = await drawn(card(page, 'Flyer'))
  await go(`${path}/overview`)
  const health = page.getByRole('combobox', { name: 'Health' })
  await health.waitFor()
  t.equal(await health.evaluate((one) => (one as HTMLSelectElement).selectedOptions[0]?.text), 'On track')
  await go('/')
  await page.locator('.project').getByText('On track').waitFor()
  t.equal(await page.locator('.project .good').count(), 1, 'like "on-track"')
  const me = await api.get('/api/session')
  await assign('Flyer', me.member.id)
  await go('/mine')
  await link(page, 'Flyer').waitFor()
  t.equal(await drawn(page.getByRole('listitem').filter({ hasText: 'Flyer' })), onBoardDrawn)
})

onBoard(
  'a long name of a project leaves room in the inbox',
  async (t, { api, person }) => {
    await api.post('/api/projects', { body: { name: 'A very long name '.repeat(11).trim() } })
    for (const width of [375, 1280]) {
      const { page, go } = await person({ signIn: true, viewport: { width, height: 780 } })
      await go('/notifications')
      await page.getByRole('option', { name: /^A very long/ }).waitFor({ state: 'attached' })
      const select = await boxOf(page.getByRole('combobox', { name: 'Project' }))
      t.ok(select.width <= 340 && select.x + select.width <= width, `${select.width} of ${width} pixels`)
      t.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
    }
  },
  { mode: 'required' },
)

onBoard(
  'tables of people: names from right to left, and a phone',
  async (t, { api, person }) => {
    const add = (name: string, email: string) => api.post('/api/members', { body: { name, email } })
    await add('עדה לבלייס', 'ada.with.a.long.address@department.example.test')
    await add('Ben', 'ben@example.test')
    const { page, go, check } = await person({ signIn: true })
    await go('/admin/members')
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('Ben').waitFor()
    const startOf = (name: string) =>
      row(name)
        .getByRole('rowheader')
        .evaluate((one) => {
          const range = document.createRange()
          range.selectNodeContents(one)
          return range.getBoundingClientRect().x
        })
    t.equal(await startOf('עדה לבלייס'), await startOf('Ben'), 'names begin below each other')

    await page.setViewportSize(PHONE.viewport)
    t.equal(
      await page
        .locator('.scroll')
        .first()
        .evaluate((one) => one.scrollWidth - one.clientWidth),
      0,
    )
    for (const text of ['ben@example.test', 'Member']) {
      const { x, width } = await boxOf(row('Ben').getByText(text, { exact: true }))
      t.ok(x >= 0 && x + width <= 375, `${text} is visible`)
    }
    await row('Ben').getByRole('button', { name: 'Actions for Ben' }).click()
    await page.getByRole('menuitem', { name: 'Change…' }).waitFor()
    await page.keyboard.press('Escape')
    await check()
  },
  { mode: 'required' },
)

onBoard('a board without cards says once where they will be', async (t, { api, person }) => {
  const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
  const { page, go, check } = await person()
  await go(`/projects/${id}`)
  await page.getByText('Your first card will be here.').waitFor()
  t.equal(await page.locator('.ghost').count(), 4)
  const board = await boxOf(page.locator('.board'))
  const column = await boxOf(page.locator('.column').last())
  t.ok(column.height > board.height - 40, 'columns are as high as the board')
  await check()
  await page.keyboard.press('n')
  await page.getByRole('textbox', { name: 'Card title' }).fill('Flyer')
  await page.keyboard.press('Enter')
  await link(page, 'Flyer').waitFor()
  t.equal(await page.locator('.ghost').count(), 0)
})

onBoard('a card says what is due by its name, and its priority by an icon', async (t, { api, person }) => {
  const { path, cards } = await projectWith(api, { 'To Do': ['Today', 'Tomorrow', 'Later'] })
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const dues = { Today: day(0), Tomorrow: day(1), Later: day(40) }
  for (const [title, dueDate] of Object.entries(dues)) {
    const priority = title === 'Later' ? 'blocker' : 'high'
    await api.patch('/api/kanban-items/{id}', {
      path: { id: cards.get(title) ?? '' },
      body: { dueDate, priority },
    })
  }
  const { page, go } = await person({ timezoneId: 'UTC' })
  await go(path)
  const facts = async (title: string) => {
    await card(page, title).waitFor()
    const shown = card(page, title).locator('.card-fact:visible')
    return (await shown.allInnerTexts()).map((text) => text.trim()).filter(Boolean)
  }
  t.strictSame(await facts('Today'), ['Today'])
  t.strictSame(await facts('Tomorrow'), ['Tomorrow'])
  t.match(await facts('Later'), [/^\d+ \w+|^\w+ \d+/, 'blocker'])
  t.equal(await card(page, 'Today').locator('.priority').locator('..').getAttribute('title'), 'High')
})
