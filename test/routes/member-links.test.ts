import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { memberLinks } from '../../src/db/schema.ts'
import { hashToken } from '../../src/members/secrets.ts'
import {
  type App,
  auditTrail,
  breakTable,
  build,
  count,
  crossOriginFrom,
  holds,
  hourly,
  invalid,
  LONG_AGO,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'

const HOUR = 60 * 60 * 1000
const PASSWORD = 'correct horse battery'
const USE = '/api/session/link'
const CHECK = '/api/session/link/check'
const unusable = { error: 'Link was used, has expired or was revoked' }
const adminOnly = { error: 'Forbidden: admin access required' }
const noLink = { error: 'Link not found' }

type Headers = Record<string, string>

/** An application with an admin, Eve, and a member, Ada. */
async function withPeople(t: Parameters<typeof build>[0], options: Parameters<typeof build>[1] = {}) {
  const app = await build(t, options)
  const admin = signInAs(app, 'admin', { id: 'eve' })
  const member = signInAs(app, 'member', { id: 'ada' })
  const passwordLink = async (id = 'ada', headers: Headers = admin.headers) =>
    (await send(app, 'POST', `/api/members/${id}/password-link`, undefined, headers)).body
  const invitation = async (body: object = {}, headers: Headers = admin.headers) =>
    (await send(app, 'POST', '/api/invitations', { role: 'member', ...body }, headers)).body
  return { app, admin, member, passwordLink, invitation }
}

const use = (app: App, token: string, fields: object = {}, headers: Headers = {}) =>
  send(app, 'POST', USE, { token, password: PASSWORD, ...fields }, headers)
const signIn = async (app: App, email: string, password = PASSWORD) =>
  (await send(app, 'POST', '/api/session', { email, password })).status
const cookieOf = ({ headers }: Awaited<ReturnType<typeof send>>) => ({
  cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '',
})

/** The audit log's entries about links, with the names. */
const auditEntries = (app: App) =>
  app.db.$client
    .prepare<[], string[]>(
      "select action, actor, subject from audit_log where action like '%link-%' or action like 'invitation%' order by id",
    )
    .raw()
    .all()

t.test("a link sets its member's password, once, and signs in", async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const { app, admin, member } = await withPeople(t, { authMode })
    const url = '/api/members/ada/password-link'
    const { status, body, headers } = await send(app, 'POST', url, undefined, admin.headers)
    t.equal(status, 201)
    t.equal(headers['cache-control'], 'no-store')
    const { id, token, createdAt, expiresAt } = body
    t.strictSame(body, {
      id,
      memberId: 'ada',
      kind: 'password',
      name: 'The member',
      email: 'ada@example.test',
      role: 'member',
      expiresAt,
      createdBy: 'eve',
      createdAt,
      token,
      url: `http://localhost/link#${token}`,
    })
    t.match(token, /^pbl_[\w-]{43}$/)
    t.equal(Date.parse(expiresAt) - Date.parse(createdAt), 24 * HOUR)
    t.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
    const [row] = app.db.select().from(memberLinks).all()
    t.match(row, { tokenHash: hashToken(token), name: null, email: null })
    t.notMatch(JSON.stringify(row), token)

    const { token: _, url: __, ...shown } = body
    const details = {
      kind: 'password',
      name: 'The member',
      email: 'ada@example.test',
      role: 'member',
      expiresAt,
    }
    await holds(t, app, [
      ['GET', '/api/member-links', undefined, admin.headers, 200, [shown]],
      ['GET', `/api/member-links/${id}`, undefined, admin.headers, 200, shown],
      ['POST', CHECK, { token }, {}, 200, details],
      ['POST', CHECK, { token }, {}, 200, details],
    ])
    t.strictSame((await send(app, 'POST', CHECK, { token })).body, details)

    const kim = signInAs(app, 'viewer', { id: 'kim' })
    const used = await use(app, token, {}, kim.headers)
    t.equal(used.status, 201)
    t.equal(used.headers['cache-control'], 'no-store')
    t.equal(used.headers.location, '/api/session')
    t.strictSame(used.body.member, {
      id: 'ada',
      name: 'The member',
      email: 'ada@example.test',
      role: 'member',
    })
    t.ok(Date.parse(used.body.expiresAt) > Date.now())
    t.equal(count(app, 'sessions', "member_id = 'kim'"), 0, 'the session that the request came with ends')
    const late = await send(app, 'GET', '/api/session', undefined, kim.headers)
    t.strictSame(
      [late.status, late.headers['set-cookie']],
      [401, undefined],
      'a late response keeps the new cookie',
    )
    await holds(t, app, [
      ['GET', '/api/session', undefined, cookieOf(used), 200, { member: used.body.member }],
      ['GET', '/api/session', undefined, member.headers, 401, { error: 'Authentication required' }],
      ['POST', USE, { token, password: PASSWORD }, {}, 401, unusable],
      ['POST', CHECK, { token }, {}, 401, unusable],
      ['GET', `/api/member-links/${id}`, undefined, admin.headers, 404, noLink],
      ['GET', '/api/member-links', undefined, admin.headers, 200, []],
    ])
    t.equal(await signIn(app, 'ada@example.test'), 201)
    t.match(auditTrail(app).slice(0, 5), [
      ['eve', 'password-link-created', 'ada', {}],
      ['ada', 'password-reset', 'ada', {}],
      ['ada', 'password-link-used', 'ada', {}],
      ['kim', 'sign-out', String, {}],
      ['ada', 'sign-in', String, {}],
    ])
    t.strictSame(auditEntries(app), [
      ['password-link-created', 'The admin', 'The member'],
      ['password-link-used', 'The member', 'The member'],
    ])
    t.notMatch(JSON.stringify(auditTrail(app)), /pbl_|[0-9a-f]{64}/)
  }
})

