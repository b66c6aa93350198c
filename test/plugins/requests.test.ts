/** What every declared route supports: ETag, If-Match, Idempotency-Key, Phaseboard-Seq, and the actor of its changes. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { RouteHandlerMethod } from 'fastify'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { etagOf } from '../../src/etags.ts'
import { BY_SERVICE } from '../../src/requests/perform.ts'
import { ref } from '../../src/schemas/common.ts'
import { ProjectSchema } from '../../src/schemas/records.ts'
import { workedOff } from '../attention/members.ts'
import { withoutReferences } from '../documented.ts'
import { watch } from '../executions.ts'
import {
  type Answer,
  type App,
  build,
  count,
  createItem,
  createProject,
  LONG_AGO,
  send,
  signInAs,
  writeTo,
} from '../helper.ts'
import { CALLER, declaredRoutes, EMPTY, RECORDS, REQUESTS, run, SEEDED, urlOf } from '../operations.ts'
import { inTurn } from '../rounds.ts'
import { shipped } from '../shipped.ts'

const { routes } = await declaredRoutes()

/** A GIF of some pixels, without any. */
const gif = (width: number) => `GIF89a${String.fromCharCode(width)}\0\x01\0\0\0\0;`
const GIF = gif(1)

/** The attachment is an image, which is its own thumbnail. */
const SEEDED_FILE = `
  insert or ignore into file_contents (id, sha256, size) values (1, '${hash('sha256', GIF)}', ${GIF.length});
  insert or ignore into file_chunks (place, bytes) values (65536, x'${Buffer.from(GIF).toString('hex')}');
  update attachments set kind = 'file', media_type = 'image/gif', size = ${GIF.length},
    sha256 = '${hash('sha256', GIF)}', thumbnail = '${hash('sha256', GIF)}' where id = 'attachment';`

/** What is sent here, with the status: see {@link REQUESTS}. */
const SENT: Record<string, readonly [status: number, body?: unknown]> = {
  ...REQUESTS,
  'PUT /api/attachments/:id/thumbnail': [200, gif(2)],
}

/** The routes that change something, as `METHOD /path`. */
const CHANGING = routes
  .filter(({ method, path }) => path.startsWith('/api/') && !['GET', 'HEAD', 'OPTIONS'].includes(method))
  .map(({ method, path }) => `${method} ${path}`)

/** A session is not a record that a retry could create twice. */
const NOT_REPEATABLE = new Set([
  'POST /api/session',
  'DELETE /api/session',
  'POST /api/session/link',
  'POST /api/session/link/check',
])

/** Routes whose response contains a secret, only once. */
const SECRET = new Set([
  'POST /api/members/:id/password-link',
  'POST /api/invitations',
  'POST /api/tokens',
  'POST /api/projects/:id/share-links',
  'POST /api/webhooks',
  'POST /api/webhooks/:id/rotate-secret',
])

/** Routes that need further records, or send something. Other tests cover them. */
const ELSEWHERE = new Set([
  'POST /api/changes/:seq/undo',
  'POST /api/webhooks/:id/test',
  'POST /api/batch',
  'POST /api/imports',
  'POST /api/me/preferences/test-mail',
])

/** Actions on a record, by the end of their path. */
const ACTION = /\/:id\/(move|promote|merge|replay|claim\/renew|rotate-secret|.+\/reorder|reorder)$/

/** The caller's own record, of which there is one. */
const OWN = '/api/me/preferences'

/** Whether contract 8 requires `If-Match` there: for every change of an existing record. */
const isConditional = (route: string) => {
  const [method = '', path = ''] = route.split(' ')
  return method === 'POST' ? ACTION.test(path) || LISTS.has(route) : path.includes('/:') || path === OWN
}

/** Lists whose order changes as a whole, by the route that reorders them. */
const LISTS = new Map([
  ['POST /api/projects/reorder', '/api/projects'],
  ['POST /api/personal-ideas/reorder', '/api/personal-ideas'],
])

/** Routes whose GET returns everything at once. */
const READING = routes
  .filter(
    ({ method, path, access }) => method === 'GET' && /^\/(api|metrics)/.test(path) && access !== 'public',
  )
  .map(({ path }) => `GET ${path}`)

const tried = CHANGING.filter((route) => !NOT_REPEATABLE.has(route) && !ELSEWHERE.has(route))

