/** Gaps between the writes of one thread, in which others come by the write lock: for them it is asked for every millisecond. */

/** Milliseconds of a write after which others come first. */
const LONG = 20

/** Milliseconds that the lock is left to them. */
const GAP = 5

const asleep = new Int32Array(new SharedArrayBuffer(4))

/** Puts the thread to sleep. */
const sleep = (milliseconds: number): void => {
  Atomics.wait(asleep, 0, 0, milliseconds)
}

/**
 * Creates what runs writes: after a long one, the next waits for a moment.
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
