/** Frees the memory that only startup needed (docs/decisions/068-memory-of-the-start.md). */
import { performance } from 'node:perf_hooks'
import { garbageCollector } from './garbage.ts'

/** Milliseconds of idle time before that, and the fraction that the event loop may be busy. */
const QUIET = 1000
const BUSY = 0.1

function collectGarbage(): void {
  // Other collections keep the pages for later allocations.
  garbageCollector()?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
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