/** An admin's requests, to a service with a record of each collection. */
function requester(app: App) {
  const { $client } = app.db
  run($client, EMPTY)
  const session = signInAs(app, 'admin', { id: CALLER }).headers
  run($client, SEEDED)
  run($client, SEEDED_FILE)
  return (route: string, headers: Record<string, string> = {}, body?: object, query = '') => {
    const [method = '', path = ''] = route.split(' ')
    const url = urlOf(path, (collection) => RECORDS[collection]) + query
    return send(app, method, url, body ?? SENT[route]?.[1], { ...session, ...headers })
  }
}

/** Reads a record. A notification is only read in the list, whose records have the ETags of their bytes. */
async function reading(ask: ReturnType<typeof requester>, url: string): Promise<Answer> {
  const [, id] = /^\/api\/notifications\/(.+)/.exec(url) ?? []
  if (id === undefined) return ask(`GET ${url}`)
  const list = await ask('GET /api/notifications')
  const body = list.body.find((one: { id: string }) => one.id === id)
  return { ...list, body, headers: { ...list.headers, etag: etagOf(JSON.stringify(body)) } }
}

/**
 * The number of rows written so far. The index of the sequence and what follows for notifications are written first, because
 * otherwise timers may write them at any time.
 */
async function totalChanges(app: App): Promise<unknown> {
  await workedOff(app)
  const { subjects } = app.rules.changes
  while (subjects.behind() > 0) writeTo(app.db, () => subjects.index())
  return app.db.$client.prepare('select total_changes()').pluck().get()
}

t.test('this test covers all changing routes', async (t) => {
  t.ok(tried.length > 40, `${tried.length} routes`)
  const document = withoutReferences((await send(await build(t), 'GET', '/openapi.json')).body)
  for (const route of CHANGING) {
    const [method = '', path = ''] = route.split(' ')
    const { parameters = [] } = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    const names = parameters.map(({ name }: { name?: string }) => name)
    t.equal(names.includes('Idempotency-Key'), !NOT_REPEATABLE.has(route), `${route} Idempotency-Key`)
    if (!ELSEWHERE.has(route)) t.equal(names.includes('If-Match'), isConditional(route), `${route} If-Match`)
  }
})

t.test('every route accepts Idempotency-Key', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  for (const route of tried.filter((route) => route !== 'DELETE /api/members/:id')) {
    const ask = requester(app)
    const key = { 'idempotency-key': `"${route.replaceAll(' ', '+')}"` }
    const first = await ask(route, key)
    t.equal(first.status, SENT[route]?.[0] ?? 200, route)
    t.notOk(first.headers['idempotent-replayed'])
    const before = await totalChanges(app)
    const again = await ask(route, key)
    t.equal(await totalChanges(app), before, `${route} does nothing again`)
    if (SECRET.has(route)) {
      t.strictSame([again.status, again.body], [409, { error: 'Already done' }], route)
      t.equal(count(app, 'idempotency_keys', 'body is not null and key = ?', key['idempotency-key']), 0)
    } else {
      t.equal(again.headers['idempotent-replayed'], 'true', route)
      t.strictSame([again.status, again.body], [first.status, first.body], route)
      for (const name of ['etag', 'phaseboard-seq', 'content-type']) {
        t.equal(again.headers[name], first.headers[name], `${route} ${name}`)
      }
    }
    const other = await ask(route, key, undefined, '?another=request')
    t.strictSame(
      [other.status, other.body],
      [422, { error: 'Idempotency-Key was used for another request' }],
      route,
    )
    app.db.$client.exec('delete from idempotency_keys')
  }
})

t.test('every change of a record checks If-Match', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  for (const [turn, route] of tried.filter(isConditional).entries()) {
    const refused = requester(app)
    const before = await totalChanges(app)
    const { status, body, headers } = await refused(route, { 'if-match': '"nope"' })
    t.strictSame([status, body], [412, { error: 'Precondition failed' }], route)
    const etag = String(headers.etag)
    t.match(etag, /^"[\w-]{22}"$/)
    // One parser reads them, for all routes.
    const wrong = [`W/${etag}`, etag.replaceAll('"', ''), '', `"a" ${etag}`, `W/"x", W/${etag}`]
    for (const header of inTurn(wrong, turn)) {
      t.equal((await refused(route, { 'if-match': header })).status, 412, `${route} ${header}`)
    }
    t.equal(await totalChanges(app), before, `${route} did nothing`)
    const [, collection = '', id = ''] =
      /^\/api\/([\w-]+)\/([\w-]+)/.exec(urlOf(route.split(' ')[1] ?? '', (name) => RECORDS[name])) ?? []
    const shown = await reading(refused, LISTS.get(route) ?? `/api/${collection}/${id}`)
    t.equal(shown.headers.etag, etag, `${route}: the ETag of the record itself`)
    for (const header of inTurn([etag, `, "a" ,, W/"b",${etag},`, '*'], turn)) {
      // Each time with new records, at another time.
      const ask = requester(app)
      const now = (await ask(route, { 'if-match': '"nope"' })).headers.etag
      const passed = await ask(route, { 'if-match': header.replace(etag, String(now)) })
      t.equal(passed.status, SENT[route]?.[0] ?? 200, `${route} ${header}`)
    }
  }
})

