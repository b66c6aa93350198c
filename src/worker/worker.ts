/**
 * The worker thread: does work that would block the event loop, on a connection of its own. To the main thread its
 * commits are like those of another process.
 */
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import { openDatabase, read, writeAs } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { type CallOf, ruleAt } from './calls.ts'
import type { Task, TaskResult } from './offload.ts'
import { createRules } from './rules.ts'
import { runOnTerms, type WriteOutcome, type WriteTerms } from './writes.ts'

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
function writeInPlace(call: CallOf, terms: WriteTerms): WriteOutcome<unknown> {
  const { value: outcome, seq } = writeAs(db, terms.actorId, () => {
    const done = runOnTerms(db, rules, call, terms)
    const lost = files.lost()
    if (lost) throw lost
    return done
  })
  return { ...outcome, seq }
}

function perform({ terms, ...call }: Task): TaskResult['outcome'] {
  try {
    if (terms) return { value: writeInPlace(call, terms) }
    return { value: read(db, () => ruleAt(rules, call.path).call(...call.args)) }
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
