/**
 * Known attacks on services of this kind, each as a named test. Other tests cover the same rules in detail; this one only shows
 * the attack.
 */
import { createRequire } from 'node:module'
import t, { type Test } from 'tap'
import { hashPassword } from '../src/members/passwords.ts'
import { hashToken } from '../src/members/secrets.ts'
import { timestamp } from '../src/time.ts'
import { columnNamed, everything } from './boards.ts'
import { watch } from './executions.ts'
import {
  type App,
  addMember,
  auditTrail,
  authenticationRequired,
  build,
  count,
  createItem,
  createProject,
  holds,
  keepLog,
  LONG_AGO,
  type Row,
  readOnly,
  seed,
  send,
  signInAs,
  stored,
  tokenOf,
  writeIn,
} from './helper.ts'
import { dial } from './process.ts'
import { shipped } from './shipped.ts'

const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'staple staple staple'
const invalidCredentials = { error: 'Invalid email or password' }
const readToken = { error: 'Forbidden: read-only token' }
const adminOnly = { error: 'Forbidden: admin access required' }

/** The hash of every password check. The library is patched before anything loads it. */
const verifications: string[] = []
const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
const { verify } = argon2
argon2.verify = (hash: string, ...rest: unknown[]) => {
  verifications.push(hash)
  return verify(hash, ...rest)
}

let passwordHash: string
t.before(async () => {
  passwordHash = await hashPassword(PASSWORD)
})

type Headers = Record<string, string>

/** Creates a member who can sign in with {@link PASSWORD}. @returns the id */
const enrol = (app: App, email: string, fields: Parameters<typeof addMember>[2] = {}) =>
  addMember(app, email, { passwordHash, ...fields })

const signIn = (app: App, email: string, password = PASSWORD, headers: Headers = {}) =>
  send(app, 'POST', '/api/session', { email, password }, headers)

/** The cookies that a browser would send back after a response. */
const cookieOf = ({ headers }: { headers: Record<string, unknown> }): Headers => ({
  cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '',
})

/** A project with one child record of every kind. @returns their ids */
async function boardOf(app: App, headers?: Headers) {
  const { id: project } = await createProject(app, {}, headers)
  const { id: item } = await createItem(app, project, {}, headers)
  const { body: subtask } = await send(
    app,
    'POST',
    `/api/kanban-items/${item}/subtasks`,
    { title: 'Step' },
    headers,
  )
  const { id: column } = await columnNamed(app, project, 'Done', headers)
  return {
    project: String(project),
    item: String(item),
    subtask: String(subtask.id),
    column,
    ...seed(app, project, item),
  }
}

t.test('child id not bound to its parent: a child cannot be reached through another parent', async (t) => {
  const app = await build(t)
  const { project, item } = await boardOf(app)
  const other = await boardOf(app)
  const before = everything(app)
  const items = (id: string, fields = {}) => ({ items: [{ id, sortOrder: 9, ...fields }] })
  for (const [method, url, body] of [
    ['PUT', `/api/kanban-items/${item}/labels/${other.label}`],
    ['DELETE', `/api/kanban-items/${item}/labels/${other.label}`],
    ['POST', `/api/kanban-items/${item}/subtasks/reorder`, items(other.subtask)],
    ['POST', `/api/projects/${project}/kanban-items/reorder`, items(other.item, { column: 'Done' })],
    ['POST', `/api/projects/${project}/kanban-columns/reorder`, items(other.column)],
    ['POST', `/api/kanban-items/${item}/move`, { beforeId: other.item }],
    ['POST', `/api/kanban-items/${item}/move`, { afterId: other.item }],
  ] as const) {
    const { status } = await send(app, method, url, body)
    t.ok(status === 404 || status === 400, `${method} ${url}: ${status}`)
  }
  t.strictSame(everything(app), before)
})

