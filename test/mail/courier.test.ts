/** Telling members by mail: what is due, once, to those who may still know it, whatever the mail server does. */
import t, { type Test } from 'tap'
import { systemClock } from '../../src/clock.ts'
import { openDatabase } from '../../src/db/client.ts'
import { NO_LOCK } from '../../src/db/process-lock.ts'
import { Courier, type CourierOptions, type CourierWrites, HEARTBEAT } from '../../src/mail/courier.ts'
import { messageOf } from '../../src/mail/message.ts'
import { createHostOutlet, createMailOutlet, type Outlet, SEPARATE, WAIT } from '../../src/mail/outlets.ts'
import { RETRY_DELAYS, SENT_AT_ONCE } from '../../src/mail/queue.ts'
import { createSmtpSender } from '../../src/mail/smtp-sender.ts'
import type { HostNotification } from '../../src/phaseboard.d.ts'
import { createScopedRules } from '../../src/requests/scoped-rules.ts'
import { writeTo } from '../helper.ts'
import { manualClock, until } from '../receivers.ts'
import { type MailServer, receiveMail } from '../smtp.ts'

const MINUTE = 60_000

const BOARD = `
  insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test'), ('bob', 'Bob', 'bob@example.test'),
    ('eve', 'Eve', 'eve@example.test');
  insert into projects (id, name) values ('p', 'Apollo');
  insert into kanban_items (id, project_id, title) values ('i', 'p', 'Card'), ('j', 'p', 'Deck');`

/** A service without HTTP: rules on a database, and its courier to a mail server. */
async function service(
  t: Test,
  {
    databaseUrl = ':memory:',
    server,
    host,
    ...options
  }: Partial<CourierOptions> & {
    databaseUrl?: string
    server?: MailServer
    host?: (notification: HostNotification) => unknown
  } = {},
) {
  const mails = server ?? (await receiveMail(t))
  const { db, close } = openDatabase(databaseUrl)
  const scoped = createScopedRules(db)
  const { mail } = scoped.all
  const clock = manualClock()
  const warnings: string[] = []
  const key = writeTo(db, () => mail.state.makeKey())
  const writes: CourierWrites = {
    schedule: async (mails) => writeTo(db, () => mail.queue.schedule(mails)),
    remove: async (...args) => writeTo(db, () => mail.remove(...args)),
    drop: async (id) => writeTo(db, () => mail.queue.drop(id)),
    failed: async ({ memberId, attempts }, reason, now) =>
      writeTo(db, () => mail.queue.failed(memberId, attempts, reason, now)),
    giveUp: async (...args) => writeTo(db, () => mail.giveUp(...args)),
    stop: async (...args) => writeTo(db, () => mail.preferences.stop(...args)),
  }
  const outlet: Outlet = host
    ? createHostOutlet({
        queue: mail.queue,
        deliverable: (ids) => mail.queue.deliverable(ids),
        onNotification: host,
        clock,
      })
    : createMailOutlet({
        queue: mail.queue,
        deliverable: ({ memberId, role }, ids) =>
          scoped.read(
            role === 'admin'
              ? undefined
              : { memberId, role, seesAll: false, projectIds: null, projects: undefined },
            (rules) => rules.mail.queue.deliverable(ids),
          ),
        compose: (memberId, recipient, notifications) =>
          messageOf(memberId, recipient, notifications, {
            publicUrl: 'https://board.example',
            key,
            now: clock.now(),
            domain: 'board.example',
          }),
        send: createSmtpSender({
          server: mails.url,
          from: { name: 'Board', address: 'board@board.example' },
          clock: systemClock,
        }),
      })
  const start = (): Courier =>
    new Courier({
      queue: mail.queue,
      outlet,
      writes,
      lock: NO_LOCK,
      begin: async () => undefined,
      clock,
      warn: (fields, message) => warnings.push(`${message}: ${JSON.stringify(fields)}`),
      ...options,
    })
  const courier = start()
  t.teardown(async () => {
    await courier.stop()
    close()
  })
  const { $client: client } = db
  client.exec(BOARD)
  let number = 0
  return {
    db,
    scoped,
    mail,
    mails,
    clock,
    warnings,
    courier,
    start,
    writes,
    exec: (sql: string) => client.exec(sql),
    count: (sql: string) => client.prepare<[], number>(`select count(*) from ${sql}`).pluck().get(),
    row: (sql: string) => client.prepare<[], Record<string, unknown>>(sql).get(),
    prefer: (memberId: string, fields: Parameters<typeof mail.preferences.update>[1]) =>
      writeTo(db, () => mail.preferences.update(memberId, fields, true)),
    /** Makes a notification, now. */
    notify: (memberId: string, fields: Record<string, unknown> = {}) => {
      number += 1
      const row = {
        id: `n${String(number).padStart(6, '0')}`,
        memberId,
        kind: 'assigned',
        itemId: 'i',
        projectId: 'p',
        title: 'Card',
        text: '',
        createdAt: new Date(clock.now()).toISOString(),
        count: 1,
        readAt: null,
        seq: null,
        ...fields,
      }
      client
        .prepare(
          `insert into notifications (id, member_id, kind, item_id, project_id, title, text, created_at, count, read_at, seq)
          values (:id, :memberId, :kind, :itemId, :projectId, :title, :text, :createdAt, :count, :readAt, :seq)`,
        )
        .run(row)
      return row.id
    },
    /** Makes a comment on the item. @returns what a notification of it has */
    comment: (id: string, content: string) => {
      client
        .prepare("insert into kanban_comments (id, item_id, author_id, content) values (?, 'i', 'bob', ?)")
        .run(id, content)
      const seq = client.prepare<[], number>('select max(seq) from changes').pluck().get()
      return { kind: 'commented', text: content, seq }
    },
    /** Sends what is due after some time. */
    after: async (milliseconds: number) => {
      clock.pass(milliseconds)
      await courier.work()
    },
  }
}

