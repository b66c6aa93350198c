/**
 * Performs calls of rules: on the event loop or, if they would block it for too long, in a worker thread. A write checks its preconditions,
 * runs its rule and stores the response for retries, in one transaction.
 */

import type { Caller } from '../access/caller.ts'
import type { Principal } from '../access/policy.ts'
import type { SharedDatabase } from '../db/client.ts'
import { currentWrite, type Written } from '../db/current-write.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import { indexRequest } from '../db/search-index.ts'
import { isLimited, TooMuchWork } from '../db/work-limits.ts'
import type { Attempt } from '../reading/large-snapshots.ts'
import type { MaybePromise } from '../reading/snapshots.ts'
import { type Call, ruleAt, run } from './calls.ts'
import { BODY_BYTES, type RepeatableRequest, type StoredResponse } from './idempotency-store.ts'
import { comparePreconditions, type Preconditions } from './preconditions.ts'
import { type ResponseShape, responseOf, toText } from './respond.ts'
import type { Rules } from './rules.ts'
import type { ChangeCheck, ScopedRules } from './scoped-rules.ts'

/** The context of a write: actor, preconditions, and how to store the response; structured-cloneable. */
export interface WriteContext extends Preconditions {
  /** The acting member; null for the service itself. */
  actorId: string | null
  /** The member whose turn it takes in the worker thread: see `Offload.write`; may be absent. */
  turn?: string | null
  /** The writer; undefined: unlimited access. */
  principal?: Principal | undefined
  /** Whether it is known to be too much for the event loop, if there is a worker thread. */
  isLong?: boolean
  /** Stores the response for retries. `isSecret`: without its body. `hasReads`: it contains the results of reads. */
  repeatable?: { request: RepeatableRequest; shape: ResponseShape; isSecret: boolean; hasReads?: boolean }
}

/** The service itself writes, without preconditions. */
export const BY_SERVICE: WriteContext = { actorId: null }

export interface WriteOutcome<Result = unknown> {
  /** The rule's result; undefined for a replay. */
  value: Result
  /** The last change of the write; undefined if it made none. */
  seq: number | undefined
  /** The response, if it is stored. */
  response?: StoredResponse
  /** Whether it was a replay, and nothing was done. */
  isReplay?: boolean
}

/** The outcome of an uncommitted write, without its last change, which only the transaction knows. */
export type PendingOutcome = Omit<WriteOutcome, 'seq'>

/**
 * The work of a write: a call, or a function of the caller's rules and the check of its changes, which is undefined for unlimited access. A function
 * that throws to roll back its changes must have checked them.
 */
export type WriteWork = Call | ((rules: Rules, check?: ChangeCheck) => unknown)

/**
 * Runs a write inside a transaction.
 * @throws ApiError 412 with the current ETag, 422 or 409 (see `IdempotencyStore`), or the error of the work; TooMuchWork
 */
export function runWrite(
  db: SharedDatabase,
  scoped: ScopedRules,
  work: WriteWork,
  context: WriteContext,
): PendingOutcome {
  const { repeatable, principal } = context
  const stored = repeatable && scoped.repetition(principal, repeatable.request)
  if (stored) return { value: undefined, response: stored, isReplay: true }
  const perform = (rules: Rules, check?: ChangeCheck): PendingOutcome => {
    if (context.record) comparePreconditions(rules, context)
    const value = typeof work === 'function' ? work(rules, check) : run(rules, work)
    return repeatable ? { value, response: store(db, scoped, value, context) } : { value }
  }
  return principal === undefined ? perform(scoped.all) : scoped.write(principal, perform)
}

/** A response to store, without a too large body, which the responder reads. */
function storedResponse(shape: ResponseShape, value: unknown): Omit<StoredResponse, 'seq'> {
  if (value === undefined && shape.kind === 'record') return { status: shape.status, body: null, etag: null }
  const { status, body, etag } = responseOf(shape, value)
  return { status, body: toText(body), etag }
}

