/** Takes a point of a rate limiter. */
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/**
 * Takes a point.
 * @param key the client
 * @param refuse makes the error when none is left, from the seconds until there is one
 * @throws what `refuse` makes
 */
export async function consumePoint(
  limiter: RateLimiterMemory,
  key: string,
  refuse: (seconds: number) => Error,
): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    if (refusal instanceof Error) throw refusal
    const { msBeforeNext } = refusal as RateLimiterRes
    // Windows end by a monotonic clock, but the library computes the remaining time by the system clock, which may be set back.
    throw refuse(Math.min(Math.ceil(msBeforeNext / 1000), limiter.duration))
  }
}
