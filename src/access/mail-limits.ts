/** Limits of requests that send mail, or need no credential but a link in one. */
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { tooManyRequests } from '../errors.ts'
import { once } from '../once.ts'
import { clientAt } from './addresses.ts'
import { consumePoint } from './consume-point.ts'

/** Test mails of a member in an hour. */
export const TEST_MAILS = 5
/** Requests with a link to unsubscribe from one address in a minute: a mail provider has one for many members. */
const LINK_REQUESTS = 300

/** Created lazily, with its library, by the first request. */
async function createLimiters() {
  const { RateLimiterMemory } = await import('./rate-limiter.ts')
  return {
    tests: new RateLimiterMemory({ points: TEST_MAILS, duration: 3600 }),
    links: new RateLimiterMemory({ points: LINK_REQUESTS, duration: 60 }),
  }
}

const consume = (limiter: RateLimiterMemory, key: string): Promise<void> =>
  consumePoint(limiter, key, (seconds) => tooManyRequests('Too Many Requests', seconds, 'rate_limited'))

/** Creates the limits; each throws an ApiError 429 with Retry-After. */
export function createMailLimits() {
  const limiters = once(createLimiters)
  return {
    /** Counts a test mail of a member. */
    countTest: async (memberId: string): Promise<void> => consume((await limiters()).tests, memberId),
    /** Counts a request with a link. */
    countLink: async (address: string): Promise<void> => consume((await limiters()).links, clientAt(address)),
  }
}
