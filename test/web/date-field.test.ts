/** Fields of dates: typing, the calendar, errors, other time zones and languages, and changes by others meanwhile. */
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { dayBy, firstWeekday, monthsAfter, usualDays, weeksOf } from '../../web/common/calendar-days.ts'
import { ADMIN, onBoard } from './browser.ts'
import { dialogOf, makeCard } from './card-steps.ts'
import { until } from './until.ts'

t.test('the usual days come in their order, each once', async (t) => {
  const on = (day: string) => usualDays(day).map(([name, value]) => `${name} ${value.slice(8)}`)
  t.strictSame(on('2026-11-25'), ['today 25', 'tomorrow 26', 'friday 27', 'nextWeek 30'])
  t.strictSame(on('2026-11-26'), ['today 26', 'tomorrow 27', 'nextWeek 30'])
  t.strictSame(on('2026-11-27'), ['today 27', 'tomorrow 28', 'nextWeek 30'])
  t.strictSame(on('2026-11-28'), ['today 28', 'tomorrow 29', 'nextWeek 30'], 'on a Saturday')
  t.strictSame(on('2026-11-29'), ['today 29', 'tomorrow 30'])
})

/** A Wednesday, at noon in New York. */
const NOW = new Date('2026-11-25T17:00:00Z')
const ZONE = 'America/New_York'

t.test('weeks begin as in the region, and months have their lengths', async (t) => {
  const first = { en: 0, 'en-US': 0, 'en-GB': 1, de: 1, 'de-AT': 1 }
  for (const [locale, day] of Object.entries(first)) t.equal(firstWeekday(locale), day, locale)
  t.equal(monthsAfter('2026-12-24', 1), '2027-01-24')
  t.equal(monthsAfter('2027-01-24', -1), '2026-12-24')
  t.equal(monthsAfter('2028-01-31', 1), '2028-02-29')
  t.equal(monthsAfter('2028-02-29', 12), '2029-02-28')
  const ends = (first: number) => [weeksOf('2026-11-25', first)[0]?.[0], weeksOf('2026-11-25', first)[5]?.[6]]
  t.strictSame(ends(1), ['2026-10-26', '2026-12-06'])
  t.strictSame(ends(0), ['2026-11-01', '2026-12-12'])
  const keys = { shiftKey: false, altKey: false, ctrlKey: false, metaKey: false }
  const by = (key: string, first: number, isRightToLeft: boolean) =>
    dayBy({ ...keys, key }, '2026-11-25', first, isRightToLeft)
  t.equal(by('ArrowLeft', 1, true), '2026-11-26', 'from right to left')
  t.equal(by('Home', 0, false), '2026-11-22')
  t.equal(by('x', 0, false), undefined)
  t.equal(dayBy({ ...keys, altKey: true, key: 'ArrowLeft' }, '2026-11-25', 1, false), undefined, 'goes back')
})

const dueOf = (page: Page, name = 'Due date') => dialogOf(page).getByRole('combobox', { name, exact: true })
const calendarOf = (page: Page, field = 'Due date') =>
  page.getByRole('dialog', { name: `Calendar: ${field}`, exact: true })

/** The day of the calendar that has the focus. */
const focusedDay = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
const untilDay = (page: Page, day: string) =>
  until(
    () => focusedDay(page),
    (name) => name === day,
  )
const hasFocus = (field: Locator) => field.evaluate((element) => element === document.activeElement)
const isTouchable = async (element: Locator) => {
  const { width = 0, height = 0 } = (await element.boundingBox()) ?? {}
  return width >= 44 && height >= 44
}

