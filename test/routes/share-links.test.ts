/** Share links: who makes and revokes them, and what whoever has one reads. */
import Fastify from 'fastify'
import t from 'tap'
import { FAILURES, READS } from '../../src/access/share-limits.ts'
import { buildApp, phaseboard } from '../../src/app.ts'
import { shareLinks } from '../../src/db/schema.ts'
import { hashToken, newToken } from '../../src/members/secrets.ts'
import { SHARE_LINKS_LIMIT } from '../../src/projects/share-links.ts'
import {
  type App,
  auditTrail,
  breakTable,
  build,
  count,
  createItem,
  createProject,
  createSubtask,
  holds,
  invalid,
  keepLog,
  LONG_AGO,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'

const noLink = { error: 'Share link not found' }
const noProject = { error: 'Project not found' }
const readOnly = { error: 'Forbidden: read-only in this project' }

type Headers = Record<string, string>

const share = async (app: App, projectId: string, body: object = {}, headers?: Headers) =>
  (await send(app, 'POST', `/api/projects/${projectId}/share-links`, body, headers)).body
const open = (app: App, secret: string, headers?: Headers) =>
  send(app, 'GET', `/api/shared/${secret}`, undefined, headers)
const assign = (app: App, projectId: string, memberId: string, role: string, headers: Headers) =>
  send(app, 'POST', `/api/projects/${projectId}/team-assignments`, { memberId, role }, headers)

t.test('a link shows its project to anybody who has it, and its secret only once', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const ada = signInAs(app, 'member', { id: 'ada' })
    const project = await createProject(app, { description: 'To the moon' }, ada.headers)
    const url = `/api/projects/${project.id}/share-links`
    const made = await send(app, 'POST', url, { name: 'Client', expiresAt: '2999-01-01' }, ada.headers)
    t.equal(made.status, 201)
    t.equal(made.headers['cache-control'], 'no-store')
    const { id, secret, createdAt } = made.body
    t.equal(made.headers.location, `/api/share-links/${id}`)
    t.match(secret, /^[\w-]{43}$/, '256 bits, base64url')
    const shown = {
      id,
      projectId: project.id,
      name: 'Client',
      createdBy: 'ada',
      createdAt,
      expiresAt: '2999-01-01T00:00:00.000Z',
    }
    t.strictSame(made.body, { ...shown, secret, url: `http://localhost/shared/${secret}` })
    const [row] = app.db.select().from(shareLinks).all()
    t.equal(row?.secretHash, hashToken(secret))
    t.notMatch(JSON.stringify(row), secret)

    const again = await send(app, 'GET', `/api/share-links/${id}`, undefined, ada.headers)
    t.strictSame(again.body, shown)
    t.equal(again.headers.etag, made.headers.etag, 'the ETag covers the record without its secret')
    t.strictSame((await send(app, 'GET', url, undefined, ada.headers)).body, [shown])
    const { status, body } = await open(app, secret)
    t.equal(status, 200)
    t.strictSame(body, (await send(app, 'GET', `/api/projects/${project.id}`, undefined, ada.headers)).body)

    const wrong = await send(app, 'DELETE', `/api/share-links/${id}`, undefined, {
      ...ada.headers,
      'if-match': '"another"',
    })
    t.equal(wrong.status, 412)
    await holds(t, app, [
      ['DELETE', `/api/share-links/${id}`, undefined, ada.headers, 200, { success: true }],
      ['DELETE', `/api/share-links/${id}`, undefined, ada.headers, 404, noLink],
      ['GET', `/api/share-links/${id}`, undefined, ada.headers, 404, noLink],
      ['GET', `/api/shared/${secret}`, 404, noLink],
    ])
    const metadata = { projectId: project.id, name: 'Client', expiresAt: shown.expiresAt }
    t.strictSame(
      auditTrail(app).filter(([, action]) => String(action).startsWith('share-link')),
      [
        ['ada', 'share-link-created', id, metadata],
        ['ada', 'share-link-revoked', id, metadata],
      ],
    )
    t.notMatch(JSON.stringify(app.db.$client.prepare('select * from audit_log').all()), secret)
  }
})

