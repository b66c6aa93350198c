/** Every public route whose content is the same for everybody: made once, compressed once, and revalidated. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify, { type RouteOptions } from 'fastify'
import t from 'tap'
import { findWebBuild } from '../../src/http/web-build.ts'
import { shipped } from '../shipped.ts'

/** Public operations of the API. Their responses are small, or behind a secret. */
const OPERATIONS = [
  '/api/session/oidc',
  '/api/session/oidc/callback',
  '/api/shared/:secret',
  '/healthz',
  '/readyz',
]
/** Its small page depends on the token. */
const OF_ONE_PERSON = ['/unsubscribe/:token']

const DECODE = { identity: (bytes: Buffer) => bytes, br: brotliDecompressSync, gzip: gunzipSync }

/** The files that the page of the documentation loads, as paths below the root. */
const filesOf = (page: string) =>
  Array.from(page.matchAll(/(?:href|src)="\.\/([^"]+)"/g), ([, path]) => `/${path}`)

/** A host with the service below `/board`: all its routes, and each body that it has sent. */
async function hosted() {
  const host = Fastify()
  const routes: RouteOptions[] = []
  const sent: unknown[] = []
  host.addHook('onRoute', (route) => void routes.push(route))
  host.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload))
  await host.register(shipped.phaseboard, { prefix: '/board', databaseUrl: ':memory:' })
  t.teardown(() => host.close())
  const isPublicGet = ({ method, config }: RouteOptions) =>
    [method].flat().includes('GET') && config?.access === 'public'
  const open = routes.filter(isPublicGet).map(({ url, schema }) => ({
    path: url.replace('/board', ''),
    isOperation: !schema?.hide,
  }))
  return { host, open, sent }
}

t.test('every fixed content is made once, compressed once, and revalidated by its ETag', async (t) => {
  const { host, open, sent } = await hosted()
  const operations = open.filter(({ isOperation }) => isOperation).map(({ path }) => path)
  t.strictSame(operations.toSorted(), OPERATIONS, 'no other operation is public')
  const docs = (await host.inject('/board/docs')).body
  const assets = readdirSync(join(findWebBuild(), 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name))
  const urls = open
    .filter(({ path, isOperation }) => !isOperation && !OF_ONE_PERSON.includes(path))
    .flatMap(({ path }) => {
      if (path === '/assets/:name') return assets.map((name) => `/assets/${name}`)
      if (path === '/docs/*') return ['/docs/', ...filesOf(docs)]
      return path.replace(/:number\(.*\)/, 'WEB-1').replace(/:\w+/g, 'x')
    })
  for (const path of ['/', '/docs', '/openapi.json', '/shared/x', '/docs/static/swagger-ui-bundle.js'])
    t.ok(urls.includes(path), `${path} is one of them`)

  const documents: string[] = []
  const { stringify } = JSON
  t.intercept(JSON, 'stringify', {
    value: (...parameters: Parameters<typeof stringify>) => {
      const text = stringify(...parameters)
      if (text?.startsWith('{"openapi"')) documents.push(text)
      return text
    },
  })
  const standalone = await shipped.buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => standalone.close())
  for (const url of urls) {
    const tags = new Set<string>()
    let plain: Buffer | undefined
    for (const [coding, decode] of Object.entries(DECODE)) {
      const headers = { 'accept-encoding': coding }
      const ask = () => host.inject({ url: `/board${url}`, headers })
      sent.length = 0
      const answers = await Promise.all([ask(), ask()])
      const [{ statusCode, headers: made, rawPayload }] = answers
      t.equal(statusCode, 200, url)
      const memory = new Set(sent.map((body) => Object(body).buffer))
      t.strictSame([sent.length, memory.size], [2, 1], `${url} as ${coding}: the same bytes for all`)
      t.ok(sent[0] instanceof Uint8Array)
      const coded = made['content-encoding']
      const bytes = coded === undefined ? rawPayload : decode(rawPayload)
      plain ??= bytes
      t.ok(bytes.equals(plain), `${url} as ${coding}`)
      t.equal(made['content-length'], String(rawPayload.length))
      const isText = /text|json|svg/.test(String(made['content-type']))
      if (isText && plain.length > 2048 && coding !== 'identity') {
        t.equal(coded, coding, url)
        t.match(made.vary, /accept-encoding/i)
        t.ok(rawPayload.length < plain.length)
      }
      const etag = String(made.etag)
      t.match(etag, /^"[\w-]{22}(\.(br|gzip))?"$/, `${url} has a strong ETag`)
      tags.add(etag)
      // The tag of the plain bytes also names the compressed ones.
      const named = [...tags][0] ?? ''
      const again = await host.inject({
        url: `/board${url}`,
        headers: { ...headers, 'if-none-match': named },
      })
      t.strictSame([again.statusCode, again.body, again.headers.etag], [304, '', etag], url)
    }
    const refused = await host.inject({ url: `/board${url}`, headers: { 'if-match': '"other"' } })
    t.equal(refused.statusCode, 412)
    t.notMatch(refused.headers['cache-control'], /immutable/, 'a refusal is not kept by caches')
    const alone = await standalone.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    const decode = DECODE[(alone.headers['content-encoding'] ?? 'identity') as keyof typeof DECODE]
    t.equal(alone.statusCode, 200, url)
    // Only the document names the prefix.
    if (!/json/.test(url)) t.ok(decode(alone.rawPayload).equals(plain as Buffer), url)
  }
  t.equal(documents.length, 2, 'the document is serialised once, in each of both applications')
})
