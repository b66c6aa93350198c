import Fastify from 'fastify'
import t from 'tap'
import { phaseboard } from '../../src/app.ts'
import { build, createProject, send, signInAs } from '../helper.ts'

/** What the contract counts as depending on who asks. */
const OF_THE_CALLER = /^\/api\/(session|sessions|tokens|members|personal-ideas|audit-log|search)(\/|$)/

/** All routes that the service registers, ids that match nothing in their paths. */
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

t.test('what depends on who asks is kept by no cache, all else asked for again; errors, too', async (t) => {
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
        // That would be the end of the admin's session.
        if (headers === admin && method === 'DELETE' && url === '/api/session') continue
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        const { status, headers: sent } = await send(app, method, url, body, headers)
        statuses.add(status)
        // A method that nobody has is refused whoever asks.
        if (status !== 405)
          t.equal(sent['cache-control'], expected, `${method} ${url} ${status} (${authMode})`)
      }
    }
    for (const status of [200, 400, 401, 403, 404]) t.ok(statuses.has(status), `${status} was among them`)
  }
})

t.test('what can be asked for again says by what: projects have their ETag, in either mode', async (t) => {
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

t.test('what nobody knows is not kept as such, and a limit reached is no answer to keep', async (t) => {
  const app = await build(t, { rateLimitMax: 1 })
  t.equal((await send(app, 'GET', '/api/nothing')).headers['cache-control'], 'no-cache')
  const { status, headers } = await send(app, 'GET', '/api/members')
  t.strictSame([status, headers['cache-control']], [429, 'no-store'])
})

t.test('inside a host, its own word holds, but for what depends on who asks', async (t) => {
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
