/** The time as deliveries see it: tests have a clock of their own. */

/** A clock, in milliseconds. */
export interface Clock {
  /** Since 1970, by the system's clock: it may be set, forward and back. */
  now: () => number
  /** Since some moment; never set. */
  elapsed: () => number
  /** Calls once the time has passed, unless the function that it returns is called before. Keeps no process alive. */
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
