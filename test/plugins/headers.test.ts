import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import type { PhaseboardOptions } from '../../src/app.ts'
import { build, createProject, send, signInAs } from '../helper.ts'
import { shipped } from '../shipped.ts'

const { buildApp, phaseboard } = shipped

const ORIGIN = 'https://app.example'
const EXPECTED = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/** The headers of a response that all responses have. */
const secure = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(EXPECTED).map((name) => [name, headers[name]]))

t.test('every response has security headers, errors too', async (t) => {
  const app = await build(t, { corsOrigins: [ORIGIN], rateLimitMax: 12 })
  const project = await createProject(app)
  const url = `/api/projects/${project.id}`
  const { etag = '' } = (await send(app, 'GET', url)).headers
  const answers: [number, Awaited<ReturnType<typeof send>>][] = [
    [200, await send(app, 'GET', '/api/projects')],
    [201, await send(app, 'POST', '/api/projects', { name: 'A' }, { origin: ORIGIN })],
    [200, await send(app, 'HEAD', url)],
    [304, await send(app, 'GET', url, undefined, { 'if-none-match': String(etag) })],
    [400, await send(app, 'POST', '/api/projects', {})],
    [401, await send(app, 'GET', url, undefined, { authorization: 'Bearer x' })],
    [403, await send(app, 'DELETE', url)],
    [404, await send(app, 'GET', '/nowhere')],
    [405, await send(app, 'PUT', '/api/projects', {})],
    [500, await send(app, 'POST', '/api/projects', 'x', { 'content-type': 'text/plain' })],
    [429, await send(app, 'GET', url)],
    [200, await send(app, 'GET', '/healthz')],
    [
      204,
      await send(app, 'OPTIONS', url, undefined, {
        origin: ORIGIN,
        'access-control-request-method': 'PATCH',
      }),
    ],
  ]
  for (const [status, answer] of answers) {
    t.equal(answer.status, status)
    t.strictSame(secure(answer.headers), EXPECTED, String(status))
    t.equal(answer.headers['strict-transport-security'], undefined)
  }
  app.db.$client.exec('alter table projects rename to gone')
  const failing = await build(t)
  failing.db.$client.exec('alter table personal_ideas rename to gone')
  const failure = await send(failing, 'GET', '/api/personal-ideas')
  t.equal(failure.status, 500)
  t.strictSame(secure(failure.headers), EXPECTED)
})