onBoard(
  'a due date is typed in the words of the page, in the time zone of the browser',
  async (t, { api, person }) => {
    const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
    const now = async () => (await api.get('/api/kanban-items/{id}', { path: { id: item.id } })).dueDate
    const { page, go, check } = await person({ timezoneId: ZONE })
    await page.clock.install({ time: NOW })
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postData() ?? '')
    })
    await go(path)
    const due = dueOf(page)
    const said = dialogOf(page).getByRole('status')
    const shows = (text: string) =>
      until(
        () => due.inputValue(),
        (value) => value === text,
      )
    await due.waitFor()
    t.equal(await page.locator('input[type=date], input[type=datetime-local]').count(), 0)

    t.comment('a day')
    await due.fill('24.12.')
    await said.getByText('Thursday, 24 December 2026', { exact: true }).waitFor()
    t.strictSame(sent, [], 'nothing is sent while it is typed')
    await due.press('Enter')
    t.equal(await until(now, (date) => date !== null), '2026-12-24T00:00:00.000Z')
    await shows('24 Dec')

    t.comment('an instant, which leaving the field saves')
    await due.fill('fri 17:30')
    await said.getByText('Friday, 27 November 2026, 17:30', { exact: true }).waitFor()
    await check()
    await due.press('Tab')
    await until(now, (date) => date === '2026-11-27T22:30:00.000Z')
    await shows('27 Nov, 17:30')

    t.comment('nothing below moves when the field is left, so that a click there is one')
    await due.fill('fri 17:31')
    await said.getByText('17:31').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Move…' }).click()
    await dialogOf(page, 'Move Rewrite pages').waitFor()
    await until(now, (date) => date === '2026-11-27T22:31:00.000Z')
    await page.keyboard.press('Escape')
    await said.getByText('Friday, 27 November 2026, 17:31', { exact: true }).waitFor()

    t.comment('what is shown is a text to go on with')
    await due.press('End')
    for (let key = 0; key < 2; key++) await due.press('Backspace')
    await due.pressSequentially('45')
    await due.press('Enter')
    await until(now, (date) => date === '2026-11-27T22:45:00.000Z')

    t.comment('an error')
    const before = sent.length
    await due.fill('someday')
    t.equal(await due.getAttribute('aria-invalid'), null, 'not while it is typed')
    t.equal(await dialogOf(page).getByRole('alert').count(), 0)
    await due.press('Enter')
    const error = dialogOf(page).getByRole('alert')
    t.match(await error.innerText(), /^Not a date\. For example tomorrow, fri 17:30/)
    t.equal(await due.getAttribute('aria-invalid'), 'true')
    t.match(
      await due.evaluate(
        (field) => document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent,
      ),
      /Not a date/,
    )
    await check()
    await due.press('Tab')
    t.equal(await due.inputValue(), 'someday', 'it stays')
    t.equal(sent.length, before, 'nothing is sent')

    t.comment('empty clears, also if the dialog is closed then')
    await due.fill('')
    t.equal(await error.count(), 0)
    await due.press('Escape')
    await until(now, (date) => date === null)
    t.equal(sent.length, before + 1)
  },
)

