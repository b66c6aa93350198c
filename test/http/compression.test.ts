/** Large responses are compressed for clients that accept it, over real connections. */
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { compressResponses } from '../../src/http/compression.ts'
import { type App, createProject, send } from '../helper.ts'
import { shipped } from '../shipped.ts'

const DECODE = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

interface Received {
  status: number | undefined
  headers: IncomingHttpHeaders
  bytes: Buffer
}

/** A request as `fetch` never sends it: with exactly these headers, and the body as it came. */
async function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body }: { method?: string; body?: unknown } = {},
): Promise<Received> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const sent = request({
    port,
    path,
    method,
    headers: { ...headers, ...(text && { 'content-type': 'application/json' }) },
  })
  sent.end(text)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

const portOf = (app: { server: { address(): unknown } }) => (app.server.address() as { port: number }).port

/** The service with a project of 200 items, which is about 100 KB of JSON. */
async function serve(t: Test) {
  const app: App = await shipped.buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  await app.listen({ port: 0 })
  const { id } = await createProject(app, { name: 'Löschübung 🧯' })
  const requests = Array.from({ length: 200 }, (_, n) => ({
    method: 'POST',
    path: `/api/projects/${id}/kanban-items`,
    body: {
      title: `Ünit ${n} of the fire brigade, with hoses and ladders that need another look before winter`,
    },
  }))
  const { status } = await send(app, 'POST', '/api/batch', { requests })
  t.equal(status, 200)
  return { app, port: portOf(app), id, path: `/api/projects/${id}` }
}

