/** Preferences, links to unsubscribe, and the mail of a whole service. */
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import { TEST_MAILS } from '../../src/access/mail-limits.ts'
import { LINK_LIFETIME, unsubscribeToken } from '../../src/mail/unsubscribe.ts'
import type { HostNotification } from '../../src/phaseboard.d.ts'
import {
  type App,
  authenticationRequired,
  build,
  count,
  createProject,
  holds,
  hourly,
  invalid,
  long,
  send,
  signInAs,
  tokenOf,
  writeIn,
  writeTo,
} from '../helper.ts'
import { until } from '../receivers.ts'
import { type MailServer, receiveMail } from '../smtp.ts'

const ME = '/api/me/preferences'
const DEFAULTS = {
  email: 'none',
  timeZone: 'UTC',
  language: 'en',
  stoppedBecause: null,
  emailAvailable: false,
}
const sessionRequired = { error: 'Forbidden: session required' }
/** Notifications of this time are due. */
const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString()
const KEY_QUERY = "select value from mail_state where name = 'unsubscribe-key'"

const keyOf = (app: App) => app.db.$client.prepare<[], string>(KEY_QUERY).pluck().get() ?? ''

/** A service that sends mail. */
async function mailing(t: Test, server: MailServer, options: object = {}): Promise<App> {
  const app = await build(t, {
    authMode: 'required',
    smtpUrl: server.url,
    mailFrom: 'Board <board@board.example>',
    publicUrl: 'https://board.example',
    ...options,
  })
  await app.ready()
  return app
}

/** So old that nobody sends it any more. */
const ABANDONED = new Date(Date.now() - 4 * 24 * 3_600_000).toISOString()

/** Makes a notification of an hour ago. */
const notify = (app: App, memberId: string, id: string, title = 'Card', createdAt = HOUR_AGO) =>
  writeIn(app, () =>
    app.db.$client
      .prepare(
        `insert into notifications (id, member_id, kind, title, created_at) values (?, ?, 'assigned', ?, ?)`,
      )
      .run(id, memberId, title, createdAt),
  )

t.test('a service without PUBLIC_URL warns that its mails have no links', async (t) => {
  const logStream = new PassThrough()
  const options = { publicUrl: undefined, logLevel: 'warn', logStream }
  await mailing(t, await receiveMail(t), options)
  t.match(
    String(logStream.read()),
    /PUBLIC_URL is not set: mails have no links to cards and no unsubscribe link/,
  )
})

t.test('a member with a next mail but without queued notifications is removed', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { queue } = app.rules.mail
  writeTo(app.db, () => app.db.$client.exec("insert into mails (member_id) values ('ghost')"))
  t.equal(count(app, 'mails'), 1)
  writeTo(app.db, () => queue.schedule([{ memberId: 'ghost', dueAt: null }]))
  t.equal(count(app, 'mails'), 0)
})

t.test('a member has no mail by default, chooses it, and sees only the own preferences', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const ada = signInAs(app, 'member')
  const bob = signInAs(app, 'guest')
  await holds(t, app, [
    ['GET', ME, undefined, ada.headers, 200, DEFAULTS],
    [
      'PATCH',
      ME,
      { email: 'daily', timeZone: 'Europe/Berlin' },
      ada.headers,
      200,
      { ...DEFAULTS, email: 'daily', timeZone: 'Europe/Berlin' },
    ],
    [
      'PATCH',
      ME,
      { email: 'each' },
      ada.headers,
      200,
      { ...DEFAULTS, email: 'each', timeZone: 'Europe/Berlin' },
    ],
    ['PATCH', ME, {}, ada.headers, 200, { ...DEFAULTS, email: 'each', timeZone: 'Europe/Berlin' }],
    ['PATCH', ME, { language: 'de' }, ada.headers, 200, { email: 'each', language: 'de' }],
    ['PATCH', ME, { email: 'each' }, ada.headers, 200, { email: 'each', language: 'de' }],
    ['PATCH', ME, { language: 'fr' }, ada.headers, 400, invalid({ language: ['must be one of "en", "de"'] })],
    ['GET', ME, undefined, bob.headers, 200, DEFAULTS],
    [
      'PATCH',
      ME,
      { email: 'often' },
      ada.headers,
      400,
      invalid({ email: ['must be one of "none", "each", "daily"'] }),
    ],
    [
      'PATCH',
      ME,
      { timeZone: 'Mars/Olympus' },
      ada.headers,
      400,
      invalid({ timeZone: ['must be an IANA time zone'] }),
    ],
    [
      'PATCH',
      ME,
      { email: 'often', timeZone: long(101) },
      ada.headers,
      400,
      invalid({
        email: ['must be one of "none", "each", "daily"'],
        timeZone: ['must NOT have more than 100 characters', 'must be an IANA time zone'],
      }),
    ],
    [
      'PATCH',
      ME,
      { stoppedBecause: 'x', memberId: bob.id, emailAvailable: true },
      ada.headers,
      200,
      { email: 'each', stoppedBecause: null, emailAvailable: false },
    ],
    ['GET', ME, 401, authenticationRequired],
    ['POST', `${ME}/test-mail`, undefined, ada.headers, 409, { error: 'This service sends no e-mail' }],
  ])
  const { headers } = await send(app, 'GET', ME, undefined, ada.headers)
  t.equal(headers['cache-control'], 'no-store')
  const ifMatch = { ...ada.headers, 'if-match': String(headers.etag) }
  t.equal((await send(app, 'PATCH', ME, { email: 'none' }, ifMatch)).status, 200)
  t.equal((await send(app, 'PATCH', ME, { email: 'each' }, ifMatch)).status, 412)
  const reading = tokenOf(app, ada.id, { scope: 'read' })
  t.equal((await send(app, 'PATCH', ME, { email: 'each' }, reading)).status, 403)
})

