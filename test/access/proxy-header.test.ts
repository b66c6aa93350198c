import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { members } from '../../src/db/schema.ts'
import {
  type App,
  build,
  count,
  crossOriginFrom,
  holds,
  readOnly,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'
import { planOf } from '../query-plans.ts'
import { shipped } from '../shipped.ts'

const HEADER = 'x-forwarded-email'
const PROXY = '10.0.0.9'
const BEHIND_PROXY = { authMode: 'required', authProxyHeader: HEADER, trustProxy: ['10.0.0.0/8'] } as const
const foreignOrigin = crossOriginFrom('http://board.example')

/** Requests the current user, from an address. */
async function whoAmI(app: App, headers: Record<string, string | string[]>, remoteAddress = PROXY) {
  const response = await app.inject({ url: '/api/session', headers, remoteAddress })
  const { member, via, error } = response.json()
  return error ?? `${member.id} via ${via}`
}

/** Creates a member Ada. @returns the headers in which a proxy names her */
function enrolAda(app: App, role: 'admin' | 'member' | 'viewer' = 'member') {
  const { id, headers } = signInAs(app, role, { id: 'ada' })
  return { id, session: headers, named: { [HEADER]: 'ada@example.test' } }
}

t.test("a trusted proxy's header selects the current member, with its stored role", async (t) => {
  const app = await build(t, { ...BEHIND_PROXY, trustProxy: ['127.0.0.1'] })
  const { named } = enrolAda(app, 'viewer')
  const member = { id: 'ada', name: 'The viewer', email: 'ada@example.test', role: 'viewer' }
  const { status, body, headers } = await send(app, 'GET', '/api/session', undefined, named)
  t.equal(status, 200)
  t.strictSame(body, { member, via: 'proxy' })
  t.equal(headers['set-cookie'], undefined, 'the proxy keeps the session')
  const upper = { 'X-Forwarded-Email': 'ADA@Example.TEST' }
  await holds(t, app, [['GET', '/api/session', undefined, upper, 200, { via: 'proxy' }]])
  const create = await send(app, 'POST', '/api/projects', { name: 'A' }, named)
  t.strictSame([create.status, create.body], [403, readOnly])
  await holds(t, app, [
    ['POST', '/api/personal-ideas', { title: 'Fly' }, named, 201, { ownerId: 'ada' }],
    ['DELETE', '/api/session', undefined, named, 200, { success: true }],
    ['GET', '/api/session', undefined, named, 200, { via: 'proxy' }],
  ])
  t.equal(count(app, 'sessions'), 1, 'a session of nobody was made')
})

t.test("the header's name is case-insensitive", async (t) => {
  const app = await build(t, { ...BEHIND_PROXY, authProxyHeader: 'X-Forwarded-Email' })
  t.equal(await whoAmI(app, enrolAda(app).named), 'ada via proxy')
})

t.test('an unknown or disabled member in the header is refused, and never the default member', async (t) => {
  const app = await build(t, BEHIND_PROXY)
  const { named, session } = enrolAda(app)
  const from = (value: string | string[], more = {}) => whoAmI(app, { ...more, [HEADER]: value })
  const nobodies = [
    'bob@example.test',
    'ada',
    'local',
    '',
    ' ',
    'ada@example.test,',
    'ada@example.test, ada@example.test',
    '%@example.test',
    'Ada <ada@example.test>',
    "' or 1=1 --",
  ]
  for (const value of nobodies) {
    t.equal(await from(value), 'Authentication required', value)
    t.equal(await from(value, session), 'Authentication required', `${value}, beside a good session`)
  }
  for (const values of [
    ['ada@example.test', 'ada@example.test'],
    ['ada@example.test', 'bob@example.test'],
    ['bob@example.test', 'ada@example.test'],
    ['', 'ada@example.test'],
  ])
    t.equal(await from(values), 'Authentication required', `twice: ${values}`)
  app.db.update(members).set({ disabled: true }).where(eq(members.id, 'ada')).run()
  t.equal(await whoAmI(app, named), 'Authentication required')
  app.db.delete(members).run()
  t.equal(await whoAmI(app, named), 'Authentication required')
})

t.test('an email in the header is case-insensitive, but only in ASCII', async (t) => {
  const app = await build(t, BEHIND_PROXY)
  for (const [id, email, disabled] of [
    ['arg', 'ärGer@x.org', false],
    ['out', 'ÖUT@x.org', true],
    ['kate', 'kate@x.org', false],
    ['kelvin', '\u212aelvin@x.org', false],
  ] as const) {
    app.db.insert(members).values({ id, name: id, email, disabled }).run()
  }
  // Node reads each byte of a header as one character, and so does the injected request.
  const utf8 = (text: string) => Buffer.from(text).toString('latin1')
  for (const email of ['ärGER@x.org', 'ärger@X.org']) {
    t.equal(await whoAmI(app, { [HEADER]: utf8(email) }), 'arg via proxy', email)
    t.equal(await whoAmI(app, { [HEADER]: email }), 'arg via proxy', `${email} in Latin-1`)
  }
  t.equal(await whoAmI(app, { [HEADER]: utf8('\u212aELVIN@x.org') }), 'kelvin via proxy')
  // Mailboxes that differ beyond ASCII may belong to two people.
  for (const email of [
    'ÖUT@x.org',
    'öut@x.org',
    'arger@x.org',
    'Ärger@x.org',
    '\u212aate@x.org',
    'kelvin@x.org',
  ])
    t.equal(await whoAmI(app, { [HEADER]: utf8(email) }), 'Authentication required', email)
})

t.test('a member from the header needs the admin role like everybody else', async (t) => {
  const app = await build(t, { ...BEHIND_PROXY, trustProxy: ['127.0.0.1'] })
  const adminOnly = { error: 'Forbidden: admin access required' }
  const { named } = enrolAda(app)
  const unknown = { [HEADER]: 'nobody@example.test' }
  const { headers: admin } = signInAs(app, 'admin', { id: 'eve' })
  await holds(t, app, [
    ['DELETE', '/api/projects/x', undefined, named, 403, adminOnly],
    ['DELETE', '/api/projects/x', undefined, unknown, 403, adminOnly],
    ['DELETE', '/api/projects/x', undefined, { ...named, ...admin }, 403, adminOnly],
    [
      'DELETE',
      '/api/projects/x',
      undefined,
      { [HEADER]: 'eve@example.test' },
      404,
      { error: 'Project not found' },
    ],
  ])
})

t.test('the header of an untrusted proxy is ignored', async (t) => {
  const app = await build(t, { ...BEHIND_PROXY, trustProxy: ['10.0.0.0/8', '2001:db8::9'] })
  const { named, session } = enrolAda(app)
  const nobody = 'Authentication required'
  const forged = [named, { ...named, 'x-forwarded-for': PROXY }, { [HEADER]: '' }]
  for (const headers of forged) {
    for (const address of ['127.0.0.1', '192.0.2.1', '11.0.0.9', '2001:db8::a', '::10.0.0.9']) {
      t.equal(await whoAmI(app, headers, address), nobody, `${address} ${JSON.stringify(headers)}`)
      t.equal(await whoAmI(app, { ...headers, ...session }, address), 'ada via session')
    }
  }
  for (const address of ['10.0.0.9', '::ffff:10.0.0.9', '2001:db8::9']) {
    t.equal(await whoAmI(app, named, address), 'ada via proxy', address)
    // The forwarded client's address is not the peer's.
    t.equal(await whoAmI(app, { ...named, 'x-forwarded-for': '192.0.2.1' }, address), 'ada via proxy')
  }
})

t.test('without AUTH_PROXY_HEADER, the header is ignored', async (t) => {
  const app = await build(t, { authMode: 'required', trustProxy: ['10.0.0.0/8'] })
  const { named, session } = enrolAda(app)
  for (const headers of [named, { 'remote-user': 'ada@example.test' }, { undefined: 'ada@example.test' }]) {
    t.equal(await whoAmI(app, headers), 'Authentication required')
    t.equal(await whoAmI(app, { ...headers, ...session }), 'ada via session')
  }
  const other = await build(t, { ...BEHIND_PROXY, authProxyHeader: 'remote-user' })
  t.equal(await whoAmI(other, enrolAda(other).named), 'Authentication required', 'another header is none')
})

t.test('a service that only this machine reaches may trust every peer', async (t) => {
  const app = await build(t, { authMode: 'required', authProxyHeader: HEADER, trustProxy: true })
  t.equal(await whoAmI(app, enrolAda(app).named, '127.0.0.1'), 'ada via proxy')
})

t.test("a bearer token comes before the proxy's header, and the header before a session", async (t) => {
  const app = await build(t, BEHIND_PROXY)
  const { named } = enrolAda(app)
  const bob = signInAs(app, 'member', { id: 'bob' })
  const bearer = tokenOf(app, 'bob')
  t.equal(await whoAmI(app, { ...named, ...bearer }), 'bob via token')
  t.equal(await whoAmI(app, { ...named, ...bob.headers, ...bearer }), 'bob via token')
  t.equal(await whoAmI(app, { [HEADER]: 'nobody@example.test', ...bearer }), 'bob via token')
  t.equal(await whoAmI(app, { ...named, authorization: 'Bearer x' }), 'Authentication required')
  t.equal(await whoAmI(app, { ...named, authorization: 'Basic eA==' }), 'ada via proxy')
  t.equal(await whoAmI(app, { ...named, ...bob.headers }), 'ada via proxy')
  t.equal(await whoAmI(app, { ...named, cookie: 'phaseboard_session=worthless' }), 'ada via proxy')
  t.equal(await whoAmI(app, bob.headers), 'bob via session', 'a proxy may let requests pass without')
})

t.test('a change through the proxy needs an Origin of the service', async (t) => {
  const origin = 'http://board.example'
  const app = await build(t, {
    ...BEHIND_PROXY,
    trustProxy: ['127.0.0.1'],
    corsOrigins: ['https://app.example'],
  })
  const { named } = enrolAda(app)
  const from = (origin: string, more = named) => ({ host: 'board.example', ...more, origin })
  const create = (status: number, expected: object, headers: Record<string, string>) =>
    holds(t, app, [['POST', '/api/projects', { name: 'A' }, headers, status, expected]])
  for (const foreign of [
    'http://evil.example',
    'null',
    'https://board.example',
    'http://board.example:81',
    '',
  ]) {
    await create(403, foreignOrigin, from(foreign))
  }
  t.equal(count(app, 'projects'), 0)
  await holds(t, app, [
    ['DELETE', '/api/session', undefined, from('http://evil.example'), 403, foreignOrigin],
    [
      'POST',
      '/api/session',
      { email: 'a@b.c', password: 'x' },
      from('http://evil.example'),
      403,
      foreignOrigin,
    ],
    ['GET', '/api/projects', undefined, from('http://evil.example'), 200, []],
  ])
  await create(201, { name: 'A' }, from(origin))
  await create(201, { name: 'A' }, from('https://app.example'))
  await create(201, { name: 'A' }, { host: 'board.example', ...named })
})

t.test('over a real connection, one header is accepted and two are not', async (t) => {
  const app = await build(
    t,
    { authMode: 'required', authProxyHeader: 'From', trustProxy: ['127.0.0.1'] },
    shipped.buildApp,
  )
  enrolAda(app)
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const ask = (headers: [string, string][]) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      socket.write(`GET /api/session HTTP/1.1\r\nHost: localhost\r\n${lines}Connection: close\r\n\r\n`)
      text(socket).then((answer) => resolve(answer.split('\r\n\r\n')[1] ?? ''), reject)
    })
  t.match(await ask([['from', 'ada@example.test']]), '"via":"proxy"')
  t.match(await ask([['FROM', 'Ada@example.test']]), '"via":"proxy"')
  t.match(await ask([['X', 'from']]), '"Authentication required"')
  // Node itself keeps only the first value of this header.
  const twice: [string, string][] = [
    ['From', 'ada@example.test'],
    ['from', 'bob@example.test'],
  ]
  t.equal(await ask(twice), '{"error":"Authentication required"}')
  t.equal(await ask(twice.toReversed()), '{"error":"Authentication required"}')
})

t.test('the member in the header is found by an index', async (t) => {
  const app = await build(t)
  const source = 'select id from members where lower(email) = lower(+?) and disabled = 0'
  t.strictSame(planOf(app.db.$client, source), ['SEARCH members USING INDEX members_email (<expr>=?)'])
})
