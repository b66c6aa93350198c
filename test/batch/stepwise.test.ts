/** Writes in several steps: which thread performs them, and what ends them. */
import { join } from 'node:path'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { runStepsFromMain, runStepsInWorker, type WorkerEnd } from '../../src/batch/step-sessions.ts'
import { AWAIT, type Step, type StepGenerator, StepRunner, type StepsMode } from '../../src/batch/steps.ts'
import { createStepwise } from '../../src/batch/stepwise.ts'
import { openDatabase } from '../../src/db/client.ts'
import { createRules } from '../../src/requests/rules.ts'
import { createLockGaps } from '../../src/worker/lock-gaps.ts'
import { build, count } from '../helper.ts'

const create = (name: string, request = 0): Step => ({
  request,
  call: { path: 'projects.create', args: [{ name }] },
})

const WRITE = { isDryRun: false, isRead: false }
const KEPT = { length: 2, ...WRITE }

/** The fake clock in milliseconds. It advances only when a step does so. */
let time = 0
const now = () => time
const block = (milliseconds: number) => {
  time += milliseconds
}

t.test('long steps restart in the worker thread', async (t) => {
  const app = await build(t, {
    databaseUrl: `file:${join(t.testdir(), 'x.db')}`,
    adminPassword: 'correct horse',
  })
  const tasks: unknown[] = []
  const stepwise = createStepwise(
    app.db,
    app.scoped,
    (...write) => app.dispatcher.commit(...write),
    async (end, terms, mode) => {
      tasks.push([terms, mode])
      end.port.close()
      return { value: 'of the worker', seq: 5 }
    },
    now,
  )
  const terms = { actorId: 'ada' }
  function* steps(pause: number): StepGenerator {
    yield create('First')
    block(pause)
    yield create('Second')
  }
  t.match(await stepwise(() => steps(0), terms, KEPT), { value: Uint8Array })
  t.equal(count(app, 'projects'), 2)
  t.strictSame(tasks, [])
  t.strictSame(await stepwise(() => steps(50), terms, KEPT), { value: 'of the worker', seq: 5 })
  t.equal(count(app, 'projects'), 2, 'the first step is undone')
  t.strictSame(tasks, [[terms, WRITE]])
  // Concurrent writes share one time budget.
  const [, second] = await Promise.all([
    stepwise(() => steps(15), terms, KEPT),
    stepwise(() => steps(15), terms, { ...KEPT, isDryRun: true }),
  ])
  t.strictSame(second, { value: 'of the worker', seq: 5 })
  t.strictSame(tasks.at(-1), [terms, { ...WRITE, isDryRun: true }])
  t.match(await stepwise(() => steps(0), terms, { ...KEPT, length: 101 }), { seq: 5 }, 'or that are many')
  const memory = await build(t)
  const alone = createStepwise(
    memory.db,
    memory.scoped,
    (...write) => memory.dispatcher.commit(...write),
    () => Promise.reject(new Error('no worker')),
    now,
  )
  await alone(() => steps(50), terms, KEPT)
  t.equal(count(memory, 'projects'), 2, 'a database in memory has no worker thread')
})

/** The end signal in the worker thread, and a function that posts to it like the main thread. */
function session(t: Test) {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const end: WorkerEnd = { port: port2, state: new Int32Array(new SharedArrayBuffer(8)) }
  const post = (next: string, ...steps: Step[]) => port1.postMessage({ steps, next })
  return { end, post, failed: () => end.state[1] }
}

const MUCH = { statusCode: 413, message: 'Too much for one batch' }

t.test('the worker thread waits for the next steps, but only for a limited time', async (t) => {
  const app = await build(t)
  const runner = new StepRunner(app.db, app.rules, { isDryRun: true, isRead: false })
  const { end, post, failed } = session(t)
  const late = { statusCode: 503, message: 'Batch took too long', headers: { 'retry-after': '5' } }
  t.throws(() => runStepsFromMain(app.db, end, runner, 100), late, 'which is not the fault of the batch')
  post('done', create('Late'))
  t.throws(() => runStepsFromMain(app.db, end, runner, -1), MUCH)
  t.equal(count(app, 'projects'), 0)
  post('more', create('In time'))
  post('done', create('At last', 1))
  const response = runStepsFromMain(app.db, end, runner)
  t.equal(Buffer.from(response).toString(), '{"results":[],"dryRun":true}')
  t.equal(count(app, 'projects'), 2)
  t.equal(failed(), 0)
  post('undone')
  t.throws(() => runStepsFromMain(app.db, end, runner), { message: 'the main thread gave up' })
  t.equal(failed(), -1)
  post('done', create('Fine', 2), { request: 3, call: { path: 'projects.get', args: ['none'] } })
  t.throws(() => runStepsFromMain(app.db, end, runner), { message: 'Project not found' })
  t.equal(failed(), 4, 'it says which request it was')
})