const subjects = ({ received }: MailServer) => received.map(({ to, headers }) => [to, headers.subject])

t.test(
  'each: what comes within two minutes of the first comes in one mail, and only to who wants it',
  async (t) => {
    const one = await service(t)
    one.prefer('ada', { email: 'each' })
    one.notify('ada', { title: 'First' })
    one.notify('bob')
    await one.after(WAIT - 1000)
    one.notify('ada', { title: 'Second', ...one.comment('c', 'Hm') })
    t.strictSame(one.mails.received, [])
    await one.after(1000)
    t.strictSame(subjects(one.mails), [['ada@example.test', 'Second']])
    const [mail] = one.mails.received
    t.match(
      mail?.text,
      /^First\nAssigned to you\n.*\n\nSecond\nNew comment\n> Hm\nhttps:\/\/board.example\/projects\/p\/items\/i\n/s,
    )
    t.equal(mail?.from, 'board@board.example')
    t.match(mail?.headers, { from: 'Board <board@board.example>', to: 'Ada <ada@example.test>' })
    await one.after(24 * 60 * MINUTE)
    t.equal(one.mails.received.length, 1)
    t.equal(one.count('mail_queue'), 0)
    t.equal(one.count('mails'), 0)
    one.notify('ada')
    await one.after(WAIT)
    t.strictSame(subjects(one.mails).at(-1), ['ada@example.test', 'Card'])
    t.strictSame(one.warnings, [])
  },
)