for (const authMode of ['open', 'required'] as const) {
  t.test(`If-None-Match prevents overwriting: ${authMode}`, async (t) => {
    const app = await build(t, { authMode, adminPassword: 'correct horse' })
    for (const [turn, route] of tried.filter(isConditional).entries()) {
      const refused = requester(app)
      const before = await totalChanges(app)
      const any = await refused(route, { 'if-none-match': '*' })
      t.strictSame([any.status, any.body], [412, { error: 'Precondition failed' }], route)
      const etag = String(any.headers.etag)
      for (const header of inTurn([etag, `W/${etag}`, `"a", ${etag}`], turn)) {
        t.equal((await refused(route, { 'if-none-match': header })).status, 412, `${route} ${header}`)
      }
      t.equal(await totalChanges(app), before, `${route} did nothing`)
      const passed = await requester(app)(route, { 'if-none-match': '"nope"' })
      t.equal(passed.status, SENT[route]?.[0] ?? 200, route)
    }
  })

  t.test(`every read checks If-Match: ${authMode}`, async (t) => {
    const app = await build(t, { authMode })
    const ask = requester(app)
    t.ok(READING.length > 30, `${READING.length} routes`)
    for (const route of READING) {
      // The stream responds as long as the client listens.
      if (route === 'GET /api/changes/stream') continue
      const { status, headers } = await ask(route)
      t.equal(status, 200, route)
      const { etag } = headers
      const other = await ask(route, { 'if-match': '"nope"' })
      t.strictSame([other.status, other.body], [412, { error: 'Precondition failed' }], route)
      t.equal(other.headers.etag, etag, `${route}: the ETag as it is`)
      t.equal((await ask(route, { 'if-match': '*' })).status, 200, route)
      if (etag === undefined) continue
      t.equal((await ask(route, { 'if-match': `"a", ${etag}` })).status, 200, route)
      t.equal((await ask(route, { 'if-match': `W/${etag}` })).status, 412, `${route}: a weak one`)
      const both = { 'if-match': '"nope"', 'if-none-match': String(etag) }
      t.equal((await ask(route, both)).status, 412, `${route}: If-Match comes first`)
    }
    t.equal((await ask('GET /api/changes/stream', { 'if-match': '"nope"' })).status, 412)
  })

  t.test(`a batch checks If-Match of its reads: ${authMode}`, async (t) => {
    const app = await build(t, { authMode })
    const ask = requester(app)
    const read = (path: string, ifMatch: string) =>
      ask('POST /api/batch', {}, { requests: [{ method: 'GET', path, ifMatch }] })
    for (const path of [
      '/api/projects',
      '/api/projects?limit=1',
      '/api/projects/project',
      '/api/teams/team',
    ]) {
      run(app.db.$client, `insert or ignore into projects (id, name, sort_order) values ('last', 'Last', 99)`)
      const refused = await read(path, '"nope"')
      t.strictSame([refused.status, refused.body.details], [412, { request: 0 }], path)
      const etag = String((await ask(`GET ${path}`)).headers.etag)
      t.equal((await read(path, etag)).status, 200, path)
      t.equal((await read(path, '*')).status, 200, path)
    }
    t.equal((await read('/api/members', '"nope"')).status, 412, 'a list that has no ETag')
  })
}

t.test('a reorder checks If-Match of the list', async (t) => {
  const app = await build(t)
  for (const path of ['/api/projects', '/api/personal-ideas']) {
    const make = (name: string) => send(app, 'POST', path, { name, title: name })
    const { id } = (await make('A')).body
    const seen = String((await send(app, 'GET', path)).headers.etag)
    const unchanged = await send(app, 'GET', path, undefined, { 'if-none-match': seen })
    t.equal(unchanged.status, 304, path)
    await make('B')
    const items = [{ id, sortOrder: 9 }]
    const late = await send(app, 'POST', `${path}/reorder`, { items }, { 'if-match': seen })
    t.equal(late.status, 412, path)
    const now = String((await send(app, 'GET', path)).headers.etag)
    t.equal(late.headers.etag, now, path)
    const nothing = await send(app, 'POST', `${path}/reorder`, { items: [] }, { 'if-match': '"nope"' })
    t.equal(nothing.status, 412, `${path}: an empty order`)
    t.equal((await send(app, 'POST', `${path}/reorder`, { items }, { 'if-match': now })).status, 200, path)
  }
})