t.test("somebody else's record by its id: ideas, sessions and tokens of others are not found", async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const victim = signInAs(app, 'member')
    const { headers } = signInAs(app, 'member')
    const idea = (await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' }, victim.headers)).body.id
    const token = (await send(app, 'POST', '/api/tokens', { name: 'CI' }, victim.headers)).body.id
    const session = (await send(app, 'GET', '/api/sessions', undefined, victim.headers)).body[0].id
    const before = app.db.$client.serialize()
    for (const [url, thing] of [
      [`/api/personal-ideas/${idea}`, 'Personal idea'],
      [`/api/tokens/${token}`, 'Token'],
      [`/api/sessions/${session}`, 'Session'],
    ]) {
      for (const method of ['GET', 'DELETE']) {
        await holds(t, app, [[method, url ?? '', undefined, headers, 404, { error: `${thing} not found` }]])
      }
    }
    await holds(t, app, [
      [
        'PATCH',
        `/api/personal-ideas/${idea}`,
        { title: 'Mine' },
        headers,
        404,
        { error: 'Personal idea not found' },
      ],
      ['POST', `/api/personal-ideas/${idea}/promote`, {}, headers, 404, { error: 'Personal idea not found' }],
      [
        'POST',
        '/api/personal-ideas/reorder',
        { items: [{ id: idea, sortOrder: 1 }] },
        headers,
        404,
        { error: 'Personal idea not found', details: { missing: [idea] } },
      ],
    ])
    t.ok(app.db.$client.serialize().equals(before))
  }
})

t.test(
  'forged ownerId, authorId, actorId, memberId and role in bodies: the caller stays who it is',
  async (t) => {
    const app = await build(t, { authMode: 'required' })
    const { id, headers } = signInAs(app, 'member')
    const { id: victim } = signInAs(app, 'admin')
    const forged = {
      id: 'mine',
      ownerId: victim,
      authorId: victim,
      actorId: victim,
      memberId: victim,
      member: { id: victim, role: 'admin' },
      role: 'admin',
      via: 'host',
    }
    const { id: project } = await createProject(app, forged, headers)
    const { id: item } = await createItem(app, project, forged, headers)
    const post = async (url: string, body: object) => (await send(app, 'POST', url, body, headers)).body.id
    const idea = await post('/api/personal-ideas', { title: 'Fly', ...forged })
    const comment = await post(`/api/kanban-items/${item}/comments`, { content: 'Hm', ...forged })
    const token = await post('/api/tokens', { name: 'CI', ...forged })
    await send(app, 'PATCH', `/api/kanban-items/${item}`, { column: 'Done', ...forged }, headers)
    await send(app, 'PATCH', `/api/personal-ideas/${idea}`, { title: 'Dive', ...forged }, headers)
    await send(app, 'PATCH', `/api/kanban-comments/${comment}`, { content: 'Well', ...forged }, headers)
    t.equal(stored(app, 'personal_ideas', idea).owner_id, id)
    t.equal(stored(app, 'kanban_comments', comment).author_id, id)
    t.equal(stored(app, 'api_tokens', token).member_id, id)
    t.equal(count(app, 'kanban_activity', 'actor_id = ?', id), 1)
    t.equal(count(app, 'kanban_activity', 'actor_id = ?', victim), 0)
    t.equal(stored(app, 'members', id).role, 'member')

    const email = 'bob@example.test'
    const bob = enrol(app, email)
    const answer = await send(app, 'POST', '/api/session', { ...forged, email, password: PASSWORD })
    t.match(answer.body.member, { id: bob, role: 'member' })
    t.match(
      (await send(app, 'GET', '/api/session', forged, cookieOf(answer))).body,
      { member: { id: bob, role: 'member' }, via: 'session' },
      'nor does a body that nobody asked for',
    )
    t.strictSame(
      auditTrail(app).map(([actor]) => actor),
      [id, bob],
    )
  },
)

t.test('right to read used to delete: a read-only caller can delete nothing', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id, headers } = signInAs(app, 'member')
  const board = await boardOf(app, headers)
  const before = everything(app)
  const readers = [
    [tokenOf(app, id, { scope: 'read', lastUsedAt: timestamp() }), readToken],
    [signInAs(app, 'viewer').headers, readOnly],
  ] as const
  for (const url of [
    `/api/kanban-items/${board.item}`,
    `/api/kanban-subtasks/${board.subtask}`,
    `/api/kanban-columns/${board.column}`,
    `/api/kanban-comments/${board.comment}`,
    `/api/kanban-labels/${board.label}`,
    `/api/metrics/${board.metric}`,
    `/api/objectives/${board.objective}`,
    `/api/transcript-summaries/${board.transcript}`,
  ]) {
    for (const [reader, error] of readers) {
      const override = { ...reader, 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE' }
      await holds(t, app, [
        ['DELETE', url, undefined, reader, 403, error],
        ['GET', `${url}?_method=DELETE`, undefined, override, 200, {}],
        ['POST', `${url}?_method=DELETE`, undefined, override, 405, { error: 'Method not allowed' }],
      ])
    }
  }
  t.strictSame(everything(app), before)
})

