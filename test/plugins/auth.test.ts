import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { openDatabase } from '../../src/db/client.ts'
import { newId } from '../../src/db/ids.ts'
import { apiTokens, members, sessions } from '../../src/db/schema.ts'
import { hashToken, newToken } from '../../src/members/secrets.ts'
import { timestamp } from '../../src/time.ts'
import { documentedOperations } from '../documented.ts'
import { watch } from '../executions.ts'
import {
  type App,
  build,
  count,
  createItem,
  createProject,
  crossOriginFrom,
  holds,
  invalid,
  send,
  signInAs,
  tokenOf,
  writeIn,
} from '../helper.ts'

const MODES = ['open', 'required'] as const
const DAY = 24 * 60 * 60 * 1000
const daysAgo = (days: number) => timestamp(Date.now() - days * DAY)
const inDays = (days: number) => daysAgo(-days)

const unauthenticated = { error: 'Authentication required' }
const adminOnly = { error: 'Forbidden: admin access required' }
const readOnlyRole = { error: 'Forbidden: read-only role' }
const readOnlyToken = { error: 'Forbidden: read-only token' }
const foreignOrigin = crossOriginFrom()
const atPort3000 = crossOriginFrom('http://localhost:3000')

const cookieOf = (token: string) => ({ cookie: `phaseboard_session=${token}` })

/** Creates a session of a member with given dates. */
function sessionOf(
  app: App,
  memberId: string,
  dates: { createdAt: string; lastUsedAt: string; expiresAt: string },
) {
  const token = newToken()
  const id = newId()
  app.db
    .insert(sessions)
    .values({ id, memberId, tokenHash: hashToken(token), ...dates })
    .run()
  const stored = () => app.db.select().from(sessions).where(eq(sessions.id, id)).get()
  return { headers: cookieOf(token), stored, token }
}

/** Invalid credentials, each for another reason. */
function worthless(app: App): [string, Record<string, string>][] {
  const { id } = signInAs(app, 'admin')
  const disabled = signInAs(app, 'admin')
  const deleted = signInAs(app, 'admin')
  const revoked = tokenOf(app, id)
  const tokenOfDisabled = tokenOf(app, disabled.id)
  app.db.update(members).set({ disabled: true }).where(eq(members.id, disabled.id)).run()
  app.db.delete(members).where(eq(members.id, deleted.id)).run()
  app.db
    .delete(apiTokens)
    .where(eq(apiTokens.tokenHash, hashToken(revoked.authorization.slice(7))))
    .run()
  const past = { createdAt: daysAgo(40), lastUsedAt: daysAgo(31), expiresAt: daysAgo(1) }
  return [
    ['an unknown token', { authorization: `Bearer pbt_${newToken()}` }],
    ['an empty token', { authorization: 'Bearer' }],
    ['a token after a tab', { authorization: 'Bearer\tpbt_x' }],
    ['an expired token', tokenOf(app, id, { expiresAt: daysAgo(1) })],
    ['a token that expires now', tokenOf(app, id, { expiresAt: timestamp() })],
    ['a revoked token', revoked],
    ['a token of a disabled member', tokenOfDisabled],
    ['a session token as bearer', { authorization: `Bearer ${signInAs(app, 'admin').token}` }],
    ['an unknown session', cookieOf(newToken())],
    ['an API token as cookie', cookieOf(tokenOf(app, id).authorization.slice(7))],
    ['an expired session', sessionOf(app, id, past).headers],
    ['a session of a disabled member', disabled.headers],
    ['a session of a deleted member', deleted.headers],
    [
      'an unknown token beside a good session',
      { ...signInAs(app, 'admin').headers, authorization: 'Bearer pbt_x' },
    ],
  ]
}

t.test('without a credential, open mode selects the default member, and required mode nobody', async (t) => {
  const whoami = async (options: object) => send(await build(t, options), 'GET', '/api/session')
  t.match(await whoami({ authMode: 'open' }), {
    status: 200,
    body: { member: { id: 'local', name: 'local', email: null, role: 'member' }, via: 'default' },
  })
  t.match(await whoami({ authMode: 'open', defaultMemberId: 'me' }), { body: { member: { id: 'me' } } })
  const { status, body, headers } = await whoami({ authMode: 'required' })
  t.equal(status, 401)
  t.strictSame(body, unauthenticated)
  t.equal(headers['www-authenticate'], 'Bearer')
})