onBoard('the calendar by keyboard', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const now = async () => (await api.get('/api/kanban-items/{id}', { path: { id: item.id } })).dueDate
  const { page, go, check } = await person({ timezoneId: ZONE })
  await page.clock.install({ time: NOW })
  await go(path)
  const due = dueOf(page)
  const { keyboard } = page
  const calendar = calendarOf(page)
  await due.focus()
  t.equal(await due.getAttribute('aria-expanded'), 'false')
  await due.press('ArrowDown')
  await untilDay(page, 'Wednesday, 25 November 2026')
  t.equal(await due.getAttribute('aria-expanded'), 'true')
  t.equal(await calendar.locator('[aria-current=date]').innerText(), '25', 'today is marked')
  t.strictSame(await calendar.getByRole('columnheader').allInnerTexts(), [
    ...['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  ])
  t.equal(await calendar.getByRole('heading').innerText(), 'November 2026')
  await check()
  const steps = [
    ['ArrowRight', 'Thursday, 26 November 2026'],
    ['ArrowDown', 'Thursday, 3 December 2026'],
    ['ArrowLeft', 'Wednesday, 2 December 2026'],
    ['ArrowUp', 'Wednesday, 25 November 2026'],
    ['Home', 'Monday, 23 November 2026'],
    ['End', 'Sunday, 29 November 2026'],
    ['PageDown', 'Tuesday, 29 December 2026'],
    ['PageUp', 'Sunday, 29 November 2026'],
    ['Shift+PageDown', 'Monday, 29 November 2027'],
    ['Shift+PageUp', 'Sunday, 29 November 2026'],
  ] as const
  for (const [key, day] of steps) {
    await keyboard.press(key)
    await untilDay(page, day)
  }
  for (const name of ['Previous month', 'Next month', 'Sunday, 29 November 2026', 'Previous month']) {
    await keyboard.press('Tab')
    t.equal(await focusedDay(page), name, 'the focus stays in the calendar')
  }
  await keyboard.press('Shift+Tab')
  t.equal(await focusedDay(page), 'Sunday, 29 November 2026')

  t.comment('Escape closes it, and not the dialog')
  await keyboard.press('Escape')
  await calendar.waitFor({ state: 'detached' })
  t.ok(await hasFocus(due))
  t.equal(await now(), null, 'nothing is chosen')

  t.comment('Enter chooses')
  await due.press('ArrowDown')
  await untilDay(page, 'Wednesday, 25 November 2026')
  await keyboard.press('ArrowDown')
  await untilDay(page, 'Wednesday, 2 December 2026')
  await keyboard.press('Enter')
  await until(now, (date) => date === '2026-12-02T00:00:00.000Z')
  await calendar.waitFor({ state: 'detached' })
  t.ok(await hasFocus(due))
  t.equal(await due.inputValue(), '2 Dec')

  t.comment('it opens at the typed date, and keeps a time')
  await due.fill('24 dec 17:30')
  await due.press('ArrowDown')
  await untilDay(page, 'Thursday, 24 December 2026')
  t.equal(await calendar.getByRole('gridcell', { selected: true }).innerText(), '24')
  await keyboard.press('ArrowRight')
  await untilDay(page, 'Friday, 25 December 2026')
  await keyboard.press('Enter')
  await until(now, (date) => date === '2026-12-25T22:30:00.000Z')
  t.equal(await due.inputValue(), '25 Dec, 17:30')
})

onBoard('the page in German and in American English', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const now = async () => (await api.get('/api/kanban-items/{id}', { path: { id: item.id } })).dueDate
  const german = await person({ locale: 'de-DE', timezoneId: 'Europe/Berlin' })
  await german.page.clock.install({ time: NOW })
  await german.go(path)
  const due = dueOf(german.page, 'Fälligkeit')
  await due.fill('1.12.')
  await german.page.getByRole('status').getByText('Dienstag, 1. Dezember 2026', { exact: true }).waitFor()
  await due.press('Enter')
  await until(now, (date) => date === '2026-12-01T00:00:00.000Z')
  t.equal(await due.inputValue(), '1. Dez.')
  await due.press('ArrowDown')
  const calendar = german.page.getByRole('dialog', { name: 'Kalender: Fälligkeit' })
  await calendar.getByRole('heading', { name: 'Dezember 2026' }).waitFor()
  t.strictSame((await calendar.getByRole('columnheader').allInnerTexts())[0], 'Mo')
  await german.page.keyboard.press('Escape')
  await due.fill('morgen um 1 Uhr')
  await due.press('Enter')
  // Midnight UTC, which would be a day.
  await until(now, (date) => date === '2026-11-26T00:00:00.001Z')
  t.equal(await due.inputValue(), '26. Nov., 01:00')
  await due.fill('irgendwann')
  await due.press('Enter')
  await german.page.getByRole('alert').getByText('Kein Datum.').waitFor()

  const american = await person({ locale: 'en-US', timezoneId: ZONE })
  await american.page.clock.install({ time: NOW })
  await american.go(path)
  const field = dueOf(american.page)
  await until(
    () => field.inputValue(),
    (value) => /^Nov 25, 7:00.PM$/.test(value),
  )
  await field.fill('3/4')
  await field.press('Enter')
  await until(now, (date) => date === '2027-03-04T00:00:00.000Z')
  t.equal(await field.inputValue(), 'Mar 4, 2027')
  await field.press('ArrowDown')
  const first = calendarOf(american.page).getByRole('columnheader').first()
  t.equal(await first.innerText(), 'Sun')
})

onBoard('a date on a phone', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const viewport = { width: 360, height: 640 }
  const { page, go, check } = await person({ viewport, hasTouch: true, isMobile: true, timezoneId: ZONE })
  await page.clock.install({ time: NOW })
  await go(path)
  const button = dialogOf(page).getByRole('button', { name: 'Calendar' })
  t.ok(await isTouchable(button))
  await button.tap()
  const calendar = calendarOf(page)
  const day = calendar.getByRole('button', { name: 'Tuesday, 1 December 2026' })
  await day.waitFor()
  t.ok(await isTouchable(day))
  t.ok(await isTouchable(calendar.getByRole('button', { name: 'Next month' })))
  const { x = -1, y = -1, width = 999, height = 999 } = (await calendar.boundingBox()) ?? {}
  t.ok(x >= 0 && y >= 0 && x + width <= 360 && y + height <= 640, 'all of it is on the screen')
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  await check()

  t.comment('another tap on its button closes it')
  await button.tap()
  await calendar.waitFor({ state: 'detached' })
  await button.tap()
  await calendar.getByRole('button', { name: 'Next month' }).tap()
  await calendar.getByRole('button', { name: 'Thursday, 24 December 2026' }).tap()
  const saved = async () => (await api.get('/api/kanban-items/{id}', { path: { id: item.id } })).dueDate
  await until(saved, (date) => date === '2026-12-24T00:00:00.000Z')
  await calendar.waitFor({ state: 'detached' })
  t.notOk(await hasFocus(dueOf(page)), 'the keyboard of the phone stays closed')
})

