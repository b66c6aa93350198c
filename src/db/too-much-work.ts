/** Thrown before work that would take too long on this thread: see `work-limits.ts`. */

/** Too much work for the event loop. Never becomes a response: the worker thread takes over. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}