t.test('a bearer token comes before a session, and a session before the default member', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const ada = signInAs(app, 'member', { id: 'ada' })
    signInAs(app, 'viewer', { id: 'bob' })
    const token = tokenOf(app, 'bob')
    const whoami = async (headers: Record<string, string>) =>
      (await send(app, 'GET', '/api/session', undefined, headers)).body
    t.strictSame(await whoami(ada.headers), {
      member: { id: 'ada', name: 'The member', email: 'ada@example.test', role: 'member' },
      via: 'session',
    })
    const bob = {
      member: { id: 'bob', name: 'The viewer', email: 'bob@example.test', role: 'viewer' },
      via: 'token',
    }
    t.strictSame(await whoami(token), bob)
    t.strictSame(await whoami({ ...ada.headers, ...token }), bob)
    t.strictSame(await whoami({ ...cookieOf('worthless'), ...token }), bob)
    t.strictSame(await whoami({ authorization: token.authorization.replace('Bearer', 'bEaReR  ') }), bob)
    t.match(await whoami({ cookie: `theme=dark; ${ada.headers.cookie}; a=b` }), { via: 'session' })
  }
})

t.test('other authentication schemes and an empty cookie are not credentials', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const { id, headers } = signInAs(app, 'member')
    const token = tokenOf(app, id).authorization.slice(7)
    const others = [
      'Basic YWRhOnNlY3JldA==',
      'Negotiate YII=',
      'Digest username="ada", realm="x"',
      `Token ${token}`,
      `Bearer${token}`,
      token,
      'Bearer="x"',
      '',
    ]
    const nothing = [...others.map((authorization) => ({ authorization })), cookieOf('')]
    for (const absent of nothing) {
      const { status, body, headers: sent } = await send(app, 'GET', '/api/session', undefined, absent)
      if (authMode === 'open') t.match([status, body], [200, { via: 'default' }], JSON.stringify(absent))
      else t.strictSame([status, body], [401, unauthenticated], JSON.stringify(absent))
      t.equal(sent['set-cookie'], undefined)
      const beside = await send(app, 'GET', '/api/session', undefined, { ...absent, ...headers })
      t.match([beside.status, beside.body], [200, { via: 'session' }], JSON.stringify(absent))
    }
  }
})

t.test('an invalid credential is 401, never the default member', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    for (const [what, credential] of worthless(app)) {
      for (const [method, url, body] of [
        ['GET', '/api/projects'],
        ['GET', '/api/session'],
        ['POST', '/api/projects', { name: 'Apollo' }],
        ['POST', '/api/personal-ideas', { title: 'Fly' }],
        ['DELETE', '/api/session'],
      ] as const) {
        const answer = await send(app, method, url, body, credential)
        t.equal(answer.status, 401, `${method} ${url} with ${what} (${authMode})`)
        t.strictSame(answer.body, unauthenticated)
        t.equal(answer.headers['www-authenticate'], 'Bearer')
      }
    }
    t.equal(count(app, 'projects') + count(app, 'personal_ideas'), 0, 'nothing was made')
  }
})

t.test('an invalid session cookie is deleted', async (t) => {
  const app = await build(t)
  const { headers } = await send(app, 'GET', '/api/projects', undefined, cookieOf('worthless'))
  t.match(
    headers['set-cookie'],
    /^phaseboard_session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly;/,
  )
})

t.test('deleting a project needs an admin in both modes, and is 403 for others', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const admin = signInAs(app, 'admin')
    const { id } = await createProject(app, {}, admin.headers)
    const url = `/api/projects/${id}`
    const refused: [string, Record<string, string>][] = [
      ['nobody', {}],
      ['a member', signInAs(app, 'member').headers],
      ['a viewer', signInAs(app, 'viewer').headers],
      ['a write token of a member', tokenOf(app, signInAs(app, 'member').id)],
      ['a read token of an admin', tokenOf(app, admin.id, { scope: 'read' })],
      ['a password', { authorization: 'Basic YWRhOnNlY3JldA==' }],
      ['an empty session', cookieOf('')],
      ['a foreign page', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }],
      ...worthless(app),
    ]
    for (const [what, headers] of refused) {
      for (const path of [url, '/api/projects/unknown']) {
        const answer = await send(app, 'DELETE', path, undefined, headers)
        t.equal(answer.status, 403, `${what} (${authMode})`)
        t.strictSame(answer.body, adminOnly)
      }
    }
    t.equal(count(app, 'projects'), 1)
    const another = await createProject(app, {}, admin.headers)
    await holds(t, app, [
      ['DELETE', '/api/projects/unknown', undefined, admin.headers, 404, { error: 'Project not found' }],
      ['DELETE', url, undefined, admin.headers, 200, { success: true }],
      ['DELETE', url, undefined, admin.headers, 404, { error: 'Project not found' }],
      ['DELETE', `/api/projects/${another.id}`, undefined, tokenOf(app, admin.id), 200, { success: true }],
    ])
  }
})