t.test('the default member of open mode has the defaults, and no address', async (t) => {
  const app = await build(t, { authMode: 'open' })
  await holds(t, app, [
    ['GET', ME, 200, DEFAULTS],
    ['PATCH', ME, { email: 'each' }, 403, sessionRequired],
    ['POST', `${ME}/test-mail`, 403, sessionRequired],
  ])
})

t.test('an assignment becomes a mail', async (t) => {
  const server = await receiveMail(t)
  const app = await mailing(t, server)
  const ada = signInAs(app, 'member')
  const bob = signInAs(app, 'member')
  t.match((await send(app, 'PATCH', ME, { email: 'each' }, bob.headers)).body, {
    email: 'each',
    emailAvailable: true,
  })
  const project = await createProject(app, { name: 'Apollo' }, ada.headers)
  const item = await send(
    app,
    'POST',
    `/api/projects/${project.id}/kanban-items`,
    { title: 'Land', assigneeId: bob.id },
    ada.headers,
  )
  t.equal(item.status, 201)
  await until(() => count(app, 'mail_queue') === 1)
  await writeIn(app, () => app.db.$client.exec("update mails set due_at = '2026-01-01T00:00:00.000Z'"))
  await app.courier?.work()
  const [mail] = server.received
  t.equal(server.received.length, 1)
  t.match(mail?.text, `https://board.example/projects/${project.id}/items/${item.body.id}`)
  t.equal(count(app, 'mail_queue'), 0)
  const path = `/api/kanban-items/${item.body.id}`
  t.equal((await send(app, 'POST', `${path}/comments`, { content: 'Look' }, ada.headers)).status, 201)
  await until(() => count(app, 'mail_queue') === 1)
  const hidden = await send(
    app,
    'PATCH',
    `/api/projects/${project.id}`,
    { access: 'assigned' },
    signInAs(app, 'admin').headers,
  )
  t.equal(hidden.status, 200)
  await writeIn(app, () => app.db.$client.exec("update mails set due_at = '2026-01-01T00:00:00.000Z'"))
  await app.courier?.work()
  t.equal(server.received.length, 1, 'bob does not see the project any more')
  t.equal(count(app, 'mail_queue'), 0)
  const metrics = await app.inject({ url: '/metrics', headers: signInAs(app, 'admin').headers })
  t.match(metrics.body, 'phaseboard_mails_total{outcome="sent"} 1')
  t.match(metrics.body, 'phaseboard_mail_queue 0')
  t.match(metrics.body, 'phaseboard_mail_members{state="stopped"} 0')
})

t.test(
  'a test mail is sent to the address of the member, with a limit per hour and the reason of a failure',
  async (t) => {
    const server = await receiveMail(t)
    const app = await mailing(t, server)
    const ada = signInAs(app, 'viewer')
    const { email } = app.rules.members.get(ada.id)
    await holds(t, app, [
      ['POST', `${ME}/test-mail`, undefined, ada.headers, 200, { address: email, error: null }],
    ])
    t.match(server.received, [{ to: email, headers: { subject: 'Test of e-mail' } }])
    const stale = { ...ada.headers, 'if-match': '"x"' }
    t.equal((await send(app, 'POST', `${ME}/test-mail`, undefined, stale)).status, 412)
    t.equal(server.received.length, 1, 'nothing is sent for a condition that does not hold')
    server.behave = () => ({ recipient: '550 5.1.1 no such user' })
    t.strictSame((await send(app, 'POST', `${ME}/test-mail`, undefined, ada.headers)).body, {
      address: email,
      error: '550 5.1.1 no such user',
    })
    const key = { ...ada.headers, 'idempotency-key': 'once' }
    const keyed = await send(app, 'POST', `${ME}/test-mail`, undefined, key)
    const sent = server.received.length
    const again = await send(app, 'POST', `${ME}/test-mail`, undefined, key)
    t.strictSame([again.status, again.body], [200, keyed.body])
    t.equal(again.headers['idempotent-replayed'], 'true')
    t.equal(server.received.length, sent, 'a repetition sends nothing')
    for (let index = 3; index < TEST_MAILS; index++)
      t.equal((await send(app, 'POST', `${ME}/test-mail`, {}, ada.headers)).status, 200)
    const refused = await send(app, 'POST', `${ME}/test-mail`, undefined, ada.headers)
    t.equal(refused.status, 429)
    t.match(refused.headers, { 'retry-after': /^\d+$/ })
    t.equal(
      (await send(app, 'POST', `${ME}/test-mail`, undefined, signInAs(app, 'viewer').headers)).status,
      200,
    )
  },
)