t.test('all that does not work is the same 404', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const { secret: revoked, id } = await share(app, project.id)
  const { secret: expired, id: old } = await share(app, project.id, { expiresAt: '2999-01-01' })
  const { secret: gone } = await share(app, (await createProject(app)).id)
  await send(app, 'DELETE', `/api/share-links/${id}`)
  app.db.$client.prepare('update share_links set expires_at = ? where id = ?').run(LONG_AGO, old)
  app.db.$client.prepare('delete from projects where id <> ?').run(project.id)
  t.equal(count(app, 'share_links'), 1, 'a deleted project has no links')
  const { secret } = await share(app, project.id)
  t.equal(count(app, 'share_links'), 1, 'a new link removes the expired ones')
  const answers = await Promise.all(
    [newToken(), revoked, expired, gone, id, 'x', '%00', '../x', secret.slice(0, -1), `${secret}x`].map(
      (one) => app.inject({ url: `/api/shared/${one}` }),
    ),
  )
  const [{ headers: { date: _, ...headers } = {} } = {}] = answers
  for (const answer of answers.filter(({ body }) => body !== '{"error":"Not found"}')) {
    t.equal(answer.statusCode, 404)
    t.equal(answer.body, JSON.stringify(noLink))
    t.match(answer.headers, headers)
  }
  t.equal((await open(app, secret)).status, 200)
})

t.test('a link reads its own project and nothing else', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const one = await createProject(app, { name: 'One' }, admin.headers)
  const other = await createProject(app, { name: 'Other', access: 'assigned' }, admin.headers)
  const { secret } = await share(app, one.id, {}, admin.headers)
  t.equal((await open(app, secret)).body.name, 'One')
  const hidden = await share(app, other.id, {}, admin.headers)
  t.equal((await open(app, hidden.secret)).body.name, 'Other', 'also one that is not for every member')
  for (const headers of [{ authorization: `Bearer ${secret}` }, { cookie: `phaseboard_session=${secret}` }]) {
    t.equal((await send(app, 'GET', `/api/projects/${one.id}`, undefined, headers)).status, 401)
    t.equal((await send(app, 'GET', `/api/projects?token=${secret}`, undefined, headers)).status, 401)
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    t.equal((await send(app, method, `/api/shared/${secret}`, {})).status, 405)
})

t.test('it has no metadata, transcripts, comments or emails', async (t) => {
  const app = await build(t)
  const tricky = {
    metadata: { claimedUntil: [], a: 'ann@secret.example' },
    claimedUntil: null,
    x: '"claimedUntil":',
  }
  const project = await createProject(app, {
    metadata: tricky,
    phaseConfig: [{ name: 'Plan', metadata: { kept: true } }],
  })
  const fields = {
    metadata: tricky,
    title: '"metadata":{},"claimedUntil":',
    description: ',"metadata":{"a":1}',
  }
  const item = await createItem(app, project.id, fields)
  await createItem(app, project.id, { title: 'Plain' })
  await createItem(app, project.id, { metadata: { b: 1 }, title: '<script>alert(1)</script>' })
  await createSubtask(app, item.id)
  await send(app, 'POST', `/api/kanban-items/${item.id}/comments`, { content: 'ann@secret.example' })
  await send(app, 'POST', `/api/projects/${project.id}/transcript-summaries`, {
    title: 'Secret talk',
    date: '2026-01-31',
    actionItems: [{ metrics: [], objectives: [] }],
  })
  await send(app, 'POST', `/api/projects/${project.id}/metrics`, {
    name: 'NPS',
    value: 3,
    history: [{ x: [], metrics: [1], transcriptSummaries: [] }],
  })
  const { secret } = await share(app, project.id)
  const whole = (await send(app, 'GET', `/api/projects/${project.id}`)).body
  const expected = {
    ...whole,
    metadata: {},
    kanbanItems: whole.kanbanItems.map((one: object) => ({ ...one, metadata: {} })),
    transcriptSummaries: [],
  }
  t.strictSame((await open(app, secret)).body, expected)
  // From another tool's values, too.
  app.db.$client.exec(`update kanban_items set metadata = '["ann@secret.example"]'`)
  app.db.$client.exec(`update projects set metadata = '"ann@secret.example"'`)
  const { body } = await open(app, secret)
  t.notMatch(JSON.stringify(body), /secret/)
})