t.test('a record has the same ETag in every response, and 304 for a known one', async (t) => {
  const app = await build(t)
  const project = await send(app, 'POST', '/api/projects', { name: 'Apollo' })
  const url = `/api/projects/${project.body.id}`
  t.equal((await send(app, 'GET', url)).headers.etag, project.headers.etag)
  const item = await send(app, 'POST', `${url}/kanban-items`, { title: 'Card' })
  const itemUrl = `/api/kanban-items/${item.body.id}`
  const shown = await send(app, 'GET', itemUrl)
  const etag = String(item.headers.etag)
  t.strictSame([shown.body, shown.headers.etag], [item.body, etag])
  const unchanged = await send(app, 'GET', itemUrl, undefined, { 'if-none-match': etag })
  t.strictSame([unchanged.status, unchanged.body, unchanged.headers.etag], [304, '', etag])
  const byFetch = { 'if-none-match': etag, 'cache-control': 'no-cache' }
  t.equal((await send(app, 'GET', itemUrl, undefined, byFetch)).status, 304)
  const changed = await send(app, 'PATCH', itemUrl, { title: 'Ace' })
  t.not(changed.headers.etag, item.headers.etag)
  t.equal((await send(app, 'GET', itemUrl)).headers.etag, changed.headers.etag)
  const moved = await send(app, 'POST', `${itemUrl}/move`, { column: 'Done' })
  t.equal((await send(app, 'GET', itemUrl)).headers.etag, moved.headers.etag)
  const patched = await send(app, 'PATCH', url, { nextStep: 'Go' })
  t.equal((await send(app, 'GET', url)).headers.etag, patched.headers.etag)
  t.notOk((await send(app, 'GET', `${url}/kanban-items`)).headers.etag, 'a list is no record')
})

t.test('a creation returns Location and the ETag of the record', async (t) => {
  const makes = tried.filter((route) => SENT[route]?.[0] === 201)
  t.ok(makes.length > 14, `${makes.length} routes`)
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode, adminPassword: 'correct horse' })
    const document = (await send(app, 'GET', '/openapi.json')).body
    for (const route of makes) {
      const ask = requester(app)
      const [, path = ''] = route.split(' ')
      const key = { 'idempotency-key': `"${authMode}${route.replaceAll(' ', '+')}"` }
      const { status, body, headers } = await ask(route, key)
      t.equal(status, 201, route)
      const location = String(headers.location)
      t.match(location, /^\/api\/[\w-]+\/[\w-]+$/, `${route}: a path`)
      const found = await ask(`GET ${location}`)
      // Several records were created with these, of which the first counts.
      const isOne = 'id' in body
      t.equal(found.status, 200, `${route} ${location}`)
      t.match(isOne ? body : Object.values(body)[0], found.body)
      if (isOne) t.equal(headers.etag, found.headers.etag, `${route}: the ETag of what is there`)
      t.equal(found.headers.location, undefined)
      if (!SECRET.has(route)) t.equal((await ask(route, key)).headers.location, location, `${route} again`)
      const described = document.paths[path.replace(/:(\w+)/g, '{$1}')].post.responses[201].headers
      t.ok(described.Location, `${route}: it is in the document`)
    }
  }
})

t.test('the ETag after a change is that of the record, without fields that are shown once', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  const withETag = new Set<string>()
  for (const route of tried) {
    const ask = requester(app)
    for (const headers of [{}, { 'idempotency-key': `"etag+${route.replaceAll(' ', '+')}"` }]) {
      const answer = await ask(route, headers)
      const { etag } = answer.headers
      if (etag === undefined) continue
      withETag.add(route)
      const [, first] = /\/api\/([\w-]+)/.exec(route) ?? []
      const collection = route.endsWith('/kanban-items/claim') ? 'kanban-items' : first
      const itself = route.endsWith(OWN) ? OWN : `/api/${collection}/${answer.body.id}`
      const url = String(answer.headers.location ?? itself)
      const shown = await reading(ask, url)
      t.equal(shown.headers.etag, etag, route)
    }
  }
  for (const route of [...SECRET, 'POST /api/kanban-items/:id/move', 'PATCH /api/projects/:id']) {
    t.ok(withETag.has(route), route)
  }
})

