/** Which thread performs a batch, and what ends it. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Batch, BatchedRequest } from '../../src/batch/batch.ts'
import { createLoopLimits, limitsInWorker, type WithinLimits } from '../../src/batch/limits.ts'
import { type BatchConnection, createBatches, runBatch } from '../../src/batch/perform-batch.ts'
import { ensureInTime } from '../../src/db/deadline.ts'
import type { WriteContext } from '../../src/requests/perform.ts'
import { createReaderCheck } from '../../src/requests/readers.ts'
import { type App, build, count } from '../helper.ts'

const CREATE: BatchedRequest = { method: 'POST', path: '/api/projects', body: { name: 'New' } }
const CONTEXT: WriteContext = { actorId: 'ada' }

const batchOf = (requests: readonly BatchedRequest[], isDryRun = false): Batch => ({
  requests,
  isDryRun,
  sender: {
    headers: {},
    identity: {
      member: { id: 'ada', name: 'Ada', role: 'admin' },
      via: 'default',
      scope: 'write',
    } as Batch['sender']['identity'],
    address: '192.0.2.1',
    hosted: undefined,
  },
})

const connectionOf = (app: App, within: WithinLimits): BatchConnection => ({
  db: app.db,
  scoped: app.scoped,
  limits: () => within,
  surroundings: {
    app,
    operations: app.operations,
    authMode: 'open',
    bodyLimit: 1000,
    checkReader: createReaderCheck(app.scoped, ''),
  },
  write: async (work, context) => {
    const { value, seq } = await app.dispatcher.commit(work, context)
    return { ...value, seq }
  },
})

const withFile = (t: Test) => build(t, { databaseUrl: `file:${join(t.testdir(), 'x.db')}` })

t.test('a long batch restarts in the worker thread', async (t) => {
  const app = await withFile(t)
  let time = 0
  const limits = createLoopLimits(app.db, () => time)
  /** Each request takes some time. */
  const taking =
    (milliseconds: number): WithinLimits =>
    (size, perform) =>
      limits(size, () => {
        perform()
        time += milliseconds
      })
  const tasks: unknown[] = []
  const performerWith = (within: WithinLimits, of = app) =>
    createBatches(connectionOf(of, within), async (...task) => {
      tasks.push(task)
      return { value: 'of the worker', seq: 5 }
    })
  const two = batchOf([CREATE, CREATE])
  t.match(await performerWith(taking(0))(two, CONTEXT), { value: Uint8Array, seq: Number })
  t.equal(count(app, 'projects'), 2)
  t.strictSame(tasks, [])
  t.strictSame(await performerWith(taking(30))(two, CONTEXT), { value: 'of the worker', seq: 5 })
  t.equal(count(app, 'projects'), 2, 'the first request is undone')
  t.strictSame(tasks.splice(0), [[two, CONTEXT]])
  await new Promise(setImmediate)
  // Batches of one turn share its time.
  const dry = batchOf([CREATE, CREATE], true)
  const perform = performerWith(taking(12))
  const [first, second] = await Promise.all([perform(two, CONTEXT), perform(dry, CONTEXT)])
  t.match(first, { value: Uint8Array })
  t.strictSame([second, tasks.splice(0)], [{ value: 'of the worker', seq: 5 }, [[dry, CONTEXT]]])
  await new Promise(setImmediate)
  const many = batchOf(Array.from({ length: 101 }, () => CREATE))
  t.match(await performerWith(taking(0))(many, CONTEXT), { seq: 5 }, 'or one of many requests')
  const large: WithinLimits = (size, perform) => limits(size + 3_000_000, perform)
  t.match(await performerWith(large)(two, CONTEXT), { seq: 5 }, 'or of large results')
  t.equal(count(app, 'projects'), 4)
  const memory = await build(t)
  const alone = createLoopLimits(memory.db, () => (time += 1000))
  tasks.length = 0
  await performerWith(alone, memory)(many, CONTEXT)
  t.equal(count(memory, 'projects'), 101, 'a database in memory has no worker thread')
  t.strictSame(tasks, [])
})

