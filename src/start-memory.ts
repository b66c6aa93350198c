/** Frees the memory that only startup needed (docs/decisions/068-memory-of-the-start.md). */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds of idle time before that, and the fraction that the event loop may be busy. */
const QUIET = 1000
const BUSY = 0.1

/** V8's function, which it exposes to contexts created while the flag is set. */
type CollectGarbage = (how: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: CollectGarbage | undefined = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  // Other collections keep the pages for later allocations.
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/**
 * Collects garbage once, as soon as the event loop has been idle for a second. V8 collects twice then, which takes 51 ms on a
 * quiet machine and up to 280 ms on a busy one; no request should wait for that.
 */
export function releaseStartMemory(): void {
  const before = performance.eventLoopUtilization()
  setTimeout(() => {
    if (performance.eventLoopUtilization(before).utilization > BUSY) releaseStartMemory()
    else collectGarbage()
  }, QUIET).unref()
}