t.test('a large response has the coding that the client accepts', async (t) => {
  const { port, path } = await serve(t)
  const plain = await ask(port, path)
  t.equal(plain.headers['content-encoding'], undefined, 'none without Accept-Encoding')
  t.equal(plain.headers['content-length'], String(plain.bytes.length))
  t.match(plain.headers.vary, /\bAccept-Encoding\b/)
  const cases: [accepted: string, coding?: keyof typeof DECODE][] = [
    ['zstd', 'zstd'],
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
    ['*', 'zstd'],
    ['zstd;q=0, *', 'br'],
    ['gzip;q=0'],
    ['identity'],
    ['deflate'],
    [''],
    ['*;q=0'],
    ['identity, gzip;q=0.5'],
    [`${'x,'.repeat(2_000)}gzip`, 'gzip'],
  ]
  for (const [accepted, coding] of cases) {
    const { status, headers, bytes } = await ask(port, path, { 'accept-encoding': accepted })
    const name = accepted.slice(0, 30) || 'an empty header'
    t.equal(status, 200, name)
    t.equal(headers['content-encoding'], coding, name)
    t.match(headers.vary, /\bAccept-Encoding\b/, name)
    t.equal(headers['content-length'], String(bytes.length), name)
    t.equal(headers['content-type'], plain.headers['content-type'], name)
    if (coding) {
      t.ok(bytes.length < plain.bytes.length / 4, `${name}: ${bytes.length} of ${plain.bytes.length} bytes`)
      t.ok(DECODE[coding](bytes).equals(plain.bytes), `${name}: the same body`)
      t.equal(headers.etag, plain.headers.etag?.replace(/"$/, `.${coding}"`), `${name}: an ETag of its own`)
    } else {
      t.ok(bytes.equals(plain.bytes), name)
      t.equal(headers.etag, plain.headers.etag, name)
    }
  }
  const cors = await ask(port, path, { 'accept-encoding': 'br', origin: `http://127.0.0.1:${port}` })
  t.match(cors.headers.vary, /Accept-Encoding$/, 'after the other names')
})

t.test('the ETag of a compressed response works like the other one', async (t) => {
  const { port, path, id } = await serve(t)
  const coded = { 'accept-encoding': 'br' }
  const { headers } = await ask(port, path, coded)
  const etag = String(headers.etag)
  const plain = String((await ask(port, path)).headers.etag)
  t.match(etag, /^"[\w-]+\.br"$/)
  for (const [named, answered] of [
    [etag, etag],
    [plain, plain],
    [`W/${etag}`, etag],
    [`"other", ${etag}`, etag],
  ] as const) {
    const again = await ask(port, path, { ...coded, 'if-none-match': named })
    t.equal(again.status, 304, named)
    t.equal(again.headers.etag, answered, `${named}: the one that the client has`)
    t.equal(again.headers['content-encoding'], undefined, named)
    t.equal(again.bytes.length, 0, named)
  }
  const uncoded = await ask(port, path, { 'if-none-match': etag })
  t.equal(uncoded.status, 304, 'also for a client that accepts no coding now: its copy is right')
  const other = await ask(port, path, { ...coded, 'if-none-match': etag.replace('br', 'deflate') })
  t.equal(other.status, 200, 'not for a coding that the service does not have')
  const doubled = await ask(port, path, { ...coded, 'if-none-match': etag.replace('.br', '.br.br') })
  t.equal(doubled.status, 200, 'not for an ETag that no response had')

  const read = await ask(port, path, { ...coded, 'if-match': etag })
  t.equal(read.status, 200, 'If-Match of a read')
  const change = (ifMatch: string) =>
    ask(port, path, { 'if-match': ifMatch }, { method: 'PATCH', body: { name: 'Changed' } })
  t.equal((await change(`W/${etag}`)).status, 412, 'a weak ETag never matches')
  t.equal((await change(etag)).status, 200, 'If-Match of a write')
  const stale = await change(etag)
  t.equal(stale.status, 412, 'not any more')
  t.not(stale.headers.etag, etag)
  const fresh = await ask(port, path, { ...coded, 'if-none-match': etag })
  t.equal(fresh.status, 200)
  t.equal(JSON.parse(brotliDecompressSync(fresh.bytes).toString()).name, 'Changed', `new bytes of ${id}`)
})

t.test('HEAD has the headers of GET', async (t) => {
  const { port, path } = await serve(t)
  for (const coding of ['zstd', 'br', 'gzip', 'identity']) {
    const { date: _, ...get } = (await ask(port, path, { 'accept-encoding': coding })).headers
    const { headers, bytes } = await ask(port, path, { 'accept-encoding': coding }, { method: 'HEAD' })
    const { date: __, ...head } = headers
    t.strictSame(head, get, coding)
    t.equal(bytes.length, 0, coding)
  }
})

t.test('other texts are compressed, too, and small responses and streams are not', async (t) => {
  const { port, path, id } = await serve(t)
  const accept = { 'accept-encoding': 'br' }
  for (const large of [
    '/openapi.json',
    `/api/projects/${id}/export.csv`,
    `/api/projects/${id}/kanban-items?limit=200`,
    '/api/changes?limit=500',
  ]) {
    const plain = await ask(port, large)
    const { status, headers, bytes } = await ask(port, large, accept)
    t.equal(status, 200, large)
    t.equal(headers['content-encoding'], 'br', large)
    t.ok(brotliDecompressSync(bytes).equals(plain.bytes), large)
  }
  for (const small of ['/health', '/api/projects?view=summary', `${path}/nowhere`]) {
    const { headers } = await ask(port, small, accept)
    t.equal(headers['content-encoding'], undefined, small)
  }
  const page = await ask(port, '/', { ...accept, accept: 'text/html' })
  t.equal(page.status, 200)
  const [, script] = /(?:src|href)="([^"]*\.js)"/.exec(brotliOr(page)) ?? []
  const asset = await ask(port, `/${script?.replace(/^\.?\//, '')}`, accept)
  t.equal(asset.headers['content-encoding'], 'br', 'the page was compressed by its build')
  t.doesNotThrow(() => brotliDecompressSync(asset.bytes), 'and only once')
  const events = request({ port, path: '/api/changes/stream', headers: accept })
  events.end()
  const [stream] = await once(events, 'response')
  t.equal(stream.headers['content-encoding'], undefined, 'events')
  t.match(stream.headers['content-type'], /event-stream/)
  stream.destroy()
})

/** The text of the page, which may be compressed. */
const brotliOr = ({ headers, bytes }: Received): string =>
  (headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes).toString()

t.test('a large response to a write is compressed, and a repetition has the same body', async (t) => {
  const { port, id } = await serve(t)
  const items = Array.from({ length: 100 }, (_, n) => ({
    method: 'POST',
    path: `/api/projects/${id}/kanban-items`,
    body: { title: `Second ${n}` },
  }))
  const headers = { 'accept-encoding': 'gzip', 'idempotency-key': 'once' }
  const batch = () => ask(port, '/api/batch', headers, { method: 'POST', body: { requests: items } })
  const first = await batch()
  t.equal(first.status, 200)
  t.equal(first.headers['content-encoding'], 'gzip')
  const again = await batch()
  t.equal(again.headers['idempotent-replayed'], 'true')
  t.ok(gunzipSync(again.bytes).equals(gunzipSync(first.bytes)))
})

/** A server with one large response, which counts nothing and can be slow. */
async function bare(t: Test, options = {}) {
  const app = Fastify()
  compressResponses(app, options)
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n, text: `item ${n}` })))
  app.get(
    '/tagged',
    (_request, reply) => void reply.header('etag', '"t"').type('application/json').send(text),
  )
  app.get('/untagged', (_request, reply) => void reply.type('application/json').send(text))
  app.get('/coded', (_request, reply) =>
    reply.type('application/json').header('content-encoding', 'gzip').send(gzipSync(text)),
  )
  app.get('/octets', (_request, reply) => void reply.type('application/octet-stream').send(text))
  app.get('/bytes', (_request, reply) => void reply.type('text/csv').send(new Uint8Array(Buffer.from(text))))
  await app.listen({ port: 0 })
  t.teardown(() => app.close())
  return { port: portOf(app), text }
}

