import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { indexSearch } from '../../src/db/search-index.ts'
import { Offload, type OffloadLimits } from '../../src/worker/offload.ts'
import { nextTurn } from '../executions.ts'
import { onNewFile, type Service, start } from '../process.ts'

const BUSY = { statusCode: 503, message: 'The request took too long', headers: { 'retry-after': '5' } }

/** A statement that runs for about as long as a test can wait, whatever calls it makes. */
const ENDLESS = (count: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select max(i) from n`

/** Makes reading the comments of an item slow, as another tool can. @param more SQL before that */
function slowDown(path: string, count: number, more = ''): void {
  const tool = new SQLite(path)
  tool.exec(`
    insert into projects (id, name) values ('p', 'Apollo');
    insert into kanban_items (id, project_id, title) values ('i', 'p', 'Card');
    insert into kanban_comments (id, item_id, author_id, content) values ('c', 'i', 'ada', 'Hm');
    ${more}`)
  // A start would do it, and read the comments.
  indexSearch({ $client: tool })
  tool.exec(`
    alter table kanban_comments rename to comments;
    create view kanban_comments as
      select id, item_id, author_id, content, created_at, edited_at from comments where (${ENDLESS(count)}) > 0`)
  tool.close()
}

function setUp(t: Test, limits: Partial<OffloadLimits>, count?: number, room?: () => number) {
  const path = join(t.testdir(), 'board.db')
  openDatabase(`file:${path}`).close()
  if (count !== undefined) slowDown(path, count)
  const offload = new Offload({ databaseUrl: `file:${path}`, walCheckpoints: 'service' }, limits, room)
  t.teardown(() => offload.close())
  const search = (turn: string | null = null) =>
    offload.read({ path: 'reading.search.find', args: ['nothing', 'local', 1] }, turn)
  const comments = (turn: string | null = null) =>
    offload.read({ path: 'board.comments.list', args: ['i'] }, turn)
  return { path, offload, search, comments }
}

/** Lets the timers of the main thread pass by hand. */
function holdTimers(t: Test): void {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
}

/** Waits until the worker thread of a service has a task. */
async function isBusy({ url }: Service): Promise<void> {
  const metrics = async () => await (await fetch(`${url}/metrics`)).text()
  while (!/^phaseboard_worker_queue_length 1$/m.test(await metrics())) await sleep(20)
}

t.test('a thread that exits fails its task, and the next task starts another', async (t) => {
  const path = join(t.testdir(), 'board.db')
  mkdirSync(path)
  const offload = new Offload({ databaseUrl: `file:${path}`, walCheckpoints: 'service' })
  t.teardown(() => offload.close())
  const list = () => offload.read({ path: 'projects.getMany', args: [[]] })
  await t.rejects(list(), /cannot open the database/)
  rmdirSync(path)
  openDatabase(`file:${path}`).close()
  t.strictSame(await list(), [])
  t.equal(offload.threads(), 1)
})

t.test('one member has a limited number of tasks, and others still have theirs', async (t) => {
  const { offload, search } = setUp(t, { ofMember: 3, tasks: 5 })
  const done: string[] = []
  const ask = (turn: string | null) => search(turn).then(() => done.push(String(turn)))
  const asked = [ask('ada'), ask('ada'), ask('ada')]
  await t.rejects(search('ada'), {
    statusCode: 429,
    message: 'Too many requests at once',
    headers: { 'retry-after': '1' },
  })
  asked.push(ask('bob'), ask(null))
  t.equal(offload.queued(), 5)
  await t.rejects(search('eve'), { statusCode: 503, message: 'Service Unavailable' })
  await Promise.all(asked)
  t.strictSame(done, ['ada', 'ada', 'bob', 'null', 'ada'])
  t.equal(offload.queued(), 0)
  await search('ada')
})

/** Times that pass only by hand. */
const PATIENT = { reading: 500_000, waiting: 9_000_000 }

t.test('a thread stuck in a read is replaced, and others continue', async (t) => {
  const { offload, search, comments } = setUp(t, { ...PATIENT, aside: 1 }, 1_000_000)
  await search()
  await nextTurn()
  holdTimers(t)
  const slow = comments('ada')
  const behind = search('bob')
  mock.timers.tick(PATIENT.reading)
  t.equal(offload.threads(), 2)
  await t.rejects(slow, BUSY)
  t.strictSame(await behind, [], 'what waited behind it')
  while (offload.threads() > 1) await sleep(20)
  t.pass('what was set aside ends by itself')
})

t.test('if enough are set aside, a stuck read is awaited, but its reader is not kept', async (t) => {
  const { offload, search, comments } = setUp(t, { ...PATIENT, aside: 0 }, 1_000_000)
  await search()
  await nextTurn()
  holdTimers(t)
  const slow = comments('ada')
  const behind = search('bob')
  mock.timers.tick(PATIENT.reading)
  t.equal(offload.threads(), 1)
  await t.rejects(slow, BUSY)
  t.strictSame(await behind, [])
})

t.test('tasks behind a long write get a response in time, and the write is awaited', async (t) => {
  const { path, offload, search } = setUp(t, { waiting: 300 })
  holdTimers(t)
  const write = offload.write({ path: 'projects.create', args: [{ name: 'Slow' }] }, { actorId: null })
  const waiting = [search('ada'), search('bob')]
  mock.timers.tick(299)
  t.equal(offload.queued(), 3)
  mock.timers.tick(1)
  t.equal(offload.queued(), 1, 'they have left the queue')
  for (const one of waiting)
    await t.rejects(one, { statusCode: 503, message: 'Service Unavailable', headers: { 'retry-after': '1' } })
  t.match(await write, { value: { name: 'Slow' } })
  t.strictSame(await search('ada'), [])
  const reader = new SQLite(path)
  t.teardown(() => reader.close())
  t.equal(reader.prepare('select count(*) from projects').pluck().get(), 1, 'it is made once')
})

t.test('stopping gives a thread a limited time', async (t) => {
  const { offload, search, comments } = setUp(t, { ending: 50 }, 1_000_000)
  await search()
  await nextTurn()
  holdTimers(t)
  const slow = comments()
  const waiting = search()
  const closed = offload.close()
  mock.timers.tick(50)
  await closed
  t.equal(offload.threads(), 1)
  await t.rejects(slow, { message: 'the service has stopped' })
  await t.rejects(waiting, { message: 'the service has stopped' })
  mock.timers.reset()
  while (offload.threads() > 0) await sleep(20)
})

t.test('a service stops in time during any statement, and keeps acknowledged writes', async (t) => {
  const environment = { ...onNewFile(t), METRICS_PUBLIC: 'true' }
  const path = environment.DATABASE_URL.slice('file:'.length)
  openDatabase(environment.DATABASE_URL).close()
  // So large that the worker thread handles large reads.
  slowDown(
    path,
    2_000_000_000,
    `insert into personal_ideas (id, owner_id, title, description) values ('x', 'ada', 'Large', hex(zeroblob(2000000)));
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
     insert into kanban_comments (id, item_id, author_id, content) select 'c' || i, 'i', 'ada', 'x' from n`,
  )
  const service = await start(t, environment)
  const made = await fetch(`${service.url}/api/projects`, { method: 'POST', body: '{"name":"Kept"}' })
  t.equal(made.status, 201)
  const search = fetch(`${service.url}/api/search?q=x`).catch((error) => error)
  // For a comment the search reads its item, through the view.
  await isBusy(service)
  t.equal((await fetch(`${service.url}/healthz`)).status, 200, 'nobody else waits')
  service.kill('SIGTERM')
  const { code, signal, stdout } = await service.exited
  await search
  t.ok(code === 0 || signal === 'SIGKILL', `${code} ${signal}`)
  t.equal(signal, 'SIGKILL', stdout)
  t.match(stdout, /a statement is running that nothing can interrupt/)
  const { $client: client } = openDatabase(environment.DATABASE_URL).db
  t.equal(client.prepare("select count(*) from projects where name = 'Kept'").pluck().get(), 1)
  client.close()
})

t.test('a stop aborts a write of the worker thread, without a trace', async (t) => {
  const environment = { ...onNewFile(t), METRICS_PUBLIC: 'true' }
  const path = environment.DATABASE_URL.slice('file:'.length)
  openDatabase(environment.DATABASE_URL).close()
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  tool.exec(
    `insert into projects (id, name) values ('p', 'Apollo');
     insert into personal_ideas (id, owner_id, title, description) values ('x', 'ada', 'Large', hex(zeroblob(2000000)));
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
     insert into kanban_items (id, project_id, number, title) select 'i' || i, 'p', i, 'Card' from n;
     create trigger slow after update on kanban_items begin select (${ENDLESS(2_000_000_000)}); end`,
  )
  const service = await start(t, environment)
  const ids = Array.from({ length: 300 }, (_, index) => `i${index + 1}`)
  const body = JSON.stringify({ ids, update: { priority: 'high' } })
  const written = fetch(`${service.url}/api/kanban-items`, { method: 'PATCH', body }).catch(() => 'no answer')
  await isBusy(service)
  t.equal((await fetch(`${service.url}/healthz`)).status, 200, 'nobody else waits')
  service.kill('SIGTERM')
  await service.logged(/"msg":"stopping"/)
  // A second signal ends what the first one waits for.
  service.kill('SIGTERM')
  const { signal, stdout } = await service.exited
  t.equal(signal, 'SIGKILL')
  t.match(stdout, /a statement is running that nothing can interrupt/)
  t.equal(await written, 'no answer')
  t.equal(tool.prepare("select count(*) from kanban_items where priority = 'high'").pluck().get(), 0)
})

/** Fills a board with some hundred kilobytes. */
function fill(path: string): void {
  const tool = new SQLite(path)
  tool.exec(`
    insert into projects (id, name) values ('p', 'Apollo');
    insert into kanban_items (id, project_id, title, description)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
      select 'i' || i, 'p', 'Card', printf('%.*c', 1000, 'x') from n`)
  tool.close()
}

const MISSING = { statusCode: 404, message: 'Project not found' }
const asking = { memberId: 'ada', isStrict: false }
const listOf = (id: string) => ({ path: 'board.itemLists.ofProject', args: [id, {}, asking] })

t.test(
  'a list that a member requests several times at once is read once, and all get the same bytes',
  async (t) => {
    const { path, offload, search } = setUp(t, { ofMember: 3 })
    fill(path)
    const list = (turn: string | null, id = 'p') => offload.read(listOf(id), turn)
    const running = search()
    const asked = Array.from({ length: 10 }, () => list('ada'))
    t.equal(offload.queued(), 2, 'one of them waits, and none is too many')
    const others = list('bob')
    const another = list('ada', 'none')
    t.equal(offload.queued(), 4)
    const failing = [t.rejects(another, MISSING), t.rejects(list('ada', 'none'), MISSING)]
    const lists = await Promise.all(asked)
    for (const one of lists) t.equal(one, lists[0])
    const items = (answer: unknown) =>
      JSON.parse(`${Buffer.from((answer as { body: Uint8Array }).body)}`).length
    t.equal(items(lists[0]), 500)
    t.not(await others, lists[0], "another member's is its own")
    await Promise.all([running, ...failing])
    t.not(await list('ada'), lists[0], 'what has begun is of before: who asks later gets what is true then')
  },
)

t.test('simultaneous readers of one list wait no longer than the first', async (t) => {
  const { offload, comments } = setUp(t, { waiting: 200, reading: 60_000 }, 10)
  holdTimers(t)
  const slow = comments()
  mock.timers.tick(150)
  const asked = [offload.read(listOf('p')), offload.read(listOf('p'))]
  mock.timers.tick(150)
  asked.push(offload.read(listOf('p')))
  mock.timers.tick(50)
  for (const one of asked)
    await t.rejects(one, { statusCode: 503, message: 'Service Unavailable', headers: { 'retry-after': '1' } })
  t.match(`${Buffer.from(((await slow) as { body: Uint8Array }).body)}`, /"id":"c"/)
  t.match(await offload.read(listOf('p')), { body: Uint8Array })
})

t.test(
  'a response that exceeds the memory is refused while it is built, and a small one is not',
  async (t) => {
    let room = 100_000
    const { path, offload, search } = setUp(t, {}, undefined, () => room)
    fill(path)
    const full = { statusCode: 503, message: 'Service Unavailable', headers: { 'retry-after': '5' } }
    await t.rejects(offload.read(listOf('p')), full)
    const whole = (name: string, ...args: unknown[]) =>
      offload.read({ path: `reading.wholeProjects.${name}`, args })
    await t.rejects(whole('text', 'p'), full)
    await t.rejects(whole('list', {}), full)
    await t.rejects(whole('page', {}, { limit: 1 }), full)
    t.strictSame(await search(), [])
    room = Number.POSITIVE_INFINITY
    t.match(await offload.read(listOf('p')), { body: Uint8Array })
    t.match(await whole('text', 'p'), { body: Uint8Array })
  },
)

t.test('memory is reserved after the previous response was sent', async (t) => {
  const log: string[] = []
  const { search } = setUp(t, {}, undefined, () => {
    log.push('room')
    return 1
  })
  const hear = (name: string) =>
    search().then(async () => {
      // As long as it takes to start sending a response.
      for (let step = 0; step < 20; step++) await null
      log.push(name)
    })
  await Promise.all([hear('first'), hear('second'), hear('third')])
  t.strictSame(log, ['room', 'first', 'room', 'second', 'room', 'third'])
})

t.test('a task that cannot be cloned fails alone', async (t) => {
  const { offload, search } = setUp(t, {})
  const uncloneable = { path: 'board.comments.list', args: [() => undefined] }
  await t.rejects(offload.read(uncloneable, null), { name: 'DataCloneError' })
  await t.resolves(search())
  await t.rejects(offload.write(uncloneable, { actorId: null }), { name: 'DataCloneError' })
  await t.resolves(search())
})
