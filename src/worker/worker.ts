/**
 * The worker thread: does what would hold the event loop up, on a connection of its own. To the rest of the service it
 * is another process that reads and writes the file.
 */

import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import { openDatabase, read, write } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import type { Answer, Task } from './offload.ts'
import { prepareReads, prepareWrites } from './operations.ts'
import { ruleAt } from './performed.ts'
import { createRules } from './rules.ts'

type Operation = (...args: unknown[]) => unknown

const { db, files } = openDatabase((workerData as { databaseUrl: string }).databaseUrl)
const reads = prepareReads(db) as unknown as Record<string, Operation>
const rules = createRules(db)
const writes = prepareWrites(db) as unknown as Record<string, Operation>

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
function writeInPlace(operation: Operation | undefined, args: unknown[]): unknown {
  const value = operation?.(...args)
  const lost = files.lost()
  if (lost) throw lost
  return value
}

function perform({ name, args }: Task): Answer['outcome'] {
  const [reading, writing] = [reads[name], writes[name]]
  try {
    if (name.includes('.')) {
      const { call, reads } = ruleAt(rules, name)
      return { value: reads ? read(db, () => call(...args)) : write(db, () => writeInPlace(call, args)) }
    }
    return {
      value: reading ? read(db, () => reading(...args)) : write(db, () => writeInPlace(writing, args)),
    }
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
