/** Writes in several steps: which thread performs them, and what ends them. */
import { join } from 'node:path'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Type } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { runStepsFromMain, runStepsInWorker, type WorkerEnd } from '../../src/batch/step-sessions.ts'
import {
  AWAIT,
  type Step,
  StepFailure,
  type StepGenerator,
  StepRunner,
  type StepsMode,
} from '../../src/batch/steps.ts'
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
  const [first, second] = await Promise.all([
    stepwise(() => steps(15), terms, KEPT),
    stepwise(() => steps(15), terms, { ...KEPT, isDryRun: true }),
  ])
  t.match(first, { value: Uint8Array })
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
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  await runStepsInWorker(steps(1), (end) => {
    t.equal(hasTurned, true, 'others have their turns')
    return perform(WRITE)(end)
  })
  t.strictSame([seen.splice(0), count(app, 'projects')], [[150], 150], 'in several turns of the event loop')
  function* failing(): StepGenerator {
    yield create('First', 0)
    throw new Error('decided so')
  }
  await t.rejects(runStepsInWorker(failing(), perform(WRITE)), { message: 'decided so' })
  const died = new Error('died')
  await t.rejects(
    runStepsInWorker(failing(), () => Promise.reject(died)),
    died,
    'it did not get there',
  )
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

t.test('the worker thread sleeps until a message comes, and posts named results', async (t) => {
  const app = await build(t)
  const { end, post } = session(t)
  const { port1: back, port2 } = new MessageChannel()
  const [state, messages] = [end.state, [{ steps: [], next: 'done' }]]
  const late = `const { port, state, messages } = require('node:worker_threads').workerData
    setTimeout(() => {
      for (const message of messages) port.postMessage(message)
      Atomics.add(state, 0, 1)
      Atomics.notify(state, 0)
    }, 50)`
  const thread = new Worker(late, {
    eval: true,
    execArgv: [],
    workerData: { port: back, state, messages },
    transferList: [back],
  })
  t.teardown(() => thread.terminate())
  const runner = new StepRunner(app.db, app.rules, WRITE)
  // A minute, because a busy machine may start the thread late.
  t.equal(
    Buffer.from(runStepsFromMain(app.db, { port: port2, state }, runner, 60_000)).toString(),
    '{"results":[],"dryRun":false}',
  )
  const named: Step = {
    request: 0,
    call: { path: 'board.items.getMany', args: [[]] },
    shape: { name: 'none', status: 200, schema: Type.Object({}), kind: 'success' },
    as: 'it',
  }
  post('more', named)
  post('done')
  const seen: unknown[] = []
  const port = Object.assign(end.port, { postMessage: (message: unknown) => void seen.push(message) })
  runStepsFromMain(app.db, { ...end, port }, runner)
  t.strictSame(seen, [[['it', '{"success":true}']]])
})

t.test(
  'a batch is refused for its own work, or for what one of its steps has taken from its caller',
  async (t) => {
    const app = await build(t)
    const { end, post, failed } = session(t)
    const burn = () => {
      const before = process.threadCpuUsage?.() ?? process.cpuUsage()
      for (let used = 0; used < 120_000; ) {
        const { user, system } = process.threadCpuUsage?.(before) ?? process.cpuUsage(before)
        used = user + system
      }
      return []
    }
    const runner = (fields: Partial<StepRunner>) =>
      ({
        run: () => [],
        refusal: () => undefined,
        response: () => Buffer.from('{}'),
        ...fields,
      }) as StepRunner
    post('more', create('Long'))
    t.throws(() => runStepsFromMain(app.db, end, runner({ run: burn }), 100), MUCH)
    const cause = new Error('lost')
    const refusal = () => new StepFailure(2, cause)
    post('done', create('Lost'))
    t.throws(() => runStepsFromMain(app.db, end, runner({ refusal })), cause)
    t.equal(failed(), 3)
  },
)

t.test('the main thread goes on with the results that the worker thread posts', async (t) => {
  // Waiting for a number keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const named: unknown[] = []
  function* waiting(): StepGenerator {
    named.push(...(yield create('First', 0)))
    named.push(...(yield AWAIT))
    yield create('Second', 1)
  }
  let isClosed: Promise<unknown> | undefined
  const result = await runStepsInWorker(waiting(), async ({ port, state }) => {
    isClosed = new Promise((resolve) => port.once('close', () => resolve(true)))
    const [first] = [receiveMessageOnPort(port)?.message]
    t.match(first, { steps: [{ request: 0 }], next: 'more' })
    const before = state[0]
    const woken = Atomics.waitAsync(state, 0, 1)
    const next = new Promise((resolve) => port.once('message', resolve))
    port.postMessage([['a', '{}']])
    t.match(await next, { steps: [{ request: 1 }], next: 'done' })
    t.equal(await woken.value, 'ok')
    return [before, state[0]]
  })
  t.strictSame(result, [1, 2], 'each message is counted')
  t.strictSame(named, [['a', '{}']])
  t.equal(await isClosed, true)
})

t.test('short steps run at once, and get their errors', async (t) => {
  const app = await build(t)
  const stepwise = createStepwise(
    app.db,
    app.scoped,
    (...write) => app.dispatcher.commit(...write),
    () => Promise.reject(new Error('no worker')),
    now,
  )
  const run = (steps: () => StepGenerator, mode: Partial<StepsMode> = {}) =>
    stepwise(steps, { actorId: 'ada' }, { ...KEPT, ...mode })
  const unknown: Step = { request: 0, call: { path: 'projects.get', args: ['none'] } }
  const errors: unknown[] = []
  function* trying(): StepGenerator {
    yield AWAIT
    try {
      yield unknown
    } catch (error) {
      errors.push(error)
    }
    yield create('Fine', 1)
  }
  t.match(await run(trying), { value: Uint8Array, seq: Number })
  t.match(errors, [{ statusCode: 404 }])
  t.equal(count(app, 'projects'), 1)
  const dry = await run(trying, { isDryRun: true })
  t.match(Buffer.from(dry.value as Uint8Array).toString(), /"dryRun":true/)
  t.equal(dry.seq, undefined)
  t.equal(count(app, 'projects'), 1)
  function* failing(): StepGenerator {
    yield create('Lost', 0)
    yield unknown
  }
  await t.rejects(run(failing), { message: 'Project not found' })
  t.equal(count(app, 'projects'), 1)
  const named: unknown[] = []
  function* reading(): StepGenerator {
    const shape = { name: 'Project', status: 200, schema: Type.Object({}), kind: 'success' } as const
    named.push(yield { ...unknown, call: { path: 'board.items.getMany', args: [[]] }, shape, as: 'it' })
  }
  t.match(await run(reading, { isRead: true }), { value: Uint8Array, seq: undefined })
  t.strictSame(named, [[['it', '{"success":true}']]])
  function* seeing(): StepGenerator {
    yield create('Seen', 0)
    const seq = app.rules.changes.sequence.last()
    yield { request: 1, call: { path: 'changes.sequence.one', args: [seq] } }
    named.push(app.db.$client.prepare('select actor_id from changes where seq = ?').pluck().get(seq))
  }
  await run(seeing)
  t.equal(named.at(-1), 'ada', 'rules that read changes see whose they are')
})
