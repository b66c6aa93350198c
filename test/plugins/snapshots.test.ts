import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import SQLite from 'better-sqlite3'
import Fastify, { type FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { SERVICE } from '../../src/access/caller.ts'
import { loadConfig } from '../../src/config.ts'
import type { MaybePromise, Snapshot } from '../../src/reading/snapshots.ts'
import { nextTurn, watch } from '../executions.ts'
import {
  type App,
  authenticationRequired,
  build,
  createItem,
  createProject,
  createSubtask,
  seed,
  send,
  signInAs,
} from '../helper.ts'
import { dial } from '../process.ts'
import { shipped } from '../shipped.ts'

/** An application on a file, to which other connections can write. */
async function buildOnFile(t: Test) {
  const path = join(t.testdir(), 'board.db')
  const app = await build(
    t,
    { databaseUrl: `file:${path}`, adminPassword: 'correct horse' },
    shipped.buildApp,
  )
  const other = new SQLite(path)
  t.teardown(() => other.close())
  return { app, path, other }
}

const get = (app: App, url: string, ifNoneMatch?: string, method = 'GET') =>
  send(app, method, url, undefined, ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch })

/** Responses so small that they are complete at once, within one turn of the event loop. */
async function ready(read: () => MaybePromise<Snapshot>): Promise<Snapshot> {
  await nextTurn()
  const snapshot = read()
  if (snapshot instanceof Promise) throw new Error('it is not there')
  return snapshot
}

t.test('a client with the current version gets 304', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  for (const url of [`/api/projects/${id}`, '/api/projects', '/api/projects?status=backlog']) {
    const { status, body, headers } = await get(app, url)
    t.equal(status, 200)
    const etag = String(headers.etag)
    t.match(etag, /^"[\w-]+"$/, 'a strong ETag')
    t.equal(headers['cache-control'], 'no-cache', 'kept, but not used without asking')
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    const cases: [string, boolean][] = [
      [etag, true],
      [`W/${etag}`, true],
      [`"x", ${etag}`, true],
      [`"x",W/${etag} , "y"`, true],
      ['*', true],
      ['"x"', false],
      [etag.slice(1, -1), false],
      [`${etag}x`, false],
      [etag.toLowerCase().replace(/"$/, '-"'), false],
      ['', false],
      ['"*"', false],
    ]
    for (const method of ['GET', 'HEAD']) {
      for (const [given, isFresh] of cases) {
        const answer = await get(app, url, given, method)
        t.equal(answer.status, isFresh ? 304 : 200, `${method} ${url} If-None-Match: ${given}`)
        t.equal(answer.headers.etag, etag)
        t.equal(answer.headers['cache-control'], 'no-cache')
        if (isFresh) {
          t.equal(answer.body, '')
          t.equal(answer.headers['content-type'], undefined)
        } else if (method === 'GET') {
          t.strictSame(answer.body, body)
        }
      }
    }
    await send(app, 'PATCH', `/api/projects/${id}`, { name: `${url} changed` })
    const changed = await get(app, url, etag)
    t.equal(changed.status, 200)
    t.not(changed.headers.etag, etag)
    await send(app, 'PATCH', `/api/projects/${id}`, { name: 'Apollo' })
  }
})

t.test('other conditions are ignored, and errors have no ETag', async (t) => {
  const app = await build(t, { authMode: 'required', adminPassword: 'correct horse' })
  const { headers } = signInAs(app, 'member')
  const { id } = await createProject(app, {}, headers)
  const url = `/api/projects/${id}`
  const { etag } = (await send(app, 'GET', url, undefined, headers)).headers
  const asking = async (more: Record<string, string>) =>
    (await send(app, 'GET', url, undefined, { ...headers, ...more })).status
  t.equal(await asking({ 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() }), 200)
  t.equal(await asking({ 'if-none-match': `${etag}`, 'cache-control': 'no-cache' }), 304, 'as fetch sends it')
  t.equal(await asking({ 'if-none-match': `${etag}`, 'cache-control': 'max-age=0' }), 304)

  const refused = await get(app, url, '*')
  t.match(refused, { status: 401, body: authenticationRequired })
  t.equal(refused.headers.etag, undefined)
  const unknown = await send(app, 'GET', '/api/projects/none', undefined, {
    ...headers,
    'if-none-match': '*',
  })
  t.match(unknown, { status: 404, body: { error: 'Project not found' } })
  t.equal(unknown.headers.etag, undefined)
})

t.test('HEAD returns the headers of GET', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app, { name: 'Ä 🚀' })
  for (const url of [`/api/projects/${id}`, '/api/projects']) {
    const full = await app.inject({ method: 'GET', url })
    const head = await app.inject({ method: 'HEAD', url })
    t.equal(head.statusCode, 200)
    t.equal(head.body, '')
    for (const name of ['etag', 'cache-control', 'content-type', 'content-length']) {
      t.ok(head.headers[name])
      t.equal(head.headers[name], full.headers[name], name)
    }
    t.equal(full.headers['content-length'], `${full.rawPayload.length}`)
  }
})

