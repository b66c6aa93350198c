/** Gaps between the writes of one thread, so that others, which retry every millisecond, get the write lock. */

/** Milliseconds of a write after which a gap follows. */
const LONG = 20

/** Length of the gap, in milliseconds. */
const GAP = 5

const asleep = new Int32Array(new SharedArrayBuffer(4))

/** Puts the thread to sleep. */
const sleep = (milliseconds: number): void => {
  Atomics.wait(asleep, 0, 0, milliseconds)
}

/**
 * Creates the runner of writes: after a long one, the next waits for the gap.
 * @param now the time in milliseconds, from anywhere
 * @param pause puts the thread to sleep
 */
export function createLockGaps(now: () => number = () => performance.now(), pause = sleep) {
  let earliest = Number.NEGATIVE_INFINITY
  return <T>(write: () => T): T => {
    const startedAt = now()
    if (startedAt < earliest) pause(earliest - startedAt)
    const begunAt = now()
    try {
      return write()
    } finally {
      const endedAt = now()
      if (endedAt - begunAt > LONG) earliest = endedAt + GAP
    }
  }
}
