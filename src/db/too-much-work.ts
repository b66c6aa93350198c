/** Thrown before work that would take too long on this thread: see `work-limits.ts`. */

/** Too much work for the event loop. Never becomes a response: the worker thread takes over. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

/** Too much work for one transaction. Never becomes a response: it is done in slices (see `large-writes.ts`). */
export class LargeWork extends Error {
  override readonly name = 'LargeWork'
}