t.test('token scope ignoring the method: a read token is refused for every unsafe method', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const { id, headers } = signInAs(app, 'admin')
    const { project, item, label } = await boardOf(app, headers)
    const token = tokenOf(app, id, { scope: 'read', lastUsedAt: timestamp() })
    const before = everything(app)
    await holds(t, app, [
      ['POST', '/api/projects', { name: 'Mine' }, token, 403, readToken],
      ['PATCH', `/api/projects/${project}`, { name: 'Mine' }, token, 403, readToken],
      ['PUT', `/api/kanban-items/${item}/labels/${label}`, undefined, token, 403, readToken],
      ['DELETE', `/api/kanban-items/${item}`, undefined, token, 403, readToken],
      ['DELETE', `/api/projects/${project}`, undefined, token, 403, adminOnly],
      ['POST', '/api/teams', { name: 'Mine' }, token, 403, readToken],
      ['POST', '/api/tokens', { name: 'Mine', scope: 'write' }, token, 403, readToken],
      ['GET', `/api/projects/${project}`, undefined, token, 200, { name: 'Apollo' }],
      ['HEAD', `/api/projects/${project}`, undefined, token, 200, ''],
    ])
    t.strictSame(everything(app), before)
    t.equal(count(app, 'api_tokens') + count(app, 'teams'), 1)
  }
})

t.test('changed role or disabled member: the change applies from the next request', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id, headers } = signInAs(app, 'admin')
  const token = tokenOf(app, id)
  const { id: project } = await createProject(app, {}, headers)
  const set = (change: string) => app.db.$client.prepare(`update members set ${change} where id = ?`).run(id)
  const rows = (status: number, error: object): Row[] =>
    [headers, token].map((credential) => ['POST', '/api/projects', { name: 'A' }, credential, status, error])
  await holds(t, app, rows(201, { name: 'A' }))
  set(`role = 'member'`)
  for (const credential of [headers, token]) {
    await holds(t, app, [['DELETE', `/api/projects/${project}`, undefined, credential, 403, adminOnly]])
  }
  set(`role = 'viewer'`)
  await holds(t, app, rows(403, readOnly))
  set('disabled = 1')
  await holds(t, app, rows(401, authenticationRequired))
})

t.test('lock-out used against the victim: failures from other addresses lock nobody out', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  const attempt = (password: string, remoteAddress: string) =>
    app.inject({
      method: 'POST',
      url: '/api/session',
      payload: { email: 'ada@example.test', password },
      remoteAddress,
    })
  const failures = await Promise.all(Array.from({ length: 15 }, () => attempt('wrong', '192.0.2.66')))
  t.equal(
    failures.filter(({ statusCode }) => statusCode === 401).length,
    10,
    'not even guesses at the same time slip through',
  )
  t.equal((await attempt(PASSWORD, '192.0.2.66')).statusCode, 429)
  t.equal((await attempt(PASSWORD, '192.0.2.1')).statusCode, 201)
})

/** Headers in which proxies send a client's address, and which a client may forge. */
const forwarded = (client: string): Headers => ({
  'x-forwarded-for': client,
  'x-real-ip': client,
  'x-client-ip': client,
  'true-client-ip': client,
  'cf-connecting-ip': client,
  forwarded: `for=${client}`,
})

t.test('spoofed X-Forwarded-For: limits and the audit log use the address of the socket', async (t) => {
  // There is no trusted proxy, or the trusted one is not the peer.
  for (const trustProxy of [false, ['10.0.0.1']]) {
    const app = await build(t, { authMode: 'required', trustProxy, rateLimitMax: 15 })
    const statuses: number[] = []
    for (let attempt = 1; attempt <= 16; attempt++) {
      const headers = forwarded(`198.51.100.${attempt}`)
      statuses.push((await signIn(app, 'ada@example.test', 'wrong', headers)).status)
    }
    t.equal(statuses.indexOf(429), 10, 'ten failures for one account')
    t.equal((await send(app, 'GET', '/api/projects', undefined, forwarded('203.0.113.1'))).status, 429)
    t.equal(count(app, 'audit_log', `address <> '127.0.0.1'`), 0)
    t.equal(count(app, 'audit_log'), 10)
  }
})

