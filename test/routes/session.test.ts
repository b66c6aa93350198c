import { createRequire } from 'node:module'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { auditLog, members, sessions } from '../../src/db/schema.ts'
import { hashPassword, verifyPassword } from '../../src/members/passwords.ts'
import { hashToken } from '../../src/members/secrets.ts'
import { timestamp } from '../../src/time.ts'
import {
  type App,
  addMember,
  auditTrail,
  build,
  count,
  holds,
  invalid,
  keepLog,
  long,
  send,
  signInAs,
  tokenOf,
  writeIn,
} from '../helper.ts'

const PASSWORD = 'correct horse battery'
const refused = { error: 'Invalid email or password' }
const limited = { error: 'Too many failed sign-ins' }
const DAY = 24 * 60 * 60 * 1000

/** The hash of every password check. The library is patched before anything loads it. */
const verifications: string[] = []
/** Runs during the next password check. */
let meanwhile = () => {}
const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
const { verify } = argon2
argon2.verify = (hash: string, ...rest: unknown[]) => {
  verifications.push(hash)
  meanwhile()
  meanwhile = () => {}
  return verify(hash, ...rest)
}

let passwordHash: string
t.before(async () => {
  passwordHash = await hashPassword(PASSWORD)
})

/** Creates a member who can sign in with {@link PASSWORD}. */
const enrol = (app: App, email: string, fields: Parameters<typeof addMember>[2] = {}) =>
  addMember(app, email, { passwordHash, ...fields })

/** Signs in from a given address. */
async function signIn(
  app: App,
  email: string,
  password = PASSWORD,
  from: { address?: string; headers?: object } = {},
) {
  const response = await app.inject({
    method: 'POST',
    url: '/api/session',
    payload: { email, password },
    headers: { ...from.headers },
    ...(from.address !== undefined && { remoteAddress: from.address }),
  })
  const [cookie] = [response.headers['set-cookie']].flat()
  return {
    status: response.statusCode,
    body: response.json(),
    headers: response.headers,
    cookie: { cookie: String(cookie).split(';', 1)[0] ?? '' },
    flags: String(cookie).split('; ').slice(1),
  }
}

t.test('a sign-in returns the member and the expiry, and sets the cookie', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const id = enrol(app, 'Ada@Example.test', { role: 'viewer' })
    const { status, body, headers, cookie, flags } = await signIn(app, 'Ada@Example.test')
    t.equal(status, 201)
    t.strictSame(Object.keys(body), ['member', 'expiresAt'])
    t.strictSame(body.member, { id, name: 'Ada', email: 'Ada@Example.test', role: 'viewer' })
    t.ok(Math.abs(Date.parse(body.expiresAt) - Date.now() - 30 * DAY) < 60_000)
    t.equal(headers.location, '/api/session')
    t.equal([headers['set-cookie']].flat().length, 1)
    t.strictSame(flags, [
      'Path=/',
      `Expires=${new Date(body.expiresAt).toUTCString()}`,
      'HttpOnly',
      'SameSite=Lax',
    ])
    t.match(cookie.cookie, /^phaseboard_session=[\w-]{43}$/)
    await holds(t, app, [
      ['GET', '/api/session', undefined, cookie, 200, { via: 'session' }],
      ['GET', '/api/session', undefined, cookie, 200, { member: body.member }],
    ])
  }
})

t.test('an email is found in any case, but otherwise only exactly', async (t) => {
  const app = await build(t)
  enrol(app, 'Ada@Example.test')
  t.equal((await signIn(app, 'ada@example.TEST')).status, 201)
  enrol(app, 'Ärger@Example.test')
  t.equal((await signIn(app, 'ÄRGER@example.test')).status, 201, 'of all letters')
  for (const email of ['ada@example.tes', 'ada@example.test ', '%@example.test', 'a_a@example.test']) {
    t.equal((await signIn(app, email)).status, 401, email)
  }
})

