/** The dispatcher: performs calls of rules on the event loop or, if they would block it for too long, in the worker thread. */
import type { Caller } from '../access/caller.ts'
import type { Principal } from '../access/policy.ts'
import type { SharedDatabase } from '../db/client.ts'
import type { Written } from '../db/current-write.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import { isLimited, TooMuchWork } from '../db/work-limits.ts'
import type { Attempt } from '../reading/large-snapshots.ts'
import type { MaybePromise } from '../reading/snapshots.ts'
import { type Call, ruleAt, run } from './calls.ts'
import type { ScopedRules } from './scoped-rules.ts'
import {
  BY_SERVICE,
  type PendingOutcome,
  type WriteContext,
  type WriteOutcome,
  type WriteWork,
  writing,
} from './write.ts'

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
    return groupCommit.write(context.actorId, writing(db, scoped, work, context))
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
