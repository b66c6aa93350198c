import Fastify from 'fastify'
import t from 'tap'
import { phaseboard } from '../../src/app.ts'
import { type App, build, createProject, send, signInAs, tokenOf } from '../helper.ts'

const ORIGIN = 'https://app.example'

/** A preflight, which a browser sends before a cross-origin request. */
const preflight = (app: App, url: string, origin: string, method = 'PATCH') =>
  app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    },
  })

const corsHeaders = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

t.test('without CORS_ORIGIN there are no CORS headers', async (t) => {
  const app = await build(t)
  const { statusCode, headers, body } = await preflight(app, '/api/projects', ORIGIN)
  t.equal(statusCode, 405)
  t.strictSame(JSON.parse(body), { error: 'Method not allowed' })
  t.strictSame(corsHeaders(headers), [])
  t.strictSame(
    corsHeaders((await send(app, 'GET', '/api/projects', undefined, { origin: ORIGIN })).headers),
    [],
  )
})

t.test('a preflight of an allowed origin is accepted before any credential check', async (t) => {
  const app = await build(t, { authMode: 'required', corsOrigins: ['https://other.example', ORIGIN] })
  for (const url of ['/api/projects', '/api/projects/x', '/api/session']) {
    const { statusCode, headers, body } = await preflight(app, url, ORIGIN)
    t.equal(statusCode, 204)
    t.equal(body, '')
    t.match(headers, {
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization,content-type',
      vary: /Origin/,
    })
  }
})

t.test('an allowed origin may read responses and errors, with credentials', async (t) => {
  const app = await build(t, { corsOrigins: [ORIGIN] })
  const { headers: session } = signInAs(app, 'member')
  const answers = [
    await send(app, 'GET', '/api/projects', undefined, { origin: ORIGIN, ...session }),
    await send(app, 'POST', '/api/projects', { name: 'A' }, { origin: ORIGIN, ...session }),
    await send(app, 'GET', '/api/projects/unknown', undefined, { origin: ORIGIN }),
    await send(app, 'GET', '/api/projects', undefined, { origin: ORIGIN, authorization: 'Bearer x' }),
    await send(app, 'DELETE', '/api/projects/x', undefined, { origin: ORIGIN }),
    await send(app, 'POST', '/api/projects', '{oops', { origin: ORIGIN }),
  ]
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 201, 404, 401, 403, 500],
  )
  for (const { headers } of answers) {
    t.match(headers, {
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers':
        /ETag, Idempotent-Replayed, Link, Location, Phaseboard-Seq, Preference-Applied, Retry-After/,
      vary: /Origin/,
    })
  }
})

t.test('another origin only gets Vary', async (t) => {
  const app = await build(t, { corsOrigins: [ORIGIN] })
  for (const origin of ['https://evil.example', 'http://app.example', `${ORIGIN}:8443`, 'null', '*', '']) {
    const answer = await preflight(app, '/api/projects', origin)
    t.equal(answer.statusCode, 405, origin)
    t.strictSame(JSON.parse(answer.body), { error: 'Method not allowed' })
    t.strictSame(corsHeaders(answer.headers), [])
    t.match(answer.headers.vary, 'Origin')
    const { status, headers } = await send(app, 'GET', '/api/projects', undefined, { origin })
    t.equal(status, 200)
    t.strictSame(corsHeaders(headers), [])
    t.match(headers.vary, 'Origin', 'or a cache would pass the answer on to an allowed one')
  }
  t.strictSame(corsHeaders((await send(app, 'GET', '/api/projects')).headers), [])
})

t.test('other OPTIONS requests get ordinary responses', async (t) => {
  const app = await build(t, { corsOrigins: [ORIGIN] })
  const options = (url: string, headers = {}) => app.inject({ method: 'OPTIONS', url, headers })
  const bare = await options('/api/projects')
  t.equal(bare.statusCode, 405)
  t.strictSame(bare.json(), { error: 'Method not allowed' })
  const nowhere = await options('/nowhere')
  t.equal(nowhere.statusCode, 404)
  t.strictSame(nowhere.json(), { error: 'Not found' })
  const incomplete = await options('/api/projects', { origin: ORIGIN })
  t.equal(incomplete.statusCode, 204)
  t.equal(incomplete.body, '')
})

const rateHeaders = ({ headers }: { headers: Record<string, unknown> }) => ({
  limit: Number(headers['ratelimit-limit']),
  remaining: Number(headers['ratelimit-remaining']),
  reset: Number(headers['ratelimit-reset']),
})

t.test('every response reports the remaining requests of the minute', async (t) => {
  const app = await build(t, { rateLimitMax: 3 })
  const get = () => send(app, 'GET', '/api/projects')
  const first = rateHeaders(await get())
  t.match(first, { limit: 3, remaining: 2 })
  t.ok(first.reset > 50 && first.reset <= 60)
  t.match(rateHeaders(await send(app, 'POST', '/api/projects', '{oops')), { limit: 3, remaining: 1 })
  t.match(rateHeaders(await get()), { limit: 3, remaining: 0 })
})

