/** How the board page is served: URLs, headers, caching and compression, without a browser. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { type App, build, send } from '../helper.ts'
import { nodeCommand, shipped } from '../shipped.ts'

/** The URLs of the page, with the relative path from each to the service's root. */
const ADDRESSES: Record<string, string> = {
  '/': './',
  '/mine': './',
  '/ideas': './',
  '/search': './',
  '/trash': './',
  '/sign-in': './',
  '/link': './',
  '/account': './',
  '/admin/members': '../',
  '/admin/people': '../',
  '/admin/teams': '../',
  '/admin/webhooks': '../',
  '/admin/audit': '../',
  '/projects/7': '../',
  '/projects/a%2Fb': '../',
  '/projects/7/overview': '../../',
  '/projects/7/flow': '../../',
  '/projects/7/trash': '../../',
  '/projects/7/items/8': '../../../',
}

/** The files that a page loads. */
const assetsOf = (html: unknown) =>
  Array.from(String(html).matchAll(/(?:href|src)="([^"]+)"/g), ([, address = '']) => address)

const boardOf = (t: Test, options = {}) => build(t, options, shipped.buildApp)

t.test('each address returns the page, and its own addresses are relative', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await boardOf(t, { authMode })
    for (const [url, root] of Object.entries(ADDRESSES)) {
      const { status, body, headers } = await send(app, 'GET', url)
      t.equal(status, 200, url)
      t.equal(headers['content-type'], 'text/html; charset=utf-8')
      const assets = assetsOf(body)
      t.ok(assets.length >= 3)
      t.ok(body.length < 2048)
      for (const address of assets) t.ok(address.startsWith(`${root}assets/`), `${url}: ${address}`)
      const head = await send(app, 'HEAD', url)
      t.match(head, {
        status: 200,
        body: '',
        headers: { 'content-length': String(body.length), etag: headers.etag },
      })
    }
  }
})

t.test('the page contains nothing of the request', async (t) => {
  // In open mode another host name would be refused.
  const app = await boardOf(t, { authMode: 'required' })
  const { body } = await send(app, 'GET', '/projects/7')
  for (const url of ['/projects/%3Cb%3E', '/projects/7?q=%3Cb%3E', '/projects/__proto__']) {
    const headers = {
      host: 'evil.example',
      'x-forwarded-prefix': '/evil',
      'x-forwarded-host': 'evil.example',
    }
    t.equal((await send(app, 'GET', url, undefined, headers)).body, body, url)
  }
})

t.test("a board's data are named in a header, for those who may have a session", async (t) => {
  const linksOf = async (app: App, url: string, headers?: Record<string, string>) =>
    (await send(app, 'GET', url, undefined, headers)).headers.link
  const open = await boardOf(t)
  const parts = ['', '/kanban-columns', '/kanban-labels', '/kanban-counts'].map((part) => `projects/7${part}`)
  const links = (root: string) =>
    ['session', ...parts].map((path) => `<${root}api/${path}>; rel=preload; as=fetch; crossorigin`).join(', ')
  t.equal(await linksOf(open, '/projects/7'), links('../'))
  t.equal(await linksOf(open, '/projects/7/items/8'), links('../../../'))
  t.equal(await linksOf(open, '/mine'), undefined)
  t.match(await linksOf(open, '/projects/%3Cb%3E%2F'), /^<[^<>]*>.* <\.\.\/api\/projects\/%3Cb%3E%2F>;/)
  const required = await boardOf(t, { authMode: 'required' })
  t.equal(await linksOf(required, '/projects/7'), undefined, 'not for those who have to sign in')
  t.equal(await linksOf(required, '/projects/7', { cookie: 'phaseboard_session=x' }), links('../'))
})