t.test('a 304 has no body on the wire', async (t) => {
  const app = await build(t, {}, shipped.buildApp)
  const { id } = await createProject(app)
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const { socket, received } = await dial(t, port)
  const request = (more: string) => `GET /api/projects/${id} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  socket.write(request('If-None-Match: *\r\n') + request('Connection: close\r\n'))
  const [, first = '', second = ''] = (await received)
    .split(/(?=HTTP\/1\.1 )/)
    .flatMap((part, index) => [...(index === 0 ? [''] : []), part])
  t.match(first, /^HTTP\/1\.1 304 Not Modified\r\n/)
  t.match(first, /\r\n\r\n$/)
  t.match(first, /\r\netag: "/)
  t.notMatch(first, /\r\ncontent-type/)
  t.match(second, /^HTTP\/1\.1 200 OK\r\n/)
})

t.test('a write and a later read return the same bytes', async (t) => {
  const app = await build(t)
  const url = '/api/projects'
  const headers = { 'content-type': 'application/json' }
  const payload = JSON.stringify({ name: 'Ä\u2028"\\ 🚀', sortOrder: 1e21, metadata: { a: [null, 0.1] } })
  const created = await app.inject({ method: 'POST', url, headers, payload })
  const { id } = created.json()
  t.equal((await app.inject({ method: 'GET', url: `${url}/${id}` })).body, created.body)
  t.equal((await app.inject({ method: 'GET', url })).body, `[${created.body}]`)
  await createSubtask(app, (await createItem(app, id)).id)
  const changed = await app.inject({
    method: 'PATCH',
    url: `${url}/${id}`,
    headers,
    payload: '{"nextStep":"x"}',
  })
  t.equal((await app.inject({ method: 'GET', url: `${url}/${id}` })).body, changed.body)
})

t.test('a write drops the snapshot of its project, and no other', async (t) => {
  const { app, other } = await buildOnFile(t)
  const own = await createProject(app)
  const beside = await createProject(app, { name: 'Gemini' })
  const item = await createItem(app, own.id)
  const doomed = await createItem(app, own.id)
  const step = await createSubtask(app, item.id)
  seed(app, own.id, item.id)
  const besideItem = await createItem(app, beside.id)
  await createSubtask(app, besideItem.id)
  const snapshot = (id: string) => ready(() => app.snapshots.project(id, SERVICE))
  const list = () => ready(() => app.snapshots.list({}, SERVICE))
  const requests: [string, string, object | undefined, boolean][] = [
    ['PATCH', `/api/projects/${own.id}`, { name: 'Apollo 11' }, true],
    ['PATCH', `/api/projects/${own.id}`, {}, false],
    ['PATCH', `/api/projects/${own.id}`, { name: '' }, false],
    ['POST', `/api/projects/${own.id}/kanban-items`, { title: 'New' }, true],
    ['PATCH', `/api/kanban-items/${item.id}`, { column: 'Blocked', priority: 'low' }, true],
    ['PATCH', `/api/kanban-items/${item.id}`, {}, false],
    ['DELETE', `/api/kanban-items/${doomed.id}`, undefined, true],
    ['POST', `/api/kanban-items/${item.id}/subtasks`, { title: 'New' }, true],
    ['PATCH', `/api/kanban-subtasks/${step.id}`, { completed: true }, true],
    ['DELETE', `/api/kanban-subtasks/${step.id}`, undefined, true],
    ['POST', '/api/projects', { name: 'Another' }, false],
    ['POST', '/api/personal-ideas', { title: 'Fly' }, false],
    ['POST', '/api/session', { email: 'admin@localhost', password: 'correct horse' }, false],
  ]
  for (const [method, url, body, isDropped] of requests) {
    const before = { own: await snapshot(own.id), beside: await snapshot(beside.id), list: await list() }
    await send(app, method, url, body)
    const name = `${method} ${url} ${JSON.stringify(body)}`
    t.equal((await snapshot(own.id)).body !== before.own.body, isDropped, name)
    t.equal((await snapshot(beside.id)).body, before.beside.body, `${name}: the other one is kept`)
    const isListed = isDropped || url === '/api/projects'
    t.equal((await list()).body !== before.list.body, isListed, `${name}: the list`)
    const { body: sent } = await send(app, 'GET', `/api/projects/${own.id}`)
    t.equal(
      sent.updatedAt,
      other.prepare('select updated_at from projects where id = ?').pluck().get(own.id),
      'and what comes then is right',
    )
  }
  t.equal((await send(app, 'DELETE', `/api/projects/${own.id}`)).status, 403, 'only an admin may')
  const { headers } = signInAs(app, 'admin')
  const kept = (await snapshot(beside.id)).body
  t.equal((await send(app, 'DELETE', `/api/projects/${own.id}`, undefined, headers)).status, 200)
  t.equal((await get(app, `/api/projects/${own.id}`)).status, 404)
  t.equal((await snapshot(beside.id)).body, kept)
  t.strictSame(
    (await get(app, '/api/projects')).body.map(({ name }: { name: string }) => name),
    ['Gemini', 'Another'],
  )
})

t.test('refused and failed writes leave the responses unchanged', async (t) => {
  const { app } = await buildOnFile(t)
  const { id } = await createProject(app)
  const before = await get(app, `/api/projects/${id}`)
  app.db.$client.exec(
    "create trigger refuse before insert on kanban_activity begin select raise(abort, 'no'); end",
  )
  const item = await createItem(app, id)
  const withItem = await get(app, `/api/projects/${id}`)
  t.not(withItem.headers.etag, before.headers.etag)
  t.equal((await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { priority: 'low' })).status, 500)
  const after = await get(app, `/api/projects/${id}`)
  t.strictSame(after.body, withItem.body)
  t.equal(after.headers.etag, withItem.headers.etag)
})

t.test('an injected request sees all earlier commits', async (t) => {
  const { app, other } = await buildOnFile(t)
  const { id } = await createProject(app)
  for (let round = 0; round < 5; round++) {
    other.prepare('update projects set name = ? where id = ?').run(`${round}`, id)
    t.equal((await get(app, `/api/projects/${id}`)).body.name, `${round}`)
    other.prepare('update projects set name = ? where id = ?').run(`${round}!`, id)
    t.equal((await get(app, '/api/projects')).body[0].name, `${round}!`)
  }
})

t.test('if all is cached, a request only checks for commits of other processes', async (t) => {
  const { app, other } = await buildOnFile(t)
  const { id } = await createProject(app, { phaseConfig: [] })
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  // It looks for changes several times a second.
  await app.notificationConsumer.stop()
  const executed = watch(t, app.db.$client)
  const together = async (count: number) => {
    const clients = await Promise.all(Array.from({ length: count }, () => dial(t, port)))
    for (const { socket } of clients) {
      // Now the service knows the connection, so the next request does not need its own turn.
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await once(socket, 'data')
    }
    executed.log.length = 0
    for (const [index, { socket }] of clients.entries()) {
      const path = index % 2 === 0 ? `/api/projects/${id}` : '/api/projects'
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    }
    const texts = await Promise.all(clients.map(({ received }) => received))
    return texts.flatMap((text) => text.match(/"name":"[^"]+"/g) ?? [])
  }
  await together(2)
  for (const name of ['Apollo', 'Gemini', 'Mercury']) {
    other.prepare('update projects set name = ?').run(name)
    t.strictSame(await together(2), Array(2).fill(`"name":"${name}"`))
    t.strictSame(await together(20), Array(20).fill(`"name":"${name}"`))
    // What timers of the service execute, e.g. for its index of changes, they do not execute again in the next round.
    if (executed.log.length > executed.count(/data_version/)) await together(20)
    const asked = executed.count(/data_version/)
    t.ok(asked >= 1 && asked <= 20, 'those that come together ask together')
    t.equal(executed.log.length, asked, 'and nothing else is executed')
  }
})

/** Two clients in another thread, which commits while the service is blocked. */
const CLIENTS = `
  const { connect } = require('node:net')
  const { parentPort, workerData: { stage, port, path, url, headers, earlier } } = require('node:worker_threads')
  const client = new (require('better-sqlite3'))(path)
  const update = client.prepare("update projects set name = 'Gemini'")
  const [x, y] = [1, 2].map(() => connect({ port, host: '127.0.0.1', noDelay: true }))
  const get = (url, ...more) => ['GET ' + url + ' HTTP/1.1', 'Host: localhost', ...more, '', ''].join('\\r\\n')
  const reach = (value) => { Atomics.store(stage, 0, value); Atomics.notify(stage, 0) }
  let text = ''
  y.setEncoding('utf8').on('data', (chunk) => { text += chunk })
  y.on('close', () => parentPort.postMessage(text))
  Promise.all([x, y].map((socket) => new Promise((resolve) => {
    socket.once('connect', () => socket.write(get(url)))
    socket.once('data', resolve)
  }))).then(() => {
    parentPort.once('message', () => {
      text = ''
      x.write(get(url, ...headers))
      if (earlier) y.write(get(earlier))
      // A socket takes the next chunk at once only when it is done with the one before.
      setImmediate(() => {
        reach(1)
        Atomics.wait(stage, 0, 1)
        update.run()
        y.write(get(url, 'Connection: close'))
        reach(3)
      })
    })
    parentPort.postMessage('ready')
  })`

/**
 * One client's request blocks the service after it has checked for commits of other processes. Meanwhile another client sees an
 * acknowledged commit and sends a request.
 * @param options the headers of the first request, and the earlier request of the second client
 * @returns the second client's response
 */
async function answerAfterCommit(
  t: Test,
  app: Pick<App, 'db'>,
  options: { port: number; path: string; url: string; headers: string[]; earlier?: string },
): Promise<string> {
  const stage = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(CLIENTS, { eval: true, workerData: { stage, ...options } })
  t.teardown(() => worker.terminate())
  await once(worker, 'message')
  const executed = watch(t, app.db.$client)
  let isFirst = true
  executed.after = (source) => {
    if (!isFirst || !/data_version/.test(source)) return
    isFirst = false
    Atomics.store(stage, 0, 2)
    Atomics.notify(stage, 0)
    Atomics.wait(stage, 0, 2)
  }
  worker.postMessage('go')
  Atomics.wait(stage, 0, 0)
  const [text] = await once(worker, 'message')
  t.equal(isFirst, false)
  return text
}

t.test('a request sees every earlier commit, also in a pipeline', async (t) => {
  const { app, path } = await buildOnFile(t)
  const { id } = await createProject(app)
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const url = `/api/projects/${id}`
  // Both requests of the second client are read together, in the first client's turn.
  const text = await answerAfterCommit(t, app, { port, path, url, headers: [], earlier: '/healthz' })
  t.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
  t.match(text, /"name":"Gemini"/)
})

t.test('a request sees every earlier commit, whatever a host does before', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const options = {
    databaseUrl: `file:${path}`,
    resolveMember: async ({ headers }: FastifyRequest) => {
      // A host may have to load some users, and have others cached.
      if (headers['x-unknown'] !== undefined) await nextTurn()
      return { id: 'ada', role: 'admin' as const }
    },
  }
  const app = await build(t, options, shipped.buildApp)
  const { id } = await createProject(app)
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const url = `/api/projects/${id}`
  const text = await answerAfterCommit(t, app, { port, path, url, headers: ['X-Unknown: yes'] })
  t.match(text, /^HTTP\/1\.1 200 OK/)
  t.match(text, /"name":"Gemini"/)
})

t.test('the memory for snapshots is a setting', async (t) => {
  t.equal(loadConfig().snapshotCacheBytes, 64 * 1024 * 1024)
  t.equal(loadConfig({ SNAPSHOT_CACHE_BYTES: '0' }).snapshotCacheBytes, 0)
  t.equal(loadConfig({ SNAPSHOT_CACHE_BYTES: '1000000' }).snapshotCacheBytes, 1_000_000)
  for (const value of ['-1', '1.5', '1e9', 'all', '0x10']) {
    t.throws(() => loadConfig({ SNAPSHOT_CACHE_BYTES: value }), {
      message: `SNAPSHOT_CACHE_BYTES must be a whole number (got "${value}")`,
    })
  }
  for (const snapshotCacheBytes of [0, 2000, 1_000_000]) {
    const app = await build(t, { snapshotCacheBytes })
    const { id } = await createProject(app, { description: 'x'.repeat(1000) })
    const { body } = await ready(() => app.snapshots.project(id, SERVICE))
    t.equal(
      (await ready(() => app.snapshots.project(id, SERVICE))).body === body,
      snapshotCacheBytes === 1_000_000,
      `${snapshotCacheBytes}`,
    )
    const first = await get(app, `/api/projects/${id}`)
    t.equal((await get(app, `/api/projects/${id}`, String(first.headers.etag))).status, 304)
    t.match((await get(app, '/api/projects')).body, [{ id }])
  }
})

t.test('all of this applies inside a host', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  const resolveMember = () => ({ id: 'ada', role: 'admin' as const })
  await host.register(shipped.default, { prefix: '/board', databaseUrl: ':memory:', resolveMember })
  await host.register(shipped.default, { prefix: '/other', databaseUrl: ':memory:', resolveMember })
  const created = await host.inject({
    method: 'POST',
    url: '/board/api/projects',
    payload: { name: 'Apollo' },
  })
  const url = `/board/api/projects/${created.json().id}`
  const { headers, body } = await host.inject(url)
  t.equal(body, created.body)
  t.equal((await host.inject({ url, headers: { 'if-none-match': String(headers.etag) } })).statusCode, 304)
  t.equal((await host.inject('/other/api/projects')).body, '[]', 'each board has its own')
})