t.test('a failed credential look-up is a failure, and not a missing role', async (t) => {
  const app = await build(t)
  app.db.$client.exec('alter table sessions rename column token_hash to broken')
  await holds(t, app, [
    ['DELETE', '/api/projects/x', undefined, cookieOf('x'), 500, { error: 'Failed to delete project' }],
    ['GET', '/api/projects', undefined, cookieOf('x'), 500, { error: 'Failed to fetch projects' }],
  ])
})

/** Every documented operation under /api, with ids that match nothing. */
const operations = async (app: App): Promise<[string, string][]> =>
  (await documentedOperations(app))
    .filter(({ path }) => path.startsWith('/api/'))
    .map(({ method, path }) => [method, path.replace(/\{[^}]+\}/g, 'x')])

t.test('in required mode every route under /api first needs a member', async (t) => {
  const app = await build(t, { authMode: 'required', bodyLimit: 10 })
  const seen = await operations(app)
  t.ok(seen.length >= 15)
  for (const [method, url] of seen) {
    const isSignIn = (method === 'POST' && url === '/api/session') || /^\/api\/session\/(oidc|link)/.test(url)
    const bodies = method === 'GET' || method === 'DELETE' ? [undefined] : ['{oops', '{}', 'x'.repeat(20)]
    for (const body of bodies) {
      const { status } = await send(app, method, url, body)
      if (isSignIn) t.not(status, 401, 'signing in needs no credential')
      else if (url.startsWith('/api/shared/')) t.equal(status, 404, 'a share link is its own credential')
      else t.equal(status, method === 'DELETE' && url === '/api/projects/x' ? 403 : 401, `${method} ${url}`)
    }
  }
  t.equal((await send(app, 'POST', '/api/projects', 'x', { 'content-type': 'text/plain' })).status, 401)
})

t.test('routes outside /api need no member, except for the metrics', async (t) => {
  const app = await build(t, { authMode: 'required' })
  for (const url of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
    for (const headers of [{}, cookieOf('worthless'), { authorization: 'Bearer worthless' }]) {
      t.equal((await send(app, 'GET', url, undefined, headers)).status, 200, url)
    }
  }
})

t.test('in required mode viewers read everything and change only their own things', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { headers: member } = signInAs(app, 'member')
  const { headers } = signInAs(app, 'viewer', { id: 'vera' })
  const project = await createProject(app, {}, member)
  const item = await createItem(app, project.id, {}, member)
  const before = app.db.$client.serialize()
  await holds(t, app, [
    ['POST', '/api/projects', { name: 'Mine' }, headers, 403, readOnlyRole],
    ['POST', '/api/projects', '{oops', headers, 403, readOnlyRole],
    ['PATCH', `/api/projects/${project.id}`, { name: 'Mine' }, headers, 403, readOnlyRole],
    ['PATCH', '/api/projects/unknown', {}, headers, 403, readOnlyRole],
    ['DELETE', `/api/projects/${project.id}`, undefined, headers, 403, adminOnly],
    ['POST', `/api/projects/${project.id}/kanban-items`, { title: 'Mine' }, headers, 403, readOnlyRole],
    ['PATCH', `/api/kanban-items/${item.id}`, { title: 'Mine' }, headers, 403, readOnlyRole],
    ['PATCH', '/api/kanban-items/unknown', {}, headers, 403, readOnlyRole],
    ['DELETE', `/api/kanban-items/${item.id}`, undefined, headers, 403, readOnlyRole],
    ['POST', `/api/kanban-items/${item.id}/subtasks`, { title: 'Mine' }, headers, 403, readOnlyRole],
    ['PATCH', '/api/kanban-subtasks/unknown', {}, headers, 403, readOnlyRole],
    ['DELETE', '/api/kanban-subtasks/unknown', undefined, headers, 403, readOnlyRole],
  ])
  t.ok(before.equals(app.db.$client.serialize()), 'nothing has changed')
  await holds(t, app, [
    ['GET', '/api/projects', undefined, headers, 200, [{ id: project.id }]],
    ['GET', `/api/kanban-items/${item.id}`, undefined, headers, 200, { id: item.id }],
    ['POST', '/api/personal-ideas', { title: 'Fly' }, headers, 201, { ownerId: 'vera' }],
    ['GET', '/api/personal-ideas', undefined, headers, 200, [{ title: 'Fly' }]],
    ['GET', '/api/session', undefined, headers, 200, { via: 'session' }],
    ['DELETE', '/api/session', undefined, headers, 200, { success: true }],
  ])
})