t.test('spoofed proxy header: it signs nobody in', async (t) => {
  const app = await build(t, { authMode: 'required' })
  signInAs(app, 'admin', { id: 'ada' })
  // If such a header is configured, only the proxy may send it.
  const behind = await build(t, {
    authMode: 'required',
    authProxyHeader: 'Remote-User',
    trustProxy: ['10.0.0.1'],
  })
  signInAs(behind, 'admin', { id: 'ada' })
  const claim = { ...forwarded('10.0.0.1'), 'remote-user': 'ada@example.test' }
  await holds(t, behind, [['GET', '/api/session', undefined, claim, 401, authenticationRequired]])
  for (const name of [
    'remote-user',
    'x-remote-user',
    'x-forwarded-user',
    'x-forwarded-email',
    'x-auth-request-email',
    'x-authenticated-user',
    'x-webauth-user',
    'x-user-id',
    'x-member-id',
  ]) {
    for (const value of ['ada', 'ada@example.test']) {
      await holds(t, app, [
        ['GET', '/api/session', undefined, { [name]: value }, 401, authenticationRequired],
      ])
    }
  }
})

t.test('user enumeration by body or status: every failed sign-in returns the same response', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  enrol(app, 'disabled@example.test', { disabled: true })
  enrol(app, 'passwordless@example.test', { passwordHash: null })
  const answers = []
  for (const [email, password] of [
    ['nobody@example.test', 'wrong'],
    ['ada@example.test', 'wrong'],
    ['disabled@example.test', PASSWORD],
    ['passwordless@example.test', PASSWORD],
  ] as const) {
    const { headers, ...answer } = await signIn(app, email, password)
    answers.push({ ...answer, headers: Object.keys(headers).toSorted(), length: headers['content-length'] })
  }
  t.match(answers[0], { status: 401, body: invalidCredentials })
  for (const answer of answers) t.strictSame(answer, answers[0])
})

t.test('user enumeration by time: an unknown email takes as long as a known one', async (t) => {
  const app = await build(t)
  enrol(app, 'ada@example.test')
  enrol(app, 'disabled@example.test', { disabled: true })
  enrol(app, 'passwordless@example.test', { passwordHash: null })
  // The first sign-in creates the dummy hash for unknown members.
  await signIn(app, 'first@example.test')
  await writeIn(app, () => undefined)
  const executions = watch(t, app.db.$client, { isOwn: true })
  const costs = []
  for (const name of ['nobody', 'ada', 'disabled', 'passwordless']) {
    verifications.length = 0
    executions.log.length = 0
    await signIn(app, `${name}@example.test`, 'wrong')
    await writeIn(app, () => undefined)
    costs.push({
      // A hash of the same length, with the same algorithm and parameters.
      verified: verifications.map((hash) => [hash.split('$').slice(0, 4).join('$'), hash.length]),
      executed: [...executions.log],
    })
  }
  t.match(costs[0]?.verified, [[/^\$argon2id\$v=19\$m=19456,t=2,p=1$/, Number]])
  t.ok(costs[0]?.executed.length)
  for (const cost of costs) t.strictSame(cost, costs[0])
})

t.test('session fixation: a sign-in never reuses an existing token', async (t) => {
  const app = await build(t, { authMode: 'required' })
  enrol(app, 'ada@example.test')
  const planted = { cookie: `phaseboard_session=${'A'.repeat(43)}` }
  const whoAmI = async (headers: Headers) =>
    (await send(app, 'GET', '/api/session', undefined, headers)).status

  const first = cookieOf(await signIn(app, 'ada@example.test', PASSWORD, planted))
  t.not(first.cookie, planted.cookie)
  t.strictSame([await whoAmI(planted), await whoAmI(first)], [401, 200])

  const attacker = signInAs(app, 'member').headers
  const second = cookieOf(await signIn(app, 'ada@example.test', PASSWORD, attacker))
  t.strictSame([await whoAmI(attacker), await whoAmI(second)], [401, 200], "an attacker's own session ends")

  const third = cookieOf(await signIn(app, 'ada@example.test', PASSWORD, second))
  t.equal(new Set([first, second, third].map(({ cookie }) => cookie)).size, 3)
  t.strictSame([await whoAmI(second), await whoAmI(third)], [401, 200], 'the one before ends')
  for (const url of [
    '/api/session?phaseboard_session=',
    '/api/session?token=',
    '/api/session?access_token=',
  ]) {
    const token = third.cookie?.split('=')[1]
    t.equal((await send(app, 'GET', url + token)).status, 401, 'no credential travels in a URL')
  }
})

