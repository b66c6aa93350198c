/** The fast path responds exactly as the router would, and leaves everything unusual to it. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { openDatabase } from '../../src/db/client.ts'
import {
  type App,
  addMember,
  build,
  createItem,
  createProject,
  keepLog,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'
import { dial, onPreparedFile, start } from '../process.ts'

/** Published by Fastify when it calls a handler. */
const HANDLED = 'tracing:fastify.request.handler:start'

/** The headers of a connection, and the date: not those of a response. */
const OF_CONNECTION = ['connection', 'date', 'keep-alive']

type Lines = readonly string[]

/** A response as sent: its status, headers in alphabetical order, and body. */
function parse(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines
    .map((line) => line.split(': ') as [string, string])
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OF_CONNECTION.includes(name))
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), body }
}

/** A listening service that uses the fast path, and functions that send raw requests. */
async function setUp(t: Test, options: Parameters<typeof build>[1] = {}) {
  const app = await build(t, options)
  app.useFastPath()
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  let routed = 0
  const count = () => {
    routed++
  }
  subscribe(HANDLED, count)
  t.teardown(() => unsubscribe(HANDLED, count))

  /** Sends a request as these lines. @returns the response, and whether a handler was called for it */
  async function ask(start: string, headers: Lines = [], body = '') {
    const { socket, received } = await dial(t, port)
    const before = routed
    socket.write([start, ...headers, 'Connection: close', '', body].join('\r\n'))
    const response = parse(await received)
    return { ...response, isRouted: routed > before }
  }
  const read = (path: string, headers: Lines = []) =>
    ask(`GET ${path} HTTP/1.1`, ['Host: localhost', ...headers])
  return { app, port, ask, read, handled: () => routed }
}

/** What the router responds to a GET. */
async function routerOf(app: App, url: string, lines: Lines = []) {
  const given = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]))
  const { status, headers } = await send(app, 'GET', url, undefined, { host: 'localhost', ...given })
  const { rawPayload } = await app.inject({ url, headers: { host: 'localhost', ...given } })
  const own = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name))
  return {
    status,
    headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    body: rawPayload.toString(),
  }
}

const HARMLESS = [
  'Accept: application/problem+json',
  'Accept-Encoding: gzip, br',
  'Accept-Language: de',
  'Cache-Control: no-cache',
  'Pragma: no-cache',
  'Priority: u=1',
  'Referer: http://elsewhere.example/',
  'Sec-CH-UA: "Chromium"',
  'Sec-CH-UA-Mobile: ?0',
  'Sec-CH-UA-Platform: "Linux"',
  'Sec-Fetch-Dest: empty',
  'Sec-Fetch-Mode: cors',
  'Sec-Fetch-Site: cross-site',
  'Sec-Fetch-User: ?1',
  'User-Agent: somebody',
]

for (const [title, options] of [
  ['on this machine', {}],
  ['on a network address', { host: '0.0.0.0', authMode: 'open', rateLimitMax: 0 }],
] as const) {
  t.test(`${title}, a cached project is sent as the router sends it`, async (t) => {
    const { app, read } = await setUp(t, options)
    const { id } = await createProject(app, { name: 'Zürich 🚀' })
    await createItem(app, id)
    const path = `/api/projects/${id}`
    const first = await read(path)
    t.ok(first.isRouted, 'not cached yet')
    t.same(await read(path), { ...first, isRouted: false })
    const { etag = '' } = first.headers
    for (const lines of [[], ...HARMLESS.map((line) => [line]), HARMLESS]) {
      t.same(await read(path, lines), { ...(await routerOf(app, path, lines)), isRouted: false }, `${lines}`)
      const named = [...lines, `If-None-Match: ${etag}`]
      const unchanged = await read(path, named)
      t.equal(unchanged.status, 304)
      t.same(unchanged, { ...(await routerOf(app, path, named)), isRouted: false }, `${named}`)
    }
  })
}

