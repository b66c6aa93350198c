import t from 'tap'
import { build, send } from '../helper.ts'

t.test('the document is OpenAPI 3.1 with every endpoint, and nothing else', async (t) => {
  const app = await build(t)
  const { status, body, headers } = await send(app, 'GET', '/openapi.json')
  t.equal(status, 200)
  t.match(headers['content-type'], 'application/json')
  t.equal(body.openapi, '3.1.0')
  t.strictSame(body.servers, [{ url: '/' }])
  t.ok(Object.keys(body.paths).includes('/api/projects/{id}'))
  for (const path of Object.keys(body.paths)) t.match(path, /^\/(api\/|healthz$|readyz$|metrics$|mcp$)/)
})

t.test('the page and its files are served without a credential', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const page = await send(app, 'GET', '/docs')
    t.equal(page.status, 200)
    t.match(page.headers['content-type'], 'text/html')
    const assets = Array.from(
      String(page.body).matchAll(/(?:href|src)="([^"]+)"/g),
      ([, path]) => new URL(`${path}`, 'http://board.example/docs').pathname,
    )
    t.ok(assets.length >= 4)
    for (const path of assets) t.equal((await send(app, 'GET', path)).status, 200, path)
    t.equal((await send(app, 'GET', '/docs/')).status, 200)
    t.strictSame((await send(app, 'GET', '/docs/json')).body, (await send(app, 'GET', '/openapi.json')).body)
  }
})

t.test('the document is read-only', async (t) => {
  const app = await build(t)
  const { status, body, headers } = await send(app, 'POST', '/openapi.json', {})
  t.equal(status, 405)
  t.strictSame(body, { error: 'Method not allowed' })
  t.equal(headers.allow, 'GET, HEAD')
})

t.test('unknown files of the page are 404 as elsewhere', async (t) => {
  const app = await build(t)
  for (const url of [
    '/docs/static/nothing.js',
    '/docs/nothing',
    '/docs/yaml',
    '/docs/static',
    '/docs/static/%2e%2e/package.json',
  ]) {
    const { status, body } = await send(app, 'GET', url)
    t.equal(status, 404, url)
    t.strictSame(body, { error: 'Not found' })
  }
})

t.test('failures of the page are handled as elsewhere', async (t) => {
  const app = await build(t)
  app.openapi = () => {
    throw new Error('secret')
  }
  const { status, body } = await send(app, 'GET', '/docs/json')
  t.equal(status, 500)
  t.strictSame(body, { error: 'Internal server error' })
})

t.test('the page shows the document at its place, wherever the service is', async (t) => {
  const app = await build(t)
  const script = String((await send(app, 'GET', '/docs/static/swagger-initializer.js')).body)
  const [, relative = ''] = /new URL\('([^']+)', document\.currentScript\.src\)/.exec(script) ?? []
  for (const root of ['http://board.example', 'http://host.example/apps/board']) {
    t.equal(new URL(relative, `${root}/docs/static/swagger-initializer.js`).href, `${root}/openapi.json`)
  }
})
