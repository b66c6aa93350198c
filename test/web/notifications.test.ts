/** Notifications on the page: the number in the head, the inbox, watching, reminders, preferences, and mentions while typing. */
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client/types.d.ts'
import { createClient } from '../client/shipped-client.ts'
import { currentTest } from '../current-test.ts'
import { receiveMail } from '../smtp.ts'
import { projectWith, untilSaid } from './board-steps.ts'
import { type Board, noBrowser, onBoard, startBoard } from './browser.ts'
import { dialogOf } from './card-steps.ts'
import { until } from './until.ts'

const GRACE = { email: 'grace@example.test', password: 'correct horse too' }
const HTML = '<img src=x onerror=alert(1)><b>Flyer</b>'
const REQUIRED = { mode: 'required' as const }

/** Makes another member, and a client with a token of theirs. */
async function makeGrace({ url, api }: Board): Promise<{ id: string; client: Client }> {
  const { id } = await api.post('/api/members', { body: { name: 'Grace Hopper', role: 'member', ...GRACE } })
  const session = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(GRACE),
  })
  const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const made = await fetch(`${url}/api/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ name: 'Test', scope: 'write' }),
  })
  const { token } = (await made.json()) as { token: string }
  return { id, client: createClient({ baseUrl: url, token }) }
}

/** The link of the inbox in the head, with a number of unread ones; 0 for none. */
const bell = (page: Page, count: number) =>
  page.getByRole('link', { name: count === 0 ? /^Inbox$/ : new RegExp(`^Inbox ${count} unread$`) })

const entry = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Notifications' }).getByRole('listitem').filter({ hasText: text })

onBoard(
  'two people: one is told at once of what the other does, and reads it in all tabs',
  async (t, board) => {
    const { api, person } = board
    const grace = await makeGrace(board)
    const made = await projectWith(api, { 'To Do': [HTML, 'Poster', 'Logo'] })
    const [first, second] = await Promise.all([
      person({ signIn: true }),
      person({ signIn: GRACE, viewport: { width: 390, height: 800 } }),
    ])
    const other = await second.context.newPage()
    // From then on it follows what comes.
    const counted = second.page.waitForResponse(/\/api\/notifications\/count$/)
    await Promise.all([
      first.go(`${made.path}/items/${made.cards.get(HTML)}`),
      second.go(made.path),
      second.go('/mine', other),
    ])
    await counted
    await bell(second.page, 0).waitFor()
    await second.page.getByText('Live', { exact: true }).waitFor({ state: 'attached' })

    t.comment('the admin assigns a card by the page')
    const assignee = first.page.getByRole('combobox', { name: 'Assignee', exact: true })
    await assignee.fill('Grace')
    await first.page.getByRole('option', { name: /Grace Hopper/ }).click()
    await Promise.all([bell(second.page, 1).waitFor(), bell(other, 1).waitFor()])
    t.match(await second.page.title(), /^\(1\) Website relaunch · Phaseboard$/)
    await untilSaid(second.page, '1 unread notification')
    await bell(first.page, 0).waitFor()

    t.comment('by the keyboard to the inbox, where HTML is text')
    await second.page.keyboard.press('g')
    await second.page.keyboard.press('n')
    await second.page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    const assigned = entry(second.page, HTML)
    await assigned
      .filter({ hasText: /Admin assigned it to you/ })
      .filter({ hasText: /Website relaunch/ })
      .waitFor()
    await second.check()
    await second.page.setViewportSize({ width: 320, height: 800 })
    const { width = 0 } = (await assigned.locator('div').first().boundingBox()) ?? {}
    t.ok(width > 190, `on a small phone, the text has ${width} pixels`)
    await second.page.setViewportSize({ width: 390, height: 800 })

    t.comment('a comment comes live, and leads to the comments of the card')
    const item = { id: made.cards.get(HTML) ?? '' }
    await api.post('/api/kanban-items/{id}/comments', { path: item, body: { content: 'Which paper?' } })
    await entry(second.page, 'Which paper?').waitFor()
    await bell(second.page, 2).waitFor()
    await entry(second.page, 'Which paper?').getByRole('link').press('Enter')
    await dialogOf(second.page, HTML).waitFor()
    await second.page.getByText('Which paper?').waitFor()
    t.ok(await second.page.getByRole('heading', { name: 'Comments' }).isVisible())
    await Promise.all([
      bell(other, 1).waitFor(),
      until(
        () => second.page.title(),
        (title) => title.startsWith('(1) '),
      ),
    ])

    t.comment('all at once, and back')
    for (const title of ['Poster', 'Logo']) {
      const path = { id: made.cards.get(title) ?? '' }
      await api.patch('/api/kanban-items/{id}', { path, body: { assigneeId: grace.id } })
    }
    await bell(other, 3).waitFor()
    await bell(other, 3).click()
    await entry(other, 'Logo').waitFor()
    await other.getByRole('button', { name: 'Mark as read: Logo' }).click()
    await bell(other, 2).waitFor()
    t.ok(
      await other.getByRole('button', { name: 'Mark as unread: Logo' }).isVisible(),
      'it stays in its place',
    )
    await other.getByRole('button', { name: 'Mark all as read' }).click()
    await Promise.all([
      bell(other, 0).waitFor(),
      until(
        () => second.page.title(),
        (title) => title.startsWith(HTML),
      ),
    ])
    t.strictSame(await grace.client.get('/api/notifications/count'), { unread: 0 })
    await other.getByRole('button', { name: 'Undo' }).click()
    await bell(other, 2).waitFor()
    t.strictSame(await grace.client.get('/api/notifications/count'), { unread: 2 })

    t.comment('all of one project, and back')
    const another = await projectWith(api, { 'To Do': ['Elsewhere'] }, 'Another')
    const elsewhere = { id: another.cards.get('Elsewhere') ?? '' }
    await api.patch('/api/kanban-items/{id}', { path: elsewhere, body: { assigneeId: grace.id } })
    await bell(other, 3).waitFor()
    await other.getByRole('combobox', { name: 'Project' }).selectOption(another.id)
    await entry(other, 'Poster').waitFor({ state: 'detached' })
    await other.getByRole('button', { name: 'Mark all as read' }).click()
    await other.getByText('1 notification marked as read.').waitFor()
    await bell(other, 2).waitFor()
    t.strictSame(await grace.client.get('/api/notifications/count'), { unread: 2 })
    await other.getByRole('button', { name: 'Undo' }).click()
    await bell(other, 3).waitFor()
    await other.getByRole('button', { name: 'Mark as read: Elsewhere' }).click()
    await bell(other, 2).waitFor()
    await other.getByRole('combobox', { name: 'Project' }).selectOption('All projects')

    t.comment('unread ones, or all, of one project or all')
    await other.reload()
    await entry(other, 'Poster').waitFor()
    t.equal(await entry(other, '').count(), 2)
    await other.getByRole('combobox', { name: 'Show' }).selectOption('All')
    await entry(other, 'Which paper?').waitFor()
    t.equal(await entry(other, '').count(), 5)
    const { id: empty } = await api.post('/api/projects', { body: { name: 'Empty' } })
    await other.getByRole('combobox', { name: 'Project' }).selectOption(empty)
    await other.getByText('No notifications.').waitFor()
  },
  REQUIRED,
)

onBoard(
  'cards and projects are watched, and remind',
  async (t, board) => {
    const { api, person } = board
    const grace = await makeGrace(board)
    const made = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
    const flyer = { id: made.cards.get('Flyer') ?? '' }
    const { page, go, check } = await person({ signIn: GRACE })
    await go(`${made.path}/items/${flyer.id}`)
    const watch = dialogOf(page, 'Flyer').getByRole('button', { name: 'Watch', exact: true })
    await watch.press('Enter')
    await untilSaid(page, 'You watch “Flyer”.')
    const watching = dialogOf(page, 'Flyer').getByRole('button', { name: 'Watching', exact: true })
    t.equal(await watching.innerText(), 'Watching', 'the button says so, too')
    t.equal(await watch.count(), 0)
    const isWatched = async () =>
      (await grace.client.get('/api/kanban-items/{id}/watch', { path: flyer })).watching
    t.equal(await isWatched(), true)

    t.comment('reminders by their names')
    const reminders = page.getByRole('group', { name: 'Reminders' })
    const add = reminders.getByRole('button', { name: 'Add a reminder' })
    await add.press('Enter')
    await page.getByRole('menuitem', { name: '1 day before' }).press('Enter')
    await reminders.getByText('1 day before').waitFor()
    await reminders.getByText('start once the card has one').waitFor()
    const fromNine = reminders.getByText('Counted from 9:00 of the due day')
    const setDue = (dueDate: string) =>
      api.patch('/api/kanban-items/{id}', { path: flyer, body: { dueDate } })
    await setDue('2030-02-01')
    await fromNine.waitFor()
    await setDue('2030-02-01T12:00:00Z')
    await fromNine.waitFor({ state: 'detached' })
    await add.click()
    t.equal(await page.getByRole('menuitem', { name: '1 day before' }).count(), 0, 'none twice')
    await page.getByRole('menuitem', { name: 'At a time…' }).click()
    const time = reminders.getByLabel('Time of the reminder')
    await time.waitFor()
    t.ok(await time.evaluate((field) => field === document.activeElement), 'it has the focus')
    await time.fill('31.1.2030')
    await reminders.getByText('Thursday, 31 January 2030, 09:00').waitFor()
    await reminders.getByRole('button', { name: 'Add', exact: true }).click()
    await reminders.getByText(/2030/).waitFor()
    const saved = () => grace.client.get('/api/kanban-items/{id}', { path: flyer })
    const at = await page.evaluate(() => new Date('2030-01-31T09:00').toISOString())
    const both = await until(saved, (item) => item.reminders.length === 2)
    t.strictSame(both.reminders, [{ before: 'P1D' }, { at }])
    await check()
    await reminders.getByRole('button', { name: 'Remove: 1 day before' }).press('Enter')
    await until(saved, (item) => item.reminders.length === 1)
    await api.patch('/api/kanban-items/{id}', { path: flyer, body: { reminders: [{ before: 'P1M2D' }] } })
    await reminders.getByText('P1M2D before').waitFor()

    t.comment('five are the most')
    const five = ['PT0S', 'P1D', 'P2D', 'P1W', 'PT3H'].map((before) => ({ before }))
    await api.patch('/api/kanban-items/{id}', { path: flyer, body: { reminders: five } })
    await reminders.getByText('3 hours before').waitFor()
    t.equal(await add.count(), 0)

    t.comment('who unwatches is not told')
    await watching.click()
    await untilSaid(page, 'You no longer watch “Flyer”.')
    t.equal(await isWatched(), false)

    t.comment('a whole project')
    await go(`${made.path}/overview`)
    await page.getByRole('button', { name: 'Watch the project' }).click()
    await page.getByRole('button', { name: 'Watching the project' }).waitFor()
    await untilSaid(page, 'You watch “Website relaunch”.')
    const poster = { id: made.cards.get('Poster') ?? '' }
    await api.post('/api/kanban-items/{id}/move', { path: poster, body: { column: 'Done' } })
    await bell(page, 1).click()
    await entry(page, 'Poster')
      .filter({ hasText: /Admin moved it/ })
      .filter({ hasText: /To Done/ })
      .waitFor()
  },
  REQUIRED,
)

onBoard(
  'members are mentioned by their handles, which are suggested',
  async (t, board) => {
    const { api, person } = board
    const grace = await makeGrace(board)
    const made = await projectWith(api, { 'To Do': ['Flyer'] })
    const flyer = { id: made.cards.get('Flyer') ?? '' }
    const { page, go, check } = await person({ signIn: true })
    await go(`${made.path}/items/${flyer.id}`)
    const comment = page.getByRole('textbox', { name: 'New comment' })
    await comment.focus()
    await page.keyboard.type('Please look, @hop')
    const options = page.getByRole('listbox', { name: 'People to mention' }).getByRole('option')
    await options.first().waitFor()
    t.strictSame(await options.allInnerTexts(), ['Grace Hopper @grace.hopper'])
    await untilSaid(page, '1 suggestion, Enter inserts it')
    await check()
    await page.keyboard.press('Enter')
    t.equal(await comment.inputValue(), 'Please look, @grace.hopper ')
    await page.keyboard.press('Control+Enter')
    const told = () => grace.client.get('/api/notifications')
    t.match(await until(told, (all) => all.length === 1), [{ kind: 'mentioned', text: /Please look/ }])

    t.comment('an address is none, and Escape only closes the list')
    await comment.fill('')
    await page.keyboard.type('mail@gra')
    t.equal(await options.count(), 0)
    await page.keyboard.type(' @gra')
    await options.first().waitFor()
    await page.keyboard.press('Escape')
    await options.first().waitFor({ state: 'detached' })
    t.ok(await comment.isVisible())
    await comment.fill('')

    t.comment('in the description, on a phone')
    const phone = await person({ signIn: true, hasTouch: true, viewport: { width: 390, height: 800 } })
    await phone.go(`${made.path}/items/${flyer.id}`)
    await phone.page.getByRole('button', { name: 'Add a description' }).tap()
    const field = phone.page.getByRole('textbox', { name: 'Description' })
    await field.pressSequentially('@gr')
    const option = phone.page.getByRole('option', { name: 'Grace Hopper @grace.hopper' })
    await option.waitFor()
    const { height = 0 } = (await option.boundingBox()) ?? {}
    t.ok(height >= 44, `${height} pixels`)
    await option.tap()
    t.equal(await field.inputValue(), '@grace.hopper ')
    await phone.page.getByRole('button', { name: 'Save' }).tap()
    await until(told, (all) => all.length === 2)
  },
  REQUIRED,
)

onBoard(
  'how a member is told: by email, by the browser, and under which handle',
  async (t, board) => {
    const { page, context, go, check } = await board.person({ signIn: true, timezoneId: 'Europe/Berlin' })
    await go('/account')
    const part = page.getByRole('region', { name: 'Notifications' })
    await part.getByText('This service sends no email.').waitFor()
    const zone = part.getByRole('combobox', { name: 'Time zone' })
    t.equal(await zone.inputValue(), 'Europe/Berlin')
    await part.getByText('Saved: UTC').waitFor()
    await part.getByRole('button', { name: 'Save' }).first().click()
    await part.getByText('Saved: Europe/Berlin').waitFor()
    const handle = part.getByRole('textbox', { name: 'Handle' })
    await handle.fill('@Ada')
    await handle.press('Enter')
    await page.getByText('Handle saved.').waitFor()
    const members = await board.api.get('/api/members')
    t.strictSame(
      members.map((member) => member.handle),
      ['ada'],
    )
    await check()

    t.comment('the browser tells only when it is asked to, and nobody looks at the board')
    await page.addInitScript(() => {
      const shown: string[] = []
      class Fake {
        static permission = 'default'
        static requestPermission = () => {
          Fake.permission = 'granted'
          return Promise.resolve('granted')
        }
        onclick = null
        constructor(title: string) {
          shown.push(title)
        }
        close() {}
      }
      Object.assign(globalThis, { Notification: Fake, shown })
    })
    const { client } = await makeGrace(board)
    await page.reload()
    const box = page.getByRole('checkbox', { name: 'In this browser' })
    t.notOk(await box.isChecked(), 'off until somebody wants it')
    await box.check()
    t.ok(await box.isChecked())
    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
    const { id } = await board.api.post('/api/projects', { body: { name: 'Apollo' } })
    const tell = async (title: string) => {
      const item = await client.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title } })
      const path = { id: item.id }
      await client.post('/api/kanban-items/{id}/comments', { path, body: { content: 'See @ada' } })
    }
    await bell(page, 0).waitFor()
    await tell('Seen')
    await bell(page, 1).waitFor()
    t.strictSame(await shown(), [], 'the page is visible')
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await tell('<b>Hidden</b>')
    t.strictSame(await until(shown, (all) => all.length > 0), ['Grace Hopper mentioned you: <b>Hidden</b>'])
    await context.close()
  },
  REQUIRED,
)

currentTest().test(
  'email is chosen, tried, and confirmed after a refusal',
  { skip: noBrowser },
  async (t) => {
    const mail = await receiveMail(t)
    const environment = { SMTP_URL: mail.url, MAIL_FROM: 'Board <board@example.test>' }
    const board = await startBoard(t, { mode: 'required', environment })
    const { page, go } = await board.person({
      signIn: true,
      timezoneId: 'Europe/Berlin',
      colorScheme: 'dark',
    })
    await go('/account')
    const part = page.getByRole('region', { name: 'Notifications' })
    const email = part.getByRole('combobox', { name: 'By email' })
    await email.waitFor()
    const zone = part.getByRole('combobox', { name: 'Time zone' })
    t.equal(
      await zone.inputValue(),
      'Europe/Berlin',
      'who has chosen nothing is offered the zone of the browser',
    )
    await email.selectOption('One a day, at 8')
    await part.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await page.reload()
    await email.waitFor()
    t.strictSame([await email.inputValue(), await zone.inputValue()], ['daily', 'Europe/Berlin'])
    await part.getByRole('button', { name: 'Send a test email' }).click()
    await page.getByText('A test email was sent to ada@example.test.').waitFor()
    t.equal(mail.received.length, 1)
    mail.behave = () => ({ recipient: '550 5.1.1 <b>No</b> such user' })
    await part.getByRole('button', { name: 'Send a test email' }).click()
    await page.getByText(/^It was not sent: .*<b>No<\/b> such user/).waitFor()

    t.comment('an address that was refused before')
    await page.route(
      '**/api/me/preferences',
      (route) =>
        route.fulfill({
          json: { email: 'daily', timeZone: 'UTC', stoppedBecause: '550 <b>gone</b>', emailAvailable: true },
        }),
      { times: 1 },
    )
    await page.reload()
    await part.getByText('550 <b>gone</b>').waitFor()
    await part.getByRole('button', { name: 'The address works: send again' }).click()
    await part.getByText('550 <b>gone</b>').waitFor({ state: 'detached' })
    await board.finish()
  },
)
