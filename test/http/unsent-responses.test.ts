import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { mock } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { serverOptions } from '../../src/http/server.ts'
import { limitUnsentResponses, type UnsentLimits } from '../../src/http/unsent-responses.ts'
import { hookOf } from '../../src/requests/admit.ts'
import { PartedBody } from '../../src/requests/parted-body.ts'
import { keepLog } from '../helper.ts'

const MEGABYTE = 1024 * 1024
/** More than the system buffers for a client that does not read. */
const LARGE = 12 * MEGABYTE

/** Lets time pass by hand, before a server is started. @returns a function that lets it pass, with the checks at intervals */
function holdTime(t: Test): (milliseconds: number) => void {
  let now = 0
  t.intercept(performance, 'now', { value: () => now })
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  return (milliseconds) => {
    now += milliseconds
    mock.timers.tick(milliseconds)
  }
}

/** A server like the service's, with a large response, a small one and a chunked one. */
async function serve(t: Test, limits: Partial<UnsentLimits>) {
  // It does not use Fastify's own classes, which may be another copy if the sources are bundled.
  const { logController: _, ...options } = serverOptions(loadConfig({ LOG_LEVEL: 'silent' }), undefined)
  const app = Fastify(options)
  app.addHook('onRequest', hookOf(limitUnsentResponses(app, { interval: 20, ...limits })))
  let written = 0
  app.get('/large', (_request, reply) => void reply.header('etag', '"x"').send(Buffer.alloc(LARGE, 'x')))
  const shared = Buffer.alloc(LARGE, 'x')
  app.get('/shared', (_request, reply) => void reply.send(shared))
  // A route that sends bytes without a Buffer. Fastify creates a new view of them for each reply.
  const bytes = new Uint8Array(LARGE)
  app.get('/bytes', (_request, reply) => void reply.send(bytes))
  // A route with another view of the same bytes.
  app.get(
    '/parts',
    (_request, reply) =>
      void reply.header('content-length', LARGE + 1).send(new PartedBody([bytes, Buffer.from('!')])),
  )
  app.get('/small', async () => 'small')
  app.post('/write', async () => {
    written++
    return 'x'.repeat(LARGE)
  })
  app.get('/events', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.raw.write(': hello\n\n')
    const timer = setInterval(() => reply.raw.write(': still here\n\n'), 150)
    reply.raw.on('close', () => clearInterval(timer))
  })
  app.setErrorHandler((error: Error & { statusCode?: number; headers?: object }, _request, reply) =>
    reply
      .code(error.statusCode ?? 500)
      .headers({ ...error.headers })
      .send({ error: error.message }),
  )
  /** Connections by their client ports. */
  const taken = new Map<number | undefined, Socket>()
  app.server.on('connection', (socket) => taken.set(socket.remotePort, socket))
  await app.listen({ port: 0 })
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = app.server.address() as { port: number }

  /** A client that sends a request and does not read. Its response has been written, as far as the system buffers it. */
  async function dawdle(line = 'GET /large'): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    const from = socket.localPort
    socket.pause()
    socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`)
    while (!taken.get(from)?.bytesWritten) await wait(5)
    return socket
  }

  /** The bytes that the system has not taken yet for a client. */
  const queue = ({ localPort }: Socket) =>
    (taken.get(localPort) as Socket & { _handle?: { writeQueueSize: number } })?._handle?.writeQueueSize ?? 0

  return { app, dawdle, queue, url: `http://127.0.0.1:${port}`, written: () => written }
}

/** The number of the server's connections. */
const connections = (app: {
  server: { getConnections: (report: (error: unknown, count: number) => void) => void }
}) => new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))

/** Waits until there are at most so many connections. The test's timeout is the limit. */
async function until(app: Parameters<typeof connections>[0], count: number): Promise<void> {
  while ((await connections(app)) > count) await wait(20)
}