t.test('a client above the limit gets 429 and Retry-After', async (t) => {
  const app = await build(t, { authMode: 'required', rateLimitMax: 2, trustProxy: true })
  const from = (client: string, method = 'GET', url = '/openapi.json') =>
    send(app, method, url, undefined, { 'x-forwarded-for': client })
  t.equal((await from('192.0.2.1')).status, 200)
  t.equal((await from('192.0.2.1', 'GET', '/nowhere')).status, 404)
  for (const [method, url] of [
    ['GET', '/api/projects'],
    ['GET', '/nowhere'],
    ['GET', '/docs'],
    ['DELETE', '/api/session'],
  ]) {
    const { status, body, headers } = await from('192.0.2.1', method, url)
    t.equal(status, 429, `${method} ${url}`)
    t.strictSame(body, { error: 'Too Many Requests' })
    t.match(rateHeaders({ headers }), { limit: 2, remaining: 0 })
    const seconds = Number(headers['retry-after'])
    t.ok(seconds > 50 && seconds <= 60)
    t.equal(headers['ratelimit-reset'], headers['retry-after'])
  }
  t.equal((await from('192.0.2.2')).status, 200, 'another client is not concerned')
  t.equal((await from('192.0.2.1', 'GET', '/healthz')).status, 200, 'nor are supervisors')
  t.equal((await from('192.0.2.1', 'GET', '/readyz')).status, 200)
})

t.test('health checks do not count', async (t) => {
  const app = await build(t, { rateLimitMax: 1 })
  for (let count = 0; count < 3; count++) {
    for (const url of ['/healthz', '/readyz']) {
      const { status, headers } = await send(app, 'GET', url)
      t.equal(status, 200)
      t.equal(headers['ratelimit-limit'], undefined)
    }
  }
  t.equal((await send(app, 'GET', '/api/projects')).status, 200)
})

t.test('requests with invalid credentials count, too', async (t) => {
  const app = await build(t, { rateLimitMax: 2, authMode: 'required' })
  const guess = (authorization: string) => send(app, 'GET', '/api/projects', undefined, { authorization })
  t.equal((await guess('Bearer a')).status, 401)
  t.equal((await send(app, 'DELETE', '/api/projects/x')).status, 403)
  t.equal((await guess('Bearer b')).status, 429)
})

t.test('members count each by themselves, wherever they are, and only others by address', async (t) => {
  const app = await build(t, { rateLimitMax: 2, authMode: 'required', trustProxy: true })
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'viewer')]
  const get = async (headers: Record<string, string> = {}, client = '192.0.2.1', url = '/api/projects') =>
    (await send(app, 'GET', url, undefined, { 'x-forwarded-for': client, ...headers })).status
  t.strictSame([await get(), await get(), await get()], [401, 401, 429])
  t.strictSame([await get(ada.headers), await get(bob.headers)], [200, 200], 'of the same address')
  t.equal(await get(tokenOf(app, ada.id), '192.0.2.2'), 200, 'a token counts for its member')
  t.strictSame([await get(ada.headers, '192.0.2.3'), await get(tokenOf(app, ada.id))], [429, 429])
  t.equal(await get(ada.headers, '192.0.2.3', '/openapi.json'), 429, 'also where no credential is needed')
  t.equal(await get(bob.headers, '192.0.2.1', '/openapi.json'), 200)
  t.equal(await get({}, '192.0.2.3'), 401, 'the address has its own count')
  t.equal(
    await get({ cookie: 'phaseboard_session=x' }, '192.0.2.3', '/openapi.json'),
    200,
    'a guess is its second',
  )
  t.equal(await get({ authorization: 'Bearer x' }, '192.0.2.3'), 429)
  const guess = await send(app, 'GET', '/api/projects', undefined, {
    'x-forwarded-for': '192.0.2.3',
    cookie: 'phaseboard_session=x',
  })
  t.equal(guess.status, 429)
})

t.test('the page and its files never count', async (t) => {
  const app = await build(t, { rateLimitMax: 1, authMode: 'required' })
  const html = await send(app, 'GET', '/', undefined, { accept: 'text/html' })
  const [, file = ''] = /"(?:\.\/)?(assets\/[^"]+\.js)"/.exec(String(html.body)) ?? []
  for (const url of ['/', '/mine', `/${file}`, `/${file}`]) {
    const { status, headers } = await send(app, 'GET', url)
    t.equal(status, 200, url)
    t.equal(headers['ratelimit-limit'], undefined)
  }
  t.equal((await send(app, 'GET', '/openapi.json')).status, 200)
  t.equal((await send(app, 'GET', '/openapi.json')).status, 429)
})

t.test('members of a host count each by themselves', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(phaseboard, {
    prefix: '/board',
    databaseUrl: ':memory:',
    rateLimitMax: 1,
    resolveMember: ({ headers: { 'x-user': user } }) => (user ? { id: String(user), role: 'member' } : null),
  })
  const get = async (headers: Record<string, string>) =>
    (await host.inject({ url: '/board/api/projects', headers })).statusCode
  t.strictSame([await get({ 'x-user': 'ada' }), await get({ 'x-user': 'bob' })], [200, 200])
  t.strictSame([await get({}), await get({}), await get({ 'x-user': 'ada' })], [401, 429, 429])
})