t.test('an invitation creates a member, who enters the fields that the admin omitted', async (t) => {
  const { app, invitation } = await withPeople(t, { authMode: 'required' })
  const open = await invitation()
  t.match(open, { kind: 'invitation', memberId: null, name: null, email: null, role: 'member' })
  await holds(t, app, [
    ['POST', CHECK, { token: open.token }, {}, 200, { kind: 'invitation', name: null, email: null }],
    ['POST', USE, { token: open.token, password: PASSWORD }, {}, 400, invalid({ name: ['is required'] })],
    [
      'POST',
      USE,
      { token: open.token, password: PASSWORD, name: 'Bo' },
      {},
      400,
      invalid({ email: ['is required'] }),
    ],
    [
      'POST',
      USE,
      { token: open.token, password: PASSWORD, name: 'Bo', email: 'ADA@example.test' },
      {},
      409,
      { error: 'Member email is taken' },
    ],
  ])
  const bo = await use(app, open.token, { name: 'Bo', email: 'bo@example.test', role: 'admin' })
  t.equal(bo.status, 201, 'what was refused has used nothing up')
  t.match(bo.body.member, { name: 'Bo', email: 'bo@example.test', role: 'member' })
  t.equal((await send(app, 'GET', '/api/session', undefined, cookieOf(bo))).body.member.name, 'Bo')

  const whole = await invitation({ name: 'Cleo', email: 'cleo@example.test', role: 'admin' })
  const details = { name: 'Cleo', email: 'cleo@example.test', role: 'admin' }
  await holds(t, app, [['POST', CHECK, { token: whole.token }, {}, 200, details]])
  const cleo = await use(app, whole.token, { email: 'somebody-else@example.test' })
  t.match(cleo, { status: 201, body: { member: details } }, 'the email that was invited counts')
  t.equal(await signIn(app, 'cleo@example.test'), 201)

  const named = await invitation({ name: 'Dan' })
  const renamed = await use(app, named.token, { name: 'Daniel', email: 'dan@example.test' })
  t.match(renamed, { status: 201, body: { member: { name: 'Daniel' } } }, 'the name is a suggestion')

  const boId = bo.body.member.id
  t.match(auditTrail(app).slice(0, 4), [
    ['eve', 'invitation-created', open.id, { role: 'member' }],
    [boId, 'member-created', boId, { email: 'bo@example.test', role: 'member' }],
    [boId, 'invitation-accepted', open.id, { role: 'member' }],
    [boId, 'sign-in', String, {}],
  ])
  t.strictSame(auditEntries(app).slice(0, 4), [
    ['invitation-created', 'The admin', null],
    ['invitation-accepted', 'Bo', 'Bo'],
    ['invitation-created', 'The admin', 'Cleo'],
    ['invitation-accepted', 'Cleo', 'Cleo'],
  ])
})