t.test('a response with a secret has the ETag for the next write', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode, adminPassword: 'correct horse' })
    const ask = requester(app)
    const made = await ask('POST /api/webhooks')
    const url = String(made.headers.location)
    const first = { 'if-match': String(made.headers.etag) }
    const rotated = await ask(`POST ${url}/rotate-secret`, first)
    t.strictSame([rotated.status, typeof rotated.body.secret], [200, 'string'])
    t.not(rotated.headers.etag, made.headers.etag)
    t.equal((await ask(`PATCH ${url}`, first, { description: 'x' })).status, 412)
    const second = { 'if-match': String(rotated.headers.etag) }
    t.equal((await ask(`PATCH ${url}`, second, { description: 'x' })).status, 200)
    const token = await ask('POST /api/tokens')
    const tag = { 'if-match': String(token.headers.etag) }
    t.equal((await ask(`DELETE ${token.headers.location}`, tag)).status, 200)
  }
})

t.test('a warning belongs to the request: the ETag is that of the record', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const [column] = (await send(app, 'GET', `/api/projects/${id}/kanban-columns`)).body
  await send(app, 'PATCH', `/api/kanban-columns/${column.id}`, { wipLimit: 1 })
  await createItem(app, id)
  const warned = await send(app, 'POST', `/api/projects/${id}/kanban-items`, { title: 'Too many' })
  t.equal(warned.body.warnings.length, 1)
  const url = `/api/kanban-items/${warned.body.id}`
  t.equal((await send(app, 'GET', url)).headers.etag, warned.headers.etag)
  t.equal(
    (await send(app, 'PATCH', url, { title: 'x' }, { 'if-match': String(warned.headers.etag) })).status,
    200,
  )
})

t.test('the order of checks: existence, then the precondition, then conflicts', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const match = { 'if-match': '"nope"' }
  t.equal((await send(app, 'PATCH', '/api/kanban-items/none', { title: 'x' }, match)).status, 404)
  t.equal((await send(app, 'DELETE', '/api/kanban-columns/none', undefined, match)).status, 404)
  t.equal((await send(app, 'PATCH', '/api/kanban-subtasks/none', { title: 'x' }, match)).status, 500)
  const [column] = (await send(app, 'GET', `/api/projects/${id}/kanban-columns`)).body
  const rename = (headers: Record<string, string>) =>
    send(app, 'PATCH', `/api/kanban-columns/${column.id}`, { name: 'Done' }, headers)
  t.equal((await rename(match)).status, 412)
  t.equal((await rename({ 'if-match': '*' })).status, 409)
  t.equal((await send(app, 'PATCH', `/api/kanban-columns/${column.id}`, { name: 5 }, match)).status, 400)
  const hidden = await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' })
  const other = signInAs(app, 'member').headers
  const idea = `/api/personal-ideas/${hidden.body.id}`
  t.equal(
    (await send(app, 'PATCH', idea, { title: 'x' }, { ...other, ...match })).status,
    404,
    'nothing leaks',
  )
})

t.test('a key is 1 to 255 visible ASCII characters', async (t) => {
  const app = await build(t)
  const ask = (key: string) =>
    send(app, 'POST', '/api/projects', { name: 'Apollo' }, { 'idempotency-key': key })
  for (const key of ['', 'a b', 'é', 'x'.repeat(256), 'a\tb']) {
    const { status, body } = await ask(key)
    t.strictSame(
      [status, body],
      [
        400,
        {
          error: 'Validation failed',
          details: {
            formErrors: ['Idempotency-Key must be 1 to 255 visible ASCII characters'],
            fieldErrors: {},
          },
        },
      ],
      JSON.stringify(key),
    )
  }
  t.equal((await ask('x'.repeat(255))).status, 201)
  t.equal((await ask('!~"{}')).status, 201)
  t.equal(count(app, 'projects'), 2)
})

t.test('failures are not stored, and a key can be reused after a day', async (t) => {
  const app = await build(t)
  const key = { 'idempotency-key': 'k' }
  t.equal((await send(app, 'POST', '/api/projects', {}, key)).status, 400)
  t.equal((await send(app, 'POST', '/api/projects', '{oops', key)).status, 500)
  t.equal((await send(app, 'POST', '/api/projects', { name: 'Apollo' }, key)).status, 201)
  t.equal((await send(app, 'POST', '/api/projects', { name: 'Gemini' }, key)).status, 422)
  app.db.$client.prepare('update idempotency_keys set created_at = ?').run(LONG_AGO)
  const { status, headers } = await send(app, 'POST', '/api/projects', { name: 'Gemini' }, key)
  t.strictSame([status, headers['idempotent-replayed']], [201, undefined])
  t.equal(count(app, 'idempotency_keys'), 1)
  t.equal(count(app, 'projects'), 2)
})