t.test('in open mode a viewer may do what everybody may', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'viewer')
  const project = await createProject(app, {}, headers)
  const item = await createItem(app, project.id, {}, headers)
  await holds(t, app, [
    ['PATCH', `/api/kanban-items/${item.id}`, { title: 'Mine' }, headers, 200, { title: 'Mine' }],
    ['DELETE', `/api/kanban-items/${item.id}`, undefined, headers, 200, { success: true }],
    ['DELETE', `/api/projects/${project.id}`, undefined, headers, 403, adminOnly],
  ])
})

t.test("admins see other members' ideas in required mode, and everybody in open mode", async (t) => {
  const other = { error: "Forbidden: another member's ideas" }
  const required = await build(t, { authMode: 'required' })
  const [ada, bob, eve] = [
    signInAs(required, 'member', { id: 'ada' }),
    signInAs(required, 'member', { id: 'bob' }),
    signInAs(required, 'admin', { id: 'eve' }),
  ]
  const vera = signInAs(required, 'viewer', { id: 'vera' })
  await send(required, 'POST', '/api/personal-ideas', { title: 'Fly' }, ada.headers)
  const adas = '/api/personal-ideas?ownerId=ada'
  await holds(t, required, [
    ['GET', adas, undefined, ada.headers, 200, [{ title: 'Fly', ownerId: 'ada' }]],
    ['GET', adas, undefined, bob.headers, 403, other],
    ['GET', adas, undefined, vera.headers, 403, other],
    ['GET', adas, undefined, tokenOf(required, 'bob', { scope: 'read' }), 403, other],
    ['GET', adas, undefined, eve.headers, 200, [{ title: 'Fly' }]],
    ['GET', adas, undefined, {}, 401, unauthenticated],
    ['GET', '/api/personal-ideas?ownerId=nobody', undefined, bob.headers, 403, other],
  ])
  for (const url of ['/api/personal-ideas', '/api/personal-ideas?ownerId=']) {
    t.strictSame((await send(required, 'GET', url, undefined, bob.headers)).body, [], 'only his own')
  }

  const open = await build(t)
  await send(
    open,
    'POST',
    '/api/personal-ideas',
    { title: 'Fly' },
    signInAs(open, 'member', { id: 'ada' }).headers,
  )
  await holds(t, open, [
    ['GET', adas, undefined, {}, 200, [{ title: 'Fly', ownerId: 'ada' }]],
    ['GET', adas, undefined, signInAs(open, 'viewer').headers, 200, [{ title: 'Fly' }]],
  ])
  t.strictSame((await send(open, 'GET', '/api/personal-ideas')).body, [])
})

t.test('a read token cannot write, with any method or owner', async (t) => {
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const seen = await operations(app)
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { id } = signInAs(app, role)
      const token = tokenOf(app, id, { scope: 'read' })
      await send(app, 'GET', '/api/projects', undefined, token)
      await allNoted(app)
      const before = app.db.$client.serialize()
      for (const [method, url] of seen) {
        if (method === 'POST' && /^\/api\/session(\/link.*)?$/.test(url)) continue
        // A batch checks this for each of its requests.
        const isBatch = url === '/api/batch'
        const sent = isBatch ? { requests: [{ method: 'POST', path: '/api/projects', body: {} }] } : {}
        const { status, body } = await send(app, method, url, method === 'GET' ? undefined : sent, token)
        const isForAdmins = /^\/api\/(audit-log|export$|webhooks|member-links)/.test(url) && role !== 'admin'
        const isForWriters = url.includes('share-links') && role === 'viewer' && authMode === 'required'
        if (method === 'GET') t.equal(status === 403, isForAdmins || isForWriters, `GET ${url}`)
        else {
          t.equal(status, 403, `${method} ${url} (${role}, ${authMode})`)
          const isDeletion = url === '/api/projects/x' && method === 'DELETE'
          const isOfMembers = url.startsWith('/api/members') && method !== 'PATCH'
          const isForAdmins =
            /^\/api\/(teams|people|webhooks|invitations|member-links)/.test(url) || isOfMembers
          const refused = isDeletion || (isForAdmins && role !== 'admin') ? adminOnly : readOnlyToken
          t.strictSame(body, refused)
        }
      }
      t.equal((await send(app, 'HEAD', '/api/projects', undefined, token)).status, 200)
      t.ok(before.equals(app.db.$client.serialize()), 'nothing has changed')
    }
  }
})