t.test('for the board, it has the columns and names those on it, without emails', async (t) => {
  const app = await build(t)
  signInAs(app, 'member', { id: 'ada' })
  signInAs(app, 'member', { id: 'lead' })
  signInAs(app, 'viewer', { id: 'bob' })
  app.db.$client.exec(
    `insert into people (id, name, kind) values ('ann', 'ann.smith@acme.example', 'import'), ('cy', 'Cy (cy@x.example)', 'import'),
      ('di', 'di@x.example,ed@y.example', 'import')`,
  )
  const project = await createProject(app, { leadId: 'lead' })
  await assign(app, project.id, 'bob', 'viewer', {})
  for (const assigneeId of ['ada', 'ann', 'cy', 'di', 'unknown'])
    await createItem(app, project.id, { assigneeId })
  const { secret } = await share(app, project.id)
  const { body, headers } = await send(app, 'GET', `/api/shared/${secret}?expand=board`)
  t.strictSame(body.people, {
    ada: 'The member',
    ann: 'ann.smith',
    cy: 'Cy (cy',
    di: 'di',
    lead: 'The member',
  })
  t.equal(body.kanbanItems.length, 5)
  t.strictSame(
    body.kanbanColumns,
    (await send(app, 'GET', `/api/projects/${project.id}/kanban-columns`)).body,
  )
  t.notOk('people' in (await open(app, secret)).body)
  const again = await send(app, 'GET', `/api/shared/${secret}?expand=board`, undefined, {
    'if-none-match': String(headers.etag),
  })
  t.equal(again.status, 304)
  app.db.$client.exec(`update members set name = 'Ada' where id = 'ada'`)
  const renamed = await send(app, 'GET', `/api/shared/${secret}?expand=board`, undefined, {
    'if-none-match': String(headers.etag),
  })
  t.equal(renamed.body.people.ada, 'Ada')
})

t.test('it is revalidated, and never kept by others', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const { secret } = await share(app, project.id)
  const { headers } = await open(app, secret)
  for (const answer of [headers, (await open(app, 'wrong')).headers])
    t.match(answer, {
      'cache-control': 'private, no-cache',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
      'content-security-policy': /frame-ancestors 'none'/,
      'x-content-type-options': 'nosniff',
    })
  const known = { 'if-none-match': String(headers.etag) }
  const same = await app.inject({ url: `/api/shared/${secret}`, headers: known })
  t.match([same.statusCode, same.body, same.headers.etag], [304, '', headers.etag])
  t.equal((await open(app, secret, { 'if-match': '"other"' })).status, 412)
  await createItem(app, project.id)
  const changed = await open(app, secret, known)
  t.equal(changed.status, 200)
  t.not(changed.headers.etag, headers.etag)
  const { headers: own } = await send(app, 'GET', `/api/projects/${project.id}`)
  t.not(own.etag, changed.headers.etag)
  const head = await app.inject({ method: 'HEAD', url: `/api/shared/${secret}` })
  t.match([head.statusCode, head.headers.etag], [200, changed.headers.etag])
})

t.test('only members who may write the project manage its links', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const insider = signInAs(app, 'member')
  const outsider = signInAs(app, 'member')
  const reader = signInAs(app, 'member')
  const colleague = signInAs(app, 'member')
  const viewer = signInAs(app, 'viewer')
  const { id } = await createProject(app, { access: 'assigned' }, insider.headers)
  for (const [memberId, role] of [
    [reader.id, 'viewer'],
    [colleague.id, 'member'],
    [viewer.id, 'member'],
  ] as const)
    await assign(app, id, memberId, role, insider.headers)
  const { id: link } = await share(app, id, {}, insider.headers)
  const url = `/api/projects/${id}/share-links`
  const role = { error: 'Forbidden: read-only role' }
  await holds(t, app, [
    ['GET', url, undefined, outsider.headers, 404, noProject],
    ['POST', url, {}, outsider.headers, 404, noProject],
    ['GET', `/api/share-links/${link}`, undefined, outsider.headers, 404, noLink],
    ['DELETE', `/api/share-links/${link}`, undefined, outsider.headers, 404, noLink],
    ['GET', url, undefined, reader.headers, 403, readOnly],
    ['POST', url, {}, reader.headers, 403, readOnly],
    ['GET', `/api/share-links/${link}`, undefined, reader.headers, 403, readOnly],
    ['DELETE', `/api/share-links/${link}`, undefined, reader.headers, 403, readOnly],
    ['GET', url, undefined, viewer.headers, 403, role],
    ['POST', url, {}, viewer.headers, 403, role],
    ['DELETE', `/api/share-links/${link}`, undefined, viewer.headers, 403, role],
    ['POST', url, {}, 401, { error: 'Authentication required' }],
    ['GET', url, undefined, colleague.headers, 200, [{ id: link }]],
    ['GET', url, undefined, admin.headers, 200, [{ id: link }]],
  ])
  const limited = tokenOf(app, admin.id, { projectIds: JSON.stringify(['another']) })
  t.equal((await send(app, 'POST', url, {}, limited)).status, 404)
  t.equal((await send(app, 'DELETE', `/api/share-links/${link}`, undefined, limited)).status, 404)
  const reading = tokenOf(app, admin.id, { scope: 'read' })
  t.strictSame((await send(app, 'POST', url, {}, reading)).body, { error: 'Forbidden: read-only token' })
  t.equal(count(app, 'share_links'), 1)
  // It works for another one who may write here, whoever made it.
  const key = { ...colleague.headers, 'idempotency-key': 'revoke' }
  await holds(t, app, [
    ['DELETE', `/api/share-links/${link}`, undefined, key, 200, { success: true }],
    ['DELETE', `/api/share-links/${link}`, undefined, key, 200, { success: true }],
  ])
  const made = { ...colleague.headers, 'idempotency-key': 'make' }
  t.equal((await send(app, 'POST', url, {}, made)).status, 201)
  t.strictSame((await send(app, 'POST', url, {}, made)).body, { error: 'Already done' })
  t.equal(count(app, 'share_links'), 1)
})