t.test('other paths are 404: the page for browsers, data for others', async (t) => {
  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const none: Record<string, string> = {
    '/projects': './',
    '/mine/': '../',
    '/projects/7/nothing': '../../',
    '/projects/7/items?a=/b/c': '../../',
    '/projects/7/items/8/9/10/': '../../../../../../',
    '/admin': './',
    '/index.html': './',
    '/page.html': './',
    '/apiary': './',
  }
  for (const authMode of ['open', 'required'] as const) {
    const app = await boardOf(t, { authMode })
    const page = await send(app, 'GET', '/')
    for (const [url, root] of Object.entries(none)) {
      const { status, body, headers } = await send(app, 'GET', url, undefined, BROWSER)
      t.strictSame([status, headers['content-type']], [404, 'text/html; charset=utf-8'], url)
      t.equal(headers['content-security-policy'], page.headers['content-security-policy'])
      t.equal(String(body).replaceAll(`${root}assets/`, './assets/'), page.body, url)
      t.match(await send(app, 'HEAD', url, undefined, BROWSER), { status: 404, body: '' })
      for (const accept of ['application/json', '*/*', undefined]) {
        const { status, body } = await send(app, 'GET', url, undefined, accept ? { accept } : {})
        t.strictSame([status, body], [404, { error: 'Not found' }], `${url} as ${accept}`)
      }
      t.equal((await send(app, 'POST', url, undefined, BROWSER)).status, 404)
    }
    for (const url of ['/api/nothing', '/api', '/assets/none.js', '/docs/none', `${'/a'.repeat(20)}`]) {
      const { status, body } = await send(app, 'GET', url, undefined, BROWSER)
      t.strictSame([status, body], [404, { error: 'Not found' }], url)
    }
  }
  const app = await boardOf(t)
  for (const url of ['/', '/mine', '/projects/7', '/projects/7/items/8', '/assets/main.js']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, body, headers } = await send(app, method, url)
      t.strictSame([status, body], [405, { error: 'Method not allowed' }], `${method} ${url}`)
      t.equal(headers.allow, 'GET, HEAD')
    }
  }
})

t.test('impossible file names are 404, for the board and the docs', async (t) => {
  const app = await boardOf(t)
  const names = [
    ...[256, 300, 5000].flatMap((length) => [`${'a'.repeat(length)}.js`, 'a'.repeat(length)]),
    `${'%C3%A9'.repeat(200)}.js`,
    ...['%00', 'a%00b.js', '%00.js', '..%2f..%2fpackage.json', '..%5c..%5cpackage.json', 'a%5cb.js'],
    ...[
      '...',
      '..js',
      '.js',
      '%2e%2e%2fx.js',
      'a%ff.js',
      '%E0%A4%A.js',
      '%',
      'a/'.repeat(3000),
      'CON',
      'a.js/b',
    ],
  ]
  for (const accept of ['identity', 'br, gzip']) {
    for (const folder of ['/assets', '/docs/static', '/docs']) {
      for (const name of names) {
        const url = `${folder}/${name}`
        const { status, body } = await send(app, 'GET', url, undefined, { 'accept-encoding': accept })
        t.strictSame([status, body], [404, { error: 'Not found' }], url.slice(0, 60))
      }
    }
  }
})

t.test('the page is revalidated each time, with 304 if it is the same', async (t) => {
  const app = await boardOf(t)
  const { headers } = await send(app, 'GET', '/projects/7')
  t.equal(headers['cache-control'], 'no-cache')
  t.match(headers.etag, /^"[\w-]+"$/)
  const again = await send(app, 'GET', '/projects/9', undefined, { 'if-none-match': String(headers.etag) })
  t.strictSame([again.status, again.body, again.headers.etag], [304, '', headers.etag])
  const other = await send(app, 'GET', '/mine', undefined, { 'if-none-match': String(headers.etag) })
  t.equal(other.status, 200, 'the page of another depth is another one')
})

