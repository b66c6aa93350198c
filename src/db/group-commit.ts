/** Group commit: writes of requests that arrive together share one sync of the disk. */
import { Distribution } from '../distribution.ts'
import { isBusy } from './busy.ts'
import { BUSY_TIMEOUT, type SharedDatabase, stopWaitingForLocks } from './client.ts'
import { attributionOf, type Written } from './current-write.ts'
import { faultOf } from './faults.ts'
import { type DatabaseFiles, NO_FILES } from './files.ts'

/** A group is complete after this many iterations of the event loop without another write ... */
const QUIET = 3
/** ... or with this many writes. */
const LARGE = 256

/**
 * Milliseconds between attempts while another process holds the write lock. An attempt costs some 25 µs. A process that
 * writes in a loop leaves gaps of some µs between its commits: only frequent attempts hit one.
 */
const RETRY = 1

/** Milliseconds after a failed write before a probe. */
const PROBE_AFTER = 5000

/** The histogram bounds of group sizes, and of commit durations in seconds. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

/** A queued write. */
interface Waiting {
  actorId: string | null
  work: () => unknown
  resolve: (result: never) => void
  reject: (error: unknown) => void
  /** When another process's lock first kept it waiting, by `performance.now()`. */
  lockedSince: number | undefined
}

/** Settles a write's promise; called only once the group is committed and synced. */
type Outcome = () => void

/** The group commit of a database. */
export interface GroupCommit {
  /**
   * Runs `work` in a transaction and resolves with its result once that is committed and synced to disk.
   * @param actorId the acting member, recorded in its changes; null for the service itself
   * @param work reads and writes, synchronously; an error rolls back all its writes
   */
  write: <T>(actorId: string | null, work: () => T) => Promise<Written<T>>
  /**
   * Follows a write of another thread, whose success or failure counts for {@link GroupCommit.trouble}, too. Writes that wait for its
   * lock come before its next one.
   * @param write resolves with its last change; undefined if it made none
   */
  follow: <T extends Pick<Written<unknown>, 'seq'>>(write: Promise<T>) => Promise<T>
  /**
   * Why all writes fail: the files were replaced, or the latest write failed, e.g. because of a full disk.
   * Some seconds after that failure, a harmless write probes first. Undefined while writing works.
   */
  trouble: () => Promise<Error | undefined>
  /** Statistics of commits, and the queue. */
  readonly statistics: CommitStatistics
  /** Rejects queued and later writes. */
  close: () => void
}

/** Statistics of a group commit. */
interface CommitStatistics {
  /** Sizes of the committed groups. */
  readonly sizes: Distribution
  /** Durations of the commits, including their sync, in seconds. */
  readonly times: Distribution
  /** Writes that wait for their group. */
  queued: () => number
}

const stopped = () => new Error('the service has stopped')

/**
 * Creates the group commit of a database. Writes of one iteration of the event loop, or of several that follow closely,
 * run in one transaction, each in a savepoint of its own: one that throws is rolled back and rejected alone. No promise
 * resolves before the commit; if that fails, all reject and nothing is written. A single write does not wait for
 * others. While another process holds the write lock, writes wait, at most {@link BUSY_TIMEOUT} each, without blocking
 * the event loop. Nothing is committed to files that were replaced or removed since they were opened.
 * @param checkpoint runs one if it is time; called after each commit. It must not throw
 */