t.test('keys belong to their member, method and path', async (t) => {
  const app = await build(t, { authMode: 'required', adminPassword: 'correct horse' })
  const [ada, bob] = [signInAs(app, 'member').headers, signInAs(app, 'member').headers]
  const key = { 'idempotency-key': 'k' }
  const make = (who: object, path = '/api/personal-ideas') =>
    send(app, 'POST', path, { title: 'Fly', name: 'Fly' }, { ...who, ...key } as Record<string, string>)
  const mine = await make(ada)
  const theirs = await make(bob)
  t.not(theirs.body.id, mine.body.id, 'nobody gets the response to another member')
  t.equal((await make(ada, '/api/projects')).status, 201)
  t.equal((await make(ada)).body.id, mine.body.id)
  const anonymous = await make({})
  t.equal(anonymous.status, 401)
})

t.test('no password hash is stored', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  const admin = { ...signInAs(app, 'admin').headers, 'idempotency-key': 'k' }
  const member = { name: 'Bob', email: 'bob@example.test' }
  await send(app, 'POST', '/api/members', { ...member, password: 'battery staple' }, admin)
  const hash = () => app.db.$client.prepare('select body_hash from idempotency_keys').pluck().get()
  const first = hash()
  const again = await send(app, 'POST', '/api/members', { ...member, password: 'another one' }, admin)
  t.equal(again.headers['idempotent-replayed'], 'true', 'whatever the password')
  t.equal(hash(), first)
})

t.test('a large response is not stored, and its request is not repeated', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  await createItem(app, id, { description: 'x'.repeat(70_000) })
  const key = { 'idempotency-key': 'k' }
  const patch = (fields: object) => send(app, 'PATCH', `/api/projects/${id}`, fields, key)
  const first = await patch({ nextStep: 'Go' })
  t.equal(first.status, 200)
  t.ok(JSON.stringify(first.body).length > 70_000, 'it is answered as ever')
  const again = await patch({ nextStep: 'Go' })
  t.strictSame([again.status, again.body], [409, { error: 'Already done' }])
  t.equal(again.headers['phaseboard-seq'], first.headers['phaseboard-seq'], 'what it has done can be found')
  t.equal(again.headers.etag, undefined)
  t.equal((await patch({ nextStep: 'Stay' })).status, 422)
  t.equal(count(app, 'idempotency_keys', 'body is not null'), 0)
  t.equal(count(app, 'idempotency_keys'), 1)
})

t.test('a request without permission is not replayed', async (t) => {
  const options = { authMode: 'required', adminPassword: 'correct horse' } as const
  const app = await build(t, options)
  const { $client } = app.db
  const replayed = new Set<string>()
  for (const route of tried.filter((route) => route !== 'DELETE /api/members/:id')) {
    // Ideas and comments belong to another member. An admin may change them.
    const prepare = (role: string) => {
      const ask = requester(app)
      $client.exec("update personal_ideas set owner_id = 'ada'; update kanban_comments set author_id = 'ada'")
      $client.prepare('update members set role = ? where id = ?').run(role, CALLER)
      return ask
    }
    for (const role of ['member', 'viewer']) {
      const key = { 'idempotency-key': `"${role}-${route.replaceAll(' ', '+')}"` }
      const ask = prepare('admin')
      const first = await ask(route, key)
      t.equal(first.status, SENT[route]?.[0] ?? 200, route)
      $client.prepare('update members set role = ? where id = ?').run(role, CALLER)
      const again = await ask(route, key)
      const anew = await prepare(role)(route)
      const isReplay = again.headers['idempotent-replayed'] === 'true'
      const isDone = again.status === 409 && again.body.error === 'Already done'
      t.ok(isReplay || isDone || again.status === anew.status, `${route} ${role}: ${again.status}`)
      if (anew.status >= 400) t.notOk(isReplay, `${route} ${role}: ${anew.status} anew`)
      if (isReplay) replayed.add(`${role} ${route}`)
    }
  }
  t.ok(replayed.has('member PATCH /api/projects/:id'), 'what any member may see is replayed')
  t.notOk(replayed.has('viewer PATCH /api/projects/:id'))
  t.notOk(replayed.has('member PATCH /api/personal-ideas/:id'))
})