t.test('each: every card has a mail and a thread of its own, and a digest has all in one', async (t) => {
  const one = await service(t)
  for (const [id, email] of [
    ['ada', 'each'],
    ['bob', 'daily'],
  ] as const) {
    one.prefer(id, { email, language: 'de' })
    one.notify(id, { title: 'Card' })
    one.notify(id, { title: 'Deck', itemId: 'j' })
    one.notify(id, { title: 'Card', kind: 'moved' })
    one.notify(id, { title: 'Apollo', itemId: null, count: 12 })
  }
  await one.after(WAIT)
  t.strictSame(subjects(one.mails), [
    ['ada@example.test', 'Card'],
    ['ada@example.test', 'Deck'],
    ['ada@example.test', 'Apollo: Ihnen zugewiesen: 12 Karten'],
  ])
  const [card, deck, apollo] = one.mails.received.map(({ headers }) => headers)
  t.match(one.mails.received[0]?.text, /^Card\nIhnen zugewiesen\n.*\n\nCard\nVerschoben\n/s)
  one.notify('ada', { title: 'Card' })
  await one.after(WAIT)
  const again = one.mails.received.at(-1)?.headers
  t.equal(again?.references, card?.references)
  t.equal(again?.['in-reply-to'], card?.['in-reply-to'])
  t.not(again?.['message-id'], card?.['message-id'])
  t.not(deck?.references, card?.references)
  t.equal(apollo?.references, undefined)
  t.equal(one.count("mail_queue where member_id = 'ada'"), 0)
  await one.after(24 * 60 * MINUTE)
  const digest = one.mails.received.at(-1)
  t.match([digest?.to, digest?.headers.subject], ['bob@example.test', '4 Benachrichtigungen'])
  t.equal(digest?.headers.references, undefined)
})

t.test('the courier polls the queue, and sends notifications from its downtime late', async (t) => {
  const one = await service(t)
  one.prefer('ada', { email: 'each' })
  one.notify('ada')
  one.clock.pass(60 * MINUTE)
  one.courier.start()
  await one.mails.got(1)
  await one.courier.work()
  one.notify('ada')
  one.clock.pass(HEARTBEAT)
  await one.courier.work()
  for (let time = 0; time < WAIT; time += HEARTBEAT) {
    one.clock.pass(HEARTBEAT)
    await one.courier.work()
  }
  await one.mails.got(2)
})

t.test('daily: at 8 in the time zone of each member, once a day', async (t) => {
  const one = await service(t)
  one.prefer('ada', { email: 'daily', timeZone: 'Europe/Berlin' })
  one.prefer('bob', { email: 'daily', timeZone: 'America/Los_Angeles' })
  one.prefer('eve', { email: 'daily' })
  for (const id of ['ada', 'bob', 'eve']) one.notify(id)
  const times: string[] = []
  for (let hour = 1; hour <= 48; hour++) {
    const before = one.mails.received.length
    await one.after(60 * MINUTE)
    for (const { to } of one.mails.received.slice(before)) times.push(`${hour} ${to}`)
  }
  t.strictSame(times, ['7 ada@example.test', '8 eve@example.test', '16 bob@example.test'])
})

t.test(
  'no mail contains notifications that are read, deleted, no longer visible, or no longer wanted',
  async (t) => {
    const one = await service(t)
    for (const id of ['ada', 'bob', 'eve']) one.prefer(id, { email: 'each' })
    one.exec("insert into projects (id, name, access) values ('q', 'Secret', 'assigned')")
    one.exec("insert into kanban_items (id, project_id, title) values ('k', 'q', 'Plan'), ('l', 'p', 'Gone')")
    one.exec(
      "insert into team_assignments (id, project_id, member_id) values ('a', 'q', 'ada'), ('b', 'q', 'bob')",
    )
    const secret = { itemId: 'k', projectId: 'q', title: 'Secret plan' }
    const read = one.notify('ada', { title: 'Read' })
    one.notify('ada', { itemId: 'l', title: 'Gone' })
    one.notify('ada', { itemId: null, projectId: 'q', title: 'Secret', count: 12 })
    one.notify('ada', secret)
    one.notify('ada', { itemId: 'j', title: 'Moved to secrecy' })
    one.notify('ada', { title: 'Still there' })
    one.notify('bob', secret)
    one.notify('eve')
    one.exec(`update notifications set read_at = created_at where id = '${read}'`)
    one.exec(
      "delete from kanban_items where id = 'l'; update kanban_items set project_id = 'q' where id = 'j'",
    )
    one.exec("delete from team_assignments where id = 'a'; update members set disabled = 1 where id = 'eve'")
    await one.after(WAIT)
    t.strictSame(subjects(one.mails).toSorted(), [
      ['ada@example.test', 'Still there'],
      ['bob@example.test', 'Secret plan'],
    ])
    t.notMatch(one.mails.received.find(({ to }) => /^ada/.test(to))?.raw, /[Ss]ecret|Gone|Read/)
    t.equal(one.count('mail_queue'), 0)
    one.notify('bob')
    one.prefer('bob', { email: 'none' })
    t.equal(one.count('mail_queue'), 0)
    one.prefer('bob', { email: 'each' })
    await one.after(WAIT)
    t.equal(one.mails.received.length, 2, 'what was dropped does not come back')
    one.notify('ada')
    one.exec("delete from members where id = 'ada'")
    await one.after(WAIT)
    t.equal(one.mails.received.length, 2)
    t.equal(one.count('mails'), 0)
  },
)

