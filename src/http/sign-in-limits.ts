/** How often a sign-in may fail. */
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { tooManyRequests } from '../errors.ts'
import { emailKey } from '../members/emails.ts'
import { once } from '../once.ts'
import { clientAt } from './addresses.ts'

/** The window, in seconds. */
const WINDOW = 60
/** Failures a window for one account from one address (see {@link clientAt}): guessing a password. */
const PER_PAIR = 10
/** Failures a window from one address: trying one password on many accounts. */
const PER_ADDRESS = 50

/** Loaded by the first sign-in. */
async function createLimiters() {
  const { RateLimiterMemory } = await import('./rate-limiter.ts')
  return {
    pairs: new RateLimiterMemory({ points: PER_PAIR, duration: WINDOW }),
    addresses: new RateLimiterMemory({ points: PER_ADDRESS, duration: WINDOW }),
  }
}

/**
 * Limits failed sign-ins per address and account together, and per address; never per account alone, so that
 * nobody can lock somebody else out. Attempts are counted before the password is checked, so that parallel
 * guesses do not slip through, and given back when the sign-in succeeds.
 */
export function createSignInLimits() {
  const limiters = once(createLimiters)
  const pairKey = (client: string, email: string) => `${client} ${emailKey(email)}`

  async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
    try {
      await limiter.consume(key)
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal
      const { msBeforeNext } = refusal as RateLimiterRes
      // Counts end by a monotonic clock, but what is left of them is told by the system's, which may be set back.
      throw tooManyRequests('Too many failed sign-ins', Math.min(Math.ceil(msBeforeNext / 1000), WINDOW))
    }
  }

  return {
    /** Counts an attempt. @throws ApiError 429 with Retry-After when there were too many. */
    async count(address: string, email: string): Promise<void> {
      const { pairs, addresses } = await limiters()
      const client = clientAt(address)
      await consume(addresses, client)
      try {
        await consume(pairs, pairKey(client, email))
      } catch (refusal) {
        // A refused attempt is no failure: who retries one account must not use up the others' at this address.
        await addresses.reward(client)
        throw refusal
      }
    },
    /** Takes back what {@link count} counted: the sign-in succeeded. */
    async forgive(address: string, email: string): Promise<void> {
      const { pairs, addresses } = await limiters()
      const client = clientAt(address)
      await addresses.reward(client)
      await pairs.reward(pairKey(client, email))
    },
  }
}

/** Counts attempts, and takes back those that succeeded. */
export type SignInLimits = ReturnType<typeof createSignInLimits>