t.test('a write token has the rights of its owner, until it expires', async (t) => {
  const app = await build(t, { authMode: 'required' })
  await holds(t, app, [
    ['POST', '/api/projects', { name: 'A' }, tokenOf(app, signInAs(app, 'member').id), 201, { name: 'A' }],
    ['POST', '/api/projects', { name: 'A' }, tokenOf(app, signInAs(app, 'viewer').id), 403, readOnlyRole],
    [
      'POST',
      '/api/projects',
      { name: 'A' },
      tokenOf(app, signInAs(app, 'member').id, { expiresAt: inDays(1) }),
      201,
      { name: 'A' },
    ],
  ])
})

/** The use of credentials is recorded asynchronously, in the order of the writes. */
const allNoted = (app: App) => writeIn(app, () => app.db.$client.exec('update members set id = id'))

t.test('the last use of a token is stored, at most once a minute', async (t) => {
  const app = await build(t)
  const { id } = signInAs(app, 'member')
  const lastUse = () => app.db.select().from(apiTokens).get()?.lastUsedAt
  const token = tokenOf(app, id)
  t.equal(lastUse(), null)
  await send(app, 'GET', '/api/projects', undefined, token)
  await allNoted(app)
  const noted = lastUse()
  t.ok(Date.now() - Date.parse(String(noted)) < 10_000)
  await send(app, 'GET', '/api/projects', undefined, token)
  await allNoted(app)
  t.equal(lastUse(), noted)
  app.db
    .update(apiTokens)
    .set({ lastUsedAt: daysAgo(1) })
    .run()
  await send(app, 'GET', '/api/projects', undefined, token)
  await allNoted(app)
  t.ok(String(lastUse()) >= String(noted))
})

t.test('using a session extends it to 30 days, at most once a minute', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id } = signInAs(app, 'member')
  const dates = { createdAt: daysAgo(20), lastUsedAt: daysAgo(10), expiresAt: inDays(20) }
  const { headers, stored, token } = sessionOf(app, id, dates)
  const first = await send(app, 'GET', '/api/projects', undefined, headers)
  t.equal(first.status, 200)
  await allNoted(app)
  const { lastUsedAt, expiresAt } = stored() ?? {}
  t.ok(Date.now() - Date.parse(String(lastUsedAt)) < 10_000)
  t.equal(Date.parse(String(expiresAt)) - Date.parse(String(lastUsedAt)), 30 * DAY)
  t.match(first.headers['set-cookie'], `phaseboard_session=${token}; Path=/;`, 'the cookie lives on, too')
  t.match(first.headers['set-cookie'], new Date(String(expiresAt)).toUTCString())
  t.equal(first.headers['cache-control'], 'no-store', 'no cache may give the cookie to others')

  const second = await send(app, 'GET', '/api/projects', undefined, headers)
  t.equal(second.headers['set-cookie'], undefined)
  await allNoted(app)
  t.match(stored(), { lastUsedAt, expiresAt })
})

t.test('a session ends 90 days after its sign-in, despite use', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id } = signInAs(app, 'member')
  const createdAt = daysAgo(80)
  const dates = { createdAt, lastUsedAt: daysAgo(1), expiresAt: inDays(9) }
  const { headers, stored } = sessionOf(app, id, dates)
  t.equal((await send(app, 'GET', '/api/projects', undefined, headers)).status, 200)
  await allNoted(app)
  t.equal(Date.parse(String(stored()?.expiresAt)), Date.parse(createdAt) + 90 * DAY)

  const ended = { createdAt: daysAgo(90), lastUsedAt: daysAgo(1), expiresAt: timestamp() }
  const over = sessionOf(app, id, ended).headers
  t.equal((await send(app, 'GET', '/api/projects', undefined, over)).status, 401)
})

