/** A write inside its transaction, in either thread: preconditions are compared, the rule runs, and its response is stored. */
import type { SharedDatabase } from '../db/client.ts'
import { currentWrite } from '../db/current-write.ts'
import { type Call, run } from './calls.ts'
import { BODY_BYTES, type RepeatableRequest, type StoredResponse } from './idempotency-store.ts'
import { comparePreconditions, type Preconditions } from './preconditions.ts'
import { type ResponseShape, responseOf, toText } from './responses.ts'
import type { Rules } from './rules.ts'

/** Who writes, under which preconditions, and how the response is stored. All of it is structured-cloneable. */
export interface WriteContext extends Preconditions {
  /** The member who acts; null for the service itself. */
  actorId: string | null
  /** Whose turn it takes in the worker thread: see `Offload.perform`; absent for nobody's. */
  turn?: string | null
  /** Whether it is known to be too much for the event loop, where there is a worker thread. */
  isLong?: boolean
  /** Stores the response for repetitions of the request. `isSecret`: all but its body. */
  repeatable?: { request: RepeatableRequest; shape: ResponseShape; isSecret: boolean }
}

/** The service itself writes, without preconditions. */
export const BY_SERVICE: WriteContext = { actorId: null }

/** What a write resulted in. */
export interface WriteOutcome<Result = unknown> {
  /** The rule's result; undefined where the request was a repetition. */
  value: Result
  /** The last change of the write; undefined where it made none. */
  seq: number | undefined
  /** The response, where it is stored. */
  response?: StoredResponse
  /** Whether the request was a repetition, and nothing was done. */
  isReplay?: boolean
}

/** The outcome of a write that is not committed: only the transaction knows its last change. */
export type PendingOutcome = Omit<WriteOutcome, 'seq'>

/** What a write does: one call, or whatever a function does. */
export type WriteWork = Call | (() => unknown)

/**
 * Runs a write: inside a transaction.
 * @throws ApiError 412 with the current ETag, 422 or 409 (see `IdempotencyStore`), or whatever the work throws
 */
export function runWrite(
  db: SharedDatabase,
  rules: Rules,
  work: WriteWork,
  context: WriteContext,
): PendingOutcome {
  const { repeatable } = context
  const stored = repeatable && rules.idempotencyStore.find(repeatable.request)
  if (stored) return { value: undefined, response: stored, isReplay: true }
  if (context.record) comparePreconditions(rules, context)
  const value = typeof work === 'function' ? work() : run(rules, work)
  return repeatable ? { value, response: store(db, rules, value, repeatable) } : { value }
}

/** The same, for whoever begins the transaction. */
export const writing =
  (db: SharedDatabase, rules: Rules, work: WriteWork, context: WriteContext) => (): PendingOutcome =>
    runWrite(db, rules, work, context)

/** A response as it is stored: without the body of a record that is too large for that, which whoever responds reads. */
function storedResponse(shape: ResponseShape, value: unknown): Omit<StoredResponse, 'seq'> {
  if (value === undefined && shape.kind === 'record') return { status: shape.status, body: null, etag: null }
  const { status, body, etag } = responseOf(shape, value)
  return { status, body: toText(body), etag }
}

/** Stores the response to a write that has just been made. @param value the rule's result */
function store(
  db: SharedDatabase,
  rules: Rules,
  value: unknown,
  { request, shape, isSecret }: NonNullable<WriteContext['repeatable']>,
): StoredResponse {
  const last = rules.changes.sequence.last()
  const seq = last > currentWrite(db).since ? last : null
  const response = { ...storedResponse(shape, value), seq }
  const isLarge = response.body === null || Buffer.byteLength(response.body) > BODY_BYTES
  // What changed nothing may be done again: that says more than that it was done.
  if (response.seq === null && isLarge) return response
  rules.idempotencyStore.keep(request, isSecret ? { ...response, body: null } : response)
  return response
}