t.test('no mail contains a comment that has been edited or deleted', async (t) => {
  const one = await service(t)
  one.prefer('ada', { email: 'each' })
  one.notify('ada', { title: 'Deleted', ...one.comment('c', 'my password is hunter1') })
  one.notify('ada', { title: 'Edited', ...one.comment('d', 'my password is hunter2') })
  one.notify('ada', { title: 'Kept', ...one.comment('e', 'Hello') })
  one.exec("delete from kanban_comments where id = 'c'")
  one.exec("update kanban_comments set content = 'my password' where id = 'd'")
  await one.after(WAIT)
  const [mail] = one.mails.received
  t.match(mail?.text, /^Edited\nNew comment\nhttps:\S+\n\nKept\nNew comment\n> Hello\n/)
  t.notMatch(mail?.raw, /hunter|Deleted/)
  one.notify('ada', { title: 'Deleted', ...one.comment('f', 'hunter3') })
  one.exec("delete from kanban_comments where id = 'f'")
  await one.after(WAIT)
  t.equal(one.mails.received.length, 1)
  t.equal(one.count('mail_queue'), 0)
})

t.test('another preference also applies to queued notifications', async (t) => {
  const one = await service(t)
  one.prefer('ada', { email: 'each' })
  one.notify('ada')
  await one.after(MINUTE)
  one.prefer('ada', { email: 'daily', timeZone: 'UTC' })
  await one.after(2 * MINUTE)
  t.strictSame(one.mails.received, [])
  one.prefer('ada', { timeZone: 'Asia/Tokyo' })
  await one.after(22 * 60 * MINUTE)
  t.equal(one.mails.received.length, 0)
  await one.after(57 * MINUTE)
  t.equal(one.mails.received.length, 1)
  one.notify('ada')
  await one.after(MINUTE)
  one.prefer('ada', { email: 'each' })
  await one.after(MINUTE)
  t.equal(one.mails.received.length, 2)
})

t.test('a refusal for now is tried again for a day, with growing waits, then given up', async (t) => {
  const one = await service(t, { server: await receiveMail(t, () => ({ recipient: '451 4.7.1 later' })) })
  one.prefer('ada', { email: 'each' })
  one.notify('ada')
  await one.after(WAIT)
  t.equal(one.mails.tried.length, 1)
  const waits: number[] = []
  let waited = 0
  for (let minute = 0; minute < 25 * 60; minute++) {
    await one.after(MINUTE)
    waited += 1
    if (one.mails.tried.length === waits.length + 1) continue
    waits.push(waited)
    waited = 0
  }
  t.strictSame(
    waits.map((minutes) => minutes * MINUTE),
    RETRY_DELAYS,
  )
  t.equal(
    RETRY_DELAYS.reduce((sum, delay) => sum + delay, 0),
    24 * 60 * MINUTE,
  )
  t.match(one.row('select failure from member_preferences'), { failure: '451 4.7.1 later' })
  t.equal(one.count('mail_queue'), 0)
  t.match(one.courier.counts, { sent: 0, failed: RETRY_DELAYS.length + 1, given_up: 1 })
  t.match(one.warnings.at(-1), /discarded notifications/)
  t.notMatch(`${one.warnings}`, 'ada@example.test')
  one.mails.behave = () => ({})
  one.notify('ada')
  await one.after(WAIT)
  t.equal(one.mails.received.length, 1)
  t.match(one.row('select failure from member_preferences'), { failure: null }, 'the next one goes out')
})

