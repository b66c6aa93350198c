import t, { type Test } from 'tap'
import { buildApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import { documentedOperations } from './documented.ts'
import { build, send, signInAs, tokenOf } from './helper.ts'

const foreignHost = {
  error: 'Forbidden: host name is neither local nor that of PUBLIC_URL or CORS_ORIGIN: expected localhost',
}

const behindProxy = {
  error:
    'Authentication required: the request came through a proxy, and open mode is for clients on this machine; set AUTH_MODE=required',
}

/** Requests with a Host name. Without the helper's check, because this refusal comes before any endpoint and is not documented. */
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
  'in open mode on this machine, a page of another host name cannot act as the default member',
  async (t) => {
    for (const host of ['127.0.0.1', '::1', 'localhost']) {
      const ask = await under(t, { host, corsOrigins: ['https://board.example'] })
      for (const name of ['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', undefined])
        t.equal((await ask(name)).status, 200, name ?? 'that of an injected request')
      for (const name of ['board.example', 'board.example:3000'])
        t.strictSame(await ask(name), { status: 401, body: behindProxy }, name)
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
        // Headers that a page can set itself do not help.
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

/** Headers of which each proxy adds at least one. */
const BY_PROXIES: Record<string, string>[] = [
  { forwarded: 'for=192.0.2.1' },
  { via: '1.1 proxy' },
  { 'x-real-ip': '192.0.2.1' },
  { 'x-forwarded-for': '192.0.2.1' },
  { 'x-forwarded-host': 'board.example' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-port': '443' },
  { 'X-Forwarded-Server': 'proxy' },
  { 'x-forwarded-prefix': '' },
  { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost' },
]

t.test('a client behind a proxy is not the default member', async (t) => {
  for (const options of [{}, { host: '0.0.0.0', authMode: 'open' }] as const) {
    const ask = await under(t, options)
    for (const headers of BY_PROXIES) {
      const asked = JSON.stringify(headers)
      for (const url of ['/api/projects', '/api/session', '/api/search?q=x', '/api/changes']) {
        t.strictSame(await ask('localhost', url, 'GET', headers), { status: 401, body: behindProxy }, asked)
      }
      t.strictSame(await ask('localhost', '/api/projects', 'POST', headers), {
        status: 401,
        body: behindProxy,
      })
      t.equal((await ask('localhost', '/healthz', 'GET', headers)).status, 200)
    }
    t.equal((await ask('localhost')).status, 200)
  }
})

t.test('behind a proxy, a session or a token is accepted', async (t) => {
  const app = await build(t)
  const { id, headers } = signInAs(app, 'member')
  for (const proxied of BY_PROXIES) {
    for (const credential of [headers, tokenOf(app, id)]) {
      const { status, body } = await send(app, 'GET', '/api/session', undefined, {
        ...proxied,
        ...credential,
      })
      t.match({ status, body }, { status: 200, body: { member: { id } } })
    }
  }
})

t.test('any host name is accepted in required mode, or if a network has access', async (t) => {
  const required = await under(t, { authMode: 'required' })
  t.equal((await required('board.example')).status, 401)
  t.equal((await required('board.example', '/healthz')).status, 200)
  const network = await under(t, { host: '0.0.0.0', authMode: 'open' })
  t.equal((await network('board.example')).status, 200)
})

t.test('any host name is accepted with a credential', async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'member')
  for (const host of ['localhost', 'board.example']) {
    for (const url of ['/api/projects', '/openapi.json']) {
      t.equal((await send(app, 'GET', url, undefined, { ...headers, host })).status, 200, url)
    }
  }
})

t.test('an invalid credential is not one', async (t) => {
  const ask = await under(t, {})
  for (const headers of [{ authorization: 'Bearer pbt_nope' }, { cookie: 'phaseboard_session=nope' }]) {
    t.strictSame(await ask('evil.example', '/openapi.json', 'GET', headers), {
      status: 403,
      body: foreignHost,
    })
  }
})

t.test('every operation except health documents it', async (t) => {
  const app = await build(t)
  for (const { method, path, responses } of await documentedOperations(app)) {
    const isHealth = path === '/healthz' || path === '/readyz'
    t.equal('403' in responses, !isHealth, `${method} ${path}`)
  }
})
