import t, { type Test } from 'tap'
import { buildApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import { build, send, signInAs } from './helper.ts'

const foreignHost = { error: 'Forbidden: host name is neither local nor in CORS_ORIGIN' }

/** Asks under a name. Without the helper's check: the refusal is older than any endpoint, and in no document. */
async function under(t: Test, options: Partial<Config>) {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent', ...options })
  t.teardown(() => app.close())
  return async (host: string | undefined, url = '/api/projects', method = 'GET', headers = {}) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...headers, ...(host !== undefined && { host }) },
    })
    return { status: response.statusCode, body: method === 'HEAD' ? {} : response.json() }
  }
}

t.test(
  'where being on this machine is all that lets one in, no page may do it under a name of its own',
  async (t) => {
    for (const host of ['127.0.0.1', '::1', 'localhost']) {
      const ask = await under(t, { host, corsOrigins: ['https://board.example'] })
      for (const name of [
        'localhost',
        'localhost:3000',
        '127.0.0.1:3000',
        '[::1]:3000',
        'board.example',
        undefined,
      ])
        t.equal((await ask(name)).status, 200, name ?? 'that of an injected request')
      for (const name of ['evil.example', 'evil.example:3000', '192.168.0.1', 'localhost.evil.example']) {
        for (const url of ['/api/projects', '/api/session', '/api/projects/x', '/api/search?q=x']) {
          t.strictSame(await ask(name, url), { status: 403, body: foreignHost }, `${name} ${url}`)
        }
        for (const url of [
          '/',
          '/docs',
          '/openapi.json',
          '/assets/x.js',
          '/nowhere',
          '/api/nowhere',
          '/metrics',
          '/mcp',
        ]) {
          t.strictSame(await ask(name, url), { status: 403, body: foreignHost }, `${name} ${url}`)
        }
        t.strictSame(await ask(name, '/api/session', 'POST'), { status: 403, body: foreignHost })
        t.strictSame(await ask(name, '/api/session', 'PUT'), { status: 403, body: foreignHost }, 'no method')
        for (const url of ['/healthz', '/readyz']) t.equal((await ask(name, url)).status, 200, url)
        const known = await ask('localhost', '/openapi.json')
        t.equal(known.status, 200)
        for (const method of ['POST', 'HEAD'])
          t.equal((await ask(name, '/api/projects', method)).status, 403, method)
        // What a page can write itself does not help.
        const forged = {
          'x-forwarded-host': 'localhost',
          forwarded: 'host=localhost',
          origin: 'http://localhost',
        }
        t.equal((await ask(name, '/api/projects', 'GET', forged)).status, 403)
      }
    }
  },
)

t.test('a proxy that is trusted vouches for where a request comes from, not for its name', async (t) => {
  const ask = await under(t, { trustProxy: true })
  t.equal(
    (await ask('evil.example', '/api/projects', 'GET', { 'x-forwarded-host': 'localhost' })).status,
    403,
  )
  t.equal(
    (await ask('localhost', '/api/projects', 'GET', { 'x-forwarded-host': 'board.example' })).status,
    200,
  )
})

t.test('where members prove who they are, or a network is let in, any name will do', async (t) => {
  const required = await under(t, { authMode: 'required' })
  t.equal((await required('board.example')).status, 401)
  t.equal((await required('board.example', '/healthz')).status, 200)
  const network = await under(t, { host: '0.0.0.0', authMode: 'open' })
  t.equal((await network('board.example')).status, 200)
})

t.test('whoever has a credential may come under any name', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'member')
  for (const host of ['localhost', 'board.example']) {
    for (const url of ['/api/projects', '/openapi.json']) {
      t.equal((await send(app, 'GET', url, undefined, { ...headers, host })).status, 200, url)
    }
  }
})

t.test('a credential that does not count is none', async (t) => {
  const ask = await under(t, {})
  for (const headers of [{ authorization: 'Bearer pbt_nope' }, { cookie: 'phaseboard_session=nope' }]) {
    t.strictSame(await ask('evil.example', '/openapi.json', 'GET', headers), {
      status: 403,
      body: foreignHost,
    })
  }
})

t.test('every operation says so but those of health', async (t) => {
  const app = await build(t)
  const { paths } = (await send(app, 'GET', '/openapi.json')).body
  for (const [path, operations] of Object.entries<Record<string, { responses: object }>>(paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      const isHealth = path === '/healthz' || path === '/readyz'
      t.equal('403' in responses, !isHealth, `${method} ${path}`)
    }
  }
})