t.test('addresses of one /64 network are one client', async (t) => {
  const app = await build(t, { authMode: 'required', rateLimitMax: 2, trustProxy: true })
  const from = async (client: string) =>
    (await send(app, 'GET', '/openapi.json', undefined, { 'x-forwarded-for': client })).status
  t.equal(await from('2001:db8:1:2::1'), 200)
  t.equal(await from('2001:db8:1:2:ffff::9'), 200)
  t.equal(await from('2001:DB8:1:2:3:4:5:6'), 429)
  t.equal(await from('2001:db8:1:3::1'), 200, 'another network is not concerned')
  t.equal(await from('192.0.2.1'), 200)
  t.equal(await from('::ffff:192.0.2.1'), 200)
  t.equal(await from('192.0.2.1'), 429, 'an IPv4 address is one client, however it is written')
  t.equal(await from('::ffff:192.0.2.2'), 200, 'and its neighbour another')
})

t.test('a forged address counts as the peer', async (t) => {
  const app = await build(t, { authMode: 'required', rateLimitMax: 2, trustProxy: true })
  const from = async (client: string) =>
    (await send(app, 'GET', '/openapi.json', undefined, { 'x-forwarded-for': client })).status
  t.strictSame([await from('garbage'), await from('1.2.3.4.5'), await from('more')], [200, 200, 429])
  t.equal(await from('192.0.2.1'), 200)
})

t.test('a window lasts a minute, whatever becomes of the system clock', async (t) => {
  const app = await build(t, { rateLimitMax: 1 })
  const ask = () => send(app, 'GET', '/api/projects')
  let milliseconds = 1000
  t.intercept(performance, 'now', { value: () => milliseconds })
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  t.equal((await ask()).status, 200)
  for (const [passed, shift, rest] of [
    [0, -86_400_000, '60'],
    [20_000, 86_400_000, '40'],
    [39_999.5, 0, '1'],
  ] as const) {
    milliseconds += passed
    Date.now = () => now() + shift
    const { status, headers } = await ask()
    t.equal(status, 429)
    t.strictSame([headers['retry-after'], headers['ratelimit-reset']], [rest, rest])
  }
  milliseconds += 1
  t.equal((await ask()).status, 200, 'and the next one begins')
})

t.test('a change above the limit is not made', async (t) => {
  const app = await build(t, { rateLimitMax: 1 })
  await createProject(app)
  t.equal((await send(app, 'POST', '/api/projects', { name: 'A' })).status, 429)
  t.equal(app.db.$client.prepare('select count(*) from projects').pluck().get(), 1)
})

t.test('a preflight does not count, and an allowed origin can read a 429', async (t) => {
  const app = await build(t, { rateLimitMax: 1, corsOrigins: [ORIGIN] })
  for (let count = 0; count < 3; count++) {
    t.equal((await preflight(app, '/api/projects', ORIGIN)).statusCode, 204)
  }
  const get = () => send(app, 'GET', '/api/projects', undefined, { origin: ORIGIN })
  t.equal((await get()).status, 200)
  const { status, headers } = await get()
  t.equal(status, 429)
  t.match(headers, {
    'access-control-allow-origin': ORIGIN,
    'access-control-expose-headers': /RateLimit-Reset/,
  })
})

t.test('without a limit nothing is counted', async (t) => {
  const app = await build(t, { rateLimitMax: 0 })
  for (let count = 0; count < 20; count++) {
    const { status, headers } = await send(app, 'GET', '/api/projects')
    t.equal(status, 200)
    t.equal(headers['ratelimit-limit'], undefined)
  }
})

t.test('no text of a client becomes a response header', async (t) => {
  const app = await build(t)
  const evil = '\r\nset-cookie: a=b\r\n\r\n<x>; rel="next"'
  const project = await createProject(app, { name: evil, sortOrder: -1 })
  await createProject(app)
  for (const title of [evil, 'x'])
    await send(app, 'POST', `/api/projects/${project.id}/kanban-items`, { title, column: evil })
  const text = encodeURIComponent(evil)
  for (const url of [
    `/api/projects?limit=1&x=${text}&${text}=1`,
    `/api/projects/${project.id}/kanban-items?limit=1&column=${text}`,
    `/api/kanban-items?limit=1&column=${text}&x=>;rel=prev`,
    `/api/projects/${text}`,
    `/nowhere/${text}?${text}`,
  ]) {
    const { status, headers } = await send(app, 'GET', url, undefined, { 'if-none-match': text, origin: 'x' })
    t.equal(headers['set-cookie'], undefined)
    for (const [name, value] of Object.entries(headers)) t.notMatch(String(value), /[\r\n]/, `${url} ${name}`)
    const isList = url.includes('limit=1')
    t.equal(status, isList ? 200 : 404, url)
    if (!isList) continue
    t.match(headers.link, /^<[^<>"\s]+>; rel="next"$/, 'the link is one, and whole')
    const [, next = ''] = /^<(.+)>/.exec(String(headers.link)) ?? []
    t.equal((await send(app, 'GET', next)).body.length, 1)
  }
})
