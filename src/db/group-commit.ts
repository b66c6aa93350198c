/** Group commit: the writes of all requests that arrive together cost one sync of the disk. */
import { BUSY_TIMEOUT, type SharedDatabase, withoutWaiting } from './client.ts'

/** After so many turns without another write a group is complete ... */
const QUIET = 3
/** ... and with so many writes in any case. */
const LARGE = 256

/** Milliseconds between attempts while another process holds the write lock. */
const RETRY = 10

/** A write that waits for its turn. */
interface Waiting {
  work: () => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
  /** When another process's lock first kept it waiting, by `performance.now()`. */
  lockedSince: number | undefined
}

/** What a write came to, told only when it is on disk. */
type Outcome = () => void

/**
 * Runs `work` in a transaction and resolves with its result once that is committed and synced to disk.
 * @param work what to read and write, synchronously; whatever it throws rolls back all it wrote
 */
export type Write = <T>(work: () => T) => Promise<T>

const stopped = () => new Error('the service has stopped')

/** Also of what is a promise in all but name: a query that would run once somebody waits for it. */
const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')

/**
 * Makes the one way to write to a database. All that is handed in during one turn of the event loop, or by several
 * clients in turns close together, runs when the turn ends, in one transaction, each work in a savepoint of its own: one
 * that throws is rolled back and rejected alone. Nobody is answered before the commit; when it fails, everybody is rejected and nothing is half-done. A lone write
 * waits for nobody. While another process holds the write lock, writes wait without holding up the event loop, each
 * at most {@link BUSY_TIMEOUT}.
 * @returns `write`, and `close`, which refuses what still waits
 */
export function createGroupCommit(db: SharedDatabase): { write: Write; close: () => void } {
  const { $client: client } = db
  const begin = client.prepare('begin immediate')
  const commit = client.prepare('commit')
  const rollback = client.prepare('rollback')
  const savepoint = client.prepare('savepoint work')
  const release = client.prepare('release work')
  const rollbackToSavepoint = client.prepare('rollback to work')
  let waiting: Waiting[] = []
  let retry: NodeJS.Timeout | undefined
  let isClosed = false

  const rejectAll = (group: Waiting[], error: unknown) => {
    for (const { reject } of group) reject(error)
  }

  function attempt({ work, resolve, reject }: Waiting): Outcome {
    savepoint.run()
    try {
      const result = work()
      if (isPromise(result)) {
        // Nobody will ask what becomes of it. (To ask a query would be to run it.)
        if (result instanceof Promise) result.catch(() => undefined)
        throw new TypeError('what is written must be decided synchronously')
      }
      release.run()
      return () => resolve(result as never)
    } catch (error) {
      // Some errors, a full disk among them, make SQLite roll back the whole transaction.
      if (!client.inTransaction) throw error
      rollbackToSavepoint.run()
      release.run()
      return () => reject(error)
    }
  }

  /** Those whom a lock has kept waiting for too long give up; the others try again. */
  function waitForLock(group: Waiting[], error: unknown): void {
    const now = performance.now()
    for (const one of group) one.lockedSince ??= now
    const isLate = ({ lockedSince = now }: Waiting) => now - lockedSince >= BUSY_TIMEOUT
    waiting = group.filter((one) => !isLate(one))
    rejectAll(group.filter(isLate), error)
    if (waiting.length > 0) retry = setTimeout(commitGroup, RETRY)
  }

  /**
   * Ends a turn in which writes were waiting. Where several are, more are on their way: they come along, until a few
   * turns (which wait for nothing) have brought none.
   * @param before how many were waiting when the turn began
   * @param quietTurns how many turns have brought none
   */
  function endTurn(before: number, quietTurns: number): void {
    const quiet = waiting.length > before ? 0 : quietTurns + 1
    const isGathering = waiting.length > 1 && waiting.length < LARGE && quiet < QUIET
    if (isGathering) setImmediate(endTurn, waiting.length, quiet)
    else commitGroup()
  }

  function commitGroup(): void {
    retry = undefined
    const group = waiting
    if (group.length === 0) return
    waiting = []
    try {
      withoutWaiting(db, () => begin.run())
    } catch (error) {
      if (isBusy(error)) waitForLock(group, error)
      else rejectAll(group, error)
      return
    }
    try {
      const outcomes = group.map(attempt)
      commit.run()
      for (const settle of outcomes) settle()
    } catch (error) {
      rejectAll(group, error)
      if (client.inTransaction) rollback.run()
    }
  }

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw stopped()
        // After the current turn's callbacks, before the loop waits for anything new.
        if (waiting.length === 0) setImmediate(endTurn, 0, 0)
        waiting.push({ work, resolve, reject, lockedSince: undefined })
      }),
    close: () => {
      isClosed = true
      clearTimeout(retry)
      rejectAll(waiting, stopped())
      waiting = []
    },
  }
}
