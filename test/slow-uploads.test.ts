/** Uploads over slow lines, and callers that only pretend to send: real connections, with a clock that goes by hand. */
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { buildApp } from '../src/app.ts'
import { gathered } from '../src/requests/uploads.ts'
import { bytesOf } from './attachments.ts'
import { build, count, createItem, createProject, signInAs } from './helper.ts'
import { dial } from './process.ts'
import { until } from './receivers.ts'

const BYTES = bytesOf(1_000_000)

async function setUp(t: Test) {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const folder = t.testdir()
  const databaseUrl = `file:${join(folder, 'board.db')}`
  const app = await build(t, { databaseUrl, authMode: 'required' }, buildApp)
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'member')]
  const project = await createProject(app, {}, ada.headers)
  const item = await createItem(app, project.id, {}, ada.headers)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  /** Begins an upload. */
  const begin = async (
    caller: { token: string },
    path = `/api/kanban-items/${item.id}/attachments?name=a.bin`,
    length: number | 'chunked' = BYTES.length,
  ) => {
    const framing = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
    const connected = once(app.server, 'connection')
    const { socket, received } = await dial(t, port)
    const [accepted] = (await connected) as [Socket]
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: phaseboard_session=${caller.token}\r\nConnection: close\r\n${framing}\r\n\r\n`,
    )
    return { socket, received, accepted }
  }
  return { app, folder, ada, bob, begin }
}

t.test('a caller that sends nearly nothing takes no slot of others, and loses its own', async (t) => {
  const { app, ada, bob, begin } = await setUp(t)
  const { uploads } = app.files
  const slow = [await begin(ada), await begin(ada), await begin(ada)]
  for (const { socket } of slow) socket.write('x')
  await until(() => uploads.taken === 2)
  const other = await begin(bob)
  other.socket.write(BYTES)
  t.match(await other.received, /^HTTP\/1.1 201 /)
  t.equal(uploads.taken, 2)
  // The third one waits, and then has its own ten seconds.
  const refusals = Promise.all(slow.map(({ received }) => received))
  let isOver = false
  void refusals.then(() => {
    isOver = true
  })
  await until(() => {
    mock.timers.tick(1000)
    return isOver
  })
  for (const text of await refusals) {
    t.match(text, /^HTTP\/1.1 408 Request Timeout/)
    t.match(text, /\{"error":"Request Timeout"\}$/)
  }
  t.equal(uploads.taken, 0)
  t.equal(count(app, 'attachments'), 1)
})

t.test('the minute that every other request has does not end an upload', async (t) => {
  const { app, folder, ada, begin } = await setUp(t)
  const timeOut = (socket: Socket) =>
    app.server.emit(
      'clientError',
      Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      socket,
    )
  const slow = await begin(ada)
  slow.socket.write(BYTES.subarray(0, 600_000))
  await until(() => count(app, 'file_chunks') === 2)
  timeOut(slow.accepted)
  slow.socket.write(BYTES.subarray(600_000))
  t.match(await slow.received, /^HTTP\/1.1 201 /)
  const importing = await begin(ada, '/api/imports?format=csv', 11)
  importing.socket.write('title\n')
  await until(() =>
    readdirSync(folder).some((name) => name.includes('.import-') && statSync(join(folder, name)).size === 6),
  )
  timeOut(importing.accepted)
  importing.socket.write('Card\n')
  t.match(await importing.received, /^HTTP\/1.1 202 /)
  const json = await begin(ada, '/api/projects')
  json.socket.write('{')
  await until(() => json.accepted.bytesRead > 0)
  timeOut(json.accepted)
  t.match(await json.received, /^HTTP\/1.1 408 /)
})

t.test('the end of the service waits half a minute for an upload', async (t) => {
  const { app, ada, begin } = await setUp(t)
  const slow = await begin(ada)
  slow.socket.write(BYTES.subarray(0, 600_000))
  await until(() => count(app, 'file_chunks') === 2)
  const { setTimeout } = globalThis
  const ends: (() => void)[] = []
  const wait = (call: (...args: unknown[]) => void, time?: number, ...args: unknown[]) => {
    if (time === 30_000) ends.push(() => call(...args))
    return setTimeout(call, time, ...args)
  }
  t.teardown(() => Object.assign(globalThis, { setTimeout }))
  Object.assign(globalThis, { setTimeout: wait })
  const closed = app.close()
  await until(() => ends.length > 0)
  t.notOk(slow.accepted.destroyed)
  for (const end of ends) end()
  await closed
  t.equal(await slow.received, '')
})

t.test('a caller holds the memory of eight large bodies at most, and blocks nobody', async (t) => {
  const { app, ada, bob, begin } = await setUp(t)
  const body = Buffer.from(
    JSON.stringify({ name: 'Gemini', description: 'x'.repeat(90_000) }).padEnd(BYTES.length),
  )
  const open: Awaited<ReturnType<typeof begin>>[] = []
  while (open.length < 9) open.push(await begin(ada, '/api/projects'))
  for (const { socket } of open) socket.write(body.subarray(0, -1))
  const arrived = () => open.filter(({ accepted }) => accepted.bytesRead >= BYTES.length)
  await until(() => arrived().length >= 8)
  const other = await begin(bob, '/api/projects')
  other.socket.write(body)
  t.match(await other.received, /^HTTP\/1.1 201 /)
  t.equal(arrived().length, 8, 'the ninth is not read')
  const small = await begin(ada, '/api/projects', 15)
  small.socket.write('{"name":"Echo"}')
  t.match(await small.received, /^HTTP\/1.1 201 /)
  for (const { socket } of open) socket.write(body.subarray(-1))
  for (const { received } of open) t.match(await received, /^HTTP\/1.1 201 /)
  t.equal(count(app, 'projects'), 12)
})

t.test('large bodies that are refused leave their slots', async (t) => {
  const { app, ada, begin } = await setUp(t)
  for (let nth = 0; nth < 9; nth++) {
    const { received } = await begin(ada, '/api/projects', 2_000_000)
    t.match(await received, /^HTTP\/1.1 413 /)
  }
  // A mebibyte, and a piece that is still gathered.
  const tooLong = 1_048_577 + 16 * 1024
  for (let nth = 0; nth < 9; nth++) {
    const { socket, received } = await begin(ada, '/api/projects', 'chunked')
    socket.write(`${tooLong.toString(16)}\r\n${' '.repeat(tooLong)}`)
    t.match(await received, /^HTTP\/1.1 413 /)
  }
  const body = JSON.stringify({ name: 'Gemini', description: 'x'.repeat(90_000) })
  const { socket, received } = await begin(ada, '/api/projects', body.length)
  socket.write(body)
  t.match(await received, /^HTTP\/1.1 201 /)
  t.equal(count(app, 'projects'), 2)
})

t.test('a body of single bytes is held in few pieces', async (t) => {
  const bytes = bytesOf(100_000)
  const single = async function* () {
    for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1)
  }
  const pieces = (chunks: AsyncIterable<Buffer>): Promise<Buffer[]> =>
    Readable.from(gathered(chunks)).toArray()
  const made = await pieces(single())
  t.equal(made.length, 7)
  t.ok(Buffer.concat(made).equals(bytes))
  const sizes = async (...chunks: number[]) =>
    (await pieces(Readable.from(chunks.map((size) => Buffer.alloc(size))))).map(({ length }) => length)
  t.strictSame(await sizes(1, 40_000, 2, 50_000, 3, 4), [1, 40_000, 2, 50_000, 7], 'large ones stay')
  t.strictSame(await sizes(), [])
  const { app, ada, begin } = await setUp(t)
  const { socket, received } = await begin(ada, '/api/projects', 'chunked')
  const body = JSON.stringify({ name: 'Gemini', description: 'x'.repeat(20_000) })
  socket.write(`${[...body].map((one) => `1\r\n${one}\r\n`).join('')}0\r\n\r\n`)
  t.match(await received, /^HTTP\/1.1 201 /)
  t.equal(count(app, 'projects'), 2)
})