t.test('its policy allows only its own files; no cookie is set', async (t) => {
  const app = await boardOf(t)
  const { headers } = await send(app, 'GET', '/')
  const policy = new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ', 1)[0], directive.split(' ').slice(1).join(' ')]),
  )
  t.strictSame(Object.fromEntries(policy), {
    'default-src': "'none'",
    'script-src': "'self'",
    'worker-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'font-src': "'self'",
    'connect-src': "'self'",
    'manifest-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': 'dompurify phaseboard',
  })
  t.match(headers, {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  })
  t.equal(headers['set-cookie'], undefined)
})

t.test('its files are cached for ever, and compressed if accepted', async (t) => {
  const app = await boardOf(t)
  const assets = assetsOf((await send(app, 'GET', '/')).body).map((address) => address.slice(1))
  const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
  t.strictSame(
    [...new Set(assets.map((url) => url.split('.').at(-1)))].toSorted(),
    Object.keys(types).toSorted(),
  )
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }
  for (const url of assets) {
    const plain = await app.inject({ url })
    t.equal(plain.headers['content-encoding'], undefined)
    t.match(plain.headers['content-type'], types[url.split('.').at(-1) as keyof typeof types])
    t.match(url, /-[A-Z0-9]{8}\.\w+$/, 'its name is that of its content')
    for (const [encoding, decode] of Object.entries(decoders)) {
      const { statusCode, headers, rawPayload } = await app.inject({
        url,
        headers: { 'accept-encoding': encoding },
      })
      t.equal(statusCode, 200)
      t.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      t.equal(headers['content-encoding'] ?? 'identity', encoding)
      t.equal(headers.vary, 'Accept-Encoding')
      t.equal(headers['content-length'], String(rawPayload.length))
      t.ok(decode(rawPayload).equals(plain.rawPayload), `${url} as ${encoding}`)
      const etag = String(headers.etag)
      const again = await app.inject({ url, headers: { 'accept-encoding': encoding, 'if-none-match': etag } })
      t.strictSame([again.statusCode, again.body], [304, ''])
    }
    const head = await app.inject({ url, method: 'HEAD' })
    t.match(head, {
      statusCode: 200,
      body: '',
      headers: { 'content-length': plain.headers['content-length'] },
    })
  }
})

t.test('every file of the build is served, lazy ones too', async (t) => {
  const app = await boardOf(t)
  const { findWebBuild } = await import('../../src/http/web-build.ts')
  const files = readdirSync(join(findWebBuild(), 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name))
  t.ok(files.length > 5)
  for (const name of files) t.equal((await send(app, 'HEAD', `/assets/${name}`)).status, 200, name)
})

t.test('the sources serve the latest build, or the one that `npm run dev` names', async (t) => {
  const found = (environment: Record<string, string>) => {
    const script = "import { findWebBuild } from './src/http/web-build.ts'; console.log(findWebBuild())"
    const [node, args] = nodeCommand(['--input-type=module', '--eval', script])
    const env = { ...process.env, ...environment }
    return execFileSync(node, args, { encoding: 'utf8', env }).trim()
  }
  const folder = found({})
  t.equal(relative('.', dirname(dirname(folder))), 'dist')
  t.ok(readdirSync(folder).includes('page.html'))
  t.equal(found({ PHASEBOARD_WEB: '/elsewhere' }), '/elsewhere')
})

t.test('a missing file is 404, and no other file of the machine is readable', async (t) => {
  const app = await boardOf(t)
  const [asset = ''] = assetsOf((await send(app, 'GET', '/')).body)
  const none = [
    '/assets',
    '/assets/',
    '/assets/nothing.js',
    '/assets/main-OLDHASH1.js',
    '/assets/../page.html',
    '/assets/..%2fpage.html',
    '/assets/%2e%2e/page.html',
    '/assets/%2e%2e%2f%2e%2e%2fcli.js',
    '/assets/..%5cpage.html',
    '/assets/..%2fpage.html?/assets/main.js',
    '/assets//etc/passwd',
    '/assets/%00.js',
    '/assets/.js',
    `${asset.slice(1)}.br`,
    `${asset.slice(1)}/`,
    `${asset.slice(1).replace('/icon', '/%69con')}`,
  ]
  for (const url of none) {
    const { status, body, headers } = await send(app, 'GET', url)
    t.strictSame([status, body], [404, { error: 'Not found' }], url)
    t.equal(headers['cache-control'], 'no-cache', 'that it is not there may change')
  }
})