t.test('unusual headers are for the router', async (t) => {
  const { app, read, ask } = await setUp(t)
  const { id } = await createProject(app)
  const path = `/api/projects/${id}`
  await read(path)
  const { etag = '' } = (await read(path)).headers
  const { headers } = signInAs(app, 'viewer')
  const { authorization } = tokenOf(app, addMember(app, 'ada@example.test', { role: 'viewer' }))
  const handled = [
    `Authorization: ${authorization}`,
    'Authorization: Basic dTpw',
    `Cookie: ${headers.cookie}`,
    'Cookie: theme=dark',
    `If-Match: ${etag}`,
    'If-None-Match: "other"',
    'If-None-Match: *',
    `If-None-Match: W/${etag}`,
    `If-None-Match: "other", ${etag}`,
    'Origin: http://localhost',
    'Prefer: handling=strict',
    'X-Unknown: 1',
    'Idempotency-Key: "k"',
  ]
  for (const line of handled) {
    t.same(await read(path, [line]), { ...(await routerOf(app, path, [line])), isRouted: true }, line)
  }
  const refused: [number, string][] = [
    [401, 'Authorization: Bearer unknown'],
    [401, 'Cookie: phaseboard_session=unknown'],
    [401, 'X-Forwarded-For: 192.0.2.1'],
    [401, 'Forwarded: for=192.0.2.1'],
    [401, 'Via: 1.1 proxy'],
    [401, 'X-Real-IP: 192.0.2.1'],
    [412, 'If-Match: "other"'],
  ]
  for (const [status, line] of refused) {
    const response = await read(path, [line])
    t.equal(response.status, status, line)
    t.match(response, await routerOf(app, path, [line]), line)
  }
  t.match(await read(path, ['Host: localhost']), { status: 400 }, 'two hosts')
  t.match(await read(path, ['Accept: a/b', 'Accept: c/d']), { status: 200, isRouted: true }, 'a header twice')
  const withBody = await ask(
    `GET ${path} HTTP/1.1`,
    ['Host: localhost', 'Content-Type: text/plain', 'Content-Length: 2'],
    'hi',
  )
  t.match(withBody, { status: 200, isRouted: true }, 'a body')
  const chunked = ['Host: localhost', 'Transfer-Encoding: chunked']
  t.match(await ask(`GET ${path} HTTP/1.1`, chunked, '0\r\n\r\n'), { status: 200, isRouted: true }, 'chunks')
  for (const [status, start, lines] of [
    [400, `GET ${path} HTTP/1.1`, []],
    [403, `GET ${path} HTTP/1.1`, ['Host: rebound.example']],
    [403, `GET ${path} HTTP/1.1`, ['Host: ']],
    [401, `GET ${path} HTTP/1.0`, ['Host: localhost']],
    [401, `GET ${path} HTTP/1.0`, []],
  ] as const) {
    t.match(await ask(start, lines), { status }, `${start} ${lines}`)
  }
})

t.test('other targets and methods are for the router', async (t) => {
  const { app, ask, read } = await setUp(t)
  const { id } = await createProject(app)
  await read(`/api/projects/${id}`)
  for (const [status, method, target] of [
    [200, 'HEAD', `/api/projects/${id}`],
    [200, 'GET', `/api/projects/${id}?expand=people`],
    [200, 'GET', `/api/projects/${id}?`],
    [200, 'GET', `/api/projects/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
    [405, 'POST', `/api/projects/${id}`],
    [404, 'GET', `/API/projects/${id}`],
    [404, 'GET', `/api/projects/${id}/`],
    [404, 'GET', `//api/projects/${id}`],
    [404, 'GET', '/api/projects/unknown'],
    [404, 'GET', '/api/projects/__proto__'],
    [200, 'GET', '/api/projects'],
  ] as const) {
    const response = await ask(`${method} ${target} HTTP/1.1`, ['Host: localhost'])
    t.equal(response.status, status, `${method} ${target}`)
    if (method === 'GET') t.match(response, await routerOf(app, target), target)
  }
})

t.test('no change is missed', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const { app, read } = await setUp(t, { databaseUrl })
  const { id } = await createProject(app)
  const item = await createItem(app, id)
  const path = `/api/projects/${id}`
  await read(path)
  t.match(await read(path), { isRouted: false })
  const { etag = '' } = (await read(path)).headers

  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: 'Changed' })
  const changed = await read(path, [`If-None-Match: ${etag}`])
  t.match(changed, { status: 200, isRouted: true, body: /"title":"Changed"/ })
  t.same(await read(path), { ...changed, isRouted: false })

  const { db, close } = openDatabase(databaseUrl)
  t.teardown(close)
  db.$client.prepare('update projects set next_step = ?').run('another process')
  t.match(await read(path), { status: 200, isRouted: true, body: /"nextStep":"another process"/ })
  t.match(await read(path), { status: 200, isRouted: false, body: /"nextStep":"another process"/ })

  await send(app, 'PATCH', path, { description: 'x'.repeat(40_000) })
  await read(path)
  t.match(await read(path), { status: 200, isRouted: true, headers: { vary: 'Accept-Encoding' } }, 'large')
  await send(app, 'PATCH', path, { description: '' })
  await read(path)
  t.match(await read(path), { status: 200, isRouted: false }, 'small again')

  const admin = signInAs(app, 'admin')
  await send(app, 'DELETE', path, undefined, admin.headers)
  t.match(await read(path), { status: 404 })
})