t.test('the documentation page may load only its own files', async (t) => {
  const app = await build(t)
  for (const url of ['/docs', '/docs/', '/docs/static/swagger-ui.css', '/docs/json']) {
    const { status, headers } = await send(app, 'GET', url)
    t.equal(status, 200)
    const policy = String(headers['content-security-policy'])
    t.strictSame(secure(headers), { ...EXPECTED, 'content-security-policy': policy })
    t.strictSame(policy.split('; '), [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  }
  const page = String((await send(app, 'GET', '/docs')).body)
  t.notMatch(page, /<script(?![^>]* src=)|<style| style=| on\w+=/, 'it needs no script of its own text')
  for (const [, path] of page.matchAll(/(?:href|src)="([^"]+)"/g)) t.match(path, /^\.\//, 'all is its own')
  const css = String((await send(app, 'GET', '/docs/static/swagger-ui.css')).body)
  for (const [, source] of css.matchAll(/url\(["']?([^"')]{0,20})/g)) t.match(source, /^data:image/)
  t.strictSame(secure((await send(app, 'GET', '/docs/nothing')).headers), EXPECTED)
  t.strictSame(secure((await send(app, 'GET', '/openapi.json')).headers), EXPECTED)
})

t.test('behind TLS of a trusted proxy, browsers get HSTS', async (t) => {
  const header = async (trustProxy: boolean | string[], headers: Record<string, string>) => {
    const answer = await send(
      await build(t, { authMode: 'required', trustProxy }),
      'GET',
      '/nowhere',
      undefined,
      headers,
    )
    return answer.headers['strict-transport-security']
  }
  const https = { 'x-forwarded-proto': 'https' }
  t.equal(await header(true, https), 'max-age=31536000')
  t.equal(await header(['127.0.0.1'], https), 'max-age=31536000')
  for (const missing of [
    await header(true, { 'x-forwarded-proto': 'http' }),
    await header(true, {}),
    await header(['10.0.0.1'], https),
    await header(false, https),
  ])
    t.equal(missing, undefined)
})

t.test('over a real connection each header is sent once', async (t) => {
  const app = await build(t, {}, buildApp)
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /docs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const [head = ''] = (await text(socket)).split('\r\n\r\n')
  for (const name of Object.keys(EXPECTED)) t.equal(head.split(`${name}: `).length, 2, name)
})

/** A host that has the service under a prefix. */
async function createHost(t: Test, options: PhaseboardOptions, headers: Record<string, string> = {}) {
  const host = Fastify()
  t.teardown(() => host.close())
  host.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
  host.get('/', async () => 'the host')
  await host.register(phaseboard, { prefix: '/board', databaseUrl: ':memory:', authMode: 'open', ...options })
  return host
}

t.test("inside a host, only the service's responses have the headers", async (t) => {
  const host = await createHost(t, {})
  t.strictSame(Object.values(secure((await host.inject('/')).headers)).filter(Boolean), [])
  for (const url of ['/board/api/projects', '/board/nowhere', '/board/healthz'])
    t.strictSame(secure((await host.inject(url)).headers), EXPECTED, url)
  t.match((await host.inject('/board/docs')).headers['content-security-policy'], "script-src 'self'")
})

t.test('headers that a host sets for its responses win', async (t) => {
  const theirs = { 'content-security-policy': "default-src 'self'", 'referrer-policy': 'origin' }
  const host = await createHost(t, { authMode: 'required', trustProxy: true }, theirs)
  for (const url of ['/board/api/projects', '/board/nowhere', '/board/docs']) {
    const { headers } = await host.inject({ url, headers: { 'x-forwarded-proto': 'https' } })
    t.strictSame(secure(headers), { ...EXPECTED, ...theirs }, url)
    t.equal(headers['strict-transport-security'], undefined, 'that one concerns all of the host')
  }
})

/** What depends on the user, by the contract. */
const OF_THE_CALLER =
  /^\/api\/(session|sessions|me|notifications|tokens|members|people|member-links|invitations|personal-ideas|audit-log|search|changes|batch|webhooks|export|imports|share-links)(\/|$)|\/(share-links|watch)$/

/** All routes of the service, with ids that match nothing in their paths. */
async function allRoutes() {
  const host = Fastify()
  t.teardown(() => host.close())
  const routes = new Set<string>()
  host.addHook('onRoute', ({ method, path }) => {
    for (const one of [method].flat()) routes.add(`${one} ${path.replace(/:\w+/g, 'none')}`)
  })
  await host.register(phaseboard, { databaseUrl: ':memory:' })
  await host.ready()
  return [...routes].filter((route) => route.includes(' /api/')).map((route) => route.split(' '))
}

t.test('caches store no personal response and revalidate all others; errors, too', async (t) => {
  const routes = await allRoutes()
  t.ok(routes.length > 100)
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const { headers: admin } = signInAs(app, 'admin')
    const statuses = new Set<number>()
    for (const [method = '', url = ''] of routes) {
      const expected = OF_THE_CALLER.test(url) ? 'no-store' : 'no-cache'
      for (const headers of [
        {},
        admin,
        { cookie: 'phaseboard_session=x' },
        { origin: 'http://evil.example' },
      ]) {
        // This would end the admin's session.
        if (headers === admin && method === 'DELETE' && url === '/api/session') continue
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        const { status, headers: sent } = await send(app, method, url, body, headers)
        statuses.add(status)
        // The query may contain the token, so no shared cache may store the calendar; nor what a secret address shows.
        const isCalendar = url === '/api/calendar.ics' && status === 200
        const isPrivate = isCalendar || url.startsWith('/api/shared/')
        // It ends a session that is over.
        const hasCookie = sent['set-cookie'] !== undefined
        const said = hasCookie ? 'no-store' : isPrivate ? `private, ${expected}` : expected
        // An unsupported method is refused for every caller.
        if (status !== 405) t.equal(sent['cache-control'], said, `${method} ${url} ${status} (${authMode})`)
      }
    }
    for (const status of [200, 400, 401, 403, 404]) t.ok(statuses.has(status), `${status} was among them`)
  }
})

t.test('responses that can be revalidated have an ETag, in both modes', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const { headers } = signInAs(app, 'admin')
    const { id } = await createProject(app, {}, headers)
    for (const url of ['/api/projects', `/api/projects/${id}`]) {
      const first = await send(app, 'GET', url, undefined, headers)
      t.equal(first.headers['cache-control'], 'no-cache')
      const etag = String(first.headers.etag)
      const again = await send(app, 'GET', url, undefined, { ...headers, 'if-none-match': etag })
      t.strictSame(
        [again.status, again.headers['cache-control'], again.headers.etag],
        [304, 'no-cache', etag],
      )
    }
  }
  const required = await build(t, { authMode: 'required' })
  t.equal((await send(required, 'GET', '/api/projects', undefined, { 'if-none-match': '*' })).status, 401)
})

t.test('errors for unknown paths and rate limits are not cached', async (t) => {
  const app = await build(t, { rateLimitMax: 1 })
  t.equal((await send(app, 'GET', '/api/nothing')).headers['cache-control'], 'no-cache')
  const { status, headers } = await send(app, 'GET', '/api/members')
  t.strictSame([status, headers['cache-control']], [429, 'no-store'])
})

t.test('inside a host, its own Cache-Control wins, except for personal responses', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  host.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'private, max-age=5')
  })
  await host.register(phaseboard, { prefix: '/board', databaseUrl: ':memory:', authMode: 'open' })
  const caching = async (url: string) => (await host.inject(url)).headers['cache-control']
  t.equal(await caching('/board/api/projects'), 'private, max-age=5')
  t.equal(await caching('/board/api/members'), 'no-store')
})