export function createGroupCommit(
  db: SharedDatabase,
  files: DatabaseFiles = NO_FILES,
  checkpoint: () => void = () => {},
): GroupCommit {
  const { $client: client } = db
  const attribution = attributionOf(db)
  const begin = client.prepare('begin immediate')
  const commit = client.prepare('commit')
  const rollback = client.prepare('rollback')
  const savepoint = client.prepare('savepoint work')
  const release = client.prepare('release work')
  const rollbackToSavepoint = client.prepare('rollback to work')
  const changes = client.prepare<[], number>('select total_changes()').pluck()
  const userVersion = client.prepare<[], number>('pragma user_version').pluck()
  /** The failure of the latest write, if it was no write's fault, and its time by `performance.now()`. */
  let failure: { error: Error; at: number } | undefined
  /** Whether, after such a failure, a write of the current group has changed rows. */
  let hasChanged = false
  let waiting: Waiting[] = []
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  const sizes = new Distribution(SIZES)
  const times = new Distribution(SECONDS)
  /** Until the first write: startup may wait for another process. */
  let waitsForLocks = true

  const rejectAll = (group: Waiting[], error: unknown) => {
    noteFault(error)
    for (const { reject } of group) reject(error)
  }

  function noteFault(error: unknown): void {
    const fault = faultOf(error)
    if (fault) failure = { error: fault, at: performance.now() }
  }

  function attempt({ actorId, work, resolve, reject }: Waiting): Outcome {
    savepoint.run()
    const changesBefore = failure && changes.get()
    try {
      const result = attribution.run(actorId, work)
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

  /** Rejects writes that have waited for the lock too long; retries the others. */
  function waitForLock(group: Waiting[], error: unknown): void {
    const now = performance.now()
    for (const one of group) one.lockedSince ??= now
    const isLate = ({ lockedSince = now }: Waiting) => now - lockedSince >= BUSY_TIMEOUT
    waiting = group.filter((one) => !isLate(one))
    rejectAll(group.filter(isLate), error)
    if (waiting.length > 0) retry = setTimeout(commitGroup, RETRY)
  }

  /**
   * Ends an iteration of the event loop in which writes were queued. If there are several, more are likely: the group
   * gathers them until a few iterations (which do not block) have brought none.
   * @param before number of queued writes when the iteration began
   * @param quietIterations number of iterations without new writes
   */
  function endIteration(before: number, quietIterations: number): void {
    const quiet = waiting.length > before ? 0 : quietIterations + 1
    const isGathering = waiting.length > 1 && waiting.length < LARGE && quiet < QUIET
    if (isGathering) setImmediate(endIteration, waiting.length, quiet)
    else commitGroup()
  }

  function commitGroup(): void {
    clearTimeout(retry)
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
      attribution.begin()
      const outcomes = group.map(attempt)
      const lost = files.lost()
      if (lost) throw lost
      const before = performance.now()
      commit.run()
      times.add((performance.now() - before) / 1000)
      sizes.add(group.length)
      if (hasChanged && failure === earlier) failure = undefined
      for (const settle of outcomes) settle()
      checkpoint()
    } catch (error) {
      rejectAll(group, error)
      if (client.inTransaction) rollback.run()
    }
  }

  const write: GroupCommit['write'] = (actorId, work) =>
    new Promise((resolve, reject) => {
      if (isClosed) throw stopped()
      // After the callbacks of this iteration, before the loop polls for new events.
      if (waiting.length === 0) setImmediate(endIteration, 0, 0)
      waiting.push({ actorId, work, resolve, reject, lockedSince: undefined })
    })

  const follow: GroupCommit['follow'] = async (writing) => {
    const earlier = failure
    try {
      const written = await writing
      if (written.seq !== undefined && failure === earlier) failure = undefined
      return written
    } catch (error) {
      noteFault(error)
      throw error
    } finally {
      // The thread gets its next task later in this turn.
      if (retry !== undefined) commitGroup()
    }
  }

  /** Writes `user_version`, which nothing uses, unchanged: a page of the log, and a sync. */
  async function probe(): Promise<void> {
    try {
      await write(null, () => {
        client.pragma(`user_version = ${userVersion.get()}`)
      })
      failure = undefined
    } catch {
      // The write has recorded a fault; another process's lock is none.
    }
  }

  return {
    write,
    follow,
    trouble: async () => {
      const lost = files.lost()
      if (lost) return lost
      if (failure && performance.now() - failure.at >= PROBE_AFTER && files.hasRoom()) {
        failure.at = performance.now()
        await probe()
      }
      return failure?.error
    },
    statistics: { sizes, times, queued: () => waiting.length },
    close: () => {
      isClosed = true
      clearTimeout(retry)
      rejectAll(waiting, stopped())
      waiting = []
    },
  }
}