t.test('with a prefix, the page is below it, and its root redirects to the slash', async (t) => {
  for (const prefix of ['/board', '/tools/board']) {
    const host = Fastify()
    t.teardown(() => host.close())
    host.get('/', async () => ({ host: true }))
    await host.register(shipped.phaseboard, { prefix, databaseUrl: ':memory:' })
    for (const query of ['', '?status=active', '?to=//evil.example']) {
      const { statusCode, headers } = await host.inject(`${prefix}${query}`)
      t.equal(statusCode, 302)
      for (const outer of ['http://host.example', 'http://proxy.example/a']) {
        const there = new URL(String(headers.location), `${outer}${prefix}${query}`).href
        t.equal(there, `${outer}${prefix}/${query}`)
      }
    }
    for (const [url, root] of Object.entries(ADDRESSES)) {
      const { statusCode, body } = await host.inject(`${prefix}${url}`)
      t.equal(statusCode, 200, url)
      for (const address of assetsOf(body)) {
        t.ok(address.startsWith(`${root}assets/`))
        const { pathname } = new URL(address, `http://host.example${prefix}${url}`)
        t.equal((await host.inject(pathname)).statusCode, 200, pathname)
      }
    }
    t.equal((await host.inject({ method: 'POST', url: prefix })).statusCode, 405)
    t.equal((await host.inject({ method: 'POST', url: `${prefix}/` })).statusCode, 405)
    t.strictSame((await host.inject('/')).json(), { host: true })
    t.equal((await host.inject('/mine')).statusCode, 404)
    const missing = await host.inject({ url: `${prefix}/a/b`, headers: { accept: 'text/html' } })
    t.equal(missing.statusCode, 404)
    t.match(missing.body, /"\.\.\/assets\//)
  }
})

t.test('a prefix with a parameter redirects nowhere else', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(shipped.phaseboard, { prefix: '/:tenant', databaseUrl: ':memory:' })
  const { headers } = await host.inject('/javascript:alert(1)')
  t.equal(
    new URL(String(headers.location), 'http://host.example/javascript:alert(1)').href,
    'http://host.example/javascript:alert(1)/',
  )
  const [asset = ''] = assetsOf((await host.inject('/acme/mine')).body)
  t.equal((await host.inject(new URL(asset, 'http://host.example/acme/mine').pathname)).statusCode, 200)
})

t.test("without a prefix every address is the host's, and there is no page", async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  host.get('/', async () => ({ host: true }))
  host.get('/search', async () => ({ host: true }))
  await host.register(shipped.phaseboard, { databaseUrl: ':memory:' })
  for (const url of ['/', '/search']) t.strictSame((await host.inject(url)).json(), { host: true })
  for (const url of ['/mine', '/projects/7', '/assets/main.js'])
    t.equal((await host.inject(url)).statusCode, 404)
})

t.test("a host's own policy is kept", async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  host.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', "default-src 'self'")
  })
  await host.register(shipped.phaseboard, { prefix: '/board', databaseUrl: ':memory:' })
  t.equal((await host.inject('/board/')).headers['content-security-policy'], "default-src 'self'")
})

t.test('turned off, no file of it is served', async (t) => {
  const app = await boardOf(t, { webBoard: false })
  for (const url of [...Object.keys(ADDRESSES), '/assets/main.js']) {
    const { status, body } = await send(app, 'GET', url)
    t.strictSame([status, body], [404, { error: 'Not found' }], url)
  }
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(shipped.phaseboard, { prefix: '/board', databaseUrl: ':memory:', webBoard: false })
  t.equal((await host.inject('/board/')).statusCode, 404)
})