t.test('one connection carries any number of requests, fast or not, in order', async (t) => {
  const { app, port, read, handled } = await setUp(t)
  const { id } = await createProject(app)
  const path = `/api/projects/${id}`
  await read(path)
  const before = handled()
  const { socket, received } = await dial(t, port)
  const request = (target: string, ...lines: string[]) =>
    [`GET ${target} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n')
  socket.write(request(path) + request('/healthz') + request(path) + request('/readyz', 'Connection: close'))
  const statuses = (await received).match(/HTTP\/1.1 200 OK|"name":"Apollo"|"status":"ok"/g)
  t.strictSame(
    statuses?.filter((found) => !found.startsWith('HTTP')),
    ['"name":"Apollo"', '"status":"ok"', '"name":"Apollo"', '"status":"ok"'],
  )
  t.equal(statuses?.length, 8)
  t.equal(handled() - before, 2, 'the health checks')
})

t.test('the metrics count its requests, and the cache its hits', async (t) => {
  const { app, read } = await setUp(t)
  const { id } = await createProject(app)
  const path = `/api/projects/${id}`
  const { headers } = await read(path)
  const countOf = (status: number) =>
    [...app.requestCounters.all()].find(
      (series) => series.route === '/api/projects/:id' && series.method === 'GET' && series.status === status,
    )
  const before = app.snapshots.use().hits
  t.match(await read(path), { isRouted: false })
  t.match(await read(path, [`If-None-Match: ${headers.etag}`]), { isRouted: false })
  t.match(countOf(200), { count: 2, times: Object })
  t.match(countOf(304), { count: 1, times: Object })
  t.equal(app.snapshots.use().hits - before, 2)
  await read(path, ['If-None-Match: "old"'])
  t.equal(app.snapshots.use().hits - before, 3, 'one for a response of the router, too')
  await send(app, 'PATCH', path, { description: 'x'.repeat(40_000) })
  await read(path)
  const beforeLarge = app.snapshots.use().hits
  await read(path)
  t.equal(app.snapshots.use().hits - beforeLarge, 1, 'a large one, too')
})

t.test('while the service stops, the router responds and closes the connection', async (t) => {
  const { app, port, read, handled } = await setUp(t)
  const { id } = await createProject(app)
  await read(`/api/projects/${id}`)
  const before = handled()
  const accepted = once(app.server, 'connection')
  const { socket, received } = await dial(t, port)
  const [connection] = (await accepted) as [Socket]
  const arrived = () => connection.bytesRead
  const request = `GET /api/projects/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  socket.write(request)
  await once(socket, 'data')
  t.equal(handled(), before)
  // Not all of a request has arrived, so that the connection is not idle.
  socket.write(request.slice(0, -2))
  while (arrived() < 2 * request.length - 2) await setTimeout(5)
  const closed = app.close()
  while (app.server.listening) await setTimeout(5)
  socket.write(request.slice(-2))
  const heads = (await received).match(/HTTP\/1.1 200 OK.*?\r\n\r\n/gs) ?? []
  t.match(heads, [/^Connection: keep-alive\r$/im, /^Connection: close\r$/im])
  await closed
  t.equal(handled() - before, 1)
})

t.test('a slow one is logged', async (t) => {
  const { logStream, log } = keepLog()
  const { app, read } = await setUp(t, { logLevel: 'warn', logStream })
  const { id } = await createProject(app)
  const path = `/api/projects/${id}`
  await read(path)
  t.equal(log(), '')
  let calls = 0
  t.intercept(performance, 'now', { value: () => 2000 * calls++ })
  t.match(await read(path), { status: 200, isRouted: false })
  t.match(JSON.parse(log()), { msg: 'slow request', method: 'GET', path, status: 200, milliseconds: Number })
})

t.test('its responses count as small, also after a large one on the same connection', async (t) => {
  const { app, port, read, handled } = await setUp(t)
  const { id } = await createProject(app, { description: 'x'.repeat(30_000) })
  app.db.$client.exec(`insert into projects (id, name, description)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 120)
    select 'large' || i, 'Large', printf('%.*c', 100000, 'x') from n`)
  await read(`/api/projects/${id}`)
  const before = handled()
  const request = (path: string, count = 1) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count)
  const room = () => Number(app.roomForResponse?.())
  /** Waits for the accounting to see less room than this. */
  const hasLess = async (bytes: number) => {
    while (room() >= bytes) await setTimeout(10)
  }
  const list = await dial(t, port)
  let received = 0
  const isComplete = Promise.withResolvers<void>()
  list.socket.on('data', ({ length }) => {
    received += length
    if (received > 12_000_000) isComplete.resolve()
  })
  list.socket.write(request('/api/projects'))
  await isComplete.promise
  list.socket.pause()
  list.socket.write(request(`/api/projects/${id}`, 5000))
  await hasLess(Number.POSITIVE_INFINITY)
  t.pass('the client does not read')
  t.ok(room() > 60_000_000)
  t.equal(handled() - before, 1, 'only the list')
  const other = await dial(t, port)
  other.socket.pause()
  other.socket.write(request('/api/projects'))
  await hasLess(60_000_000)
  t.pass('the list to another one counts')
})