t.test('the cookie is Secure behind the TLS of a trusted proxy', async (t) => {
  const https = { 'x-forwarded-proto': 'https' }
  const flagsOf = async (trustProxy: boolean | string[], headers: object, address: string) => {
    const app = await build(t, { authMode: 'required', trustProxy })
    enrol(app, 'ada@example.test')
    return (await signIn(app, 'ada@example.test', PASSWORD, { headers, address })).flags
  }
  t.ok((await flagsOf(true, https, '10.0.0.9')).includes('Secure'))
  t.ok((await flagsOf(['10.0.0.0/8'], https, '10.0.0.9')).includes('Secure'))
  t.notOk((await flagsOf(['10.0.0.0/8'], https, '192.168.0.9')).includes('Secure'))
  t.notOk((await flagsOf(false, https, '10.0.0.9')).includes('Secure'))
  t.notOk((await flagsOf(true, { 'x-forwarded-proto': 'http' }, '10.0.0.9')).includes('Secure'))
})

t.test('other credentials of the request are ignored', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const id = enrol(app, 'ada@example.test')
    const other = signInAs(app, 'admin')
    for (const headers of [
      { authorization: 'Bearer worthless' },
      { cookie: 'phaseboard_session=worthless' },
      other.headers,
    ]) {
      const { status, body } = await signIn(app, 'ada@example.test', PASSWORD, { headers })
      t.equal(status, 201)
      t.equal(body.member.id, id)
      t.match(await signIn(app, 'ada@example.test', 'wrong', { headers }), { status: 401, body: refused })
    }
  }
})

t.test('every sign-in has its own token', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  const first = await signIn(app, 'ada@example.test')
  const second = await signIn(app, 'ada@example.test', PASSWORD, { headers: first.cookie })
  const third = await signIn(app, 'ada@example.test', PASSWORD, { headers: second.cookie })
  t.equal(new Set([first, second, third].map(({ cookie }) => cookie.cookie)).size, 3)
  const chosen = 'phaseboard_session=chosen-by-somebody-else'
  const fixed = await signIn(app, 'ada@example.test', PASSWORD, { headers: { cookie: chosen } })
  t.not(fixed.cookie.cookie, chosen)
  t.equal((await send(app, 'GET', '/api/session', undefined, { cookie: chosen })).status, 401)
  for (const { cookie, body } of [third, fixed]) {
    t.match((await send(app, 'GET', '/api/session', undefined, cookie)).body, { via: 'session' })
    t.notOk(JSON.stringify(body).includes(cookie.cookie.slice('phaseboard_session='.length)))
  }
})

t.test(
  "a sign-in ends the session of its cookie, also another member's; a failed one does not",
  async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const app = await build(t, { authMode })
      const id = enrol(app, 'ada@example.test')
      const eve = signInAs(app, 'admin')
      const elsewhere = signInAs(app, 'admin')
      const [of, other] = [eve, elsewhere].map(
        ({ id: memberId }) => app.db.select().from(sessions).where(eq(sessions.memberId, memberId)).get()?.id,
      )
      t.equal((await signIn(app, 'ada@example.test', 'wrong', { headers: eve.headers })).status, 401)
      await holds(t, app, [['GET', '/api/session', undefined, eve.headers, 200, { via: 'session' }]])
      await allWritten(app)
      const before = auditTrail(app).length

      const { status, cookie } = await signIn(app, 'ada@example.test', PASSWORD, { headers: eve.headers })
      t.equal(status, 201)
      const own = app.db.select().from(sessions).where(eq(sessions.memberId, id)).get()?.id
      await holds(t, app, [
        ['GET', '/api/session', undefined, eve.headers, 401, { error: 'Authentication required' }],
        ['GET', '/api/session', undefined, elsewhere.headers, 200, { via: 'session' }],
        ['GET', '/api/session', undefined, cookie, 200, { via: 'session' }],
      ])
      t.strictSame(
        app.db
          .select()
          .from(sessions)
          .all()
          .map((session) => session.id)
          .toSorted(),
        [other, own].toSorted(),
      )
      t.strictSame(auditTrail(app).slice(before), [
        [eve.id, 'sign-out', of, {}],
        [id, 'sign-in', own, {}],
      ])
    }
  },
)