t.test('notifications created while a mail fails are sent with it, once', async (t) => {
  const one = await service(t, { server: await receiveMail(t, () => ({ content: '452 4.3.1 full' })) })
  one.prefer('ada', { email: 'each' })
  one.notify('ada', { title: 'First' })
  await one.after(WAIT)
  one.notify('ada', { title: 'Second' })
  one.mails.received.splice(0)
  one.mails.behave = () => ({})
  await one.after(MINUTE)
  t.strictSame(subjects(one.mails), [['ada@example.test', 'Second']])
  await one.after(60 * MINUTE)
  t.equal(one.mails.received.length, 1)
})

t.test(
  'a refusal for good stops mail to the address until its member confirms it, or has another',
  async (t) => {
    const refused: Record<string, string> = {
      'ada@example.test': '550 5.1.1 no such user',
      'bob@example.test': '550 5.1.1 no such user',
    }
    const one = await service(t, {
      server: await receiveMail(t, (address) =>
        refused[address] ? { recipient: refused[address] as string } : {},
      ),
    })
    for (const id of ['ada', 'bob', 'eve']) {
      one.prefer(id, { email: 'each' })
      one.notify(id)
    }
    await one.after(WAIT)
    t.strictSame(subjects(one.mails), [['eve@example.test', 'Card']])
    t.match(one.mail.preferences.get('ada', true), {
      email: 'each',
      stoppedBecause: '550 5.1.1 no such user',
    })
    t.match(one.mail.queue.summary(), { queued: 0, failing: 0, stopped: 2 })
    one.notify('ada')
    await one.after(WAIT)
    t.equal(one.mails.tried.length, 3, 'it is not tried again')
    t.equal(one.count('mail_queue'), 0)
    delete refused['ada@example.test']
    one.prefer('ada', { timeZone: 'Europe/Paris' })
    t.match(
      one.mail.preferences.get('ada', true),
      { stoppedBecause: /5\.1\.1/ },
      'the time zone confirms nothing',
    )
    t.strictSame(one.prefer('ada', { email: 'each' }).stoppedBecause, null)
    one.exec("update members set email = 'robert@example.test' where id = 'bob'")
    t.equal(one.mail.preferences.get('bob', true).stoppedBecause, null)
    one.notify('ada')
    one.notify('bob')
    await one.after(WAIT)
    t.strictSame(
      one.mails.received
        .slice(1)
        .map(({ to }) => to)
        .toSorted(),
      ['ada@example.test', 'robert@example.test'],
    )
  },
)

t.test('which refusals are about the address, the mail, or neither', async (t) => {
  const answers: [behaviour: object, outcome: string][] = [
    [{ recipient: '554 5.7.1 relay access denied' }, 'failing'],
    [{ recipient: '552 5.2.2 mailbox full' }, 'stopped'],
    [{ content: '550 5.1.1 user unknown' }, 'stopped'],
    [{ content: '554 5.6.0 bad content' }, 'given up'],
    [{ sender: '550 5.1.8 bad sender' }, 'failing'],
  ]
  for (const [behaviour, outcome] of answers) {
    const one = await service(t, { server: await receiveMail(t, () => behaviour) })
    one.prefer('ada', { email: 'each' })
    one.notify('ada')
    await one.after(WAIT)
    const { failing, stopped } = one.mail.queue.summary()
    const { failure } = one.row('select failure from member_preferences') ?? {}
    const found = failing ? 'failing' : stopped ? 'stopped' : failure ? 'given up' : 'nothing'
    t.equal(found, outcome, JSON.stringify(behaviour))
  }
  const one = await service(t)
  one.exec(`update members set email = 'ada,eve@example.test' where id = 'ada'`)
  one.prefer('ada', { email: 'each' })
  one.notify('ada')
  await one.after(WAIT)
  t.match(one.mail.queue.summary(), { stopped: 1 }, 'an address that would be two')
  t.strictSame(one.mails.tried, [])
})