t.test('names, expiry and number have limits', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const url = `/api/projects/${id}/share-links`
  const past = invalid({ expiresAt: ['must be in the future'] })
  await holds(t, app, [
    ['POST', url, { name: 'x'.repeat(200) }, 201, { name: 'x'.repeat(200), expiresAt: null }],
    ['POST', url, 201, { name: '' }],
    ['POST', url, { expiresAt: null }, 201, { expiresAt: null }],
    ['POST', url, { expiresAt: '2001-01-01' }, 400, past],
    ['POST', '/api/projects/x/share-links', {}, 404, noProject],
  ])
  for (const body of [{ name: 'x'.repeat(201) }, { name: 5 }, { expiresAt: 'soon' }, []])
    t.equal((await send(app, 'POST', url, body)).status, 400)
  for (let more = 3; more < SHARE_LINKS_LIMIT; more++) await share(app, id)
  await holds(t, app, [
    ['POST', url, {}, 409, { error: 'There are 100 share links of this project already' }],
  ])
  const pages = await send(app, 'GET', `${url}?limit=60`)
  t.equal(pages.body.length, 60)
  t.match(pages.headers.link, /cursor=/)
})

t.test('the address is the public one, and no archive has links', async (t) => {
  const app = await build(t, { publicUrl: 'https://board.example/tools' })
  const admin = signInAs(app, 'admin')
  const { id } = await createProject(app)
  const { secret, url } = await share(app, id)
  t.equal(url, `https://board.example/tools/shared/${secret}`)
  const archive = await app.inject({ url: '/api/export', headers: admin.headers })
  t.equal(archive.statusCode, 200)
  const names = archive.rawPayload.toString('latin1')
  t.match(names, 'audit-log.jsonl')
  t.notMatch(names, /share-links/)
})

t.test('an undo of a deletion brings no link back', async (t) => {
  const app = await build(t)
  const admin = signInAs(app, 'admin')
  const { id } = await createProject(app)
  const { secret } = await share(app, id)
  const gone = await send(app, 'DELETE', `/api/projects/${id}`, undefined, admin.headers)
  const undone = await send(
    app,
    'POST',
    `/api/changes/${gone.headers['phaseboard-seq']}/undo`,
    undefined,
    admin.headers,
  )
  t.equal(undone.status, 200)
  t.equal((await send(app, 'GET', `/api/projects/${id}`)).status, 200)
  t.strictSame((await open(app, secret)).body, noLink)
})

t.test('requests with links are limited, and guesses more', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const { secret } = await share(app, id)
  const from = (remoteAddress: string, one: string) =>
    app.inject({ url: `/api/shared/${one}`, remoteAddress })
  for (let guess = 0; guess < FAILURES; guess++)
    t.equal((await from('203.0.113.1', newToken())).statusCode, 404)
  const refused = await from('203.0.113.1', secret)
  t.match([refused.statusCode, refused.json()], [429, { error: 'Too Many Requests' }])
  t.ok(Number(refused.headers['retry-after']) > 0)
  for (let read = 0; read < READS; read++) t.equal((await from('203.0.113.2', secret)).statusCode, 200)
  t.equal((await from('203.0.113.2', secret)).statusCode, 429)
  t.equal((await from('203.0.113.3', secret)).statusCode, 200, 'another address has its own limit')
})