t.test('a client that reads nothing is disconnected; one that reads slowly is not', async (t) => {
  const pass = holdTime(t)
  const { app, dawdle, queue } = await serve(t, { timeout: 3000 })
  const slow = await dawdle()
  let received = 0
  let wanted = 0
  slow.on('data', (part) => {
    received += part.length
    wanted -= part.length
    if (wanted <= 0) slow.pause()
  })
  await Promise.all([dawdle(), dawdle('POST /write')])
  // Reads a part almost every three seconds, and therefore takes longer than the timeout.
  let parts = 0
  for (; queue(slow) > 0; parts++) {
    const before = queue(slow)
    while (queue(slow) === before) {
      wanted = MEGABYTE
      slow.resume()
      await wait(1)
    }
    pass(2900)
  }
  t.ok(parts > 1, `${parts} parts`)
  while ((await connections(app)) > 1) pass(2000)
  wanted = LARGE
  slow.resume()
  while (received < LARGE && !slow.destroyed) await wait(5)
  t.ok(received >= LARGE, 'it has all of it')
  t.ok((await connections(app)) <= 1, 'those that do not read are gone')
})

t.test('idle connections and event streams without new data stay open', async (t) => {
  const pass = holdTime(t)
  const { app, dawdle } = await serve(t, { timeout: 100 })
  const idle = await dawdle('GET /small')
  idle.resume()
  const events = await dawdle('GET /events')
  events.resume()
  let text = ''
  events.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  for (let count = 1; count <= 6; count++) {
    pass(150)
    while (text.split('still here').length <= count) await once(events, 'data')
  }
  t.equal(await connections(app), 2, 'after many times the patience')
})

t.test('if responses use too much memory, clients that read nothing are disconnected first', async (t) => {
  const pass = holdTime(t)
  const { app, dawdle, url } = await serve(t, {
    maxBytes: 3.5 * LARGE,
    timeout: 60_000,
    timeoutUnderPressure: 200,
  })
  for (let index = 0; index < 3; index++) await dawdle()
  pass(500)
  t.equal(await connections(app), 3)
  const answer = await fetch(`${url}/large`)
  t.equal(answer.status, 200)
  t.equal((await answer.arrayBuffer()).byteLength, LARGE)
})

t.test('if that does not help, large responses and changes are 503, and small ones are not', async (t) => {
  const { app, dawdle, url, written } = await serve(t, { maxBytes: 3 * LARGE, timeoutUnderPressure: 60_000 })
  const clients = []
  for (let index = 0; index < 3; index++) clients.push(await dawdle())
  const refused = await fetch(`${url}/large`)
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '5')
  t.equal(refused.headers.get('etag'), null, 'no tag of an answer that was not given')
  t.strictSame(await refused.json(), { error: 'Service Unavailable' })
  t.equal((await fetch(`${url}/small`)).status, 200)

  clients.push(await dawdle('POST /write'))
  t.equal(written(), 1)
  t.equal((await fetch(`${url}/write`, { method: 'POST' })).status, 503)
  t.equal(written(), 1, 'what is refused is not done')

  for (const client of clients) client.destroy()
  while (Number(app.roomForResponse?.()) < LARGE) await wait(5)
  t.equal((await fetch(`${url}/large`)).status, 200, 'whoever hangs up makes room, too')
})

t.test('unread bytes shared by several clients count once', async (t) => {
  const { url, dawdle } = await serve(t, { maxBytes: 2 * LARGE, timeoutUnderPressure: 60_000 })
  for (let index = 0; index < 5; index++) await dawdle('GET /shared')
  t.equal((await fetch(`${url}/shared`)).status, 200)
  await dawdle()
  t.equal((await fetch(`${url}/large`)).status, 503)
  t.equal((await fetch(`${url}/shared`)).status, 200, 'it takes no more')
})

t.test('bytes without a Buffer view count once, too, and are sent to slow clients as well', async (t) => {
  const { url, dawdle } = await serve(t, { maxBytes: LARGE / 2, timeoutUnderPressure: 60_000 })
  for (let index = 0; index < 3; index++) await dawdle('GET /bytes')
  const answer = await fetch(`${url}/bytes`)
  t.equal(answer.status, 200)
  t.equal((await answer.arrayBuffer()).byteLength, LARGE)
  t.equal((await fetch(`${url}/large`)).status, 503, 'other bytes would come on top of it')
})