t.test('a session ends after 30 days without use', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id } = signInAs(app, 'member')
  const idle = sessionOf(app, id, { createdAt: daysAgo(31), lastUsedAt: daysAgo(31), expiresAt: daysAgo(1) })
  t.equal((await send(app, 'GET', '/api/projects', undefined, idle.headers)).status, 401)
  const alive = sessionOf(app, id, { createdAt: daysAgo(29), lastUsedAt: daysAgo(29), expiresAt: inDays(1) })
  t.equal((await send(app, 'GET', '/api/projects', undefined, alive.headers)).status, 200)
})

t.test('a last use that cannot be stored does not fail the request', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id } = signInAs(app, 'member')
  const dates = { createdAt: daysAgo(20), lastUsedAt: daysAgo(10), expiresAt: inDays(20) }
  const { headers, stored } = sessionOf(app, id, dates)
  const token = tokenOf(app, id)
  app.db.$client.pragma('query_only = on')
  t.equal((await send(app, 'GET', '/api/projects', undefined, headers)).status, 200)
  t.equal((await send(app, 'GET', '/api/projects', undefined, token)).status, 200)
  await t.rejects(allNoted(app))
  t.match(stored(), dates)
  app.db.$client.pragma('query_only = off')
  t.equal((await send(app, 'GET', '/api/projects', undefined, headers)).status, 200)
  await allNoted(app)
  t.not(stored()?.lastUsedAt, dates.lastUsedAt, 'the next use is noted')
})

t.test('storing the last use does not wait for another process', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const app = await build(t, { databaseUrl, adminPassword: 'correct horse' })
  const { id } = signInAs(app, 'member')
  const dates = { createdAt: daysAgo(20), lastUsedAt: daysAgo(10), expiresAt: inDays(20) }
  const { headers, stored } = sessionOf(app, id, dates)
  const token = tokenOf(app, id)
  const other = openDatabase(databaseUrl)
  t.teardown(other.close)
  other.db.$client.exec('begin immediate')
  const { $client: client } = app.db
  const waiting: string[] = []
  watch(t, client).before = (source) => {
    const isWrite = /^(begin immediate|insert|update|delete)/i.test(source)
    if (isWrite && client.pragma('busy_timeout', { simple: true }) !== 0) waiting.push(source)
  }
  t.equal((await send(app, 'GET', '/api/projects', undefined, headers)).status, 200)
  t.equal((await send(app, 'GET', '/api/projects', undefined, token)).status, 200)
  t.strictSame(waiting, [], 'no statement waits for the lock')
  t.match(stored(), { lastUsedAt: dates.lastUsedAt })
  t.equal(client.pragma('busy_timeout', { simple: true }), 5000, 'other statements wait as before')
  other.db.$client.exec('rollback')
  t.ok((await send(app, 'GET', '/api/projects', undefined, headers)).headers['set-cookie'])
})

t.test('a changed role or disabled member counts from the next request', async (t) => {
  for (const authMode of MODES) {
    // Open mode supports no proxy.
    const proxy = { authProxyHeader: 'remote-user', trustProxy: ['127.0.0.1'] }
    const app = await build(t, { authMode, ...(authMode === 'required' && proxy) })
    const { id, headers } = signInAs(app, 'member')
    const named = { 'remote-user': `${id}@example.test` }
    const credentials = [headers, tokenOf(app, id), ...(authMode === 'required' ? [named] : [])]
    const project = await createProject(app, {}, headers)
    const change = (fields: Partial<typeof members.$inferInsert>) =>
      app.db.update(members).set(fields).where(eq(members.id, id)).run()
    for (const credential of credentials) {
      const roleNow = async () =>
        (await send(app, 'GET', '/api/session', undefined, credential)).body.member.role
      const remove = ['DELETE', `/api/projects/${project.id}`, undefined, credential] as const
      change({ role: 'member' })
      t.equal(await roleNow(), 'member')
      await holds(t, app, [[...remove, 403, adminOnly]])
      change({ role: 'admin' })
      const { id: other } = await createProject(app, {}, credential)
      t.equal(await roleNow(), 'admin')
      await holds(t, app, [
        ['DELETE', `/api/projects/${other}`, undefined, credential, 200, { success: true }],
      ])
      change({ role: 'viewer' })
      const create = await send(app, 'POST', '/api/projects', { name: 'B' }, credential)
      t.equal(create.status, authMode === 'required' ? 403 : 201)
      t.equal(await roleNow(), 'viewer')
      await holds(t, app, [[...remove, 403, adminOnly]])
      change({ disabled: true })
      await holds(t, app, [
        ['GET', '/api/session', undefined, credential, 401, unauthenticated],
        ['GET', '/api/projects', undefined, credential, 401, unauthenticated],
        [...remove, 403, adminOnly],
      ])
      change({ disabled: false })
      t.equal(await roleNow(), 'viewer')
    }
  }
})