t.test('no log has the secret', async (t) => {
  const { logStream, log } = keepLog()
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'trace', logStream })
  t.teardown(() => app.close())
  const { id } = await createProject(app)
  const { secret } = await share(app, id)
  for (const path of [
    '/api/shared/',
    '/shared/',
    '/api/%73hared/',
    '/%73hared/',
    '/shared%2F',
    '/api%2fshared/',
  ])
    for (const rest of ['', '/', '/x', '?a=b', '%'])
      for (const method of ['GET', 'POST', 'OPTIONS'] as const)
        await app.inject({ method, url: `${path}${secret}${rest}` })
  breakTable(app, 'share_links')
  t.equal((await app.inject({ url: `/api/shared/${secret}` })).statusCode, 500)
  t.match(log(), '/api/shared/:secret')
  t.match(log(), 'Failed to fetch project')
  t.notMatch(log(), secret)
})

t.test('SHARE_LINKS=false turns them off', async (t) => {
  const app = await build(t, { shareLinks: false })
  const { id } = await createProject(app)
  const secret = newToken()
  app.db
    .insert(shareLinks)
    .values({ id: 'link', projectId: id, secretHash: hashToken(secret) })
    .run()
  const unknown = { error: 'Not found' }
  await holds(t, app, [
    ['GET', `/api/shared/${secret}`, 404, unknown],
    ['GET', `/shared/${secret}`, 404, unknown],
    ['GET', `/api/projects/${id}/share-links`, 404, unknown],
    ['POST', `/api/projects/${id}/share-links`, {}, 404, unknown],
    ['DELETE', '/api/share-links/link', 404, unknown],
  ])
})

t.test('in open mode the host name counts as for any path', async (t) => {
  const app = await build(t, { corsOrigins: ['https://board.example'] })
  const { id } = await createProject(app)
  const { secret } = await share(app, id)
  const behind = { host: 'board.example', 'x-forwarded-for': '203.0.113.7' }
  t.equal((await open(app, secret, behind)).status, 200, 'through a proxy, under a name that is known')
  t.equal((await open(app, secret, { host: 'evil.example' })).status, 403)
})

t.test('inside a host, only members who may write create links, and the link has the prefix', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  host.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=60').header('referrer-policy', 'unsafe-url')
  })
  await host.register(phaseboard, {
    prefix: '/board',
    databaseUrl: ':memory:',
    resolveMember: ({ headers }) => {
      const { as } = headers
      if (as === undefined) return null
      const projects = as === 'boss' ? 'all' : { [String(headers.on)]: String(as) as 'read' | 'write' }
      return { id: String(as), role: 'member', projects }
    },
  })
  await host.ready()
  const ask = async (method: 'GET' | 'POST', url: string, headers: Headers) =>
    host.inject({
      method,
      url: `/board${url}`,
      headers,
      ...(method === 'POST' && { payload: { name: 'x' } }),
    })
  const { id } = (await ask('POST', '/api/projects', { as: 'boss' })).json()
  const url = `/api/projects/${id}/share-links`
  t.equal((await ask('POST', url, { as: 'read', on: id })).statusCode, 403)
  t.equal((await ask('POST', url, { as: 'write', on: 'another' })).statusCode, 404)
  const made = await ask('POST', url, { as: 'write', on: id })
  t.match(made.json().url, /\/board\/shared\//)
  const shared = await ask('GET', `/api/shared/${made.json().secret}`, {})
  t.equal(shared.statusCode, 200)
  t.match(shared.headers, { 'cache-control': 'private, no-cache', 'referrer-policy': 'no-referrer' })
})

t.test('a link whose project is deleted while it is read works no more', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const { secret } = await share(app, id)
  // As between the look-up of the link and that of its project.
  app.db.$client.pragma('foreign_keys = off')
  app.db.$client.prepare('delete from projects where id = ?').run(id)
  const { status, body } = await open(app, secret)
  t.strictSame([status, body], [404, noLink])
})