t.test('a late response to the former session does not clear the cookie of the new one', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  const eve = signInAs(app, 'admin')
  const cookieAfter = async () =>
    (await send(app, 'GET', '/api/projects', undefined, eve.headers)).headers['set-cookie']
  t.equal((await signIn(app, 'ada@example.test', 'wrong', { headers: eve.headers })).status, 401)
  t.equal((await signIn(app, 'ada@example.test', PASSWORD, { headers: eve.headers })).status, 201)
  t.equal(await cookieAfter(), undefined)
  const other = await build(t)
  t.match(
    (await send(other, 'GET', '/api/projects', undefined, eve.headers)).headers['set-cookie'],
    /^phaseboard_session=;/,
    'any other cookie of an ended session is cleared',
  )
})

t.test('a member whose password changes during the sign-in is not signed in', async (t) => {
  for (const change of [
    { disabled: true },
    { passwordHash: null },
    { passwordHash: await hashPassword(PASSWORD) },
    undefined,
  ]) {
    const app = await build(t)
    const id = enrol(app, 'ada@example.test')
    const other = signInAs(app, 'member')
    meanwhile = () => {
      if (change) app.db.update(members).set(change).where(eq(members.id, id)).run()
      else app.db.delete(members).where(eq(members.id, id)).run()
    }
    const { status, body, headers } = await signIn(app, 'ada@example.test', PASSWORD, {
      headers: other.headers,
    })
    t.strictSame([status, body, headers['set-cookie']], [401, refused, undefined], JSON.stringify(change))
    t.equal(count(app, 'sessions'), 1, 'nor does that end a session')
    t.strictSame(auditTrail(app), [])
  }
})

/** Failures are recorded asynchronously, in the order of the writes. */
const allWritten = (app: App) => writeIn(app, () => app.db.$client.exec('update members set id = id'))

t.test('sign-ins, failures and sign-outs are in the audit log, with the address and no secret', async (t) => {
  const app = await build(t)
  const id = enrol(app, 'ada@example.test')
  const disabled = enrol(app, 'bob@example.test', { disabled: true })
  const address = '192.0.2.7'
  await signIn(app, 'ADA@example.test', 'not-the-password', { address })
  await signIn(app, 'bob@example.test', PASSWORD, { address })
  await signIn(app, 'nobody@example.test', PASSWORD, { address })
  const { cookie } = await signIn(app, 'ada@example.test', PASSWORD, { address })
  const session = app.db.select().from(sessions).get()?.id
  await app.inject({ method: 'DELETE', url: '/api/session', headers: cookie, remoteAddress: address })
  t.strictSame(auditTrail(app), [
    [null, 'sign-in-failed', id, {}],
    [null, 'sign-in-failed', disabled, {}],
    [null, 'sign-in-failed', null, {}],
    [id, 'sign-in', session, {}],
    [id, 'sign-out', session, {}],
  ])
  t.equal(count(app, 'audit_log', 'address = ?', address), 5)
  const trail = JSON.stringify(app.db.$client.prepare('select * from audit_log').all())
  const token = cookie.cookie.slice('phaseboard_session='.length)
  for (const secret of [PASSWORD, 'not-the-password', token, hashToken(token), '@example.test']) {
    t.notOk(trail.includes(secret), secret)
  }
})

