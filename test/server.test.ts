import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase } from '../src/db/client.ts'
import { openTestDatabase } from './database.ts'
import { until } from './executions.ts'
import { build } from './helper.ts'
import { dial, onNewFile, run, type Service, start } from './process.ts'
import { shipped } from './shipped.ts'

const { buildApp } = shipped

t.jobs = 3

/** The log of a stop that had to close connections. */
const FORCED = /"closing connections that are still open"/

const folderOf = ({ DATABASE_URL }: { DATABASE_URL: string }) => dirname(DATABASE_URL.slice('file:'.length))

/** The files in the folder of a stopped service's database. */
const left = (environment: { DATABASE_URL: string }) => readdirSync(folderOf(environment)).sort()

async function json(service: { url: string }, path: string, body?: object) {
  const response = await fetch(`${service.url}${path}`, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: whole bodies, of every shape
  return { status: response.status, body: (await response.json()) as any }
}

/** Starts a request, and waits until the service has read its head and expects the body. */
async function beginCreate(t: Test, { port }: Service, name: string) {
  const { socket, received } = await dial(t, port)
  const body = JSON.stringify({ name })
  socket.write(
    [
      'POST /api/projects HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  )
  const [interim] = await once(socket, 'data')
  t.match(interim, /^HTTP\/1.1 100 Continue/)
  return { finish: () => socket.write(body), received }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} finishes a request whose body still arrives, then exits with 0`, async (t) => {
    const environment = onNewFile(t)
    const service = await start(t, environment)
    const { finish, received } = await beginCreate(t, service, 'Apollo')
    service.kill(signal)
    await service.logged(/"stopping"/)
    finish()
    const [, head = '', body = ''] = (await received).split('\r\n\r\n')
    t.match(head, /^HTTP\/1.1 201 Created/)
    t.match(head, /^connection: close$/im)
    t.match(JSON.parse(body), { name: 'Apollo' })
    t.match(await service.exited, { code: 0, signal: null, stderr: '' })
    t.notMatch(service.log(), FORCED, 'nothing else was waited for')
    t.strictSame(
      left(environment),
      ['board.db', 'board.db.initial-admin-password'],
      'the log was written back and removed',
    )
    t.match(service.log(), /"stopped"/)

    const db = openTestDatabase(t, environment.DATABASE_URL)
    t.strictSame(db.$client.prepare('select name from projects').pluck().all(), ['Apollo'])
  })
}

t.test('idle connections do not delay the end', async (t) => {
  const service = await start(t, onNewFile(t))
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const response = await new Promise<IncomingMessage>((resolve) =>
    get(`${service.url}/healthz`, { agent }, resolve),
  )
  response.resume()
  await once(response, 'end')
  await dial(t, service.port)
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0 })
  t.notMatch(service.log(), FORCED)
})

t.test('a response in progress is sent completely, and then its connection closes', async (t) => {
  const environment = onNewFile(t)
  const { db, close } = openDatabase(environment.DATABASE_URL)
  db.$client.exec(`
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 200)
    insert into projects (id, name, description) select number, 'Apollo', hex(zeroblob(50000)) from numbers`)
  close()
  const service = await start(t, environment)
  const outgoing = request(`${service.url}/api/projects`, { agent: new Agent({ keepAlive: true }) }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const size = Number(response.headers['content-length'])
  t.ok(size > 20_000_000, 'more than the network takes at once')
  service.kill('SIGTERM')
  await service.logged(/"stopping"/)
  const isRefused = () =>
    json(service, '/healthz').then(
      () => false,
      () => true,
    )
  while (!(await isRefused()));
  let length = 0
  for await (const chunk of response) length += chunk.length
  t.equal(length, size, 'nobody else was let in meanwhile, and this one got all')
  t.match(await service.exited, { code: 0 })
})

t.test('a slow client is disconnected finally, and the database is still closed', async (t) => {
  const environment = onNewFile(t)
  const service = await start(t, environment)
  const { received } = await beginCreate(t, service, 'Never')
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0, signal: null })
  t.match(await received, /^HTTP\/1.1 100 Continue\r\n\r\n$/)
  t.match(service.log(), FORCED)
  t.strictSame(left(environment), ['board.db', 'board.db.initial-admin-password'])
})

t.test('an error outside any request stops the service in order, and exits with 1', async (t) => {
  const environment = onNewFile(t)
  const breaking = `data:text/javascript,process.once('SIGWINCH',()=>{throw new Error('out of the blue')})`
  const service = await start(t, {
    ...environment,
    NODE_OPTIONS: `--import=${breaking.replaceAll(' ', '%20')}`,
  })
  service.kill('SIGWINCH')
  t.match(await service.exited, { code: 1, signal: null })
  t.match(service.log(), /"out of the blue".*"stopping after an error outside any request"/)
  t.strictSame(left(environment), ['board.db', 'board.db.initial-admin-password'])
})

t.test("two services on one file write and see each other's changes", async (t) => {
  const environment = onNewFile(t)
  const services = await Promise.all([start(t, environment), start(t, environment)])
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      json(services[index % 2] ?? services[0], '/api/projects', { name: `Project ${index}` }),
    ),
  )
  t.ok(made.every(({ status }) => status === 201))
  const ids = made.map(({ body }) => body.id).sort()
  for (const service of services) {
    const { body } = await json(service, '/api/projects')
    t.strictSame(body.map(({ id }: { id: string }) => id).sort(), ids)
  }
  services[0].kill('SIGTERM')
  t.match(await services[0].exited, { code: 0 })
  t.equal((await json(services[1], '/api/projects', { name: 'Last' })).status, 201)
  services[1].kill('SIGTERM')
  t.match(await services[1].exited, { code: 0 })
  t.strictSame(left(environment), ['board.db', 'board.db.initial-admin-password'])
})

t.test('two simultaneous starts create one admin, with the password in the file', async (t) => {
  const environment = { ...onNewFile(t), HOST: '0.0.0.0' }
  const services = await Promise.all([start(t, environment), start(t, environment)])
  const file = join(folderOf(environment), 'board.db.initial-admin-password')
  t.equal(statSync(file).mode & 0o777, 0o600)
  const password = readFileSync(file, 'utf8').trim()
  for (const service of services) {
    t.match(await json(service, '/api/projects'), { status: 401 }, 'a network address means required mode')
    t.notMatch(service.log(), /"level":40/)
    const { status, body } = await json(service, '/api/session', { email: 'admin@localhost', password })
    t.equal(status, 201)
    t.match(body, { member: { role: 'admin', email: 'admin@localhost' } })
    t.match(service.log(), file, 'the log tells where the password is')
    t.notMatch(service.log(), password, 'the log does not tell the password')
  }
  const made = services.filter((service) => /"created the first admin"/.test(service.log()))
  t.equal(made.length, 1)
})

t.test('acknowledged writes survive kill -9', async (t) => {
  const environment = onNewFile(t)
  const first = await start(t, environment)
  const acknowledged: string[] = []
  const writing = (async () => {
    for (;;) acknowledged.push((await json(first, '/api/projects', { name: 'Apollo' })).body.id)
  })().catch(() => undefined)
  while (acknowledged.length < 20) await new Promise(setImmediate)
  first.kill('SIGKILL')
  t.match(await first.exited, { code: null, signal: 'SIGKILL' })
  await writing

  const second = await start(t, environment)
  const { body } = await json(second, '/api/projects')
  const stored = new Set(body.map(({ id }: { id: string }) => id))
  t.ok(acknowledged.length >= 20)
  t.ok(acknowledged.every((id) => stored.has(id)))
  const client = new SQLite(environment.DATABASE_URL.slice('file:'.length), { readonly: true })
  t.teardown(() => client.close())
  t.equal(client.pragma('integrity_check', { simple: true }), 'ok')
  t.notMatch(second.log(), /"created the first admin"/, 'the admin is not made twice')
})

t.test('a used port exits with 1 and one line', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1')
  t.teardown(() => blocker.close())
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  const environment = onNewFile(t)
  const { code, stderr, stdout } = await run(t, { ...environment, PORT: String(port) })
  t.equal(code, 1)
  t.equal(stderr, `phaseboard: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`)
  t.notMatch(stdout, /listening|stopp/)
  t.strictSame(left(environment), [], 'nothing is left behind')
})

t.test('a host that is none of this machine exits with 2 and one line', async (t) => {
  // Of a network for documentation, and no name that a resolver would ask another machine for.
  for (const host of ['203.0.113.1', 'http://localhost']) {
    const environment = onNewFile(t)
    const stderr = `phaseboard: HOST must be an address of this machine, or a name that leads to one (got "${host}")\n`
    t.match(await run(t, { ...environment, HOST: host }), { code: 2, stderr })
    t.strictSame(left(environment), [], 'nothing is left behind')
  }
})

t.test('a failed start keeps existing folders, files and databases', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1')
  t.teardown(() => blocker.close())
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  const folder = t.testdir({ existing: { 'notes.txt': 'mine' } })
  const fail = async (name: string) => {
    const { code } = await run(t, { DATABASE_URL: `file:${join(folder, name)}`, PORT: String(port) })
    t.equal(code, 1)
  }
  await fail('new/deep/board.db')
  await fail('existing/board.db')
  t.strictSame(readdirSync(folder, { recursive: true }).sort(), ['existing', 'existing/notes.txt'])

  const path = join(folder, 'existing', 'board.db')
  const before = openDatabase(path)
  before.db.$client.exec("insert into teams (id, name) values ('a', 'Ops')")
  before.close()
  await fail('existing/board.db')
  const after = openDatabase(path)
  t.teardown(after.close)
  t.strictSame(after.db.$client.prepare('select id from teams').pluck().all(), ['a'])
  const password = left({ DATABASE_URL: `file:${path}` }).filter((name) => name.includes('password'))
  t.equal(password.length, 1, 'the password of the admin that was made in it stays too')
})

t.test('an invalid configuration or database exits with 2 and one line', async (t) => {
  const folder = t.testdir({ 'notes.txt': 'These are notes and nothing but notes. '.repeat(50) })
  const notes = join(folder, 'notes.txt')
  const newer = join(folder, 'newer.db')
  openDatabase(`file:${newer}`).close()
  const client = new SQLite(newer)
  client.exec("insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)")
  client.close()
  const wrong: [Record<string, string>, string][] = [
    [{ ADMIN_PASSWORD: 's3cr3t!' }, 'ADMIN_PASSWORD must NOT have fewer than 8 characters'],
    [
      { TRUST_PROXY: '127.0.0.1' },
      'TRUST_PROXY needs AUTH_MODE=required: in open mode every client of the proxy could read and write',
    ],
    [{ DATABASE_URL: `file:${notes}` }, `cannot open the database ${notes}: it is not a database`],
    [
      { DATABASE_URL: `file:${newer}` },
      `the database ${newer} was written by a newer version of Phaseboard: start that version, or restore a backup`,
    ],
  ]
  for (const [environment, message] of wrong) {
    const { code, stderr, stdout } = await run(t, { DATABASE_URL: ':memory:', ...environment })
    t.equal(code, 2, Object.keys(environment).join())
    t.equal(stderr, `phaseboard: ${message}\n`)
    t.equal(stdout, '')
  }
})

t.test('the listening line has all addresses and paths, at any log level', async (t) => {
  const environment = onNewFile(t)
  const file = join(folderOf(environment), 'board.db.initial-admin-password')
  const { url, log } = await start(t, { ...environment, LOG_LEVEL: 'silent' })
  const [line = '', ...more] = log().trim().split('\n')
  t.strictSame(more, [])
  const places = {
    board: `${url}/`,
    api: `${url}/api`,
    docs: `${url}/docs`,
    admin: `password in ${file}`,
  }
  t.match(JSON.parse(line), places)
  t.match(
    JSON.parse(line).msg,
    /^Phaseboard \d+\.\d+\.\d+ listening on http:.* · board http:.*\/ · docs http:.*\/docs · admin password in \//,
  )
  for (const place of [places.board, places.docs]) t.equal((await fetch(place)).status, 200)
})

t.test('a database that others can read logs a warning in one line', async (t) => {
  const environment = { ...onNewFile(t), AUTH_MODE: 'required', ADMIN_PASSWORD: 'correct horse' }
  const path = environment.DATABASE_URL.slice('file:'.length)
  const warnings = ({ log }: Service) =>
    log()
      .split('\n')
      .filter((line) => line.includes('"level":40'))
      .map((line) => JSON.parse(line))
  const first = await start(t, environment)
  t.strictSame(warnings(first), [], 'a new one is for its owner alone')
  first.kill('SIGTERM')
  await first.exited
  for (const [mode, isWarned] of [
    [0o644, true],
    [0o604, true],
    [0o602, true],
    [0o660, false],
  ] as const) {
    chmodSync(path, mode)
    const service = await start(t, environment)
    const expected = [{ files: [path, `${path}-wal`, `${path}-shm`], msg: /chmod 600/ }]
    t.match(warnings(service), isWarned ? expected : [], mode.toString(8))
    t.equal(warnings(service).length, isWarned ? 1 : 0)
    service.kill('SIGTERM')
    await service.exited
  }
})

t.test('open mode is explained in one line at the start', async (t) => {
  const { log } = await start(t, { DATABASE_URL: ':memory:', ADMIN_PASSWORD: 'correct horse' })
  t.match(
    log(),
    /"level":40,.*"AUTH_MODE=open: every client that reaches this port may read and write; set AUTH_MODE=required before you put a proxy in front"/,
  )
})

t.test('open mode on a network address needs the setting, and logs a warning', async (t) => {
  const service = await start(t, {
    DATABASE_URL: ':memory:',
    HOST: '0.0.0.0',
    AUTH_MODE: 'open',
    ADMIN_PASSWORD: 'correct horse',
  })
  t.match(
    service.log(),
    /"level":40,.*"AUTH_MODE=open on a network address: every client that reaches it may read and write"/,
  )
  t.match(service.log(), /admin admin@localhost, with ADMIN_PASSWORD"/)
  t.notMatch(service.log(), 'correct horse')
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0 })
})

t.test('invalid HTTP gets an error of the usual form', async (t) => {
  const app = await build(t, {}, buildApp)
  await app.listen({ port: 0 })
  const { port } = app.server.address() as { port: number }
  const refusals: [string, string, number, string][] = [
    ['garbage', 'what is this\r\n\r\n', 400, 'Bad Request'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', 400, 'Bad Request'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'Bad Request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'Bad Request',
    ],
    [
      'a broken chunk',
      'POST /api/projects HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'Bad Request',
    ],
    [
      'an oversized header',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'Request Header Fields Too Large',
    ],
    [
      'two hosts',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nhOST: evil.example\r\nConnection: close\r\n\r\n',
      400,
      'Bad Request',
    ],
    [
      'the same host twice',
      'GET /healthz HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      400,
      'Bad Request',
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Bad Request'],
    [
      'an unknown expectation',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: rain\r\nConnection: close\r\n\r\n',
      417,
      'Expectation Failed',
    ],
    [
      'an unknown path',
      'GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      404,
      'Not found',
    ],
    [
      'a method nobody has',
      'PROPFIND /api/projects HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      404,
      'Not found',
    ],
  ]
  for (const [what, text, status, error] of refusals) {
    const { socket, received } = await dial(t, port)
    socket.write(text)
    const [head = '', body = ''] = (await received).split('\r\n\r\n')
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `), what)
    t.match(head, /^content-type: application\/json; charset=utf-8$/im, what)
    t.match(head, new RegExp(`^content-length: ${Buffer.byteLength(body)}$`, 'im'), what)
    t.strictSame(JSON.parse(body), { error }, what)
  }
})