t.test('only admins create, see and revoke links', async (t) => {
  const { app, admin, member, passwordLink } = await withPeople(t, { authMode: 'required' })
  const { id, token } = await passwordLink()
  for (const headers of [member.headers, tokenOf(app, member.id)]) {
    await holds(t, app, [
      ['POST', '/api/members/ada/password-link', undefined, headers, 403, adminOnly],
      ['POST', '/api/members/none/password-link', undefined, headers, 403, adminOnly],
      ['POST', '/api/invitations', { role: 'no' }, headers, 403, adminOnly],
      ['GET', '/api/member-links', undefined, headers, 403, adminOnly],
      ['GET', `/api/member-links/${id}`, undefined, headers, 403, adminOnly],
      ['DELETE', `/api/member-links/${id}`, undefined, headers, 403, adminOnly],
    ])
  }
  await holds(t, app, [
    ['POST', '/api/members/none/password-link', undefined, admin.headers, 404, { error: 'Member not found' }],
    ['DELETE', '/api/member-links/none', undefined, admin.headers, 404, noLink],
    ['DELETE', `/api/member-links/${id}`, undefined, admin.headers, 200, { success: true }],
    ['DELETE', `/api/member-links/${id}`, undefined, admin.headers, 404, noLink],
    ['POST', USE, { token, password: PASSWORD }, {}, 401, unusable],
  ])
  t.strictSame(auditEntries(app).at(-1), ['password-link-revoked', 'The admin', 'The member'])
})

t.test('bodies have the rules of members', async (t) => {
  const { app, admin, invitation } = await withPeople(t)
  const { token } = await invitation()
  const invite = (body: object, fields: Record<string, string[]>) =>
    ['POST', '/api/invitations', body, admin.headers, 400, invalid(fields)] as const
  const using = (body: object, fields: Record<string, string[]>) =>
    ['POST', USE, { token, password: PASSWORD, name: 'Bo', ...body }, {}, 400, invalid(fields)] as const
  await holds(t, app, [
    invite({ role: 'member', name: '' }, { name: ['must NOT have fewer than 1 characters'] }),
    invite({ role: 'member', email: 'x' }, { email: ['must be an email address'] }),
    invite({ name: 'Bo' }, { role: ['is required'] }),
    invite({ role: 'owner' }, { role: ['must be one of "admin", "member", "viewer", "guest"'] }),
    using({ password: 'short' }, { password: ['must NOT have fewer than 8 characters'] }),
    using({ email: 'x' }, { email: ['must be an email address'] }),
    using({ name: '' }, { name: ['must NOT have fewer than 1 characters'] }),
    [
      'POST',
      '/api/invitations',
      { role: 'member', email: 'ADA@example.test' },
      admin.headers,
      409,
      { error: 'Member email is taken' },
    ],
    ['POST', USE, { token: 'x'.repeat(20_000) }, {}, 413, { error: 'Payload Too Large' }],
  ])
  t.equal(count(app, 'member_links'), 1)
})

t.test('a new link, a new password and disabling end the earlier links of the member', async (t) => {
  const { app, admin, passwordLink } = await withPeople(t)
  const first = await passwordLink()
  const second = await passwordLink()
  await passwordLink('eve')
  t.equal(count(app, 'member_links'), 2)
  await holds(t, app, [
    ['POST', USE, { token: first.token, password: PASSWORD }, {}, 401, unusable],
    ['POST', CHECK, { token: second.token }, {}, 200, {}],
    ['PATCH', '/api/members/ada', { password: PASSWORD }, admin.headers, 200, {}],
    ['POST', CHECK, { token: second.token }, {}, 401, unusable],
  ])
  const third = await passwordLink()
  await holds(t, app, [
    ['PATCH', '/api/members/ada', { disabled: true }, admin.headers, 200, {}],
    ['POST', CHECK, { token: third.token }, {}, 401, unusable],
    [
      'POST',
      '/api/members/ada/password-link',
      undefined,
      admin.headers,
      409,
      { error: 'Member is disabled' },
    ],
    ['PATCH', '/api/members/ada', { disabled: false }, admin.headers, 200, {}],
    ['POST', CHECK, { token: third.token }, {}, 401, unusable],
  ])
  await passwordLink()
  await holds(t, app, [['DELETE', '/api/members/ada', undefined, admin.headers, 200, {}]])
  t.equal(count(app, 'member_links'), 1, "another member's stays")
  t.equal(auditEntries(app).filter(([action]) => action === 'password-link-revoked').length, 4)
  // Another tool bypasses the rules when it disables members.
  const other = await passwordLink('eve')
  app.db.$client.exec('update members set disabled = 1')
  t.strictSame((await use(app, other.token)).body, unusable)
})