/** Stores the response to a write that has just been made. @param value the rule's result */
function store(
  db: SharedDatabase,
  scoped: ScopedRules,
  value: unknown,
  { repeatable, principal }: WriteContext,
): StoredResponse {
  const { request, shape, isSecret, hasReads = false } = repeatable as NonNullable<WriteContext['repeatable']>
  const { changes, idempotencyStore } = scoped.all
  const last = changes.sequence.last()
  const seq = last > currentWrite(db).since ? last : null
  const response = { ...storedResponse(shape, value), seq }
  const isLarge = response.body === null || Buffer.byteLength(response.body) > BODY_BYTES
  // A write that changed nothing may be repeated: the repeated result is more useful than `Already done`.
  if (response.seq === null && isLarge) return response
  const stored = isSecret ? { ...response, body: null } : response
  idempotencyStore.keep(request, stored, hasReads ? scoped.seenBy(principal) : null)
  return response
}

/** Work that is no single call and performs itself: a batch. */
export interface Work<Result = unknown> {
  perform: (context: WriteContext) => Promise<WriteOutcome<Result>>
  afterwards?: undefined
}

/** What handlers return. */
export type Performable<Result = unknown> = Call<Result> | Work<Result>

/** The thread that reads what would block the event loop. */
interface ReadingThread {
  read: (call: Call, turn: string | null, principal?: Principal) => Promise<unknown>
}

/** The thread that writes what would block the event loop. */
interface WritingThread {
  write: (call: Call, context: WriteContext) => Promise<WriteOutcome>
}

/** The targets of the dispatcher. */
interface DispatcherParts {
  db: SharedDatabase
  scoped: ScopedRules
  groupCommit: Pick<GroupCommit, 'write' | 'follow'>
  /** Reads on the event loop: at once or, if this turn's time is used up, in one of the next turns. */
  attempt: Attempt
  worker: ReadingThread
  writer: WritingThread
}

/** The dispatcher of a service: requests, hooks, webhooks and retention all write through its `perform`. */
export class Dispatcher {
  readonly #parts: DispatcherParts

  constructor(parts: DispatcherParts) {
    this.#parts = parts
  }

  /**
   * Performs a write.
   * @returns its outcome, once it is synced to disk
   * @throws ApiError 412, 422 or 409 (see `runWrite`), or the error of the rule
   */
  async perform<Result>(call: Performable<Result>, context: WriteContext): Promise<WriteOutcome<Result>> {
    if ('perform' in call) return call.perform(context)
    if (context.isLong && isLimited(this.#parts.db)) return this.#writeElsewhere(call, context)
    try {
      const { value, seq } = await this.commit(call, context)
      return { ...value, seq } as WriteOutcome<Result>
    } catch (error) {
      if (error instanceof TooMuchWork) return this.#writeElsewhere(call, context)
      throw error
    }
  }

  /** Writes on the event loop, in a group commit. @throws TooMuchWork */
  commit(work: WriteWork, context: WriteContext): Promise<Written<PendingOutcome>> {
    const { db, scoped, groupCommit } = this.#parts
    return groupCommit.write(context.actorId, () => {
      const outcome = runWrite(db, scoped, work, context)
      indexRequest(db)
      return outcome
    })
  }

  /**
   * Performs a call that only reads.
   * @param caller the reader, or the service itself
   * @returns its result; a promise only if it must wait
   */
  read<Result>(call: Call<Result>, { turn, principal }: Caller): MaybePromise<Result> {
    const { scoped, attempt, worker } = this.#parts
    // A method that its class does not list in `reads` may write.
    if (!ruleAt(scoped.all, call.path).isRead)
      return this.perform(call, { ...BY_SERVICE, turn, principal }).then(({ value }) => value)
    const elsewhere = (error: unknown) => {
      if (error instanceof TooMuchWork) return worker.read(call, turn, principal) as Promise<Result>
      throw error
    }
    try {
      const value = attempt(turn, () =>
        scoped.read(principal, (rules) => run(rules, call)),
      ) as MaybePromise<Result>
      return value instanceof Promise ? value.catch(elsewhere) : value
    } catch (error) {
      return elsewhere(error)
    }
  }

  /** Writes in the thread for that. */
  async #writeElsewhere<Result>(call: Call<Result>, context: WriteContext): Promise<WriteOutcome<Result>> {
    const { writer, groupCommit } = this.#parts
    return (await groupCommit.follow(writer.write(call, context))) as WriteOutcome<Result>
  }
}