t.test('only routes that need no hook may have it', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const kept = () => undefined
  for (const [path, config] of [
    ['/api/things/:id', { access: 'own' }],
    ['/api/things/:id/parts', { access: 'read' }],
    ['/api/things/:id/parts/:part', { access: 'read' }],
    ['/api/things', { access: 'read' }],
    ['/api/things/:id', { access: 'read', hasSecretAddress: true }],
    ['/api/things/:id', { access: 'read', waits: true }],
    ['/api/things/:id', { access: 'read', contentSecurityPolicy: "default-src 'self'" }],
  ] as const) {
    t.throws(() => app.get(path, { config: { ...config, kept } }, async () => 'thing'), {
      message: `GET ${path} needs the router`,
    })
  }
  await app.ready()
  app.useFastPath()
  t.throws(() => app.useFastPath(), { message: 'the router does not listen itself' })
})

t.test('if the database fails, the router says so', async (t) => {
  const { app, read } = await setUp(t)
  const { id } = await createProject(app)
  await read(`/api/projects/${id}`)
  app.db.$client.close()
  t.match(await read(`/api/projects/${id}`), {
    status: 500,
    body: '{"error":"Failed to fetch project"}',
    isRouted: true,
  })
})

for (const [title, options] of [
  ['sign-in is required', { authMode: 'required', rateLimitMax: 0 }],
  ['requests are limited', { rateLimitMax: 1000 }],
  ['other origins are allowed', { corsOrigins: ['https://board.example'] }],
  ['requests are logged', { logLevel: 'debug', logStream: new PassThrough().resume() }],
] as const) {
  t.test(`where ${title}, there is none`, async (t) => {
    const { app, read } = await setUp(t, options)
    const { headers } = signInAs(app, 'admin')
    const { id } = await createProject(app, {}, headers)
    const lines = title === 'sign-in is required' ? [`Cookie: ${headers.cookie}`] : []
    for (let round = 0; round < 2; round++) {
      t.match(await read(`/api/projects/${id}`, lines), { status: 200, isRouted: true })
    }
  })
}

t.test('the service uses it', async (t) => {
  const environment = onPreparedFile(t.testdir())
  const observer = join(dirname(environment.DATABASE_URL.slice('file:'.length)), 'observer.mjs')
  writeFileSync(
    observer,
    `import { subscribe } from 'node:diagnostics_channel'
    subscribe('${HANDLED}', ({ request }) => console.log('handled', request.method, request.url))`,
  )
  const service = await start(t, { ...environment, NODE_OPTIONS: `--import ${pathToFileURL(observer)}` })
  const created = await fetch(`${service.url}/api/projects`, { method: 'POST', body: '{"name":"Apollo"}' })
  const path = `/api/projects/${Object(await created.json()).id}`
  const { socket, received } = await dial(t, service.port)
  const lines = ['Host: localhost', '', '']
  socket.write([`GET ${path} HTTP/1.1`, ...lines].join('\r\n').repeat(3))
  socket.write(['GET /healthz HTTP/1.1', 'Connection: close', ...lines].join('\r\n'))
  t.equal((await received).match(/"name":"Apollo"/g)?.length, 3)
  await service.logged(/handled GET \/healthz/)
  t.strictSame(service.log().match(/handled .*/g), [
    'handled POST /api/projects',
    `handled GET ${path}`,
    'handled GET /healthz',
  ])
})

t.test('no other GET has a path that it takes', async (t) => {
  const app = await build(t)
  const { paths } = (await app.openapi()) as { paths: Record<string, object> }
  const others = Object.entries(paths).filter(
    ([path, operations]) => /^\/api\/projects\/[^/{]+$/.test(path) && 'get' in operations,
  )
  t.strictSame(others, [])
})