t.test('a sign-out without a session is not recorded', async (t) => {
  const app = await build(t)
  const { id } = signInAs(app, 'member')
  const token = tokenOf(app, id)
  await holds(t, app, [
    ['DELETE', '/api/session', 200, { success: true }],
    ['DELETE', '/api/session', undefined, token, 200, { success: true }],
    [
      'DELETE',
      '/api/session',
      undefined,
      { ...token, cookie: 'phaseboard_session=x' },
      200,
      { success: true },
    ],
  ])
  t.strictSame(auditTrail(app), [])
  t.equal(count(app, 'sessions'), 1)
})

t.test('an expired session is not signed out again', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  const { cookie } = await signIn(app, 'ada@example.test')
  app.db.update(sessions).set({ expiresAt: timestamp() }).run()
  await signIn(app, 'ada@example.test', PASSWORD, { headers: cookie })
  t.strictSame(
    auditTrail(app).map(([, action]) => action),
    ['sign-in', 'sign-in'],
  )
})

t.test('an attempt above the limit is not recorded', async (t) => {
  const app = await build(t)
  t.strictSame(tally(await fail(app, 14, () => 'ada@example.test')), { 401: 10, 429: 4 })
  await allWritten(app)
  t.equal(count(app, 'audit_log'), 10)
})

t.test('a failure that cannot be recorded gets the usual response, and is logged', async (t) => {
  const { logStream, lines } = keepLog()
  const app = await build(t, { logLevel: 'warn', logStream })
  enrol(app, 'ada@example.test')
  app.db.$client.pragma('query_only = on')
  for (const email of ['ada@example.test', 'nobody@example.test']) {
    t.match(await signIn(app, email, 'wrong'), { status: 401, body: refused })
  }
  await t.rejects(allWritten(app))
  // The consumer of the changes cannot write either, and tries again. On a busy machine, requests are slow.
  const others = ['could not create notifications', 'slow request']
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => !others.includes(msg))
  t.strictSame(
    logged.map(({ level, msg }) => [level, msg]),
    Array(2).fill([40, 'could not record a failed sign-in']),
  )
  t.notMatch(lines.join(''), /example\.test|wrong/)
})

t.test('a sign-out ends this session, and no other', async (t) => {
  const app = await build(t, { authMode: 'required' })
  enrol(app, 'ada@example.test')
  const here = await signIn(app, 'ada@example.test')
  const there = await signIn(app, 'ada@example.test')
  const { status, body, headers } = await send(app, 'DELETE', '/api/session', undefined, here.cookie)
  t.equal(status, 200)
  t.strictSame(body, { success: true })
  t.match(
    headers['set-cookie'],
    /^phaseboard_session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax$/,
  )
  await holds(t, app, [
    ['GET', '/api/session', undefined, here.cookie, 401, { error: 'Authentication required' }],
    ['DELETE', '/api/session', undefined, here.cookie, 401, { error: 'Authentication required' }],
    ['GET', '/api/session', undefined, there.cookie, 200, { via: 'session' }],
  ])
  t.equal(count(app, 'sessions'), 1)
})

t.test('a sign-out of the default member changes nothing', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'member')
  await holds(t, app, [
    ['DELETE', '/api/session', 200, { success: true }],
    ['GET', '/api/session', undefined, headers, 200, { via: 'session' }],
  ])
})

t.test('a member has at most a hundred sessions: a new sign-in ends the longest unused one', async (t) => {
  const app = await build(t)
  const ada = enrol(app, 'ada@example.test')
  const bob = enrol(app, 'bob@example.test')
  const used = (hoursAgo: number) => timestamp(Date.now() - hoursAgo * 3_600_000)
  const insert = (memberId: string, index: number) =>
    app.db
      .insert(sessions)
      .values({
        id: `${memberId} ${index}`,
        memberId,
        tokenHash: `${memberId} ${index}`,
        // The order of last use differs from that of the ids.
        lastUsedAt: used((index * 7) % 100),
        expiresAt: timestamp(Date.now() + DAY),
      })
      .run()
  for (let index = 0; index < 99; index++) insert(ada, index)
  for (let index = 0; index < 100; index++) insert(bob, index)
  const of = (id: string) => count(app, 'sessions', 'member_id = ?', id)
  const { cookie } = await signIn(app, 'ada@example.test')
  t.equal(of(ada), 100)
  t.equal((await signIn(app, 'ada@example.test')).status, 201)
  t.equal(of(ada), 100)
  const longest = [...Array(99).keys()].toSorted((a, b) => ((b * 7) % 100) - ((a * 7) % 100))[0]
  t.equal(count(app, 'sessions', 'id = ?', `${ada} ${longest}`), 0, 'the longest unused is gone')
  t.equal((await send(app, 'GET', '/api/sessions', undefined, cookie)).body.length, 100, 'the others are not')
  t.equal(of(bob), 100, 'nor those of others')
})

