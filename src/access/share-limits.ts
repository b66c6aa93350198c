/** Limits of requests with share links, which need no other credential. */
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { tooManyRequests } from '../errors.ts'
import { once } from '../once.ts'
import { clientAt } from './addresses.ts'
import { consumePoint } from './consume-point.ts'

/** The window, in seconds. */
const WINDOW = 60
/** Reads per window from one address (see {@link clientAt}): an office may share one address. */
export const READS = 300
/** Invalid links per window from one address. */
export const FAILURES = 30

/** Created lazily, with its library, by the first request. */
async function createLimiters() {
  const { RateLimiterMemory } = await import('./rate-limiter.ts')
  return {
    reads: new RateLimiterMemory({ points: READS, duration: WINDOW }),
    failures: new RateLimiterMemory({ points: FAILURES, duration: WINDOW }),
  }
}

const consume = (limiter: RateLimiterMemory, client: string): Promise<void> =>
  consumePoint(limiter, client, (seconds) => tooManyRequests('Too Many Requests', seconds, 'rate_limited'))

/** Limits the reads of an address, and its reads with invalid links. Both count before the link is looked up. */
export function createShareLimits() {
  const limiters = once(createLimiters)
  return {
    /** Counts a request, as a failed one. @throws ApiError 429 with Retry-After when there were too many */
    async count(address: string): Promise<void> {
      const { reads, failures } = await limiters()
      const client = clientAt(address)
      await consume(reads, client)
      await consume(failures, client)
    },
    /** Uncounts a failure of {@link count}: the link is valid. */
    async forgive(address: string): Promise<void> {
      const { failures } = await limiters()
      await failures.reward(clientAt(address))
    },
  }
}
