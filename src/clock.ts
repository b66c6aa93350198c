/** The clock of work in the background, replaceable in tests. */

/** A clock, in milliseconds. */
export interface Clock {
  /** Since 1970, by the system clock, which may be set forward and back. */
  now: () => number
  /** Monotonic, since an arbitrary time. */
  elapsed: () => number
  /** Calls a function after the time has passed, unless the returned function is called first. Does not keep the process alive. */
  after: (milliseconds: number, call: () => void) => () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}