t.test('expired sessions are deleted at the next sign-in', async (t) => {
  const app = await build(t)
  const id = enrol(app, 'ada@example.test')
  const at = timestamp(Date.now() - DAY)
  const over = { memberId: id, lastUsedAt: at, expiresAt: at }
  app.db
    .insert(sessions)
    .values({ id: 'over', tokenHash: 'x', ...over })
    .run()
  await signIn(app, 'ada@example.test')
  t.equal(count(app, 'sessions', "id = 'over'"), 0)
  t.equal(count(app, 'sessions'), 1)
})

t.test('every failed sign-in gets the same response', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  enrol(app, 'bob@example.test', { disabled: true })
  enrol(app, 'eve@example.test', { passwordHash: null })
  const failures = [
    await signIn(app, 'nobody@example.test'),
    await signIn(app, 'ada@example.test', 'wrong'),
    await signIn(app, 'ada@example.test', `${PASSWORD} `),
    await signIn(app, 'bob@example.test'),
    await signIn(app, 'eve@example.test'),
    await signIn(app, 'local'),
  ]
  for (const { status, body, headers } of failures) {
    t.equal(status, 401)
    t.strictSame(body, refused)
    t.equal(headers['set-cookie'], undefined)
    t.strictSame(Object.keys(headers).sort(), Object.keys(failures[0]?.headers ?? {}).sort())
  }
  t.equal(count(app, 'sessions'), 0)
})

t.test('a password is always hashed, so that the time reveals nothing', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  enrol(app, 'bob@example.test', { disabled: true })
  enrol(app, 'eve@example.test', { passwordHash: null })
  const parameters = (hash: string | undefined) => hash?.split('$').slice(0, 4)
  for (const email of ['ada@example.test', 'bob@example.test', 'eve@example.test', 'nobody@example.test']) {
    verifications.length = 0
    t.equal((await signIn(app, email, 'wrong password')).status, 401)
    t.equal(verifications.length, 1, email)
    t.strictSame(parameters(verifications[0]), ['', 'argon2id', 'v=19', 'm=19456,t=2,p=1'], email)
  }
})

t.test('a password is stored as a salted argon2id hash', async (t) => {
  const again = await hashPassword(PASSWORD)
  t.not(again, passwordHash)
  t.notOk(again.includes(PASSWORD))
  t.equal(await verifyPassword(again, PASSWORD), true)
  t.equal(await verifyPassword(again, PASSWORD.toUpperCase()), false)
  t.equal(await verifyPassword(null, PASSWORD), false)
})

