/** Writes of several steps: who performs them, and what ends them. */
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { runStepsFromMain, runStepsInWorker, type WorkerEnd } from '../../src/worker/step-sessions.ts'
import { type Step, type StepGenerator, StepRunner } from '../../src/worker/steps.ts'
import { createStepwise } from '../../src/worker/stepwise.ts'
import { build, count } from '../helper.ts'

const create = (name: string): Step => ({ call: { path: 'projects.create', args: [{ name }] } })

const KEPT = { length: 2, isDryRun: false }

/** The time that the steps are told, in milliseconds: it passes only where a step says so. */
let time = 0
const now = () => time
const block = (milliseconds: number) => {
  time += milliseconds
}

t.test('steps that take long go on in the worker thread, from the beginning', async (t) => {
  const app = await build(t, {
    databaseUrl: `file:${join(t.testdir(), 'x.db')}`,
    adminPassword: 'correct horse',
  })
  const tasks: unknown[] = []
  const stepwise = createStepwise(
    app.db,
    app.rules,
    app.writeAs,
    async (end, terms, isDryRun) => {
      tasks.push([terms, isDryRun])
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
  t.strictSame(tasks, [[terms, false]])
  // Several that come together share what one may take.
  const [, second] = await Promise.all([
    stepwise(() => steps(15), terms, KEPT),
    stepwise(() => steps(15), terms, { length: 2, isDryRun: true }),
  ])
  t.strictSame(second, { value: 'of the worker', seq: 5 })
  t.strictSame(tasks.at(-1), [terms, true])
  t.match(
    await stepwise(() => steps(0), terms, { length: 101, isDryRun: false }),
    { seq: 5 },
    'or that are many',
  )
  const memory = await build(t)
  const alone = createStepwise(
    memory.db,
    memory.rules,
    memory.writeAs,
    () => Promise.reject(new Error('no worker')),
    now,
  )
  await alone(() => steps(50), terms, KEPT)
  t.equal(count(memory, 'projects'), 2, 'a database in memory has no worker thread')
})

t.test('the worker thread waits for the next step, but not for ever', async (t) => {
  const app = await build(t)
  const runner = new StepRunner(app.db, app.rules)
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const end: WorkerEnd = { port: port2, count: new Int32Array(new SharedArrayBuffer(4)) }
  t.throws(() => runStepsFromMain(end, runner, false, { patience: 5, longest: 1000 }), {
    message: 'no step came any more',
  })
  port1.postMessage({ step: create('Late') })
  t.throws(() => runStepsFromMain(end, runner, false, { patience: 5, longest: -1 }), {
    statusCode: 413,
    message: 'Batch is too large',
  })
  t.equal(count(app, 'projects'), 0)
  port1.postMessage({ step: create('In time') })
  port1.postMessage({ end: 'done' })
  const response = runStepsFromMain(end, runner, true, { patience: 5, longest: 1000 })
  t.equal(Buffer.from(response).toString(), '{"results":[],"dryRun":true}')
  t.equal(count(app, 'projects'), 1)
  port1.postMessage({ end: 'undone' })
  t.throws(() => runStepsFromMain(end, runner, false), { message: 'the write was given up' })
})

t.test('what ends the worker thread ends the steps', async (t) => {
  const died = new Error('the worker thread has ended')
  function* endless(): StepGenerator {
    for (;;) yield create('x')
  }
  await t.rejects(
    runStepsInWorker(endless(), () => Promise.reject(died)),
    died,
  )
})
