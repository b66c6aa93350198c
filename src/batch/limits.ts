/** How much the requests of a batch may do, in either thread. */
import type { SharedDatabase } from '../db/client.ts'
import { withDeadline } from '../db/deadline.ts'
import { BYTES_READ, isFollowedByWorker, TooMuchWork, withinWork } from '../db/work-limits.ts'
import { ApiError, tookTooLong } from '../errors.ts'

/**
 * Performs one request of a batch.
 * @param size bytes of the results of those before it
 * @throws TooMuchWork, for the worker thread to take over; ApiError 413 or 503
 */
export type WithinLimits = (size: number, perform: () => void) => void

/** Milliseconds that the requests of all batches may take in one turn of the event loop. */
const TURN = 20

/** Creates the limits of the event loop. @param now the time in milliseconds, from anywhere */
export function createLoopLimits(db: SharedDatabase, now: () => number): WithinLimits {
  if (!isFollowedByWorker(db)) return (_size, perform) => perform()
  /** Milliseconds used in this turn of the event loop. */
  let taken = 0
  return (size, perform) => {
    if (taken > TURN || size > BYTES_READ) throw new TooMuchWork()
    const before = now() - taken
    if (taken === 0) setImmediate(() => (taken = 0))
    try {
      perform()
    } finally {
      taken = now() - before
    }
  }
}

/** Milliseconds of work in the worker thread after which no further request begins. On a busy machine it takes longer, but is as much. */
const LONGEST = 1000

/** The multiple of the time that is left for one statement, by the clock: the machine may be busy. */
const CLOCK_FACTOR = 4

/** The row limit of a single request, as a multiple of that on the event loop: rows written in some 0.2 s. */
const WORK_FACTOR = 20

/** The CPU time of this thread in milliseconds. */
function busyTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Refuses batches that would make others wait for too long. */
const tooMuch = () => new ApiError(413, 'Too much for one batch')

/** The limits of a batch that begins now in the worker thread. @param longest milliseconds of work */
export function limitsInWorker(db: SharedDatabase, longest = LONGEST): WithinLimits {
  const before = busyTime()
  const used = () => busyTime() - before
  /** If the thread has mostly waited, for a processor or the disk, that is the machine's fault. */
  const over = () => (used() > longest / 2 ? tooMuch() : tookTooLong('Batch'))

  return (_size, perform) => {
    const left = longest - used()
    if (left <= 0) throw tooMuch()
    try {
      withDeadline(db, CLOCK_FACTOR * left, over, () => withinWork(db, WORK_FACTOR, perform))
    } catch (error) {
      throw error instanceof TooMuchWork ? tooMuch() : error
    }
  }
}