t.test('email and password are required, with a limited length', async (t) => {
  const app = await build(t)
  const long = 'must NOT have more than'
  await holds(t, app, [
    [
      'POST',
      '/api/session',
      {},
      400,
      invalid({ email: ['is required'], password: ['is required'] }, [
        'must NOT have fewer than 1 properties',
      ]),
    ],
    ['POST', '/api/session', { email: 'a@b.c' }, 400, invalid({ password: ['is required'] })],
    [
      'POST',
      '/api/session',
      { email: 5, password: null },
      400,
      invalid({ email: ['must be string'], password: ['must be string'] }),
    ],
    [
      'POST',
      '/api/session',
      { email: '', password: '' },
      400,
      invalid({
        email: ['must NOT have fewer than 1 characters'],
        password: ['must NOT have fewer than 1 characters'],
      }),
    ],
    [
      'POST',
      '/api/session',
      { email: 'x'.repeat(255), password: 'x'.repeat(201) },
      400,
      invalid({ email: [`${long} 254 characters`], password: [`${long} 200 characters`] }),
    ],
    ['POST', '/api/session', '{oops', 500, { error: 'Failed to create session' }],
    ['POST', '/api/session', 500, { error: 'Failed to create session' }],
  ])
})

/** Fails to sign in a number of times. @returns the statuses */
async function fail(app: App, times: number, email: (attempt: number) => string, address?: string) {
  const attempts = Array.from({ length: times }, (_, attempt) =>
    signIn(app, email(attempt), 'wrong', { ...(address !== undefined && { address }) }),
  )
  return (await Promise.all(attempts)).map(({ status }) => status)
}

/** The number of occurrences of each status. */
const tally = (statuses: number[]) =>
  Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
  )

