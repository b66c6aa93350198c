/** Group commit: the writes of all requests that arrive together cost one sync of the disk. */
import { BUSY_TIMEOUT, type SharedDatabase, stopWaitingForLocks } from './client.ts'
import { type DatabaseFiles, NO_FILES } from './files.ts'

/** After so many turns without another write a group is complete ... */
const QUIET = 3
/** ... and with so many writes in any case. */
const LARGE = 256

/**
 * Milliseconds between attempts while another process holds the write lock. One costs some 25 µs. A process that writes
 * in a loop leaves gaps of some µs between its commits: only whoever asks often finds one.
 */
const RETRY = 1

/** Milliseconds after a failed write in which nothing is tried just to see whether writing works again. */
const PROBE_AFTER = 5000

/** Errors of SQLite that have nothing to do with what is to be written: no room, no right, a disk or file that fails. */
const FAULT = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|PERM|PROTOCOL)/

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

/** The group commit of a database. */
export interface GroupCommit {
  write: Write
  /**
   * Why writes fail through no fault of theirs: the files were replaced, or the latest write failed for a full disk or
   * the like. Some seconds after that a harmless write is tried first. Undefined while writing works.
   */
  trouble: () => Promise<Error | undefined>
  /** Refuses what still waits, and all that comes. */
  close: () => void
}

const stopped = () => new Error('the service has stopped')

/** Also of what is a promise in all but name: a query that would run once somebody waits for it. */
const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')

/** The fault of the service's own that an error, or what caused it, tells of. */
function faultOf(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && FAULT.test(String(error.code)) ? error : faultOf(error.cause)
}

/**
 * Makes the one way to write to a database. All that is handed in during one turn of the event loop, or by several
 * clients in turns close together, runs when the turn ends, in one transaction, each work in a savepoint of its own: one
 * that throws is rolled back and rejected alone. Nobody is answered before the commit; when it fails, everybody is rejected and nothing is half-done. A lone write
 * waits for nobody. While another process holds the write lock, writes wait without holding up the event loop, each
 * at most {@link BUSY_TIMEOUT}. Nothing is committed to files that are no longer where they were opened.
 */
export function createGroupCommit(db: SharedDatabase, files: DatabaseFiles = NO_FILES): GroupCommit {
  const { $client: client } = db
  const begin = client.prepare('begin immediate')
  const commit = client.prepare('commit')
  const rollback = client.prepare('rollback')
  const savepoint = client.prepare('savepoint work')
  const release = client.prepare('release work')
  const rollbackToSavepoint = client.prepare('rollback to work')
  const changes = client.prepare<[], number>('select total_changes()').pluck()
  const userVersion = client.prepare<[], number>('pragma user_version').pluck()
  /** The latest write's failure through a fault of the service's own, and when it was. */
  let failure: { error: Error; at: number } | undefined
  /** Whether, after such a failure, a work of the current group has changed something. */
  let hasChanged = false
  let waiting: Waiting[] = []
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  /** Until the first write: a start may wait for another process. */
  let waitsForLocks = true

  const rejectAll = (group: Waiting[], error: unknown) => {
    noteFault(error)
    for (const { reject } of group) reject(error)
  }

  function noteFault(error: unknown): void {
    const fault = faultOf(error)
    if (fault) failure = { error: fault, at: performance.now() }
  }

  function attempt({ work, resolve, reject }: Waiting): Outcome {
    savepoint.run()
    const changesBefore = failure && changes.get()
    try {
      const result = work()
      if (isPromise(result)) {
        // Nobody will ask what becomes of it. (To ask a query would be to run it.)
        if (result instanceof Promise) result.catch(() => undefined)
        throw new TypeError('what is written must be decided synchronously')
      }
      release.run()
      if (failure && changes.get() !== changesBefore) hasChanged = true
      return () => resolve(result as never)
    } catch (error) {
      // Some errors, a full disk among them, make SQLite roll back the whole transaction.
      if (!client.inTransaction) throw error
      noteFault(error)
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
      if (waitsForLocks) stopWaitingForLocks(db)
      waitsForLocks = false
      begin.run()
    } catch (error) {
      if (isBusy(error)) waitForLock(group, error)
      else rejectAll(group, error)
      return
    }
    const earlier = failure
    hasChanged = false
    try {
      const outcomes = group.map(attempt)
      const lost = files.lost()
      if (lost) throw lost
      commit.run()
      if (hasChanged && failure === earlier) failure = undefined
      for (const settle of outcomes) settle()
    } catch (error) {
      rejectAll(group, error)
      if (client.inTransaction) rollback.run()
    }
  }

  const write: Write = (work) =>
    new Promise((resolve, reject) => {
      if (isClosed) throw stopped()
      // After the current turn's callbacks, before the loop waits for anything new.
      if (waiting.length === 0) setImmediate(endTurn, 0, 0)
      waiting.push({ work, resolve, reject, lockedSince: undefined })
    })

  /** Writes a number that nobody uses, as it is: a page of the log, and a sync. */
  async function probe(): Promise<void> {
    try {
      await write(() => {
        client.pragma(`user_version = ${userVersion.get()}`)
      })
      failure = undefined
    } catch {
      // What failed was noted; a lock of another process says nothing.
    }
  }

  return {
    write,
    trouble: async () => {
      const lost = files.lost()
      if (lost) return lost
      if (failure && performance.now() - failure.at >= PROBE_AFTER && files.hasRoom()) {
        failure.at = performance.now()
        await probe()
      }
      return failure?.error
    },
    close: () => {
      isClosed = true
      clearTimeout(retry)
      rejectAll(waiting, stopped())
      waiting = []
    },
  }
}