t.test('only the SHA-256 of a session token is stored', async (t) => {
  const app = await build(t)
  const { token } = signInAs(app, 'member')
  t.equal(Buffer.from(token, 'base64url').length, 32, '256 bits')
  t.equal(app.db.select().from(sessions).get()?.tokenHash, createHash('sha256').update(token).digest('hex'))
  t.notOk(app.db.$client.serialize().includes(token))
})

t.test('a change with a session needs an Origin of the service or of CORS_ORIGIN', async (t) => {
  const app = await build(t, { host: '0.0.0.0', authMode: 'open', corsOrigins: ['https://app.example'] })
  const { headers } = signInAs(app, 'member')
  const token = tokenOf(app, signInAs(app, 'member').id)
  const from = (origin: string, host = 'board.example:3000') => ({ ...headers, host, origin })
  const create = (status: number, expected: object, credential: Record<string, string>) =>
    holds(t, app, [['POST', '/api/projects', { name: 'A' }, credential, status, expected]])
  const notOfBoard = crossOriginFrom('http://board.example:3000')
  const foreign = [
    'http://evil.example',
    'null',
    'http://board.example',
    'http://board.example:3001',
    'https://board.example:3000',
    'http://board.example:3000.evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://sub.app.example',
    '',
    'nonsense',
  ]
  for (const origin of foreign) await create(403, notOfBoard, from(origin))
  t.equal(count(app, 'projects'), 0)
  await create(201, { name: 'A' }, from('http://board.example:3000'))
  await create(201, { name: 'A' }, from('https://app.example'))
  await create(201, { name: 'A' }, from('http://board.example', 'board.example'))
  await create(201, { name: 'A' }, from('http://board.example', 'board.example:80'))
  await create(201, { name: 'A' }, from('http://board.example', 'Board.Example'))
  await create(201, { name: 'A' }, { ...headers, host: 'board.example:3000' })
  await create(403, crossOriginFrom('http://not a host'), from('http://board.example', 'not a host'))
  await create(403, notOfBoard, { ...from('http://evil.example'), ...token })
  await create(201, { name: 'A' }, { ...token, origin: 'http://evil.example' })
  await create(201, { name: 'A' }, { ...token, 'sec-fetch-site': 'cross-site' })
  const site = (value: string, more = {}) => ({ ...headers, 'sec-fetch-site': value, ...more })
  await create(403, foreignOrigin, site('cross-site'))
  for (const value of ['same-site', 'same-origin', 'none']) await create(201, { name: 'A' }, site(value))
  await create(403, foreignOrigin, site('same-site', { origin: 'http://evil.example' }))
  await create(201, { name: 'A' }, site('cross-site', { origin: 'https://app.example' }))
})

t.test('a change as the default member needs it, too, since browsers send no credential', async (t) => {
  const app = await build(t, { corsOrigins: ['https://app.example'] })
  const host = 'localhost:3000'
  const own = { origin: 'http://localhost:3000' }
  let attempts = 0
  const attempt = (status: number, headers: Record<string, string>) =>
    holds(t, app, [
      ['POST', '/api/projects', '{"name":"A"}', { host, ...headers }, status, status < 400 ? {} : atPort3000],
      [
        'POST',
        '/api/session',
        { email: `${++attempts}@b.c`, password: 'x' },
        { host, ...headers },
        status < 400 ? 401 : 403,
        status < 400 ? { error: 'Invalid email or password' } : atPort3000,
      ],
    ])
  // What a page may send without a preflight.
  for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', '']) {
    const simple = { 'content-type': type }
    for (const origin of ['http://evil.example', 'null', 'http://localhost', 'https://localhost:3000', ''])
      await attempt(403, { ...simple, origin })
    await attempt(403, { ...simple, 'sec-fetch-site': 'cross-site' })
    await attempt(403, { ...simple, 'sec-fetch-site': 'cross-site', ...own })
    await attempt(201, { ...simple, 'sec-fetch-site': 'same-origin', ...own })
    await attempt(201, { ...simple, 'sec-fetch-site': 'same-site' })
    await attempt(201, { ...simple, 'sec-fetch-site': 'cross-site', origin: 'https://app.example' })
    await attempt(201, simple)
  }
  t.equal(count(app, 'projects'), 16, 'nothing was made by those refused')
})

