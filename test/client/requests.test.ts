import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { onPreparedFile, start } from '../process.ts'
import { answer, answerJson, breakOff, type Fate, loseTheAnswer, standBetween } from './intermediary.ts'
import { createClient, failureOf } from './shipped-client.ts'

const service = await start(t, { ...onPreparedFile(t.testdir()), AUTH_MODE: 'open' })

/** A client of the service behind an intermediary. */
async function behind(t: Test) {
  const between = await standBetween(t, service.url)
  return { between, client: createClient({ baseUrl: between.url }) }
}

const direct = createClient({ baseUrl: `${service.url}/` })
const project = await direct.post('/api/projects', { body: { name: 'Spring campaign' } })
const path = { id: project.id }
const keyOf = (asked: IncomingMessage) => asked.headers['idempotency-key']

t.test('records are read and written by path, and ETags prevent lost updates', async (t) => {
  const created = await direct.request('post', '/api/projects/{id}/kanban-items', {
    path,
    body: { title: 'Print flyers', priority: 'high' },
  })
  t.match(created, { status: 201, data: { title: 'Print flyers' }, replayed: false })
  t.equal(created.headers.get('etag'), created.etag)
  const at = { path: { id: created.data.id } }
  const read = await direct.request('get', '/api/kanban-items/{id}', at)
  t.strictSame(read.data, created.data)
  t.equal(read.etag, created.etag)
  t.equal(read.seq, undefined)

  const changed = await direct.request('patch', '/api/kanban-items/{id}', {
    ...at,
    body: { title: 'Print 500 flyers' },
    ifMatch: String(created.etag),
  })
  t.ok(Number(changed.seq) > Number(created.seq))
  const late = await failureOf(
    t,
    direct.patch('/api/kanban-items/{id}', { ...at, body: { title: 'x' }, ifMatch: String(created.etag) }),
  )
  t.match(late, { status: 412, error: 'Precondition failed', etag: changed.etag })

  const found = await direct.get('/api/kanban-items', {
    query: { projectId: project.id, q: '500', column: ['To Do', 'Done'] },
  })
  t.strictSame(found, [changed.data], 'several values, and none for what is not given')
  t.strictSame(await direct.put('/api/projects/{id}/team-assignments', { path, body: { members: [] } }), [])
  t.strictSame(await direct.delete('/api/kanban-items/{id}', at), { success: true })
})

t.test('a list is read page by page', async (t) => {
  const { between, client } = await behind(t)
  const { id } = await client.post('/api/projects', { body: { name: 'Large' } })
  const titles = Array.from({ length: 1200 }, (_, index) => `Card ${index}`)
  for (let first = 0; first < titles.length; first += 200) {
    const requests = titles.slice(first, first + 200).map((title) => ({
      method: 'POST' as const,
      path: `/api/projects/${id}/kanban-items`,
      body: { title },
    }))
    await client.post('/api/batch', { body: { requests } })
  }
  between.asked.length = 0
  // A proxy may use another path for the service.
  between.decide = (asked) => {
    asked.url = asked.url?.replace('/board/', '/')
    return undefined
  }
  const prefixed = createClient({ baseUrl: `${between.url}/board` })
  const read: string[] = []
  for await (const { title } of prefixed.pages('/api/projects/{id}/kanban-items', { path: { id } }))
    read.push(title)
  t.strictSame(read, titles)
  t.equal(between.asked.length, 6)

  between.asked.length = 0
  for await (const { title } of client.pages('/api/kanban-items', { query: { projectId: id, limit: 10 } })) {
    if (title === titles[14]) break
  }
  t.equal(between.asked.length, 2, 'what is not needed is not read')

  const found: string[] = []
  for await (const { title } of client.pages('/api/search', { query: { q: 'card', limit: 500 } }))
    found.push(title)
  t.strictSame(found.toSorted(), titles.toSorted(), 'a search has pages too')
})