t.test(
  'a link to unsubscribe: opening it changes nothing, its button or one click ends the mail',
  async (t) => {
    const app = await mailing(t, await receiveMail(t))
    const ada = signInAs(app, 'member')
    await send(app, 'PATCH', ME, { email: 'each', timeZone: 'Europe/Berlin' }, ada.headers)
    await notify(app, ada.id, 'n1')
    const url = `/unsubscribe/${unsubscribeToken(keyOf(app), ada.id, Date.now())}`
    for (const method of ['GET', 'HEAD'] as const) {
      const page = await app.inject({ method, url })
      t.equal(page.statusCode, 200)
      t.match(page.headers, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'same-origin',
        'x-robots-tag': 'noindex',
        'cache-control': 'private, no-cache',
      })
      if (method === 'GET') t.match(page.body, '<form method="post"><button>Unsubscribe</button></form>')
    }
    t.match((await send(app, 'GET', ME, undefined, ada.headers)).body, { email: 'each' })
    const posted = await app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    })
    t.equal(posted.statusCode, 200)
    t.match(posted.body, 'You will get no more e-mail')
    t.notMatch(posted.body, '<form')
    t.match((await send(app, 'GET', ME, undefined, ada.headers)).body, {
      email: 'none',
      timeZone: 'Europe/Berlin',
    })
    t.equal(count(app, 'mail_queue'), 0)
    for (const payload of [
      { headers: { 'content-type': 'multipart/form-data; boundary=x' }, payload: '--x\r\nnot even a form' },
      { headers: { 'content-type': 'text/plain' }, payload: '{' },
      {},
    ])
      t.equal(
        (await app.inject({ method: 'POST', url, ...payload })).statusCode,
        200,
        'again, whatever the body',
      )
    t.equal((await app.inject({ method: 'DELETE', url })).statusCode, 405)
    const foreign = await app.inject({ method: 'POST', url, headers: { origin: 'https://evil.example' } })
    t.equal(foreign.statusCode, 403)
  },
)

t.test('no log has a link to unsubscribe', async (t) => {
  const logStream = new PassThrough()
  const app = await mailing(t, await receiveMail(t), { logLevel: 'debug', logStream })
  const token = unsubscribeToken(keyOf(app), signInAs(app, 'member').id, Date.now())
  for (const method of ['GET', 'POST'] as const) await app.inject({ method, url: `/unsubscribe/${token}` })
  await app.inject({ url: `/unsubscribe/${token}x` })
  // Neither has a route.
  await app.inject({ method: 'DELETE', url: `/unsubscribe/${token}` })
  await app.inject({ url: `/unsubscribe/${token}/` })
  const log = String(logStream.read())
  t.match(log, '"path":"/unsubscribe/:token","status":200')
  t.notMatch(log, token.slice(-43))
})

t.test('a forged, foreign or expired link is 404, and a link gives no other right', async (t) => {
  const app = await mailing(t, await receiveMail(t))
  const ada = signInAs(app, 'member')
  await send(app, 'PATCH', ME, { email: 'each' }, ada.headers)
  const key = keyOf(app)
  t.match(key, /^[\w-]{43}$/)
  const token = unsubscribeToken(key, ada.id, Date.now())
  const ended = unsubscribeToken(key, ada.id, Date.now() - LINK_LIFETIME)
  const foreign = unsubscribeToken(Buffer.alloc(32).toString('base64url'), ada.id, Date.now())
  const unknown = unsubscribeToken(key, 'nobody', Date.now())
  const byEmail = unsubscribeToken(key, app.rules.members.get(ada.id).email, Date.now())
  for (const wrong of [ended, foreign, unknown, byEmail, `${token}x`, token.slice(1), '%00', '..%2f'])
    for (const method of ['GET', 'POST'] as const) {
      const { statusCode, body } = await app.inject({ method, url: `/unsubscribe/${wrong}` })
      t.equal(statusCode, 404, `${method} ${wrong}`)
      t.match(body, /not found/i)
    }
  t.match((await send(app, 'GET', ME, undefined, ada.headers)).body, { email: 'each' })
  for (const headers of [
    { authorization: `Bearer ${token}` },
    { cookie: `phaseboard_session=${token}` },
  ] as Record<string, string>[])
    t.equal((await send(app, 'GET', ME, undefined, headers)).status, 401)
})