t.test('a request that arrives too slowly gets 408', async (t) => {
  const app = await build(t, {}, buildApp)
  await app.listen({ port: 0 })
  t.ok(app.server.requestTimeout > 0, 'the wait is limited')
  const { port } = app.server.address() as { port: number }
  const expire = async (bytes: string) => {
    const connected = once(app.server, 'connection')
    const client = await dial(t, port)
    const [socket] = (await connected) as [Socket]
    client.socket.write(bytes)
    if (bytes !== '') await until(() => socket.bytesRead > 0)
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    app.server.emit('clientError', late, socket)
    return client.received
  }
  const [head = '', body = ''] = (await expire('GET / HT')).split('\r\n\r\n')
  t.match(head, /^HTTP\/1.1 408 Request Timeout/)
  t.strictSame(JSON.parse(body), { error: 'Request Timeout' })
  t.equal(await expire(''), '', 'a connection without a request is closed')
})

t.test('any thrown value fails only its request', async (t) => {
  const circular: { self?: object } = {}
  circular.self = circular
  const values: [string, unknown][] = [
    ['an error', new Error('no')],
    ['an error with a strange status', Object.assign(new Error('no'), { statusCode: 200 })],
    ['an error without a prototype', Object.create(null)],
    ['a text', 'no'],
    ['an empty text', ''],
    ['null', null],
    ['undefined', undefined],
    ['a number', 0],
    ['a big number', 10n],
    ['a symbol', Symbol('no')],
    ['an object that looks like an answer', { statusCode: 404, message: 'no' }],
    ['a circular object', circular],
  ]
  const app = await buildApp({
    databaseUrl: ':memory:',
    logLevel: 'trace',
    logStream: new PassThrough().resume(),
  })
  t.teardown(() => app.close())
  const escaped: unknown[] = []
  const note = (error: unknown) => escaped.push(error)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))

  const handler = async () => ({ done: true })
  for (const [index, [, value]] of values.entries()) {
    const fail = () => {
      throw value
    }
    const later = async () => {
      await null
      throw value
    }
    /** In hooks that all responses pass, including errors. */
    const once = async (_request: unknown, { statusCode }: { statusCode: number }) => {
      if (statusCode === 200) throw value
    }
    const config = { failure: 'Failed to do it' }
    app.get(`/${index}/handler`, { config, handler: fail })
    app.get(`/${index}/handler/later`, { config, handler: later })
    for (const hook of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const) {
      app.get(`/${index}/${hook}`, { config, [hook]: later, handler })
    }
    app.get(`/${index}/preSerialization`, { config, preSerialization: once, handler })
    app.get(`/${index}/onSend`, { config, onSend: once, handler })
  }
  const where = ['handler', 'handler/later', 'onRequest', 'preParsing', 'preValidation', 'preHandler']
  for (const [index, [what]] of values.entries()) {
    for (const place of [...where, 'preSerialization', 'onSend']) {
      const { statusCode, body } = await app.inject(`/${index}/${place}`)
      t.equal(statusCode, 500, `${what} in ${place}`)
      t.equal(body, '{"error":"Failed to do it"}', `${what} in ${place}`)
    }
  }
  t.equal((await app.inject('/healthz')).statusCode, 200)
  t.strictSame(escaped, [], 'nothing got past the error handler')
})