t.test('batches, undos and tool calls are not replayed for a lower role, either', async (t) => {
  const app = await build(t, { authMode: 'required', adminPassword: 'correct horse' })
  const caller = signInAs(app, 'admin')
  const other = signInAs(app, 'member')
  const setRole = (role: string) =>
    app.db.$client.prepare('update members set role = ? where id = ?').run(role, caller.id)
  const idea = await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' }, other.headers)
  const path = `/api/personal-ideas/${idea.body.id}`
  const changed = await send(app, 'PATCH', path, { title: 'Dive' }, other.headers)
  const rpc = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'batch',
      arguments: { requests: [{ method: 'PATCH', path, body: { status: 'ready' } }], idempotencyKey: 'k' },
    },
  }
  // Nothing is stored for requests that only read.
  const own = { method: 'POST', path: '/api/personal-ideas', body: { title: 'Mine' } }
  const requests: [string, object][] = [
    ['/api/batch', { requests: [own, { method: 'GET', path: '/api/webhooks' }] }],
    ['/api/batch', { requests: [own, { method: 'GET', path }] }],
    [`/api/changes/${changed.headers['phaseboard-seq']}/undo`, {}],
    ['/mcp', rpc],
  ]
  const ask = ([url, body]: [string, object], index: number) =>
    send(app, 'POST', url, body, {
      ...caller.headers,
      accept: 'application/json, text/event-stream',
      'idempotency-key': `k${index}`,
    })
  const all = async () => {
    const answers = []
    for (const [index, request] of requests.entries()) answers.push(await ask(request, index))
    return answers
  }
  const first = await all()
  t.strictSame(
    first.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  setRole('member')
  const again = await all()
  t.strictSame(
    again.map(({ status }) => status),
    [409, 409, 409, 200],
  )
  t.equal(again[3]?.body.result.isError, true)
  t.match(again[3]?.body.result.content[0].text, /"error":"Already done"/)
  for (const { body } of again) t.notMatch(JSON.stringify(body), /Dive|Fly/)
  setRole('admin')
  t.strictSame(
    (await all()).slice(0, 3).map(({ headers }) => headers['idempotent-replayed']),
    ['true', 'true', 'true'],
  )
})

/** Real requests to the built service, on a file. */
async function served(t: Test) {
  const options = { databaseUrl: `file:${join(t.testdir(), 'board.db')}`, adminPassword: 'correct horse' }
  const start = async () => {
    const app = (await shipped.buildApp({ ...options, logLevel: 'silent' })) as App
    t.teardown(() => app.close())
    return { app, url: await app.listen({ port: 0 }) }
  }
  const ask = async (url: string, method: string, body: object, headers: Record<string, string>) => {
    const response = await fetch(url, { method, body: JSON.stringify(body), headers })
    // biome-ignore lint/suspicious/noExplicitAny: whole bodies, of every shape
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  return { start, ask }
}

t.test('a hundred simultaneous requests with one key create one record, also after a restart', async (t) => {
  const { start, ask } = await served(t)
  const { app, url } = await start()
  const headers = { 'idempotency-key': 'once' }
  const make = (at: string) => ask(`${at}/api/projects`, 'POST', { name: 'Apollo' }, headers)
  const answers = await Promise.all(Array.from({ length: 100 }, () => make(url)))
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([201]))
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  t.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed')).length, 99)
  t.equal(count(app, 'projects'), 1)
  await app.close()
  const next = await start()
  const again = await make(next.url)
  t.strictSame([again.status, again.body], [201, answers[0]?.body])
})

t.test('one of thirty clients that change one record at once succeeds', async (t) => {
  const { start, ask } = await served(t)
  const { url } = await start()
  const project = await ask(`${url}/api/projects`, 'POST', { name: 'Apollo' }, {})
  const item = await ask(`${url}/api/projects/${project.body.id}/kanban-items`, 'POST', { title: 'Card' }, {})
  const etag = String(item.headers.get('etag'))
  const path = `${url}/api/kanban-items/${item.body.id}`
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, client) =>
      ask(path, 'PATCH', { title: `Client ${client}` }, { 'if-match': etag }),
    ),
  )
  const won = answers.filter(({ status }) => status === 200)
  t.equal(won.length, 1)
  t.equal(answers.filter(({ status }) => status === 412).length, 29)
  const shown = await (await fetch(path)).json()
  t.strictSame(shown, won[0]?.body)
  for (const { status, headers } of answers) {
    if (status === 412)
      t.equal(headers.get('etag'), won[0]?.headers.get('etag'), 'the ETag to try again with')
  }
})