t.test('links end with the rights of the admin who created them', async (t) => {
  for (const [method, body] of [
    ['PATCH', { role: 'member' }],
    ['PATCH', { disabled: true }],
    ['DELETE', undefined],
  ] as const) {
    const { app, admin, passwordLink, invitation } = await withPeople(t)
    const { id, headers } = signInAs(app, 'admin')
    const theirs = [await invitation({ role: 'admin' }, headers), await passwordLink('ada', headers)]
    const kept = await invitation()
    await holds(t, app, [[method, `/api/members/${id}`, body, admin.headers, 200, {}]])
    for (const { token } of theirs) t.strictSame((await send(app, 'POST', CHECK, { token })).body, unusable)
    t.equal((await send(app, 'POST', CHECK, { token: kept.token })).status, 200)
  }
})

t.test('an expired link is unknown, and is deleted later', async (t) => {
  const prune = hourly(t)
  const { app, admin, passwordLink, invitation } = await withPeople(t)
  const { id, token } = await invitation()
  const kept = await passwordLink()
  app.db.$client
    .prepare('update member_links set created_at = ?, expires_at = ? where id = ?')
    .run(LONG_AGO, LONG_AGO, id)
  await holds(t, app, [
    ['POST', CHECK, { token }, {}, 401, unusable],
    ['POST', USE, { token, password: PASSWORD, name: 'Bo', email: 'bo@example.test' }, {}, 401, unusable],
    ['GET', `/api/member-links/${id}`, undefined, admin.headers, 404, noLink],
    ['DELETE', `/api/member-links/${id}`, undefined, admin.headers, 404, noLink],
    ['GET', '/api/member-links', undefined, admin.headers, 200, [{ id: kept.id }]],
  ])
  t.equal(count(app, 'member_links'), 2)
  prune()
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.equal(count(app, 'member_links'), 1)
  t.equal(count(app, 'member_links', 'id = ?', kept.id), 1)
})

t.test('one of several simultaneous uses of a link succeeds', async (t) => {
  const { app, invitation } = await withPeople(t)
  const { token } = await invitation()
  const answers = await Promise.all(
    [1, 2, 3, 4].map((number) =>
      use(app, token, { name: `Guest ${number}`, email: `${number}@example.test` }),
    ),
  )
  t.strictSame(answers.map(({ status }) => status).toSorted(), [201, 401, 401, 401])
  t.equal(count(app, 'members', "name like 'Guest%'"), 1)
  for (const { body, status } of answers) if (status === 401) t.strictSame(body, unusable)
})

t.test('wrong links count like failed sign-ins, valid ones do not', async (t) => {
  const { app, invitation } = await withPeople(t)
  for (let number = 0; number < 15; number++) {
    const { token } = await invitation()
    t.equal((await send(app, 'POST', CHECK, { token })).status, 200)
  }
  const { token } = await invitation()
  for (let number = 0; number < 5; number++) {
    await holds(t, app, [
      ['POST', CHECK, { token: 'pbl_x' }, {}, 401, unusable],
      ['POST', USE, { token: 'pbl_x', password: PASSWORD }, {}, 401, unusable],
    ])
  }
  const refused = await send(app, 'POST', CHECK, { token })
  t.match(refused, { status: 429, body: { error: 'Too many failed sign-ins' } })
  t.match(Number(refused.headers['retry-after']), Number)
  t.equal((await use(app, token)).status, 429)
  t.equal(await signIn(app, 'ada@example.test'), 401, 'nobody is locked out')
})