t.test('a project says who shares it; guests never do', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const callers = {
    admin,
    member: signInAs(app, 'member'),
    'a guest': signInAs(app, 'guest'),
    'a guest who leads': signInAs(app, 'guest'),
  }
  const project = await createProject(app, { access: 'assigned' }, admin.headers)
  t.equal(project.shareLinks, 'members')
  const path = `/api/projects/${project.id}`
  for (const [name, { id }] of Object.entries(callers))
    await assign(app, project.id, id, name.includes('leads') ? 'lead' : 'member', admin.headers)
  await send(app, 'PATCH', path, { leadId: callers['a guest who leads'].id }, admin.headers)
  const forbidden = (why: string) => [403, { error: `Forbidden: ${why}` }]
  const guests = forbidden('guests cannot share projects')
  const admins = forbidden('only admins may share this project')
  const off = forbidden('share links of this project are off')
  const expected = {
    members: { admin: 201, member: 201 },
    admins: { admin: 201, member: admins },
    off: { admin: off, member: admins },
    // Of another tool.
    'anyone?': { admin: off, member: admins },
  }
  const { secret, id } = await share(app, project.id, {}, admin.headers)
  const set = app.db.$client.prepare('update projects set sharing = ? where id = ?')
  for (const [setting, answers] of Object.entries(expected)) {
    set.run(setting, project.id)
    for (const [name, { headers }] of Object.entries(callers)) {
      const { status, body } = await send(app, 'POST', `${path}/share-links`, {}, headers)
      const answer = name.includes('guest') ? guests : answers[name as keyof typeof answers]
      t.strictSame(status === 201 ? status : [status, body], answer, `${name} with ${setting}`)
    }
    const shown = await open(app, secret)
    if (['members', 'admins'].includes(setting))
      t.match([shown.status, shown.body.shareLinks], [200, setting])
    else t.strictSame([shown.status, shown.body], [404, noLink], 'as if it were revoked')
    const page = await app.inject({ url: `/api/shared/${secret}?expand=board` })
    t.equal(page.statusCode, shown.status)
  }
  for (const name of ['a guest', 'a guest who leads'] as const) {
    const { headers } = callers[name]
    const requests = [{ method: 'GET', path: `${path}/share-links` }]
    await holds(t, app, [
      ['GET', `${path}/share-links`, undefined, headers, ...guests] as never,
      ['GET', `/api/share-links/${id}`, undefined, headers, ...guests] as never,
      ['DELETE', `/api/share-links/${id}`, undefined, headers, ...guests] as never,
    ])
    t.equal((await send(app, 'POST', '/api/batch', { requests }, headers)).status, 403)
  }
  set.run('off', project.id)
  t.equal((await send(app, 'GET', `${path}/share-links`, undefined, callers.member.headers)).body.length, 4)
  const revoked = await send(app, 'DELETE', `/api/share-links/${id}`, undefined, callers.member.headers)
  t.equal(revoked.status, 200, 'whoever may not create links still revokes them')
})

t.test('who shares a project is changed by those who may share it', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const member = signInAs(app, 'member')
  const guest = signInAs(app, 'guest')
  const project = await createProject(app, {}, admin.headers)
  const path = `/api/projects/${project.id}`
  await assign(app, project.id, guest.id, 'lead', admin.headers)
  const change = (headers: Headers, shareLinks: string, more = {}) =>
    send(app, 'PATCH', path, { shareLinks, ...more }, headers)
  const refused = { status: 403, body: { error: 'Forbidden: only admins may share this project' } }
  const ofGuest = { status: 403, body: { error: 'Forbidden: guests cannot share projects' } }
  t.match(await change(guest.headers, 'off'), ofGuest)
  t.match(
    await change(guest.headers, 'members', { name: 'Same' }),
    { status: 200 },
    'its own value is no change',
  )
  t.match(await change(admin.headers, 'nobody'), {
    status: 400,
    body: { details: { fieldErrors: { shareLinks: [/must be one of|must be equal/] } } },
  })
  const closed = await change(member.headers, 'admins')
  t.match(closed.body, { shareLinks: 'admins' })
  t.match(await change(member.headers, 'members'), refused)
  t.match(await change(member.headers, 'off'), refused)
  const requests = [{ method: 'PATCH', path, body: { shareLinks: 'members' } }]
  t.match(await send(app, 'POST', '/api/batch', { requests }, member.headers), { status: 403 })
  const undo = `/api/changes/${closed.headers['phaseboard-seq']}/undo`
  t.match(await send(app, 'POST', undo, undefined, member.headers), refused, 'an undo is a change, too')
  t.equal((await send(app, 'POST', undo, undefined, admin.headers)).status, 200)
  t.match((await send(app, 'GET', path, undefined, member.headers)).body, { shareLinks: 'members' })
  const made = await createProject(app, { shareLinks: 'off' }, member.headers)
  t.equal(made.shareLinks, 'off')
  t.match(await send(app, 'PATCH', `/api/projects/${made.id}`, { shareLinks: 'members' }, admin.headers), {
    body: { shareLinks: 'members' },
  })
})