t.test('temporary failures are retried, a write with the same key', async (t) => {
  const fates = [
    breakOff,
    loseTheAnswer,
    answer(502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>'),
    answer(503, { 'retry-after': '0' }),
    answer(504),
    answer(429, { 'retry-after': new Date().toUTCString() }),
    // A response that is cut short.
    answer(200, { 'content-type': 'application/json' }, '{"id": "019'),
  ]
  const failsFirst = async (fate: Fate) => {
    const { between, client } = await behind(t)
    between.decide = () => (between.asked.length === 1 ? fate : undefined)
    const body = { title: `Only once ${Math.random()}` }
    const { data, replayed } = await client.request('post', '/api/projects/{id}/kanban-items', { path, body })
    t.equal(between.asked.length, 2)
    t.equal(replayed, fate === loseTheAnswer)
    t.match(keyOf(between.asked[0] as IncomingMessage), /^[\da-f]{32}$/)
    t.equal(new Set(between.asked.map(keyOf)).size, 1, 'with the same key')
    const items = await direct.get('/api/projects/{id}/kanban-items', { path, query: { q: body.title } })
    t.strictSame(items, [data], 'one record')

    between.asked.length = 0
    t.match(await client.get('/healthz'), { status: 'ok' })
    t.equal(between.asked.length, 2)
    t.equal(keyOf(between.asked[0] as IncomingMessage), undefined)
  }
  await Promise.all(fates.map(failsFirst))
})

t.test('permanent failures, and requests that cannot be repeated, are not retried', async (t) => {
  const { between, client } = await behind(t)
  const asks = async (asking: () => Promise<unknown>) => {
    between.asked.length = 0
    const failure = await failureOf(t, asking())
    return { failure, times: between.asked.length }
  }
  const health = () => client.get('/healthz')

  between.decide = () => answer(429, { 'retry-after': '61' })
  const asked = await asks(health)
  t.match(asked, { times: 1, failure: { status: 429, retryAfter: 61 } }, 'asked to wait for too long')
  between.decide = () => answer(503, { 'retry-after': 'soon' })
  t.match(await asks(() => createClient({ baseUrl: between.url, retries: 1 }).get('/healthz')), {
    times: 2,
    failure: { status: 503, error: 'Service Unavailable', retryAfter: undefined },
  })

  between.decide = () => answerJson(500, { error: 'Failed to fetch' })
  t.match(await asks(health), { times: 1, failure: { status: 500, error: 'Failed to fetch' } })
  between.decide = () => breakOff
  const signIn = () =>
    client.post('/api/session', { body: { email: 'ada@example.org', password: 'battery staple' } })
  t.match(await asks(signIn), { times: 1, failure: { status: 0, error: 'No answer' } })
  t.equal(keyOf(between.asked[0] as IncomingMessage), undefined)

  between.decide = () => answer(200, { 'content-type': 'text/html' }, '<title>Another application</title>')
  t.match(await asks(health), { times: 1, failure: { status: 200, error: /page/ } })
  between.decide = () => answer(307, { location: '/readyz' })
  t.match(await asks(() => createClient({ baseUrl: between.url, retries: 0 }).get('/healthz')), {
    times: 1,
    failure: { status: 0 },
  })
})

t.test("errors contain the service's message", async (t) => {
  const invalid = await failureOf(t, direct.post('/api/projects', { body: { name: '' } }))
  t.match(invalid, {
    message: 'POST /api/projects: 400 Validation failed',
    status: 400,
    error: 'Validation failed',
    details: { formErrors: [], fieldErrors: { name: [String] } },
    request: 'POST /api/projects',
  })
  const unknown = failureOf(t, direct.get('/api/kanban-items/{id}/comments', { path: { id: 'a/b?c' } }))
  t.match(await unknown, {
    status: 404,
    code: 'not_found',
    request: 'GET /api/kanban-items/a%2Fb%3Fc/comments',
  })
  const nobody = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
  const unanswered = await failureOf(t, nobody.get('/api/kanban-items', { query: { q: 'private' } }))
  t.match(unanswered, { status: 0, message: 'GET /api/kanban-items: No answer', cause: Error })

  for (const id of ['', '.', '..']) {
    await t.rejects(
      direct.delete('/api/projects/{id}', { path: { id } }),
      { name: 'TypeError' },
      `no id: '${id}'`,
    )
  }
  t.throws(() => createClient(), { name: 'TypeError', message: /browser/ })
  t.throws(() => createClient({ baseUrl: service.url, token: 'a\nb' }), { name: 'TypeError' })
})

t.test('an aborted request is rejected with its reason', async (t) => {
  const { between, client } = await behind(t)
  const reason = new Error('changed my mind')
  const during = new AbortController()
  between.decide = () => () => during.abort(reason)
  await t.rejects(client.get('/healthz', { signal: during.signal }), reason, 'while it is sent')
  const reading = new AbortController()
  between.decide = () => (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{')
    setImmediate(() => reading.abort(reason))
  }
  await t.rejects(client.get('/healthz', { signal: reading.signal }), reason, 'while the answer comes')
  const pausing = new AbortController()
  between.decide = () => (response) => {
    response.writeHead(503, { 'retry-after': '50' }).end()
    response.on('close', () => setImmediate(() => pausing.abort(reason)))
  }
  await t.rejects(client.get('/healthz', { signal: pausing.signal }), reason, 'while it waits')
  await t.rejects(client.get('/healthz', { signal: pausing.signal }), reason, 'before')
})

t.test('headers, credentials and bodies are sent as given', async (t) => {
  type Init = RequestInit & { headers: Headers }
  const sent: { url: string; init: Init }[] = []
  let body: string | null = '{}'
  let type = 'application/json'
  const send: typeof fetch = async (url, init) => {
    sent.push({ url: String(url), init: init as Init })
    return new Response(body, { headers: { 'content-type': type } })
  }
  const last = () => sent.at(-1) as (typeof sent)[number]
  const plain = createClient({
    baseUrl: 'https://a.example/board//',
    fetch: send,
    headers: { 'x-a': '1', 'x-b': '1' },
  })
  await plain.get('/healthz', { headers: { 'x-b': '2' } })
  t.equal(last().url, 'https://a.example/board/healthz')
  t.match(last().init, { method: 'GET', credentials: 'same-origin', redirect: 'error' })
  t.strictSame(
    [...last().init.headers],
    [
      ['accept', 'application/problem+json, */*'],
      ['x-a', '1'],
      ['x-b', '2'],
    ],
  )

  const withToken = createClient({ baseUrl: 'https://a.example', fetch: send, token: 'pbt_x' })
  await withToken.post('/api/teams', { body: { name: 'Design' }, idempotencyKey: 'mine' })
  t.match(last().init, { credentials: 'omit', body: '{"name":"Design"}' })
  t.match(Object.fromEntries(last().init.headers), {
    authorization: 'Bearer pbt_x',
    'content-type': 'application/json',
    'idempotency-key': 'mine',
  })
  const elsewhere = createClient({ baseUrl: 'https://a.example', fetch: send, credentials: 'include' })
  await elsewhere.get('/healthz')
  t.match(last().init, { credentials: 'include' })

  // For all operations with files.
  // biome-ignore lint/suspicious/noExplicitAny: any path
  const any = withToken as any
  for (const raw of ['a,b', new Uint8Array([1]), new Blob(['a'])]) {
    await any.post('/api/files', { body: raw, headers: { 'content-type': 'text/csv' } })
    t.equal(last().init.body, raw)
    t.equal(last().init.headers.get('content-type'), 'text/csv')
  }
  await any.post('/api/files', { body: new Blob(['a']).stream() })
  t.match(last().init, { duplex: 'half' })
  t.equal(last().init.headers.get('content-type'), 'application/octet-stream')
  type = 'text/csv; charset=utf-8'
  body = 'a,b'
  t.equal(await any.get('/api/files'), 'a,b')
  type = 'application/zip'
  t.ok((await any.get('/api/files')) instanceof ReadableStream)
  body = null
  t.equal(await any.get('/api/files'), undefined)
})

t.test('an attached file is a stream of its bytes, whatever its type', async (t) => {
  const { id } = await direct.post('/api/projects/{id}/kanban-items', { path, body: { title: 'With files' } })
  const files = { 'a.json': '{"a": 1}', 'a.txt': 'a', 'a.html': '<b>a</b>', 'empty.txt': '' }
  for (const [name, text] of Object.entries(files)) {
    const [attachment] = (await direct.post('/api/kanban-items/{id}/attachments', {
      path: { id },
      query: { name },
      body: new Blob([text]),
    })) as { id: string }[]
    const bytes = await direct.get('/api/attachments/{id}/content', { path: { id: String(attachment?.id) } })
    t.ok(bytes instanceof ReadableStream, name)
    t.equal(await new Response(bytes).text(), text, name)
  }
  const page = () => new Response('<p>Sign in', { headers: { 'content-type': 'text/html' } })
  const proxied = createClient({ baseUrl: 'https://a.example', fetch: async () => page() })
  const failure = await failureOf(t, proxied.get('/api/attachments/{id}/content', { path: { id } }))
  t.equal(failure.error, 'The response is a web page, not from Phaseboard')
})

t.test("relative URLs are relative to the client's base URL", async (t) => {
  const page = { href: 'https://board.example/board/' }
  t.intercept(globalThis as { location?: unknown }, 'location', { value: page, configurable: true })
  let asked = ''
  const client = createClient({
    fetch: async (url) => {
      asked = String(url)
      return Response.json({})
    },
  })
  await client.get('/api/teams')
  t.equal(asked, '/api/teams')
})