onBoard('what others choose meanwhile is not overwritten unseen', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const itemPath = { path: { id: item.id } }
  const now = async () => (await api.get('/api/kanban-items/{id}', itemPath)).dueDate
  const { page, go, check } = await person({ timezoneId: ZONE })
  await page.clock.install({ time: NOW })
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.postData() ?? '')
  })
  await go(path)
  const due = dueOf(page)
  await due.fill('tomorrow')
  await api.patch('/api/kanban-items/{id}', { ...itemPath, body: { dueDate: '2026-12-12' } })
  await dialogOf(page).getByRole('alert').getByText('to: “12 Dec”. Save again to keep yours.').waitFor()
  t.equal(await due.inputValue(), 'tomorrow')
  await check()
  await due.press('Tab')
  t.equal(await due.inputValue(), 'tomorrow', 'leaving the field does not save it')
  t.strictSame(sent, [])
  await due.press('Enter')
  await until(now, (date) => date === '2026-11-26T00:00:00.000Z')

  t.comment('a field in which nothing is typed follows')
  await api.patch('/api/kanban-items/{id}', { ...itemPath, body: { dueDate: '2026-12-13' } })
  await until(
    () => due.inputValue(),
    (value) => value === '13 Dec',
  )
})

onBoard(
  'dates of forms and of filters',
  async (t, { api, person }) => {
    const { projectId } = await makeCard({ api }, { title: 'Rewrite pages' })
    const { page, go, check } = await person({ signIn: ADMIN, timezoneId: ZONE })
    await go('/account')
    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New token' })
    await dialog.getByLabel('Name').fill('Script')
    const expires = dialog.getByLabel('Expires')
    const submit = dialog.getByRole('button', { name: 'Create token' })
    for (const [text, problem] of [
      ['someday', 'Not a date. For example tomorrow, fri, in 3 days or 24 Dec.'],
      ['2020-01-01', /^Not before \d/],
      ['tomorrow 17:30', 'Only a day, without a time.'],
    ] as const) {
      await expires.fill(text)
      await submit.click()
      await dialog.getByRole('alert').getByText(problem).waitFor()
      t.ok(await hasFocus(expires))
    }
    t.strictSame(await api.get('/api/tokens').then((all) => all.map(({ name }) => name)), ['Test'])
    await check()

    t.comment('Enter in the field sends the form, with what was typed last')
    await expires.fill('31.12.2098')
    await expires.fill('31.12.2099')
    await expires.press('Enter')
    await page.getByRole('textbox', { name: 'Token' }).waitFor()
    const [made] = (await api.get('/api/tokens')).filter(({ name }) => name === 'Script')
    t.equal(made?.expiresAt, '2100-01-01T04:59:59.999Z', 'the end of that day here')
    await page.getByRole('button', { name: 'I’ve saved it' }).click()

    t.comment('a filter')
    await go(`/projects/${projectId}/flow?from=2025-03-04&to=2025-06-01`)
    const from = page.getByRole('combobox', { name: 'From', exact: true })
    t.equal(await from.inputValue(), '4 Mar 2025')
    await from.fill('5.3.')
    await from.press('Enter')
    await page.waitForURL(/from=20\d\d-03-05/)
    await page.getByRole('button', { name: 'Calendar', description: 'To' }).click()
    const calendar = calendarOf(page, 'To')
    await calendar.getByRole('button', { name: 'Tuesday, 3 June 2025' }).click()
    await page.waitForURL(/to=2025-06-03/)
    const to = page.getByRole('combobox', { name: 'To', exact: true })
    await to.fill('2999-01-01')
    await to.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/^Not after \d/)
      .waitFor()
    t.match(page.url(), /to=2025-06-03/)
    await to.fill('')
    await to.press('Enter')
    await page.waitForURL((url) => !url.searchParams.has('to'))
  },
  { mode: 'required' },
)
