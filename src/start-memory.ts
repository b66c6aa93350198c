/** Frees the memory that only startup needed (docs/decisions/068-memory-of-the-start.md). */
import { garbageCollector } from './garbage.ts'
import { whenIdle } from './idle.ts'

/**
 * Collects garbage once, as soon as the event loop has been idle for a second. V8 collects twice then, which takes 51 ms on a
 * quiet machine and up to 280 ms on a busy one; no request should wait for that.
 */
export function releaseStartMemory(): void {
  // Other collections keep the pages for later allocations.
  whenIdle(() => garbageCollector()?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
}