t.test('ten failures lock an account for that address, and for no other', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  const [mine, theirs] = ['192.0.2.1', '192.0.2.2']
  t.strictSame(tally(await fail(app, 12, () => 'ada@example.test', theirs)), { 401: 10, 429: 2 })

  const { status, body, headers } = await signIn(app, 'ADA@example.test', PASSWORD, { address: theirs })
  t.equal(status, 429, 'the right password does not help, nor does another case')
  t.strictSame(body, limited)
  const seconds = Number(headers['retry-after'])
  t.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`)

  t.equal((await signIn(app, 'ada@example.test', PASSWORD, { address: mine })).status, 201)
  t.equal((await signIn(app, 'bob@example.test', PASSWORD, { address: theirs })).status, 401)
})

t.test('fifty failures lock all accounts for an address, and no other address', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  const statuses = await fail(app, 52, (attempt) => `${attempt}@example.test`, '192.0.2.1')
  t.strictSame(tally(statuses), { 401: 50, 429: 2 })
  const { status, headers } = await signIn(app, 'ada@example.test', PASSWORD, { address: '192.0.2.1' })
  t.equal(status, 429)
  t.match(headers['retry-after'], /^\d+$/)
  t.equal((await signIn(app, 'ada@example.test', PASSWORD, { address: '192.0.2.2' })).status, 201)
})

t.test('attacking one account does not lock others for the same address', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  t.strictSame(tally(await fail(app, 70, () => 'bob@example.test')), { 401: 10, 429: 60 })
  t.equal((await signIn(app, 'ada@example.test')).status, 201)
})

t.test('addresses of one /64 network are one, and so are both forms of an IPv4 address', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  const from = (address: string) => fail(app, 6, () => 'ada@example.test', address)
  t.strictSame(tally([...(await from('2001:db8::1')), ...(await from('2001:db8::2'))]), { 401: 10, 429: 2 })
  t.strictSame(tally([...(await from('192.0.2.1')), ...(await from('::ffff:192.0.2.1'))]), {
    401: 10,
    429: 2,
  })
  t.strictSame(tally(await from('::ffff:192.0.2.2')), { 401: 6 })
  t.equal((await signIn(app, 'ada@example.test', PASSWORD, { address: '2001:db8::3' })).status, 429)
  for (const address of ['2001:db8:0:1::1', '2001:db8:0:1::2'])
    t.equal(
      (await signIn(app, 'ada@example.test', PASSWORD, { address })).status,
      201,
      'given back there, too',
    )
})

t.test('an attempt above the limit checks no password', async (t) => {
  const app = await build(t)
  verifications.length = 0
  await fail(app, 15, () => 'ada@example.test')
  t.equal(verifications.length, 10)
})

t.test('a success is not counted, for the account and the address', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  for (let round = 0; round < 12; round++) {
    t.equal((await signIn(app, 'ada@example.test')).status, 201)
  }
  t.strictSame(tally(await fail(app, 9, () => 'ada@example.test')), { 401: 9 })
  t.equal((await signIn(app, 'ada@example.test')).status, 201)
  t.strictSame(tally(await fail(app, 2, () => 'ada@example.test')), { 401: 1, 429: 1 })
})

t.test('attempts count for the client that a trusted proxy names', async (t) => {
  const from = (client: string) => ({ headers: { 'x-forwarded-for': client } })
  const behind = await build(t, { authMode: 'required', trustProxy: true })
  const statuses = []
  for (let attempt = 0; attempt < 11; attempt++) {
    statuses.push((await signIn(behind, 'ada@example.test', 'wrong', from('198.51.100.1'))).status)
  }
  t.strictSame(tally(statuses), { 401: 10, 429: 1 })
  t.equal((await signIn(behind, 'ada@example.test', 'wrong', from('198.51.100.2'))).status, 401)

  const alone = await build(t)
  const claimed = []
  for (let attempt = 0; attempt < 11; attempt++) {
    claimed.push((await signIn(alone, 'ada@example.test', 'wrong', from(`198.51.100.${attempt}`))).status)
  }
  t.strictSame(tally(claimed), { 401: 10, 429: 1 }, 'a header that nobody vouches for changes nothing')
})

t.test('a forged address counts as the peer, and is not recorded', async (t) => {
  const app = await build(t, { authMode: 'required', trustProxy: true })
  enrol(app, 'ada@example.test')
  const from = (client: string) => ({ headers: { 'x-forwarded-for': client } })
  const statuses = []
  for (let attempt = 0; attempt < 11; attempt++) {
    statuses.push((await signIn(app, 'ada@example.test', 'wrong', from(`garbage ${attempt}`))).status)
  }
  t.strictSame(tally(statuses), { 401: 10, 429: 1 })
  t.equal((await signIn(app, 'ada@example.test', PASSWORD, from('192.0.2.1'))).status, 201)
  const addresses = app.db.select({ address: auditLog.address }).from(auditLog).all()
  t.strictSame([...new Set(addresses.map(({ address }) => address))].sort(), ['127.0.0.1', '192.0.2.1'])
})

t.test('after the system clock is set back, Retry-After is a minute at most', async (t) => {
  const app = await build(t)
  await fail(app, 10, () => 'ada@example.test')
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() - 86_400_000
  const { status, headers } = await signIn(app, 'ada@example.test')
  t.equal(status, 429)
  const seconds = Number(headers['retry-after'])
  t.ok(seconds > 0 && seconds <= 60, `${seconds} seconds`)
})

t.test('a database failure is not a failed sign-in', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  app.db.$client.exec('alter table sessions rename to elsewhere')
  t.match(await signIn(app, 'ada@example.test'), { status: 500, body: { error: 'Failed to create session' } })
})

t.test('a member disabled meanwhile is refused at once', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const id = enrol(app, 'ada@example.test')
  const { cookie } = await signIn(app, 'ada@example.test')
  app.db.update(members).set({ disabled: true }).where(eq(members.id, id)).run()
  t.equal((await send(app, 'GET', '/api/projects', undefined, cookie)).status, 401)
})

t.test('a sign-in has 16 KiB at most, whatever the general limit is', async (t) => {
  const app = await build(t)
  const body = (bytes: number) => {
    const empty = JSON.stringify({ email: 'a@example.org', password: '' }).length
    return JSON.stringify({ email: 'a@example.org', password: long(bytes - empty) })
  }
  await holds(t, app, [
    [
      'POST',
      '/api/session',
      body(16_384),
      400,
      invalid({ password: ['must NOT have more than 200 characters'] }),
    ],
    ['POST', '/api/session', body(16_385), 413, { error: 'Payload Too Large' }],
  ])
})
