/** Stores the outcome of a delivery, with retries until it succeeds: a full disk must not cause a second delivery. */
import type { Clock } from './clock.ts'

/** Milliseconds after which it tries again to store an outcome. */
const STORE_AGAIN = 5000

/** Waits, or until the signal. */
function wait(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(milliseconds, end)
    signal.addEventListener('abort', end)
  })
}

/** The dependencies of storing. */
interface StoringOptions {
  clock: Clock
  /** Aborted when the service stops: then it tries once more. */
  stopping: AbortSignal
  warn: (error: unknown) => void
}

/** Stores an outcome. @throws the error of the last attempt, when the service stops */
export async function untilStored<T>(
  write: () => Promise<T>,
  { clock, stopping, warn }: StoringOptions,
): Promise<T> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (stopping.aborted) throw error
      warn(error)
      await wait(clock, STORE_AGAIN, stopping)
    }
  }
}