t.test('secrets in any response or log: no secret of a long scenario appears in one', async (t) => {
  const password = 's3cr3t-password'
  const { logStream, log } = keepLog()
  const app = await build(t, { authMode: 'required', logLevel: 'trace', logStream, adminPassword: password })
  let answers = ''
  const secrets: string[] = []
  /** Records a secret. Only the response that creates it may contain it. */
  const keep = (secret: string) => {
    secrets.push(secret, hashToken(secret))
    return secret
  }
  async function exchange(method: string, url: string, body?: unknown, headers?: Headers) {
    const answer = await send(app, method, url, body, headers)
    const { 'set-cookie': setCookie = '', ...others } = answer.headers
    const token = /^phaseboard_session=([^;]+);/.exec(String(setCookie))?.[1]
    if (token) keep(token)
    const isNewToken = method === 'POST' && url === '/api/tokens' && answer.status === 201
    const shown = isNewToken ? { ...answer.body, token: keep(answer.body.token).slice(0, 4) } : answer.body
    answers += `${JSON.stringify([answer.status, others, shown])}\n`
    return answer
  }

  const wrong = keep('s3cr3t-guess')
  const email = 'admin@localhost'
  keep(password)
  await exchange('POST', '/api/session', { email, password: wrong })
  await exchange('POST', '/api/session', { email: wrong, password: wrong })
  await exchange('POST', '/api/session', `{"email":"${email}","password":"${wrong}"`)
  await exchange('POST', '/api/session', { email, password: { secret: wrong } })
  const admin = cookieOf(await exchange('POST', '/api/session', { email, password }))
  const { body: made } = await exchange('POST', '/api/tokens', { name: 'CI', scope: 'write' }, admin)
  const bearer = { authorization: `Bearer ${made.token}` }
  for (const credential of [admin, bearer]) {
    for (const url of [
      'session',
      'sessions',
      'tokens',
      `tokens/${made.id}`,
      'members',
      'audit-log',
      'projects',
    ]) {
      await exchange('GET', `/api/${url}`, undefined, credential)
    }
    await exchange('POST', '/api/projects', { name: 'Apollo', password: wrong, token: wrong }, credential)
    await exchange('POST', '/api/tokens', { name: 'more' }, credential)
    await exchange('POST', '/api/tokens', { name: '', token: wrong }, credential)
  }
  for (const authorization of [`Bearer ${wrong}`, `Basic ${wrong}`, wrong]) {
    await exchange('GET', '/api/projects', undefined, { authorization })
    await exchange('DELETE', '/api/projects/none', undefined, { authorization })
  }
  await exchange('GET', `/api/projects?token=${wrong}`, undefined, { cookie: `phaseboard_session=${wrong}` })
  app.db.$client.exec(`update sessions set last_used_at = '${LONG_AGO}'`)
  await exchange('GET', '/api/session', undefined, admin)
  app.db.$client.exec(`
    create trigger broken_tokens before insert on api_tokens begin select raise(abort, 'no'); end;
    create trigger broken_sessions before insert on sessions begin select raise(abort, 'no'); end`)
  t.equal((await exchange('POST', '/api/tokens', { name: 'CI' }, admin)).status, 500)
  t.equal((await exchange('POST', '/api/session', { email, password })).status, 500)
  await exchange('DELETE', `/api/tokens/${made.id}`, undefined, admin)
  await exchange('DELETE', '/api/session', undefined, admin)
  const { headers: documented } = await exchange('GET', '/openapi.json')
  t.match(documented['content-type'], 'application/json')

  const hashes = app.db.$client.prepare('select password_hash from members').pluck().all() as string[]
  t.ok(log().includes('Failed to create token'), 'the failures are logged')
  t.ok(secrets.length >= 10)
  for (const secret of [...secrets, ...hashes]) {
    t.notOk(log().includes(secret), `not in the log: ${secret}`)
    t.notOk(answers.includes(secret), `in no answer: ${secret}`)
  }
  t.notMatch(answers, /\$argon2|passwordHash|tokenHash|password_hash|token_hash/)
  t.notMatch(log(), /\$argon2|s3cr3t/)
})

