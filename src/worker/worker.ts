/**
 * The worker thread: does work that would block the event loop, on its own connection. For the main thread its
 * commits are like those of another process.
 */
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import { runStepsFromMain } from '../batch/step-sessions.ts'
import { StepRunner } from '../batch/steps.ts'
import { finish, outcomeOfDryRun } from '../batch/stepwise.ts'
import { openDatabase, read, writeAs } from '../db/client.ts'
import { withDeadline } from '../db/deadline.ts'
import { withRoom } from '../db/room.ts'
import { splitWork } from '../db/work-limits.ts'
import { tookTooLong } from '../errors.ts'
import { run } from '../requests/calls.ts'
import type { Rules } from '../requests/rules.ts'
import { type ChangeCheck, createScopedRules } from '../requests/scoped-rules.ts'
import { runWrite, type WriteContext, type WriteOutcome, type WriteWork } from '../requests/write.ts'
import { createLockGaps } from './lock-gaps.ts'
import type { Posted, StepsTask, Task, TaskResult, WorkerMessage, WorkerOptions } from './offload.ts'
import { outcomeOf } from './outcomes.ts'

const { databaseUrl, walCheckpoints } = workerData as WorkerOptions
const { db, files, close } = openDatabase(databaseUrl, walCheckpoints)
splitWork(db)
const scoped = createScopedRules(db)
const withGaps = createLockGaps()

/** The transferable buffers of a value, moved instead of copied by the structured clone: those with a single view. */
function buffersOf(value: unknown): Transferable[] {
  if (value instanceof Uint8Array) {
    const { buffer } = value
    return buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength ? [buffer] : []
  }
  if (Array.isArray(value)) return value.flatMap(buffersOf)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersOf) : []
}

/** Runs a write; throws, to roll it back, if the files were replaced or removed since they were opened. */
function write(work: WriteWork, context: WriteContext): WriteOutcome {
  const { value, seq } = withGaps(() =>
    writeAs(db, context.actorId, () => {
      const done = runWrite(db, scoped, work, context)
      const lost = files.lost()
      if (lost) throw lost
      return done
    }),
  )
  return { ...value, seq }
}

/** Runs steps decided by the main thread. */
function runStepwise({ end, mode, context }: StepsTask): WriteOutcome {
  const steps = (rules: Rules, check?: ChangeCheck) =>
    runStepsFromMain(db, end, new StepRunner(db, rules, mode, check))
  if (mode.isRead) return { value: read(db, () => scoped.read(context.principal, steps)), seq: undefined }
  try {
    return write((rules, check) => finish(steps(rules, check), mode), context)
  } catch (error) {
    return outcomeOfDryRun(error)
  }
}

function perform(task: Task): unknown {
  if ('end' in task) return runStepwise(task)
  const { call } = task
  if ('context' in task) return write(call, task.context)
  const late = () => tookTooLong('The request')
  const work = () => read(db, () => scoped.read(task.principal, (rules) => run(rules, call)))
  return withDeadline(db, task.time, late, () => withRoom(db, task.room, work))
}

parentPort?.on('message', (task: Posted) => {
  if (task === 'end') {
    close()
    parentPort?.close()
    return
  }
  const outcome = outcomeOf(() => perform(task))
  const buffers = 'value' in outcome ? buffersOf(outcome.value) : []
  parentPort?.postMessage({ id: task.id, outcome } satisfies TaskResult, buffers)
})

parentPort?.postMessage('ready' satisfies WorkerMessage)