t.test(
  'a connection that breaks off is tried again; only what was accepted without an answer comes twice',
  async (t) => {
    let ends: 'before' | 'unanswered' | undefined = 'before'
    const one = await service(t, { server: await receiveMail(t, () => (ends ? { ends } : {})) })
    one.prefer('ada', { email: 'each' })
    one.notify('ada')
    await one.after(WAIT)
    t.equal(one.mails.received.length, 0)
    ends = 'unanswered'
    await one.after(MINUTE)
    t.equal(one.mails.received.length, 1)
    ends = undefined
    await one.after(5 * MINUTE)
    t.equal(one.mails.received.length, 2)
    const [first, second] = one.mails.received
    t.equal(first?.headers['message-id'], second?.headers['message-id'], 'a program can recognise it')
    await one.after(24 * 60 * MINUTE)
    t.equal(one.mails.received.length, 2)
  },
)

t.test('while the server cannot be used, other mails are not tried', async (t) => {
  const one = await service(t, { server: await receiveMail(t, () => ({ sender: '451 4.3.0 not now' })) })
  for (let index = 0; index < 30; index++) {
    one.exec(`insert into members (id, name, email) values ('m${index}', 'M', 'm${index}@example.test')`)
    one.prefer(`m${index}`, { email: 'each' })
    one.notify(`m${index}`)
  }
  await one.after(WAIT)
  t.ok(one.mails.connections.count <= 3, `${one.mails.connections.count} connections`)
  one.mails.behave = () => ({})
  await one.after(60 * MINUTE)
  t.equal(one.mails.received.length, 30, 'nothing was lost')
  t.equal(new Set(one.mails.received.map(({ to }) => to)).size, 30)
  t.ok(one.mails.connections.most <= 3)
})

t.test('an outcome that cannot be stored is stored later, and the mail is not sent again', async (t) => {
  const one = await service(t)
  one.prefer('ada', { email: 'each' })
  one.notify('ada')
  const { remove } = one.writes
  let isFull = true
  one.writes.remove = async (...args) => {
    if (isFull) throw new Error('the disk is full')
    return remove(...args)
  }
  one.clock.pass(WAIT)
  const working = one.courier.work()
  await one.mails.got(1)
  t.equal(one.count('mail_queue'), 1)
  // The server has the mail before the service knows, and tries to store it.
  await until(() => one.clock.pending().length > 0)
  isFull = false
  one.clock.pass(5000)
  await working
  t.equal(one.count('mail_queue'), 0)
  t.equal(one.mails.received.length, 1)
})

t.test('a flood of notifications is one mail of bounded size', async (t) => {
  const one = await service(t)
  one.prefer('ada', { email: 'each' })
  const cards = SEPARATE + 1
  const values = Array.from({ length: cards }, (_, index) => `('i${index}', 'p', 'Card')`)
  one.exec(`insert into kanban_items (id, project_id, title) values ${values}`)
  for (let index = 0; index < SENT_AT_ONCE + 1; index++)
    one.notify('ada', { title: `Card ${index}`, itemId: `i${index % cards}` })
  await one.after(WAIT)
  t.strictSame(subjects(one.mails), [
    ['ada@example.test', `${SENT_AT_ONCE} notifications`],
    ['ada@example.test', `Card ${SENT_AT_ONCE}`],
  ])
  t.match(one.mails.received[0]?.text, /Card 49\n/)
  t.match(one.mails.received[0]?.text, /And 450 more\./)
  t.notMatch(one.mails.received[0]?.text, /Card 50\n/)
})