t.test('open redirect: no response redirects to another site', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const places = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
  ]
  const urls = [
    '/',
    '/projects/evil.example',
    '/sign-in',
    '/search',
    '/assets/main.js',
    '/docs',
    '/docs/',
    '/docs/static',
    '/docs/json',
    '/healthz',
    '/openapi.json',
    '/api',
    '/api/',
    '/api/projects',
  ]
  for (const url of [
    ...urls,
    ...places,
    ...places.map((place) => `${place}/..`),
    ...urls.map((url) => `${url}?next=//evil.example&redirect=//evil.example&returnTo=//evil.example`),
    ...places.map((place) => `/docs${place}`),
    ...places.map((place) => `/assets${place}`),
  ]) {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
      const answer = await app.inject({ method: method as 'GET', url, headers })
      const { location, refresh } = answer.headers
      t.strictSame([location, refresh], [undefined, undefined], `${method} ${url}`)
      t.notOk(answer.statusCode >= 300 && answer.statusCode < 400, `${method} ${url}`)
    }
  }
  enrol(app, 'ada@example.test')
  const signedIn = await signIn(app, 'ada@example.test', PASSWORD, { referer: 'http://evil.example/' })
  t.strictSame([signedIn.status, signedIn.headers.location], [201, '/api/session'])
})

t.test(
  "open redirect: the link to the next page stays on this site, whatever the request's host name",
  async (t) => {
    const app = await build(t, {}, shipped.buildApp)
    await createProject(app)
    await createProject(app)
    await app.listen({ port: 0 })
    const { port } = app.server.address() as { port: number }
    for (const [target, host] of [
      ['/api/projects?limit=1', 'evil.example'],
      ['http://evil.example/api/projects?limit=1', 'evil.example'],
      ['http://evil.example/api/projects?limit=1', 'localhost'],
      ['//evil.example/api/projects?limit=1', 'localhost'],
    ]) {
      const { socket, received } = await dial(t, port)
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
      )
      const [head = ''] = (await received).split('\r\n\r\n')
      t.notMatch(head, 'evil', `${target} of ${host}`)
      t.notMatch(head, /^HTTP\/1.1 [35]/)
    }
  },
)

t.test(
  'prototype keys: in bodies, queries, column names and ids they are ordinary names, or refused',
  async (t) => {
    const app = await build(t)
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    const { headers } = signInAs(app, 'member')
    const { id: project } = await createProject(app, {}, headers)
    for (const body of [
      '{"name":"x","__proto__":{"role":"admin","polluted":true}}',
      '{"name":"x","constructor":{"prototype":{"role":"admin","polluted":true}}}',
      '{"name":"x","metadata":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}',
      JSON.stringify({ name: 'x', metadata: '{"__proto__":{"polluted":true}}' }),
      '{"__proto__":{"name":"inherited"}}',
      '{"toString":"x","hasOwnProperty":"x","valueOf":"x","name":"x"}',
    ]) {
      const { status, body: answer } = await send(app, 'POST', '/api/projects', body, headers)
      t.ok([201, 400, 500].includes(status), `${body}: ${status}`)
      if (status === 500) t.strictSame(answer, { error: 'Failed to create project' })
      t.notOk('polluted' in (answer.metadata ?? {}))
    }
    for (const [name, number] of names.map((name, index) => [name, index] as const)) {
      const item = await createItem(app, project, {
        column: name,
        title: name,
        metadata: { [`x${number}`]: name },
      })
      t.equal(item.column, name)
      const label = await send(app, 'POST', `/api/projects/${project}/kanban-labels`, { name })
      t.match(label, { status: 201, body: { name } })
      await holds(t, app, [
        ['PUT', `/api/kanban-items/${item.id}/labels/${label.body.id}`, 200, { labels: [label.body] }],
        ['GET', `/api/projects/${project}/kanban-items?column=${name}`, 200, [{ id: item.id }]],
        ['GET', `/api/projects/${project}/kanban-items?label=${name}`, 200, [{ id: item.id }]],
        ['GET', `/api/projects/${name}`, 404, { error: 'Project not found' }],
        [
          'GET',
          `/api/projects?${name}[polluted]=true&${name}=x`,
          undefined,
          headers,
          200,
          [{}, {}, {}, {}, {}, {}].slice(0, count(app, 'projects')),
        ],
        [
          'POST',
          '/api/projects/reorder',
          { items: [{ id: name, sortOrder: 1 }] },
          404,
          { error: 'Project not found', details: { missing: [name] } },
        ],
        ['POST', '/api/session', { email: name, password: name }, 401, invalidCredentials],
        [
          'GET',
          '/api/session',
          undefined,
          { cookie: `${name}=x; phaseboard_session=${name}` },
          401,
          authenticationRequired,
        ],
      ])
    }
    const { body: summaries } = await send(app, 'GET', '/api/projects?view=summary')
    const counted = summaries.find((one: { id: string }) => one.id === project).counts.columns
    for (const name of names) t.equal(Object.getOwnPropertyDescriptor(counted, name)?.value, 1, name)
    t.equal(({} as Record<string, unknown>).polluted, undefined)
    t.equal(({} as Record<string, unknown>).role, undefined)
    t.match((await send(app, 'GET', '/api/session', undefined, headers)).body.member, { role: 'member' })
  },
)

