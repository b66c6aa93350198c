/**
 * The worker thread: does work that would block the event loop, on a connection of its own. To the main thread its
 * commits are like those of another process.
 */
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import { openDatabase, read, write } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Task, TaskResult } from './offload.ts'
import { ruleAt } from './performed.ts'
import { createRules } from './rules.ts'

const { db, files } = openDatabase((workerData as { databaseUrl: string }).databaseUrl)
const rules = createRules(db)

/** The transferable buffers of a value, moved instead of copied by the structured clone: those with a single view. */
function buffersOf(value: unknown): Transferable[] {
  if (value instanceof Uint8Array) {
    const { buffer } = value
    return buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength ? [buffer] : []
  }
  if (Array.isArray(value)) return value.flatMap(buffersOf)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersOf) : []
}

/** Runs a write; throws, to roll it back, where the files were replaced or removed since they were opened. */
function writeInPlace(call: () => unknown): unknown {
  const value = call()
  const lost = files.lost()
  if (lost) throw lost
  return value
}

function perform({ path, args }: Task): TaskResult['outcome'] {
  try {
    const { call, reads } = ruleAt(rules, path)
    const work = () => call(...args)
    return { value: reads ? read(db, work) : write(db, () => writeInPlace(work)) }
  } catch (error) {
    if (error instanceof ApiError) {
      const { statusCode, message, details, headers } = error
      return { refusal: { statusCode, message, details, headers } }
    }
    return { error }
  }
}

parentPort?.on('message', (task: Task) => {
  const outcome = perform(task)
  const buffers = 'value' in outcome ? buffersOf(outcome.value) : []
  parentPort?.postMessage({ id: task.id, outcome } satisfies TaskResult, buffers)
})