t.test('only one of several processes sends', async (t) => {
  const one = await service(t, { lock: { take: () => false, release: () => undefined } })
  one.prefer('ada', { email: 'each' })
  one.notify('ada')
  await one.after(WAIT)
  t.strictSame(one.mails.received, [])
  t.equal(one.count('mail_queue'), 1)
})

t.test('a host gets each notification once, in order, and unacknowledged ones again', async (t) => {
  const taken: string[] = []
  let isFailing = true
  const one = await service(t, {
    host: (notification) => {
      if (isFailing && notification.title === 'Second') throw new Error('not now')
      taken.push(`${notification.memberId} ${notification.title}`)
    },
  })
  writeTo(one.db, () => one.mail.state.setForHost(true))
  one.notify('host-member', { title: 'First' })
  one.notify('host-member', { title: 'Second' })
  one.notify('host-member', { title: 'Third' })
  one.notify('other', { title: 'Another' })
  await one.after(0)
  t.strictSame(taken.toSorted(), ['host-member First', 'other Another'])
  isFailing = false
  await one.after(MINUTE)
  t.strictSame(
    taken.filter((one) => /^host/.test(one)),
    ['host-member First', 'host-member Second', 'host-member Third'],
  )
  await one.after(24 * 60 * MINUTE)
  t.equal(taken.length, 4)
  t.equal(one.count('mail_queue'), 0)
  isFailing = true
  one.notify('host-member', { title: 'Second' })
  one.notify('host-member', { title: 'Later' })
  await one.after(0)
  for (let hour = 0; hour < 25; hour++) for (let part = 0; part < 60; part++) await one.after(MINUTE)
  t.strictSame(taken.slice(4), ['host-member Later'], 'after a day it goes on')
})

t.test(
  'a host that never answers does not hold up others for long, nor the end of the service',
  async (t) => {
    let isStuck = true
    const taken: string[] = []
    const one = await service(t, {
      host: ({ title }) => {
        taken.push(title)
        return isStuck ? new Promise(() => undefined) : undefined
      },
    })
    writeTo(one.db, () => one.mail.state.setForHost(true))
    one.notify('host-member')
    const working = one.after(0)
    await until(() => taken.length === 1)
    one.clock.pass(30_000)
    await working
    t.match(one.row('select failure from mails'), { failure: 'it took longer than 30 seconds' })
    one.clock.pass(MINUTE)
    const again = one.courier.work()
    await until(() => taken.length === 2)
    const stopping = one.courier.stop()
    one.clock.pass(5000)
    await Promise.all([again, stopping])
    t.match(one.row('select attempts from mails'), { attempts: 1 }, 'the end of the service is no failure')
    isStuck = false
    await one.start().work()
    t.equal(taken.length, 3)
    t.equal(one.count('mail_queue'), 0)
  },
)

t.test('a database that cannot be read is reported, and read again later', async (t) => {
  let isBroken = true
  const one = await service(t, {
    queue: {
      next: (count) => {
        if (isBroken) throw new Error('no such table')
        return one.mail.queue.next(count)
      },
    },
  })
  one.prefer('ada', { email: 'each' })
  one.notify('ada')
  await one.after(WAIT)
  await one.after(HEARTBEAT)
  t.equal(one.warnings.length, 1, 'once a minute')
  t.match(one.warnings, [/could not read the queue of notifications/])
  isBroken = false
  await one.after(HEARTBEAT)
  t.equal(one.mails.received.length, 1)
})

t.test('rows of another tool are sent as far as possible', async (t) => {
  const one = await service(t)
  one.prefer('ada', { email: 'daily' })
  one.exec("update member_preferences set time_zone = 'Mars/Olympus'")
  one.notify('ada', { createdAt: 'yesterday' })
  await one.after(0)
  t.equal(one.mails.received.length, 1)
})