t.test('a read does not get the compressed response of a write with the same ETag', async (t) => {
  const { app, port, id } = await serve(t)
  const text = 'A long description. '.repeat(3_000)
  const made = await send(app, 'POST', `/api/projects/${id}/kanban-items`, {
    title: 'Long',
    description: text,
  })
  const item = `/api/kanban-items/${made.body.id}`
  const [, column] = (await send(app, 'GET', `/api/projects/${id}/kanban-columns`)).body
  await send(app, 'PATCH', `/api/kanban-columns/${column.id}`, { wipLimit: 1 })
  await send(app, 'POST', `/api/projects/${id}/kanban-items`, { title: 'First', column: column.name })
  const coded = { 'accept-encoding': 'br' }
  const patched = await ask(port, item, coded, { method: 'PATCH', body: { column: column.name } })
  t.match(JSON.parse(String(DECODE.br(patched.bytes))), { warnings: [/WIP limit/] })
  const plain = await ask(port, item)
  t.equal(patched.headers.etag, plain.headers.etag?.replace(/"$/, '.br"'), 'the same record')
  const read = await ask(port, item, coded)
  t.equal(read.headers['content-encoding'], 'br')
  t.ok(DECODE.br(read.bytes).equals(plain.bytes))
  t.match(JSON.parse(String(plain.bytes)), { warnings: undefined })
})

t.test(
  'the queue of compressions is bounded: beyond the limit, responses are sent uncompressed',
  async (t) => {
    const { port, text } = await bare(t, { maxWaiting: 2 * 1024 * 1024 })
    const read = (path: string) => ask(port, path, { 'accept-encoding': 'br' })
    const many = await Promise.all(Array.from({ length: 40 }, () => read('/untagged')))
    const coded = many.filter(({ headers }) => headers['content-encoding'] === 'br')
    t.ok(coded.length >= 2 && coded.length < 40, `${coded.length} of 40 were compressed`)
    for (const response of many) t.equal(brotliOr(response), text)
    const alike = await Promise.all(Array.from({ length: 40 }, () => read('/tagged')))
    t.ok(
      alike.every(({ headers }) => headers['content-encoding'] === 'br'),
      'responses with the same ETag are compressed once',
    )
    for (const response of alike) t.equal(brotliOr(response), text)
    t.equal((await read('/untagged')).headers['content-encoding'], 'br', 'all is free again')
  },
)

t.test('encoded responses, and those that are not texts, are not compressed', async (t) => {
  const { port, text } = await bare(t)
  const coded = await ask(port, '/coded', { 'accept-encoding': 'gzip, br' })
  t.equal(coded.headers['content-encoding'], 'gzip')
  t.equal(gunzipSync(coded.bytes).toString(), text)
  t.equal((await ask(port, '/octets', { 'accept-encoding': 'br' })).headers['content-encoding'], undefined)
  const bytes = await ask(port, '/bytes', { 'accept-encoding': 'zstd' })
  t.equal(zstdDecompressSync(bytes.bytes).toString(), text, 'bytes as well as strings')
})