t.test('bytes that something follows count as those alone', async (t) => {
  const { url, dawdle } = await serve(t, { maxBytes: LARGE / 2, timeoutUnderPressure: 60_000 })
  for (let index = 0; index < 3; index++) await dawdle('GET /parts')
  const answer = await fetch(`${url}/parts`)
  t.equal(answer.status, 200)
  t.equal((await answer.arrayBuffer()).byteLength, LARGE + 1)
  t.equal((await fetch(`${url}/bytes`)).status, 200)
  t.equal((await fetch(`${url}/large`)).status, 503)

  const other = await serve(t, { maxBytes: LARGE / 2, timeoutUnderPressure: 60_000 })
  await other.dawdle()
  const refused = await fetch(`${other.url}/parts`)
  t.equal(refused.status, 503)
  t.strictSame(await refused.json(), { error: 'Service Unavailable' })
})

t.test('the remaining memory is known before a response is built', async (t) => {
  const pass = holdTime(t)
  const { app, dawdle } = await serve(t, { maxBytes: 2 * LARGE, timeoutUnderPressure: 1000 })
  const room = () => Number(app.roomForResponse?.())
  t.equal(room(), Number.POSITIVE_INFINITY, 'where nothing waits, one may be as large as it is')
  await dawdle()
  const left = room()
  t.ok(left <= LARGE && left > LARGE - 1000, `${left}`)
  while (room() < LARGE) {
    pass(1000)
    await wait(1)
  }
  t.equal(room(), Number.POSITIVE_INFINITY, 'those who do not read make room where little is left')
})

t.test('there is always memory for small responses', async (t) => {
  const { app, dawdle } = await serve(t, { maxBytes: MEGABYTE, timeoutUnderPressure: 60_000 })
  await dawdle()
  t.equal(app.roomForResponse?.(), 65_536)
})

t.test('queued responses use memory', async (t) => {
  const { app } = await serve(t, { maxBytes: 4 * LARGE })
  const asked = [app.inject('/large'), app.inject('/large'), app.inject('/shared'), app.inject('/shared')]
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 50; turn++) {
    await new Promise((resolve) => process.nextTick(resolve))
    least = Math.min(least, Number(app.roomForResponse?.()))
  }
  t.equal(least, LARGE, 'the shared one once')
  for (const { statusCode } of await Promise.all(asked)) t.equal(statusCode, 200)
  t.equal(app.roomForResponse?.(), Number.POSITIVE_INFINITY)
})

t.test('a single response may exceed the limit for all', async (t) => {
  const { url } = await serve(t, { maxBytes: MEGABYTE })
  const answer = await fetch(`${url}/large`)
  t.equal(answer.status, 200)
  t.equal((await answer.arrayBuffer()).byteLength, LARGE)
})

t.test('sent responses no longer count, however many there were', async (t) => {
  const { url } = await serve(t, { maxBytes: 2 * LARGE })
  for (let index = 0; index < 6; index++) {
    const answer = await fetch(`${url}/large`)
    t.equal(answer.status, 200)
    await answer.arrayBuffer()
  }
})

t.test('connections above MAX_CONNECTIONS are closed at once, and logged once', async (t) => {
  const { logStream, log } = keepLog()
  const app = await buildApp({ databaseUrl: ':memory:', maxConnections: 2, logLevel: 'warn', logStream })
  t.teardown(() => app.close())
  await app.listen({ port: 0 })
  const { port } = app.server.address() as { port: number }
  const ask = async () => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => undefined)
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await Promise.race([once(socket, 'data'), once(socket, 'close')])
    return { socket, text: () => text }
  }
  const first = await ask()
  await ask()
  t.match(first.text(), /^HTTP\/1.1 200 /)
  for (let index = 0; index < 3; index++) t.equal((await ask()).text(), '', 'one too many')
  t.equal(log().split('too many connections').length - 1, 1)
  first.socket.destroy()
  await until(app, 1)
  t.match((await ask()).text(), /^HTTP\/1.1 200 /, 'there is room again')
})