t.test('a page of another origin cannot use a link', async (t) => {
  const { app, invitation } = await withPeople(t)
  const { token } = await invitation()
  const evil = { origin: 'https://evil.example' }
  const refusal = crossOriginFrom()
  await holds(t, app, [
    ['POST', USE, { token, password: PASSWORD }, evil, 403, refusal],
    ['POST', CHECK, { token }, evil, 403, refusal],
  ])
})

t.test('a link has the configured address, else that of the request', async (t) => {
  const configured = await withPeople(t, { publicUrl: 'https://board.example/tools/' })
  const { url, token } = await configured.passwordLink()
  t.equal(url, `https://board.example/tools/link#${token}`)
  const behindProxy = await withPeople(t, { authMode: 'required', trustProxy: true })
  const headers = {
    ...behindProxy.admin.headers,
    host: 'board.example',
    origin: 'https://board.example',
    'x-forwarded-proto': 'https',
  }
  t.match((await behindProxy.invitation({}, headers)).url, /^https:\/\/board\.example\/link#pbl_/)
})

t.test('a repetition with an Idempotency-Key shows no secret again', async (t) => {
  const { app, admin } = await withPeople(t)
  const headers = { ...admin.headers, 'idempotency-key': '"once"' }
  const made = await send(app, 'POST', '/api/invitations', { role: 'member' }, headers)
  const again = await send(app, 'POST', '/api/invitations', { role: 'member' }, headers)
  t.equal(made.status, 201)
  t.equal(count(app, 'member_links'), 1)
  t.notMatch(JSON.stringify(again.body), /pbl_/)
  t.equal(made.headers.location, `/api/member-links/${made.body.id}`)
})

t.test("a link to the first admin's password deletes the password file", async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'board.db')
  const app = await build(t, { databaseUrl: `file:${path}` })
  const file = `${path}.initial-admin-password`
  t.ok(existsSync(file))
  const [first] = app.rules.members.list()
  const { headers } = signInAs(app, 'admin')
  const { body } = await send(app, 'POST', `/api/members/${first?.id}/password-link`, undefined, headers)
  t.equal((await use(app, body.token)).status, 201)
  t.notOk(existsSync(file))
  t.equal(await signIn(app, String(first?.email)), 201)
})

t.test('a failed use is rolled back completely', async (t) => {
  const { app, admin, invitation, passwordLink } = await withPeople(t)
  const { token } = await passwordLink()
  const { token: other } = await invitation()
  const before = app.rules.members.stored('ada').passwordHash
  breakTable(app, 'audit_log')
  const guest = { token: other, password: PASSWORD, name: 'Bo', email: 'bo@example.test' }
  await holds(t, app, [
    ['POST', USE, { token, password: PASSWORD }, {}, 500, { error: 'Failed to use link' }],
    ['POST', USE, guest, {}, 500, { error: 'Failed to use link' }],
    [
      'POST',
      '/api/invitations',
      { role: 'viewer' },
      admin.headers,
      500,
      { error: 'Failed to create invitation' },
    ],
    [
      'POST',
      '/api/members/ada/password-link',
      undefined,
      admin.headers,
      500,
      { error: 'Failed to create link' },
    ],
    ['POST', CHECK, { token }, {}, 200, {}],
    ['POST', CHECK, { token: other }, {}, 200, {}],
  ])
  t.equal(app.rules.members.stored('ada').passwordHash, before)
  t.equal(count(app, 'members', "email = 'bo@example.test'"), 0)
  breakTable(app, 'member_links')
  await holds(t, app, [
    ['POST', CHECK, { token }, {}, 500, { error: 'Failed to check link' }],
    ['GET', '/api/member-links', undefined, admin.headers, 500, { error: 'Failed to fetch links' }],
    ['GET', '/api/member-links/x', undefined, admin.headers, 500, { error: 'Failed to fetch link' }],
    ['DELETE', '/api/member-links/x', undefined, admin.headers, 500, { error: 'Failed to revoke link' }],
  ])
})
