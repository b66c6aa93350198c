/**
 * The worker thread: does work that would block the event loop, on its own connection. For the main thread its
 * commits are like those of another process.
 */
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import type { openBatches } from '../batches-in-worker.ts'
import { openDatabase, read, writeAs } from '../db/client.ts'
import { withDeadline } from '../db/deadline.ts'
import { withRoom } from '../db/room.ts'
import { tookTooLong } from '../errors.ts'
import { run } from '../requests/calls.ts'
import { runWrite, type WriteContext, type WriteOutcome, type WriteWork } from '../requests/perform.ts'
import { createScopedRules } from '../requests/scoped-rules.ts'
import type { BatchTask, Posted, Task, TaskResult, WorkerMessage, WorkerOptions } from './offload.ts'
import { type Outcome, outcomeOf, outcomeOfPromise } from './outcomes.ts'

const { databaseUrl, walCheckpoints } = workerData as WorkerOptions
const { db, files, close } = openDatabase(databaseUrl, walCheckpoints)
const scoped = createScopedRules(db)

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
  const { value, seq } = writeAs(db, context.actorId, () => {
    const done = runWrite(db, scoped, work, context)
    const lost = files.lost()
    if (lost) throw lost
    return done
  })
  return { ...value, seq }
}

/** Performs batches; loaded by the first. */
let batches: Awaited<ReturnType<typeof openBatches>> | undefined

async function performBatch({ batch, context, service }: BatchTask): Promise<WriteOutcome> {
  if (batches === undefined) {
    const { openBatches } = await import('../batches-in-worker.ts')
    batches = await openBatches({ db, scoped, write }, service)
    parentPort?.postMessage('routes' satisfies WorkerMessage)
  }
  return batches(batch, context)
}

function perform(task: Exclude<Task, BatchTask>): unknown {
  if ('isCheckpoint' in task) return void db.$client.pragma('wal_checkpoint(passive)')
  const { call } = task
  if ('context' in task) return write(call, task.context)
  const late = () => tookTooLong('The request')
  const work = () => read(db, () => scoped.read(task.principal, (rules) => run(rules, call)))
  return withDeadline(db, task.time, late, () => withRoom(db, task.room, work))
}

function answer(id: number, outcome: Outcome): void {
  const buffers = 'value' in outcome ? buffersOf(outcome.value) : []
  parentPort?.postMessage({ id, outcome } satisfies TaskResult, buffers)
}

parentPort?.on('message', async (task: Posted) => {
  if (task === 'end') {
    close()
    parentPort?.close()
  } else if ('batch' in task) answer(task.id, await outcomeOfPromise(performBatch(task)))
  else
    answer(
      task.id,
      outcomeOf(() => perform(task)),
    )
})

parentPort?.postMessage('file' satisfies WorkerMessage)