t.test('a batch is all or nothing, and a dry run nothing', async (t) => {
  const app = await build(t)
  const run = (requests: BatchedRequest[], isDryRun = false) =>
    runBatch(
      connectionOf(app, (_size, perform) => perform()),
      batchOf(requests, isDryRun),
      CONTEXT,
    )
  const dry = await run([CREATE], true)
  t.match(Buffer.from(dry.value as Uint8Array).toString(), /"status":201.*"dryRun":true/)
  t.equal(dry.seq, undefined)
  t.equal(count(app, 'projects'), 0)
  const unknown: BatchedRequest = { method: 'GET', path: '/api/projects/none' }
  await t.rejects(run([CREATE, unknown]), { message: 'Project not found', details: { request: 1 } })
  t.equal(count(app, 'projects'), 0)
  const read = await run([{ method: 'GET', path: '/api/teams' }])
  t.match(Buffer.from(read.value as Uint8Array).toString(), '{"results":[{"status":200,"body":[]')
  t.equal(read.seq, undefined)
  const seen = await run([
    { ...CREATE, as: 'p' },
    { method: 'GET', path: '/api/projects/{{p.id}}/changes' },
  ])
  t.match(
    JSON.parse(Buffer.from(seen.value as Uint8Array).toString()).results[1].body,
    [{ actorId: 'ada' }],
    'rules that read changes see whose they are',
  )
})

const MUCH = { statusCode: 413, message: 'Too much for one batch' }

t.test('a batch in the worker thread takes a limited time', async (t) => {
  const app = await withFile(t)
  t.throws(() => limitsInWorker(app.db, 0)(0, () => t.fail('it is over')), MUCH)
  const used: string[] = []
  const within = limitsInWorker(app.db, 100)
  within(0, () => {
    used.push('first')
    const before = process.threadCpuUsage()
    for (let busy = 0; busy < 120_000; ) {
      const { user, system } = process.threadCpuUsage(before)
      busy = user + system
    }
  })
  t.throws(() => within(0, () => used.push('second')), MUCH)
  t.strictSame(used, ['first'])
  // A statement has ended at the deadline, in a thread that has hardly worked.
  const asleep = new Int32Array(new SharedArrayBuffer(4))
  const sleepUntilLate = () => {
    for (;;) {
      Atomics.wait(asleep, 0, 0, 1)
      ensureInTime(app.db)
    }
  }
  t.throws(() => limitsInWorker(app.db, 100)(0, sleepUntilLate), {
    statusCode: 503,
    message: 'Batch took too long',
    headers: { 'retry-after': '5' },
  })
})

t.test('a request of a batch in the worker thread writes a limited number of rows', async (t) => {
  const app = await withFile(t)
  const client = app.db.$client
  client.exec(`
    insert into projects (id, name, phase) values ('p', 'P', 'Planning');
    insert into kanban_items (id, project_id, title) values ('few', 'p', 'Few'), ('many', 'p', 'Many');
    insert into kanban_comments (id, item_id, author_id, content)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 3001)
      select 'c' || i, iif(i <= 1000, 'few', 'many'), 'ada', 'Hm' from n`)
  // As the thread's connection, whose work is not limited otherwise.
  const thread = await build(t, { databaseUrl: ':memory:' })
  thread.db.$client.exec(`attach '${client.name}' as file`)
  for (const table of ['projects', 'kanban_items', 'kanban_comments'])
    thread.db.$client.exec(`insert into main.${table} select * from file.${table}`)
  const remove = (id: string) =>
    runBatch(
      { ...connectionOf(thread, (...step) => limitsInWorker(thread.db)(...step)) },
      batchOf([{ method: 'DELETE', path: `/api/kanban-items/${id}` }]),
      CONTEXT,
    )
  await remove('few')
  t.equal(count(thread, 'kanban_items'), 1)
  const refused = await remove('many').catch((error) => error)
  t.match(refused, MUCH)
  t.notOk(refused.details, 'the batch is too much, not the request')
  t.equal(count(thread, 'kanban_items'), 1)
})
