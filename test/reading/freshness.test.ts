/** Concurrent requests check once for commits of other processes, and none misses a commit. */
import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { watch } from '../executions.ts'
import { build, createProject } from '../helper.ts'
import { shipped } from '../shipped.ts'

const { phaseboard } = shipped

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')

/** The service, a connection of another process to its file, and functions that read a project. `last` closes its socket. */
async function setUp(t: Test) {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const app = await build(t, { databaseUrl })
  const { id } = await createProject(app, { nextStep: 'before' })
  const { db: other, close } = openDatabase(databaseUrl)
  t.teardown(close)
  const path = `/api/projects/${id}`
  const url = new URL(await app.listen({ port: 0 }))
  const executed = watch(t, app.db.$client)
  const accepted = new Map<number, Socket>()
  app.server.on('connection', (socket: Socket) => accepted.set(socket.remotePort as number, socket))
  await app.inject({ url: path })

  return {
    app,
    path,
    read: get(path),
    last: get(path, 'Connection: close'),
    questions: () => executed.count(/data_version/),
    commits: (step: string) => other.$client.prepare('update projects set next_step = ?').run(step),
    /** A connection accepted by the service, with its next events until it closes. */
    async dial() {
      const socket = connect(Number(url.port), url.hostname)
      t.teardown(() => socket.destroy())
      const steps = text(socket).then((all) =>
        [...all.matchAll(/"nextStep":"(\w+)"/g)].map(([, step]) => step),
      )
      while (!accepted.has(socket.localPort as number)) await new Promise(setImmediate)
      // The server reads in the following poll phase.
      await new Promise(setImmediate)
      return { socket, steps }
    },
    /** Runs `work` right after the next response, before the event loop continues. */
    afterNext: (work: () => void) => app.server.once('request', work),
  }
}

t.test('requests of one poll share a check for commits', async (t) => {
  const { last, dial, questions } = await setUp(t)
  const clients = await Promise.all(Array.from({ length: 8 }, dial))
  const before = questions()
  for (const { socket } of clients) socket.write(last)
  for (const { steps } of clients) t.strictSame(await steps, ['before'])
  t.equal(questions() - before, 1)
})

t.test('each poll has its own check', async (t) => {
  const { read, last, dial, questions, commits } = await setUp(t)
  const { socket, steps } = await dial()
  const before = questions()
  for (const step of ['one', 'two']) {
    socket.write(read)
    await new Promise((resolve) => socket.once('data', resolve))
    commits(step)
  }
  socket.write(last)
  t.strictSame(await steps, ['before', 'one', 'two'])
  t.equal(questions() - before, 5, 'and one for each state that is read')
})

t.test('a pipelined request sees commits made before it is handled', async (t) => {
  const { read, last, dial, commits, afterNext } = await setUp(t)
  const { socket, steps } = await dial()
  afterNext(() => commits('after'))
  socket.write(read + last)
  t.strictSame(await steps, ['before', 'after'])
})

t.test('so does one after a body, behind another request of the same poll', async (t) => {
  const { app, path, last, dial, commits, afterNext } = await setUp(t)
  const clients = await Promise.all([dial(), dial()])
  const head = get(path, 'Content-Type: application/json', 'Content-Length: 16').replace('GET', 'PATCH')
  for (const { socket } of clients) {
    const begun = new Promise((resolve) => app.server.once('request', resolve))
    socket.write(`${head}{"leadId":`)
    await begun
  }
  afterNext(() => commits('after'))
  for (const { socket } of clients) socket.write(`"ada"}${last}`)
  const [one = [], other = []] = await Promise.all(clients.map(({ steps }) => steps))
  t.strictSame([one[0], other[0]], ['after', 'after'], 'the changes')
  t.strictSame([one[1], other[1]].sort(), ['after', 'before'], 'whichever comes first')
})

t.test('requests without a socket check each time', async (t) => {
  const { app, path, commits, questions, last, dial, afterNext } = await setUp(t)
  const { socket, steps } = await dial()
  const injected = new Promise<string>((resolve, reject) => {
    afterNext(() => {
      commits('after')
      app.inject({ url: path }).then(({ body }) => resolve(JSON.parse(body).nextStep), reject)
    })
  })
  socket.write(last)
  t.strictSame([await steps, await injected], [['before'], 'after'])
  const before = questions()
  await Promise.all([app.inject({ url: path }), app.inject({ url: path })])
  t.equal(questions() - before, 2)
})

t.test('over HTTP/2, where one connection has many requests, each checks', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const host = Fastify({ http2: true })
  t.teardown(() => host.close())
  await host.register(phaseboard, { databaseUrl, authMode: 'open' })
  const { db: other, close } = openDatabase(databaseUrl)
  t.teardown(close)
  const connection = connectHttp2(await host.listen({ port: 0 }))
  t.teardown(() => connection.close())
  const request = (headers: OutgoingHttpHeaders) => {
    const stream = connection.request(headers)
    return { stream, answer: text(stream) }
  }
  const post = request({ ':method': 'POST', ':path': '/api/projects', 'content-type': 'application/json' })
  post.stream.end('{"name":"one","nextStep":"before"}')
  const { id } = JSON.parse(await post.answer)

  host.server.once('request', () => other.$client.prepare("update projects set next_step = 'after'").run())
  const answers = [1, 2].map(() => request({ ':path': `/api/projects/${id}` }).answer)
  const steps = (await Promise.all(answers)).map((answer) => JSON.parse(answer).nextStep)
  t.strictSame(steps, ['before', 'after'])
})
