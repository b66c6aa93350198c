/** How long to wait before the next attempt. */
import type { PhaseboardError } from './errors.ts'

/** The first pause, in milliseconds, which doubles with each attempt. */
const FIRST = 250
/** Longest pause that the service may request, in milliseconds: the window of its rate limit. */
const LONGEST_ASKED = 60_000

/** Whether a retry may succeed. */
export const isPassing = ({ status }: PhaseboardError): boolean => [0, 429, 502, 503, 504].includes(status)

/**
 * The pause after a failure: exponential backoff with jitter, so that clients do not retry at once, and at least as long as
 * the service requests.
 * @param failures number of failed attempts before
 * @param longest pause without a request of the service, in milliseconds
 * @returns milliseconds; undefined if the service requests too long a pause
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

/** Waits until the time is over or the signal is aborted. */
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