t.test('the worker thread checks the same preconditions', async (t) => {
  const { start, ask } = await served(t)
  const { app, url } = await start()
  const { body: project } = await ask(`${url}/api/projects`, 'POST', { name: 'Apollo' }, {})
  const { $client } = app.db
  $client.exec(`insert into kanban_items (id, project_id, title, description)
    with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < 1500)
    select 'i' || value, '${project.id}', 'Card', hex(randomblob(1000)) from numbers`)
  const path = `${url}/api/projects/${project.id}`
  // Not compressed: that has an ETag of its own.
  const plain = await fetch(path, { headers: { 'accept-encoding': 'identity' } })
  const etag = plain.headers.get('etag') ?? ''
  const refused = await ask(path, 'PATCH', { nextStep: 'Go' }, { 'if-match': '"nope"' })
  t.strictSame([refused.status, refused.headers.get('etag')], [412, etag])
  const key = { 'idempotency-key': 'k', 'if-match': etag }
  const changed = await ask(path, 'PATCH', { nextStep: 'Go' }, key)
  t.strictSame([changed.status, changed.body.nextStep], [200, 'Go'])
  const again = await ask(path, 'PATCH', { nextStep: 'Go' }, key)
  t.strictSame([again.status, again.body], [409, { error: 'Already done' }], 'it is too large to be kept')
  t.equal(again.headers.get('phaseboard-seq'), changed.headers.get('phaseboard-seq'))
  const unconditional = { 'idempotency-key': 'other' }
  const ran = watch(t, $client)
  const stepped = await ask(path, 'PATCH', { nextStep: 'On' }, unconditional)
  t.strictSame([stepped.status, stepped.body.nextStep, stepped.body.kanbanItems.length], [200, 'On', 1500])
  t.equal(stepped.headers.get('etag'), (await fetch(path)).headers.get('etag'))
  t.equal(ran.count(/^insert into "idempotency_keys"/), 1, 'the write needs no worker thread')
  t.equal((await ask(path, 'PATCH', { nextStep: 'On' }, unconditional)).status, 409)
  const ids = Array.from({ length: 400 }, (_, index) => `i${index + 1}`)
  const bulk = await ask(`${url}/api/kanban-items`, 'PATCH', { ids, update: { priority: 'high' } }, {})
  t.equal(bulk.status, 200)
  const seq = Number(bulk.headers.get('phaseboard-seq'))
  const last = $client.prepare('select actor_id, "group", seq from changes order by seq desc limit 1').get()
  t.strictSame(last, { actor_id: 'local', group: seq - 399, seq })
  const [column] = (await (await fetch(`${path}/kanban-columns`)).json()) as [{ id: string }]
  const columnPath = `${url}/api/kanban-columns/${column.id}?moveTo=Done`
  const gone = await ask(columnPath, 'DELETE', {}, { 'idempotency-key': 'gone' })
  const goneAgain = await ask(columnPath, 'DELETE', {}, { 'idempotency-key': 'gone' })
  t.strictSame([gone.status, gone.headers.get('idempotent-replayed')], [200, null])
  t.strictSame(
    [goneAgain.status, goneAgain.headers.get('idempotent-replayed'), goneAgain.body],
    [200, 'true', gone.body],
  )
})

t.test('a handler that performs its call itself, or returns none, fails', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const create = (name: string) => app.projects.create({ name })
  const add = (operationId: string, handler: RouteHandlerMethod) =>
    app.post(`/api/${operationId}`, {
      config: { access: 'write', failure: 'Failed to be careful', isSentAlone: true },
      schema: { operationId, response: { 201: ref(ProjectSchema) } },
      handler,
    })
  // Nobody would be the actor of its change, whatever its If-Match.
  add('careless', async () => (await app.perform(create('Apollo'), BY_SERVICE)).value)
  add('forgetful', () => void create('Apollo'))
  add('unready', async () => undefined)
  add('late', async () => create('Gemini'))
  for (const name of ['careless', 'forgetful', 'unready']) {
    const { status, body } = await send(app, 'POST', `/api/${name}`, {})
    t.strictSame([name, status, body], [name, 500, { error: 'Failed to be careful' }])
  }
  t.match(await send(app, 'POST', '/api/late', {}), { status: 201, body: { name: 'Gemini' } })
})