t.test("a change with a host's session needs it, too, since browsers send its cookie", async (t) => {
  const resolveMember = () => ({ id: 'ada', role: 'admin' }) as const
  const app = await build(t, { authMode: 'required', resolveMember, corsOrigins: ['https://app.example'] })
  const create = (status: number, headers: Record<string, string>) =>
    holds(t, app, [
      ['POST', '/api/projects', { name: 'A' }, headers, status, status < 400 ? {} : foreignOrigin],
    ])
  await create(201, {})
  await create(403, { origin: 'http://evil.example' })
  await create(403, { 'sec-fetch-site': 'cross-site' })
  await create(403, { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' })
  await create(201, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' })
  await create(201, { origin: 'http://localhost', host: 'localhost' })
  // Behind its proxies a host may see another name than its public one. Browsers know whether the origin is the same.
  await create(201, { origin: 'https://host.example', 'sec-fetch-site': 'same-origin' })
})

t.test('every changing method needs that Origin, and no reading one', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const evil = { ...headers, origin: 'http://evil.example' }
  await holds(t, app, [
    ['PATCH', `/api/projects/${project.id}`, { name: 'B' }, evil, 403, foreignOrigin],
    ['DELETE', `/api/projects/${project.id}`, undefined, evil, 403, foreignOrigin],
    ['DELETE', `/api/kanban-items/${item.id}`, undefined, evil, 403, foreignOrigin],
    ['DELETE', '/api/session', undefined, evil, 403, foreignOrigin],
    ['POST', '/api/session', { email: 'a@b.c', password: 'x' }, evil, 403, foreignOrigin],
    [
      'GET',
      '/api/projects',
      undefined,
      { ...evil, 'sec-fetch-site': 'cross-site' },
      200,
      [{ name: 'Apollo' }],
    ],
    ['GET', '/api/projects', undefined, evil, 200, [{ name: 'Apollo' }]],
    ['HEAD', '/api/projects', undefined, evil, 200, ''],
  ])
})

t.test("behind TLS, the trusted proxy's headers give the own origin", async (t) => {
  const app = await build(t, { authMode: 'required', trustProxy: ['127.0.0.1'] })
  const { headers } = signInAs(app, 'member')
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'board.example' }
  const origin = 'https://board.example'
  await holds(t, app, [
    ['POST', '/api/projects', { name: 'A' }, { ...headers, ...forwarded, origin }, 201, { name: 'A' }],
    ['POST', '/api/projects', { name: 'A' }, { ...headers, origin }, 403, foreignOrigin],
  ])
  const trusting = await build(t, { authMode: 'required', trustProxy: ['10.0.0.1'] })
  const session = signInAs(trusting, 'member').headers
  await holds(t, trusting, [
    ['POST', '/api/projects', { name: 'A' }, { ...session, ...forwarded, origin }, 403, foreignOrigin],
  ])
})

t.test('a route under /api without declared access is not registered', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const handler = async () => 'secret'
  t.throws(() => app.get('/api/secrets', handler), {
    message: 'GET /api/secrets does not declare its access',
  })
  t.throws(
    () => app.post('/api/secrets', { config: { failure: 'x' } }, handler),
    /does not declare its access/,
  )
  await t.rejects(
    async () => app.register(async (scope) => scope.delete('/deep', handler), { prefix: '/api/x' }),
    {
      message: 'DELETE /api/x/deep does not declare its access',
    },
  )
})

t.test('another route is public by default, and enforces a declared access', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent', authMode: 'required' })
  t.teardown(() => app.close())
  app.get('/about', async () => 'about')
  app.get('/reports', { config: { access: 'read' } }, async () => 'reports')
  app.get('/api/reports', { config: { access: 'public' } }, async () => 'public reports')
  const status = async (url: string, headers = {}) => (await app.inject({ url, headers })).statusCode
  t.equal(await status('/about'), 200)
  t.equal(await status('/reports'), 401)
  t.equal(await status('/api/reports'), 200)
  t.equal(await status('/reports', signInAs(app as App, 'viewer').headers), 200)
})

t.test('the body is validated after the credential', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { headers } = signInAs(app, 'member')
  await holds(t, app, [
    [
      'POST',
      '/api/projects',
      { name: '' },
      headers,
      400,
      invalid({ name: ['must NOT have fewer than 1 characters'] }),
    ],
  ])
})