t.test('header injection: no line break of a client gets into a header', async (t) => {
  const evil = 'x\r\nset-cookie: evil=1\r\n\r\n<b>'
  const app = await build(t, { corsOrigins: ['https://app.example'] })
  const { headers } = signInAs(app, 'admin')
  const { project } = await boardOf(app, headers)
  await createItem(app, project, { title: evil, column: evil, assigneeId: evil, priority: evil })
  await createItem(app, project, { title: evil, column: evil, assigneeId: evil, priority: evil })
  await createProject(app, { name: evil, status: evil, teamId: evil })
  await createProject(app, { name: evil, status: evil, teamId: evil })
  const coded = encodeURIComponent(evil)
  const requests: [string, string, unknown?, Headers?][] = [
    ['GET', `/api/projects?limit=1&status=${coded}&teamId=${coded}&x=${coded}&${coded}=1`],
    [
      'GET',
      `/api/projects/${project}/kanban-items?limit=1&column=${coded}&priority=${coded}&assigneeId=${coded}&q=${coded}`,
    ],
    ['GET', `/api/kanban-items?limit=1&q=${coded}`],
    ['GET', `/api/projects?cursor=${coded}`],
    ['GET', `/api/projects/${coded}`],
    ['POST', `/api/projects/${coded}`],
    ['GET', `/${coded}`],
    ['GET', `/docs/${coded}`],
    ['GET', `/projects/${coded}`],
    ['GET', `/sign-in?to=${coded}`],
    ['GET', `/assets/${coded}`],
    ['POST', '/api/tokens', { name: evil }, headers],
    ['POST', '/api/teams', { name: evil, description: evil, memberIds: [evil] }, headers],
    ['POST', '/api/session', { email: evil, password: evil }],
    ['GET', '/api/session', undefined, { cookie: `phaseboard_session=${coded}` }],
    ['GET', '/api/session', undefined, { authorization: `Bearer ${coded}` }],
    ['GET', '/api/projects', undefined, { origin: `https://app.example${coded}` }],
    ['GET', `/api/projects/${project}`, undefined, { 'if-none-match': `"${coded}"` }],
    ['PATCH', `/api/projects/${project}`, { name: evil }, { 'x-request-id': coded }],
  ]
  const paged = []
  for (const [method, url, body, credential] of requests) {
    const answer = await send(app, method, url, body, credential)
    t.ok(answer.status < 500, `${method} ${url}: ${answer.status}`)
    if (answer.headers.link) paged.push(answer.headers.link)
    for (const [name, value] of Object.entries(answer.headers)) {
      t.notMatch(`${name}: ${value}`, /[\r\n]|evil=1/, `${method} ${url}: ${name}`)
    }
  }
  t.equal(paged.length, 4, 'what was asked for is repeated in a header, in code')
})

