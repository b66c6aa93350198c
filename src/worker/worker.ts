/**
 * The worker thread: does what would hold the event loop up, on a connection of its own. To the rest of the service it
 * is another process that reads and writes the file.
 */

import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import { openDatabase, read, write } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Answer, Task } from './offload.ts'
import { ruleAt } from './performed.ts'
import { createRules } from './rules.ts'

const { db, files } = openDatabase((workerData as { databaseUrl: string }).databaseUrl)
const rules = createRules(db)

/** What is moved to the other side instead of being copied: buffers that are nobody else's. */
function buffersOf(value: unknown): Transferable[] {
  if (value instanceof Uint8Array) {
    const { buffer } = value
    return buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength ? [buffer] : []
  }
  if (Array.isArray(value)) return value.flatMap(buffersOf)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersOf) : []
}

/** Nothing is committed to files that are no longer where they were opened. */
function writeInPlace(call: () => unknown): unknown {
  const value = call()
  const lost = files.lost()
  if (lost) throw lost
  return value
}

function perform({ path, args }: Task): Answer['outcome'] {
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
  parentPort?.postMessage({ id: task.id, outcome } satisfies Answer, buffers)
})