t.test('a client that disconnects during its request is not a failure', async (t) => {
  const service = await start(t, { DATABASE_URL: ':memory:' })
  const { socket } = await dial(t, service.port)
  socket.write(
    'POST /api/projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n\r\n',
  )
  await once(socket, 'data')
  socket.resetAndDestroy()
  t.equal((await json(service, '/api/projects')).status, 200)
  t.match(service.log(), /admin none: set ADMIN_PASSWORD for a database in memory"/)
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0 })
  // On a busy machine, any request may be slow.
  const warnings = service.log().match(/^(?!.*"slow request").*"level":(40|50|60).*$/gm) ?? []
  t.match(warnings, [/AUTH_MODE=open/])
  t.equal(warnings.length, 1, 'and nothing of the client')
})

t.test('a response being built is finished, and then its connection closes', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const answer = new PassThrough()
  app.get('/slowly', async (_request, reply) => reply.send(answer))
  await app.listen({ port: 0 })
  const { port } = app.server.address() as { port: number }
  const outgoing = request({ port, path: '/slowly', agent: new Agent({ keepAlive: true }) }).end()
  answer.write('begun, ')
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  t.equal(response.headers.connection, 'keep-alive')
  // A connection that were kept alive would never end.
  app.server.keepAliveTimeout = 0
  const closed = app.close()
  while (app.server.listening) await new Promise(setImmediate)
  answer.end('finished')
  t.equal(await text(response), 'begun, finished')
  await closed
})

t.test('readyz is 503 as soon as the service begins to stop', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const stopping = new Promise<void>((resolve) => app.addHook('preClose', async () => resolve()))
  await app.listen({ port: 0 })
  const { port } = app.server.address() as { port: number }
  t.match(await json({ url: `http://127.0.0.1:${port}` }, '/readyz'), { status: 200 })

  const connected = once(app.server, 'connection')
  const { socket, received } = await dial(t, port)
  const [accepted] = (await connected) as [Socket]
  socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n')
  while (accepted.bytesRead === 0) await new Promise(setImmediate)
  const closed = app.close()
  await stopping
  socket.write('\r\n')
  const [head = '', body = ''] = (await received).split('\r\n\r\n')
  t.match(head, /^HTTP\/1.1 503 /)
  t.match(head, /^connection: close$/im)
  t.strictSame(JSON.parse(body), { error: 'Service unavailable' })
  await closed
})
