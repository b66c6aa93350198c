import { performance } from 'node:perf_hooks'

/** Milliseconds, and the fraction of them that the event loop may be busy. */
const QUIET = 1000
const BUSY = 0.1

/** Calls a function once, as soon as the event loop has been idle for a second. Does not keep the process running. */
export function whenIdle(act: () => void): void {
  const before = performance.eventLoopUtilization()
  setTimeout(() => {
    if (performance.eventLoopUtilization(before).utilization > BUSY) whenIdle(act)
    else act()
  }, QUIET).unref()
}

/** The same, or when the process ends before. */
export function whenIdleOrAtExit(act: () => void): void {
  process.once('exit', act)
  whenIdle(() => {
    process.off('exit', act)
    act()
  })
}