/** A member with two sessions and a token, and an admin. */
async function enrolment(t: Test) {
  const app = await build(t, { authMode: 'required' })
  const email = 'ada@example.test'
  const id = enrol(app, email)
  const here = cookieOf(await signIn(app, email))
  const elsewhere = cookieOf(await signIn(app, email))
  const token = tokenOf(app, id)
  const admin = signInAs(app, 'admin').headers
  const change = (body: object, by: Headers) => send(app, 'PATCH', `/api/members/${id}`, body, by)
  const statuses = async (...credentials: Headers[]) => {
    const found = []
    for (const credential of credentials) {
      found.push((await send(app, 'GET', '/api/projects', undefined, credential)).status)
    }
    return found
  }
  return { app, email, id, here, elsewhere, token, admin, change, statuses }
}

t.test(
  'session alive after a password change: all other sessions end, and the old password is invalid',
  async (t) => {
    const { app, email, here, elsewhere, change, statuses } = await enrolment(t)
    t.equal((await change({ password: NEW_PASSWORD, currentPassword: PASSWORD }, here)).status, 200)
    t.strictSame(await statuses(here, elsewhere), [200, 401])
    t.equal((await signIn(app, email, PASSWORD)).status, 401)
    t.equal((await signIn(app, email, NEW_PASSWORD)).status, 201)
  },
)

t.test('session alive after a password reset: all sessions end', async (t) => {
  const { app, email, here, elsewhere, admin, change, statuses } = await enrolment(t)
  t.equal((await change({ password: NEW_PASSWORD }, admin)).status, 200)
  t.strictSame(await statuses(here, elsewhere), [401, 401])
  t.equal((await signIn(app, email, PASSWORD)).status, 401)
})

t.test('password changed in an open session: this needs the current password', async (t) => {
  const { app, email, here, token, change } = await enrolment(t)
  for (const credential of [here, token]) {
    t.equal((await change({ password: NEW_PASSWORD }, credential)).status, 400)
    t.equal((await change({ password: NEW_PASSWORD, currentPassword: 'wrong' }, credential)).status, 400)
  }
  t.equal((await signIn(app, email, PASSWORD)).status, 201)
})

t.test('session alive after a role change: it has the new role', async (t) => {
  const { app, here, elsewhere, token, admin, change } = await enrolment(t)
  t.equal((await change({ role: 'viewer' }, admin)).status, 200)
  for (const credential of [here, elsewhere, token]) {
    await holds(t, app, [['POST', '/api/projects', { name: 'A' }, credential, 403, readOnly]])
  }
})

t.test('session alive after disabling: it ends, and enabling does not restore it', async (t) => {
  const { app, email, here, elsewhere, token, admin, change, statuses } = await enrolment(t)
  t.equal((await change({ disabled: true }, admin)).status, 200)
  t.strictSame(await statuses(here, elsewhere, token), [401, 401, 401])
  t.equal((await signIn(app, email)).status, 401)
  t.equal((await change({ disabled: false }, admin)).status, 200)
  t.strictSame(await statuses(here, elsewhere), [401, 401])
  t.equal((await signIn(app, email)).status, 201)
})

t.test('reset re-enabling a disabled member: a new password does not let the member in', async (t) => {
  const { app, email, token, admin, change, statuses } = await enrolment(t)
  await change({ disabled: true }, admin)
  t.match(await change({ password: NEW_PASSWORD }, admin), { status: 200, body: { disabled: true } })
  for (const password of [PASSWORD, NEW_PASSWORD]) {
    t.equal((await signIn(app, email, password)).status, 401)
  }
  t.strictSame(await statuses(token), [401])
})

t.test(
  'role forged in the own record: the change is refused, and other server-owned fields are ignored',
  async (t) => {
    const { app, id, here, token, change } = await enrolment(t)
    const before = stored(app, 'members', id)
    for (const credential of [here, token]) {
      for (const forged of [{ role: 'admin' }, { disabled: false }, { email: 'root@example.test' }]) {
        t.match(await change({ name: 'Root', ...forged }, credential), { status: 403, body: adminOnly })
      }
      const ignored = { id: 'root', passwordHash, password_hash: passwordHash, createdAt: LONG_AGO }
      t.equal((await change(ignored, credential)).status, 200)
    }
    t.strictSame(stored(app, 'members', id), before)
  },
)
