/** How long to wait before the next attempt. */
import type { PhaseboardError } from './errors.ts'

/** The first pause, in milliseconds, which doubles with each attempt. */
const FIRST = 250
/** Longest pause that the service may ask for, in milliseconds: the window of its rate limit. */
const LONGEST_ASKED = 60_000

/** Whether the same request may well succeed a little later. */
export const isPassing = ({ status }: PhaseboardError): boolean => [0, 429, 502, 503, 504].includes(status)

/**
 * How long to wait after a failure: longer each time, at random, so that many clients do not come back at once; and as long as
 * the service asks for.
 * @param failures how many attempts have failed before
 * @param longest in milliseconds, of the client's own pauses
 * @returns milliseconds; undefined where the service asks for too long
 */
export function pauseAfter(
  error: PhaseboardError | undefined,
  failures: number,
  longest: number,
): number | undefined {
  const asked = (error?.retryAfter ?? 0) * 1000
  if (asked > LONGEST_ASKED) return undefined
  return asked + Math.min(longest, FIRST * 2 ** failures) * (0.5 + Math.random() / 2)
}

/** Waits. @returns when the time is over or the signal is aborted, whichever comes first */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