t.test('a service without a mail server discards what nobody sends any more', async (t) => {
  const drop = hourly(t)
  const logStream = new PassThrough()
  const app = await build(t, { authMode: 'required', logLevel: 'warn', logStream })
  await app.ready()
  const ada = signInAs(app, 'member')
  await send(app, 'PATCH', ME, { email: 'each' }, ada.headers)
  for (let index = 0; index < 600; index++) await notify(app, ada.id, `n${index}`, 'Old', ABANDONED)
  await notify(app, ada.id, 'o', 'New')
  t.equal(count(app, 'mail_queue'), 601)
  drop()
  await until(() => count(app, 'mail_queue') === 1)
  t.equal(count(app, 'mails'), 1, 'a service that sends the rest may be about to start')
  await writeIn(app, () => app.db.$client.exec("delete from notifications where id = 'o'"))
  await notify(app, ada.id, 'p', 'Old', ABANDONED)
  drop()
  await until(() => count(app, 'mail_queue') + count(app, 'mails') === 0)
  t.equal(app.courier, undefined)
  await notify(app, ada.id, 'q', 'Old', ABANDONED)
  app.db.$client.exec('drop table mails')
  await until(() => {
    drop()
    return /could not remove the queued notifications/.test(String(logStream.read()))
  })
})

/** An application that fills the queue for its host, which takes nothing. */
async function buildForHost(t: Test, databaseUrl: string): Promise<App> {
  const app = await build(t, {
    databaseUrl,
    onNotification: () => Promise.reject(new Error('down')),
  } as object)
  await app.ready()
  await until(() => app.rules.mail.state.isForHost())
  return app
}

t.test('a service without mail leaves the queue of another one on the same file alone', async (t) => {
  const drop = hourly(t)
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const sender = await buildForHost(t, databaseUrl)
  const other = await build(t, { databaseUrl })
  await other.ready()
  await notify(sender, 'host-1', 'n1', 'Old', ABANDONED)
  await notify(other, 'host-1', 'n2')
  const { queue, state } = other.rules.mail
  drop()
  // The task does nothing after its first look without the lock.
  await new Promise(setImmediate)
  t.equal(count(other, 'mail_queue'), 2)
  t.ok(state.isForHost(), 'and whom it is filled for')
  await sender.close()
  await until(() => {
    drop()
    return !queue.hasOlder(Date.parse(HOUR_AGO))
  })
  t.notOk(state.isForHost(), 'once nobody works on it')
  t.equal(count(other, 'mail_queue'), 1)
})

t.test('a host takes the notifications of its members instead of mail', async (t) => {
  const taken: HostNotification[] = []
  const gate = Promise.withResolvers<void>()
  const app = await build(t, {
    authMode: 'required',
    onNotification: async (notification: HostNotification) => {
      await gate.promise
      taken.push(notification)
    },
  } as object)
  await app.ready()
  await until(() => app.rules.mail.state.isForHost())
  await notify(app, 'host-1', 'n1', 'First')
  await notify(app, 'host-1', 'n2', 'Second')
  const working = app.courier?.work()
  gate.resolve()
  await working
  await app.courier?.work()
  t.strictSame(
    taken.map(({ id }) => id),
    ['n1', 'n2'],
  )
  t.strictSame(taken[0], {
    id: 'n1',
    memberId: 'host-1',
    kind: 'assigned',
    itemId: null,
    projectId: null,
    actorId: null,
    actorName: null,
    seq: null,
    title: 'First',
    text: '',
    count: 1,
    createdAt: HOUR_AGO,
  })
  await app.courier?.work()
  t.equal(taken.length, 2)
  const both = { onNotification: () => undefined, smtpUrl: 'smtp://127.0.0.1', mailFrom: 'a@b' } as object
  await t.rejects(build(t, both), /onNotification replaces mail/)
})

t.test('without the host, only notifications of members with mail are queued again', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const embedded = await buildForHost(t, databaseUrl)
  await notify(embedded, 'host-1', 'n1')
  await embedded.close()
  const app = await mailing(t, await receiveMail(t), { databaseUrl })
  await until(() => !app.rules.mail.state.isForHost())
  await notify(app, 'host-1', 'n2')
  await app.courier?.work()
  t.equal(count(app, 'mail_queue'), 0, 'what waited for the host is dropped')
})
