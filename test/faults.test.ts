/**
 * External faults while the service runs: a full disk, another process's lock, a file that cannot be written, a missing table.
 * A fault only affects the requests that meet it. Each gets the 500 of its endpoint. A lock is not a fault: requests that have
 * waited for it in vain are told to retry.
 */
import { once } from 'node:events'
import { copyFileSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { bytesOf } from './attachments.ts'
import { build, writeIn } from './helper.ts'
import { dial, onNewFile, type Service, start } from './process.ts'
import { shipped } from './shipped.ts'

t.jobs = 4

/** A text that every refused write tries to store. Errors and logs must not contain it, and no file may store it. */
const REFUSED = 'hush-hush'

const ADMIN = { email: 'admin@localhost', password: 'correct horse' }

/** A writing request: method, path, body, the `error` of its 500, and the cookie of a session if it needs one. */
type Request = readonly [string, string, object | undefined, string, string?]

/** The result of {@link seed}. */
interface Board {
  project: string
  item: string
  subtask: string
  cookie: string
}

const fileOf = ({ DATABASE_URL }: { DATABASE_URL: string }) => DATABASE_URL.slice('file:'.length)

/** A new file, and an admin who can sign in. */
const environmentOf = (t: Test) => ({
  ...onNewFile(t),
  ADMIN_PASSWORD: ADMIN.password,
  METRICS_PUBLIC: 'true',
})

/** Another process's connection to the service's file; the service has its own process. */
function openTool(t: Test, path: string) {
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  tool.pragma('foreign_keys = off')
  return tool
}

async function call({ url }: { url: string }, method: string, path: string, body?: object, cookie?: string) {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...(cookie && { cookie }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

type Answer = Awaited<ReturnType<typeof call>>

/** Sends a write. @returns its response, which must be a success */
async function done(
  service: { url: string },
  ...[method, path, body, cookie]: [string, string, object?, string?]
) {
  const answer = await call(service, method, path, body, cookie)
  if (answer.status >= 300)
    throw new Error(`${method} ${path} is answered with ${answer.status}: ${answer.text}`)
  return answer
}

async function signIn(service: { url: string }): Promise<string> {
  const { headers } = await done(service, 'POST', '/api/session', ADMIN)
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

async function seed(service: { url: string }): Promise<Board> {
  const { body: project } = await done(service, 'POST', '/api/projects', { name: 'Apollo' })
  const { body: item } = await done(service, 'POST', `/api/projects/${project.id}/kanban-items`, {
    title: 'Card',
  })
  const { body: subtask } = await done(service, 'POST', `/api/kanban-items/${item.id}/subtasks`, {
    title: 'Step',
  })
  await done(service, 'POST', '/api/personal-ideas', { title: 'Fly' })
  return { project: project.id, item: item.id, subtask: subtask.id, cookie: await signIn(service) }
}

/** A request for every reading endpoint, by operation. */
const readsOf = ({ project, item, cookie }: Board) =>
  ({
    listProjects: ['GET', '/api/projects', undefined, 'Failed to fetch projects'],
    getProject: ['GET', `/api/projects/${project}`, undefined, 'Failed to fetch project'],
    listItems: ['GET', `/api/projects/${project}/kanban-items`, undefined, 'Failed to fetch kanban items'],
    getItem: ['GET', `/api/kanban-items/${item}`, undefined, 'Failed to fetch kanban item'],
    listSubtasks: ['GET', `/api/kanban-items/${item}/subtasks`, undefined, 'Failed to fetch kanban subtasks'],
    listIdeas: ['GET', '/api/personal-ideas', undefined, 'Failed to fetch personal ideas'],
    whoAmI: ['GET', '/api/session', undefined, 'Failed to fetch session', cookie],
  }) satisfies Record<string, Request>

/** A request for every writing endpoint, by operation. */
const writesOf = ({ project, item, subtask, cookie }: Board) =>
  ({
    createProject: ['POST', '/api/projects', { name: REFUSED }, 'Failed to create project'],
    updateProject: ['PATCH', `/api/projects/${project}`, { name: REFUSED }, 'Failed to update project'],
    deleteProject: ['DELETE', `/api/projects/${project}`, undefined, 'Failed to delete project', cookie],
    createItem: [
      'POST',
      `/api/projects/${project}/kanban-items`,
      { title: REFUSED, column: REFUSED },
      'Failed to create kanban item',
    ],
    updateItem: ['PATCH', `/api/kanban-items/${item}`, { column: REFUSED }, 'Internal server error'],
    deleteItem: ['DELETE', `/api/kanban-items/${item}`, undefined, 'Internal server error'],
    createSubtask: [
      'POST',
      `/api/kanban-items/${item}/subtasks`,
      { title: REFUSED },
      'Failed to create kanban subtask',
    ],
    updateSubtask: ['PATCH', `/api/kanban-subtasks/${subtask}`, { title: REFUSED }, 'Internal server error'],
    deleteSubtask: ['DELETE', `/api/kanban-subtasks/${subtask}`, undefined, 'Internal server error'],
    createIdea: ['POST', '/api/personal-ideas', { title: REFUSED }, 'Failed to create personal idea'],
    signIn: ['POST', '/api/session', ADMIN, 'Failed to create session'],
    signOut: ['DELETE', '/api/session', undefined, 'Failed to delete session', cookie],
  }) satisfies Record<string, Request>

const send = (service: { url: string }, [method, path, body, , cookie]: Request) =>
  call(service, method, path, body, cookie)

/** Everything that is readable, as text. */
async function readAll(service: { url: string }, board: Board): Promise<string[]> {
  const reads = Object.values(readsOf(board))
  const answers = await Promise.all(reads.map((request) => send(service, request)))
  return answers.map(({ status, text }, index) => `${reads[index]?.[1]} ${status} ${text}`)
}

/** Checks that a response is exactly the 500 of its endpoint, without headers that let clients cache it. */
function failed(t: Test, { status, text, headers }: Answer, what: string, error: string): void {
  const [type, ...kept] = ['content-type', 'etag', 'set-cookie'].map((name) => headers.get(name))
  const expected = [500, JSON.stringify({ error }), 'application/json; charset=utf-8', [null, null]]
  t.strictSame([status, text, type, kept], expected, `${what} fails`)
}

/** Checks that all these requests, sent together, get the 500 of their endpoints. */
async function allFail(t: Test, service: { url: string }, requests: Request[]): Promise<void> {
  const answers = requests.map(async (request) => ({ request, answer: await send(service, request) }))
  for (const { request, answer } of await Promise.all(answers)) {
    const [method, path, , failure] = request
    failed(t, answer, `${method} ${path}`, failure)
  }
}

const REFUSED_PROJECT = { method: 'POST', path: '/api/projects', body: { name: REFUSED } }

/** Enough requests for the worker thread to handle them. */
const BATCH: Request = ['POST', '/api/batch', { requests: Array(101).fill(REFUSED_PROJECT) }, '']

/** Checks that all these requests, sent together, are told to retry. */
async function allMustRetry(t: Test, service: { url: string }, requests: Request[]): Promise<void> {
  const answers = requests.map(async (request) => ({
    what: `${request[0]} ${request[1]}`,
    answer: await send(service, request),
  }))
  for (const { what, answer } of await Promise.all(answers)) {
    const { status, headers, body } = answer
    t.strictSame([status, body], [503, { error: 'The database is busy' }], what)
    t.strictSame([headers.get('retry-after'), headers.get('set-cookie')], ['1', null], what)
  }
}

/** Checks that all writes fail, reads respond as before, and readiness reports it. */
async function onlyWritesFail(t: Test, service: { url: string }, board: Board, before: string[]) {
  for (const _attempt of [1, 2]) {
    await allFail(t, service, Object.values(writesOf(board)))
    // At once: some seconds after a failure, readiness tries a small write, which may still fit.
    await cannotWrite(t, service)
    t.strictSame(await readAll(service, board), before)
  }
}

/** Checks that the process is alive, and ready at least for reading. */
async function isUp(t: Test, service: { url: string }): Promise<void> {
  for (const path of ['/healthz', '/readyz']) t.match(await call(service, 'GET', path), { status: 200 }, path)
}

/** Checks that the process is alive, and reports that it is not fully ready. */
async function cannotWrite(t: Test, service: { url: string }): Promise<void> {
  t.match(await call(service, 'GET', '/healthz'), { status: 200 })
  t.match(await call(service, 'GET', '/readyz'), { status: 503, body: { error: 'Service unavailable' } })
}

/** Checks that everything can be written and read, that each write shows in the next read, and that it creates its activity. */
async function works(
  t: Test,
  service: { url: string },
  board: Board,
  database: SQLite.Database,
): Promise<void> {
  const project = async () => (await done(service, 'GET', `/api/projects/${board.project}`)).body
  const activity = () =>
    database.prepare('select metadata from kanban_activity where item_id = ?').pluck().all(board.item)
  const before = await project()
  const entries = activity().length
  const { column: from } = before.kanbanItems[0]
  const to = `${from}+`

  await Promise.all([
    done(service, 'PATCH', `/api/projects/${board.project}`, { nextStep: `${before.nextStep}+` }),
    done(service, 'PATCH', `/api/kanban-items/${board.item}`, { column: to }),
    done(service, 'PATCH', `/api/kanban-subtasks/${board.subtask}`, { sortOrder: entries + 2 }),
  ])
  t.match(await project(), {
    nextStep: `${before.nextStep}+`,
    kanbanItems: [{ column: to, subtasks: [{ sortOrder: entries + 2 }] }],
  })
  t.equal(activity().length, entries + 1, 'the move left one entry')
  t.strictSame(JSON.parse(String(activity().at(-1))), { from, to })

  const { body: made } = await done(service, 'POST', '/api/projects', { name: 'Gemini' })
  const url = `/api/projects/${made.id}`
  const { body: item } = await done(service, 'POST', `${url}/kanban-items`, { title: 'Card' })
  await done(service, 'POST', `/api/kanban-items/${item.id}/subtasks`, { title: 'Step' })
  t.match((await done(service, 'GET', url)).body, { kanbanItems: [{ subtasks: [{ title: 'Step' }] }] })
  t.match((await done(service, 'GET', '/api/projects')).text, made.id)
  const cookie = await signIn(service)
  await done(service, 'DELETE', url, undefined, cookie)
  await done(service, 'DELETE', '/api/session', undefined, cookie)
  t.equal((await call(service, 'GET', url)).status, 404)
  t.notMatch((await done(service, 'GET', '/api/projects')).text, made.id)
  await isUp(t, service)
}

/** Checks that the file is intact, no record is incomplete, and nothing from refused writes is in it. */
function isSound(t: Test, database: SQLite.Database): void {
  // The check compares the search index with this connection's cached copy of it, so that must be read first.
  database.prepare('select rowid from search_index limit 1').get()
  t.equal(database.pragma('integrity_check', { simple: true }), 'ok')
  t.strictSame(database.pragma('foreign_key_check'), [])
  const incomplete =
    'select count(*) from projects where (select count(*) from kanban_columns where project_id = projects.id) < 4'
  t.equal(database.prepare(incomplete).pluck().get(), 0, 'every project has its columns')
  t.notOk(database.serialize().includes(REFUSED), 'nothing that was refused is there')
}

/** Checks that the log has the reason for each failure, but not the values of the request. */
function isLogged(t: Test, log: string, requests: Request[], code: string): void {
  const lines = log.split('\n').filter((line) => line.includes('"level":50'))
  t.ok(lines.length > 0)
  for (const line of lines) {
    const { msg, err } = JSON.parse(line)
    t.equal(err.code, code, `${msg}: ${err.message}`)
  }
  const messages = new Set(lines.map((line) => JSON.parse(line).msg))
  t.strictSame([...messages].sort(), [...new Set(requests.map(([, , , failure]) => failure))].sort())
  t.notMatch(log, /"level":60/, 'nothing got past the error handler')
  for (const secret of [REFUSED, ADMIN.password]) t.notMatch(log, secret)
}

/**
 * Starts the service with a limit on the size of each of its files. The runner's hooks would end the process on the signal for
 * a write beyond the limit; Node itself ignores that signal.
 */
function startLimited(t: Test, environment: { DATABASE_URL: string }): Promise<Service> {
  const node = process.execPath
  const limited = join(dirname(fileOf(environment)), 'limited-node')
  const halfKilobytes = 8192
  writeFileSync(
    limited,
    `#!/bin/sh\nunset NODE_OPTIONS\nulimit -S -f ${halfKilobytes} && exec "$NODE_BELOW" "$@"\n`,
    { mode: 0o700 },
  )
  process.execPath = limited
  try {
    return start(t, { ...environment, NODE_BELOW: node })
  } finally {
    process.execPath = node
  }
}

/** More writes than fit below any limit here. */
const PLENTY = 1000

/**
 * Writes with several clients until not even the smallest write fits.
 * @param title the subtask's title
 * @returns the ids of the last acknowledged projects, and the title of the last acknowledged subtask
 */
async function fill(t: Test, service: { url: string }, { subtask }: Board, title: string) {
  const projects: string[] = []
  const client = async () => {
    while (projects.length < PLENTY) {
      const body = { name: 'Apollo', description: 'x'.repeat(10_000) }
      const answer = await call(service, 'POST', '/api/projects', body)
      if (answer.status !== 201) return failed(t, answer, 'what fills the disk', 'Failed to create project')
      projects.push(answer.body.id)
    }
    throw new Error('there is no limit')
  }
  await Promise.all([client(), client(), client(), client()])
  let acknowledged = title
  for (let count = 1; count < PLENTY; count++) {
    const next = `Step ${projects.length}.${count}`
    const answer = await call(service, 'PATCH', `/api/kanban-subtasks/${subtask}`, { title: next })
    if (answer.status !== 200) {
      failed(t, answer, 'the smallest write', 'Internal server error')
      return { projects, title: acknowledged }
    }
    acknowledged = next
  }
  throw new Error('there is no limit')
}

t.test('a full disk refuses only writes, and they resume when there is space', async (t) => {
  const environment = environmentOf(t)
  const path = fileOf(environment)
  const service = await startLimited(t, environment)
  const board = await seed(service)
  const first = await fill(t, service, board, 'Step')
  const stored = async (from: { url: string }) => {
    const { body } = await done(from, 'GET', '/api/projects')
    return body.map(({ id }: { id: string }) => id).sort()
  }
  t.strictSame(await stored(service), [board.project, ...first.projects].sort())

  const before = await readAll(service, board)
  await onlyWritesFail(t, service, board, before)
  const unknown = await call(service, 'PATCH', '/api/projects/unknown', { name: 'Apollo' })
  t.match(unknown, { status: 404, body: { error: 'Project not found' } }, 'a refusal needs no room')
  isLogged(t, service.log(), Object.values(writesOf(board)), 'SQLITE_IOERR_WRITE')
  const attach = async (size: number) => {
    const url = `${service.url}/api/kanban-items/${board.item}/attachments?name=file`
    return (await fetch(url, { method: 'POST', body: bytesOf(size) })).status
  }
  t.match(await attach(1_000_000), /^50[07]$/, 'a file')

  // The limit stays, like a small disk. A checkpoint makes room in the log.
  const tool = openTool(t, path)
  tool.pragma('wal_checkpoint(truncate)')
  await works(t, service, board, tool)
  t.equal(tool.prepare('select count(*) from attachments').pluck().get(), 0, 'half a file')
  t.equal(await attach(10_000), 201)
  const second = await fill(t, service, board, first.title)
  const acknowledged = [board.project, ...first.projects, ...second.projects].sort()
  t.ok(first.projects.length > 0 && second.projects.length > 0)
  t.strictSame(await stored(service), acknowledged)
  isSound(t, tool)

  // A crash at the worst moment: the log ends in the middle of the refused data, and is not cleaned up.
  await allFail(t, service, Object.values(writesOf(board)))
  tool.close()
  service.kill('SIGKILL')
  t.match(await service.exited, { signal: 'SIGKILL', stderr: '' })
  const roomy = await start(t, environment)
  t.strictSame(await stored(roomy), acknowledged)
  const { body } = await done(roomy, 'GET', `/api/kanban-items/${board.item}/subtasks`)
  t.equal(body[0].title, second.title, 'the last write that was acknowledged')
  const after = openTool(t, path)
  await works(t, roomy, board, after)
  isSound(t, after)
  const [file] = (await done(roomy, 'GET', `/api/kanban-items/${board.item}/attachments`)).body
  const kept = await fetch(`${roomy.url}/api/attachments/${file.id}/content`)
  t.ok(bytesOf(10_000).equals(Buffer.from(await kept.arrayBuffer())), 'the file that was acknowledged')
})

/** A service in this process with a seeded board, so that its own connection can be changed. */
async function startInProcess(t: Test) {
  const { DATABASE_URL: databaseUrl } = onNewFile(t)
  let text = ''
  const logStream = new PassThrough().on('data', (line) => {
    text += line
  })
  const options = { databaseUrl, adminPassword: ADMIN.password, logLevel: 'error', logStream } as const
  const app = await build(t, options, shipped.buildApp)
  const service = { url: await app.listen({ port: 0 }) }
  const { $client: client } = app.db
  const board = await seed(service)
  const before = await readAll(service, board)
  return { service, client, board, before, log: () => text }
}

t.test('a full disk in the worker thread is reported until a write succeeds', async (t) => {
  const service = await startLimited(t, environmentOf(t))
  const { project, subtask } = await seed(service)
  const item = { title: 'Card', description: 'x'.repeat(9000) }
  // More than the event loop attempts.
  const requests = Array.from({ length: 101 }, () => ({
    method: 'POST',
    path: `/api/projects/${project}/kanban-items`,
    body: item,
  }))
  let answer: Answer
  do answer = await call(service, 'POST', '/api/batch', { requests })
  while (answer.status === 200 || (await call(service, 'GET', '/readyz')).status === 200)
  t.equal(answer.status, 500)
  await done(service, 'PATCH', `/api/kanban-subtasks/${subtask}`, { title: 'Small' })
  await isUp(t, service)
})

/**
 * Repeats writes that fail until readiness reports them: a write of the service's own that succeeds after them, for example of the consumer
 * that creates notifications, ends the trouble.
 */
async function reported(t: Test, service: { url: string }, requests: Request[]): Promise<void> {
  do await allFail(t, service, requests)
  while ((await call(service, 'GET', '/readyz')).status === 200)
  t.match(await call(service, 'GET', '/healthz'), { status: 200 })
}

t.test('a database at its maximum size refuses only writes that need more space, completely', async (t) => {
  const { service, client, board, before, log } = await startInProcess(t)

  const limit = client.pragma('max_page_count', { simple: true })
  // Migrations leave free pages.
  client.exec('vacuum')
  // Some pages for the changes that small writes append.
  client.pragma(`max_page_count = ${Number(client.pragma('page_count', { simple: true })) + 4}`)
  const { createProject, createItem, createIdea } = writesOf(board)
  const big = [createProject, createItem, createIdea].map(([method, path, body, failure]): Request => {
    return [method, path, { ...body, description: REFUSED.repeat(1000) }, failure]
  })
  for (const _attempt of [1, 2]) {
    await reported(t, service, [...big, ...big])
    t.strictSame(await readAll(service, board), before)
  }
  isLogged(t, log(), big, 'SQLITE_FULL')
  // A write that shares a commit with a large one may be refused too. In any case its response must be true.
  const projectPath = `/api/projects/${board.project}`
  for (let attempt = 1; attempt <= 5; attempt++) {
    const nextStep = `Attempt ${attempt}`
    const [small] = await Promise.all([
      call(service, 'PATCH', projectPath, { nextStep }),
      allFail(t, service, big),
    ])
    const { nextStep: found } = (await done(service, 'GET', projectPath)).body
    if (small.status === 200) t.equal(found, nextStep)
    else {
      failed(t, small, 'a neighbour', 'Failed to update project')
      t.not(found, nextStep)
    }
  }
  await reported(t, service, big)
  t.equal((await done(service, 'PATCH', projectPath, { nextStep: 'Alone' })).body.nextStep, 'Alone')
  await isUp(t, service)

  client.pragma(`max_page_count = ${limit}`)
  await works(t, service, board, client)
  isSound(t, client)
})

/* The tests of the group commit count its attempts, and let its five seconds pass. */
t.test('while another process holds a lock, everything is read, and a write gets 503', async (t) => {
  const environment = environmentOf(t)
  const service = await start(t, environment)
  const board = await seed(service)
  const before = await readAll(service, board)
  const tool = openTool(t, fileOf(environment))
  tool.exec('begin exclusive')
  tool.prepare('update projects set name = ?').run(REFUSED)

  const refused = allMustRetry(t, service, Object.values(writesOf(board)))
  t.strictSame(await readAll(service, board), before)
  await isUp(t, service)
  await refused
  tool.exec('rollback')
  tool.exec('begin exclusive')
  await allMustRetry(t, service, [BATCH])
  tool.exec('rollback')
  t.match(service.log(), /"level":40,.*"SQLITE_BUSY".*"msg":"The database is busy"/)
  t.notMatch(service.log(), /"level":(50|60)/, 'it is no fault')
  for (const secret of [REFUSED, ADMIN.password]) t.notMatch(service.log(), secret)
  await works(t, service, board, tool)
  isSound(t, tool)
})

t.test("waiting writes continue when the lock is released, and see its holder's changes", async (t) => {
  const environment = environmentOf(t)
  const service = await start(t, environment)
  const board = await seed(service)
  const tool = openTool(t, fileOf(environment))
  tool.exec('begin immediate')
  tool.prepare('update projects set name = ?').run('Gemini')

  let answered = 0
  const waiting = [
    done(service, 'PATCH', `/api/projects/${board.project}`, { nextStep: 'Land' }),
    done(service, 'POST', '/api/projects', { name: 'Mercury' }),
  ]
  for (const one of waiting) one.then(() => answered++)
  const metrics = async () => await (await fetch(`${service.url}/metrics`)).text()
  // Not only these may wait, but also a write of the service itself, e.g. of its consumers.
  while (!/^phaseboard_write_queue_length [2-9]$/m.test(await metrics()));
  t.equal(answered, 0, 'the writes still wait')
  tool.exec('commit')
  const [changed, created] = await Promise.all(waiting)
  t.match(changed, { status: 200, body: { name: 'Gemini', nextStep: 'Land' } })
  t.match(created, { status: 201, body: { name: 'Mercury' } })
  const { body } = await done(service, 'GET', '/api/projects')
  t.match(body, [{ name: 'Gemini', nextStep: 'Land' }, { name: 'Mercury' }])
  t.notMatch(service.log(), /"level":(50|60)/)
  await works(t, service, board, tool)
  isSound(t, tool)
})

t.test('a write that waits for a lock is finished during a stop', async (t) => {
  const environment = environmentOf(t)
  const service = await start(t, environment)
  const tool = openTool(t, fileOf(environment))
  tool.exec('begin immediate')
  const { socket, received } = await dial(t, service.port)
  const body = JSON.stringify({ name: 'Apollo' })
  const head = ['POST /api/projects HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
  socket.write([...head, `Content-Length: ${body.length}`, 'Expect: 100-continue', '\r\n'].join('\r\n'))
  await once(socket, 'data')
  socket.write(body)
  // Only a few: on a busy machine many would take the five seconds that a write waits for a lock.
  for (let reads = 0; reads < 5; reads++) await isUp(t, service)
  service.kill('SIGTERM')
  await service.logged(/"stopping"/)
  tool.exec('commit')
  t.match(await received, /^HTTP\/1.1 201 Created/m)
  t.match(await service.exited, { code: 0, signal: null, stderr: '' })
  t.strictSame(tool.prepare('select name from projects').pluck().all(), ['Apollo'])
  isSound(t, tool)
})

t.test('a failed commit is rolled back, and the next one succeeds', async (t) => {
  const app = await build(t, { adminPassword: ADMIN.password }, shipped.buildApp)
  const service = { url: await app.listen({ port: 0 }) }
  const { $client: client } = app.db
  const board = await seed(service)
  const before = await readAll(service, board)
  const write = (sql: string) => () => client.prepare(sql).run()
  // Unlike a full disk, a deferred foreign key fails the commit and leaves the transaction open.
  const outcomes = await Promise.allSettled([
    writeIn(app, write(`update projects set name = '${REFUSED}'`)),
    writeIn(app, () => {
      client.pragma('defer_foreign_keys = on')
      write(`insert into metrics (id, project_id, name, value) values ('m', 'nobody', '${REFUSED}', 1)`)()
    }),
  ])
  const refused = { status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } }
  t.match(outcomes, [refused, refused], 'whoever shares a commit shares its failure')
  t.equal(client.inTransaction, false)
  t.strictSame(await readAll(service, board), before)
  await works(t, service, board, client)
  isSound(t, client)
})

/*
 * Permissions do not keep a file from root, nor from a process that already has it open, and mounting needs privileges. But
 * SQLite can make a connection read-only, and its error is that of a read-only file system.
 */
t.test('a read-only database refuses only writes', async (t) => {
  const { service, client, board, before, log } = await startInProcess(t)
  client.pragma('query_only = on')
  await onlyWritesFail(t, service, board, before)
  isLogged(t, log(), Object.values(writesOf(board)), 'SQLITE_READONLY')
  client.pragma('query_only = off')
  await works(t, service, board, client)
  isSound(t, client)
})

/** Faults of a running service's files, each with a function that undoes it. */
const LOSSES: Record<string, (path: string) => () => void> = {
  'its file removed': (path) => {
    renameSync(path, `${path}.aside`)
    return () => renameSync(`${path}.aside`, path)
  },
  'its file replaced by a copy': (path) => {
    renameSync(path, `${path}.aside`)
    copyFileSync(`${path}.aside`, path)
    return () => renameSync(`${path}.aside`, path)
  },
  'its log removed': (path) => {
    renameSync(`${path}-wal`, `${path}.aside`)
    return () => renameSync(`${path}.aside`, `${path}-wal`)
  },
  "the log's index removed": (path) => {
    renameSync(`${path}-shm`, `${path}.aside`)
    return () => renameSync(`${path}.aside`, `${path}-shm`)
  },
  'its folder renamed': (path) => {
    renameSync(dirname(path), `${dirname(path)}.aside`)
    return () => renameSync(`${dirname(path)}.aside`, dirname(path))
  },
}

for (const [loss, happen] of Object.entries(LOSSES)) {
  t.test(`a service with ${loss} acknowledges no write, and reports that`, async (t) => {
    const environment = environmentOf(t)
    const path = fileOf(environment)
    const service = await start(t, environment)
    const board = await seed(service)
    const before = await readAll(service, board)
    const undo = happen(path)
    await cannotWrite(t, service)
    await onlyWritesFail(t, service, board, before)
    t.match(
      service.log(),
      `the database ${path} was replaced or removed while it was open: restart the service`,
    )
    undo()
    await isUp(t, service)
    const tool = openTool(t, path)
    await works(t, service, board, tool)
    isSound(t, tool)
  })
}

t.test('a service whose file was deleted starts again with a new one', async (t) => {
  const environment = environmentOf(t)
  const path = fileOf(environment)
  const service = await start(t, environment)
  await seed(service)
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix)
  await cannotWrite(t, service)
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0, stderr: '' })
  t.notOk(existsSync(path))
  const again = await start(t, environment)
  await works(t, again, await seed(again), openTool(t, path))
})

/** Removes a table with everything that depends on it. @returns a function that restores it */
function remove(tool: SQLite.Database, table: string): () => void {
  const definitions = tool
    .prepare("select sql from sqlite_schema where tbl_name = ? and sql is not null order by type <> 'table'")
    .pluck()
    .all(table)
  tool.exec(`begin; create table aside as select * from ${table}; drop table ${table}; commit`)
  return () =>
    tool.exec(
      `begin; ${definitions.join(';')}; insert into ${table} select * from aside; drop table aside; commit`,
    )
}

t.test('a missing table fails only its requests, and all work when it is back', async (t) => {
  const environment = environmentOf(t)
  const service = await start(t, environment)
  const board = await seed(service)
  const tool = openTool(t, fileOf(environment))
  const requests = { ...readsOf(board), ...writesOf(board) }
  type Operations = (keyof typeof requests)[]
  const ofProjects: Operations = ['listProjects', 'getProject']
  const ofItems: Operations = ['listItems', 'getItem', 'listSubtasks']
  const ofMembers: Operations = ['listIdeas', 'whoAmI']

  const tables: Record<string, { fails: Operations; works: Operations }> = {
    projects: {
      fails: [...ofProjects, 'listItems', 'createProject', 'updateProject', 'deleteProject', 'createItem'],
      works: ['getItem', 'listSubtasks', ...ofMembers],
    },
    kanban_items: {
      fails: [
        ...ofProjects,
        ...ofItems,
        'createItem',
        'updateItem',
        'deleteItem',
        'createSubtask',
        'updateSubtask',
        'deleteSubtask',
      ],
      works: ofMembers,
    },
    kanban_subtasks: {
      fails: [...ofProjects, ...ofItems, 'createSubtask', 'updateSubtask', 'deleteSubtask'],
      works: ofMembers,
    },
    // Everything written before the fault is rolled back: a project without columns, a card moved without an entry.
    kanban_columns: {
      fails: ['createProject', 'createItem', 'updateItem'],
      works: [...ofProjects, ...ofItems, ...ofMembers],
    },
    kanban_activity: { fails: ['updateItem'], works: [...ofProjects, ...ofItems, ...ofMembers] },
    metrics: {
      fails: [...ofProjects, 'createProject', 'updateProject'],
      works: [...ofItems, ...ofMembers],
    },
    personal_ideas: { fails: ['listIdeas', 'createIdea'], works: [...ofProjects, ...ofItems, 'whoAmI'] },
    sessions: {
      fails: ['whoAmI', 'signIn', 'signOut', 'deleteProject'],
      works: [...ofProjects, ...ofItems, 'listIdeas'],
    },
    members: {
      fails: ['whoAmI', 'signIn', 'signOut', 'deleteProject'],
      works: [...ofProjects, ...ofItems, 'listIdeas'],
    },
  }
  for (const [table, operations] of Object.entries(tables)) {
    await t.test(table, async (t) => {
      const before = await readAll(service, board)
      const putBack = remove(tool, table)
      await allFail(
        t,
        service,
        operations.fails.map((operation) => requests[operation]),
      )
      for (const operation of operations.works) {
        const { status, text } = await send(service, requests[operation])
        t.ok(before.includes(`${requests[operation][1]} ${status} ${text}`), `${operation} works`)
      }
      await isUp(t, service)
      putBack()
      t.strictSame(await readAll(service, board), before, 'nothing is lost, and nothing is new')
      await works(t, service, board, tool)
      isSound(t, tool)
    })
  }
  const failing = Object.values(tables).flatMap(({ fails }) => fails.map((operation) => requests[operation]))
  isLogged(t, service.log(), failing, 'SQLITE_ERROR')
  t.match(service.log(), /"message":"no such table: (main\.)?kanban_items"/)
})

/* Some faults end every process. The service must then exit, so that its supervisor restarts it. */
t.test('a fatal error ends the service, and loses no acknowledged write', async (t) => {
  const environment = environmentOf(t)
  const service = await start(t, environment)
  const board = await seed(service)
  // SQLite maps the index of the log from this file into memory. Without the file, an access is a bus error.
  truncateSync(`${fileOf(environment)}-shm`, 0)
  const answer = call(service, 'GET', '/readyz').catch(() => undefined)
  t.match(await service.exited, { code: null, signal: 'SIGBUS' })
  await answer
  const again = await start(t, environment)
  const tool = openTool(t, fileOf(environment))
  await works(t, again, board, tool)
  isSound(t, tool)
})