t.test('a step in the worker thread takes a limited time', async (t) => {
  const app = await build(t, { databaseUrl: `file:${join(t.testdir(), 'x.db')}` })
  const client = app.db.$client
  client.exec(`
    insert into projects (id, name, phase) values ('p', 'P', 'Planning');
    insert into kanban_items (id, project_id, title) values ('few', 'p', 'Few'), ('many', 'p', 'Many');
    insert into kanban_comments (id, item_id, author_id, content)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 4001)
      select 'c' || i, iif(i <= 1000, 'few', 'many'), 'ada', 'Hm' from n;
    insert into kanban_comments (id, item_id, author_id, content)
      select 'x' || id, 'many', 'ada', 'Hm' from kanban_comments where item_id = 'few'`)
  const thread = openDatabase(`file:${client.name}`)
  t.teardown(thread.close)
  const runner = new StepRunner(thread.db, createRules(thread.db), WRITE)
  const { end, post, failed } = session(t)
  const remove = (id: string): Step => ({ request: 0, call: { path: 'board.items.delete', args: [id] } })
  post('done', remove('few'))
  runStepsFromMain(thread.db, end, runner)
  t.equal(count(app, 'kanban_items'), 1)
  post('done', remove('many'))
  t.throws(() => runStepsFromMain(thread.db, end, runner), MUCH)
  t.equal(failed(), 0, 'the batch is too much, not the request')
  t.equal(count(app, 'kanban_items'), 1)
  createRules(thread.db).board.items.delete('many')
  t.equal(count(app, 'kanban_items'), 0, 'outside a batch it is done')
})

t.test('all steps that need no result are prepared before the worker thread begins', async (t) => {
  const app = await build(t)
  const perform = (mode: StepsMode) => async (end: WorkerEnd) => {
    // The value when the thread starts, and later values.
    const posted = receiveMessageOnPort(end.port)?.message
    seen.push(posted.steps.length)
    const { port1, port2 } = new MessageChannel()
    port1.postMessage(posted)
    const again: WorkerEnd = { port: port2, state: end.state }
    if (posted.next !== 'more')
      return runStepsFromMain(app.db, again, new StepRunner(app.db, app.rules, mode))
    return posted.next
  }
  const seen: number[] = []
  function* steps(pause: number): StepGenerator {
    for (let index = 0; index < 150; index++) {
      yield create(`${index}`, index)
      if (index % 10 === 0) for (const end = performance.now() + pause; performance.now() < end; );
    }
  }
  await runStepsInWorker(steps(1), perform(WRITE))
  t.strictSame([seen.splice(0), count(app, 'projects')], [[150], 150], 'in several turns of the event loop')
  function* failing(): StepGenerator {
    yield create('First', 0)
    throw new Error('decided so')
  }
  await t.rejects(runStepsInWorker(failing(), perform(WRITE)), { message: 'decided so' })
  function* broken(): StepGenerator {
    yield { request: 0, call: { path: 'projects.get', args: ['none'] } }
    throw new Error('decided so')
  }
  await t.rejects(runStepsInWorker(broken(), perform(WRITE)), {
    name: 'StepFailure',
    request: 0,
    cause: { statusCode: 404 },
  })
  function* waiting(): StepGenerator {
    yield create('First', 0)
    yield AWAIT
    yield create('Second', 1)
  }
  seen.length = 0
  t.equal(await runStepsInWorker(waiting(), perform(WRITE)), 'more')
  t.strictSame(seen, [1])
})

t.test('the steps end with the worker thread', async (t) => {
  const died = new Error('the worker thread has ended')
  function* endless(): StepGenerator {
    for (let index = 0; index < 1000; index++) yield create('x', index)
  }
  await t.rejects(
    runStepsInWorker(endless(), () => Promise.reject(died)),
    died,
  )
})

t.test('after a long write, others get the lock', async (t) => {
  const pauses: number[] = []
  let at = 0
  const withGaps = createLockGaps(
    () => at,
    (milliseconds) => {
      pauses.push(milliseconds)
      at += milliseconds
    },
  )
  const taking = (milliseconds: number) => () => {
    at += milliseconds
    return milliseconds
  }
  t.equal(withGaps(taking(20)), 20)
  t.equal(withGaps(taking(21)), 21)
  t.strictSame(pauses, [])
  at += 2
  withGaps(taking(1))
  t.strictSame(pauses, [3])
  t.throws(() =>
    withGaps(() => {
      taking(50)()
      throw new Error('x')
    }),
  )
  withGaps(taking(1))
  t.strictSame(pauses, [3, 5], 'also of one that failed')
})
