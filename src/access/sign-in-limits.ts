/** Limits of failed sign-ins. */
import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { tooManyRequests } from '../errors.ts'
import { emailKey } from '../members/emails.ts'
import { once } from '../once.ts'
import { clientAt } from './addresses.ts'
import { consumePoint } from './consume-point.ts'

/** The window, in seconds. */
const WINDOW = 60
/** Failures a window for one account from one address (see {@link clientAt}): password guessing. */
const PER_PAIR = 10
/** Failures a window from one address: password spraying. */
const PER_ADDRESS = 50

/** Created lazily, with its library, by the first sign-in. */
async function createLimiters() {
  const { RateLimiterMemory } = await import('./rate-limiter.ts')
  return {
    pairs: new RateLimiterMemory({ points: PER_PAIR, duration: WINDOW }),
    addresses: new RateLimiterMemory({ points: PER_ADDRESS, duration: WINDOW }),
  }
}

/**
 * Limits failed sign-ins per pair of address and account, and per address; never per account alone, so that an attacker
 * cannot lock out a member. Attempts are counted before the password is checked, so that concurrent guesses count too, and
 * uncounted if the sign-in succeeds.
 */
export function createSignInLimits() {
  const limiters = once(createLimiters)
  const pairKey = (client: string, email: string) => `${client} ${emailKey(email)}`

  const consume = (limiter: RateLimiterMemory, key: string): Promise<void> =>
    consumePoint(limiter, key, (seconds) =>
      tooManyRequests('Too many failed sign-ins', seconds, 'too_many_sign_ins'),
    )

  return {
    /** Counts an attempt. @throws ApiError 429 with Retry-After when there were too many */
    async count(address: string, email: string): Promise<void> {
      const { pairs, addresses } = await limiters()
      const client = clientAt(address)
      await consume(addresses, client)
      try {
        await consume(pairs, pairKey(client, email))
      } catch (refusal) {
        // A rejected attempt does not count: retrying one account must not use up the limit of the address.
        await addresses.reward(client)
        throw refusal
      }
    },
    /** Uncounts an attempt of {@link count}: the sign-in succeeded. */
    async forgive(address: string, email: string): Promise<void> {
      const { pairs, addresses } = await limiters()
      const client = clientAt(address)
      await addresses.reward(client)
      await pairs.reward(pairKey(client, email))
    },
  }
}

/** Counts attempts, and uncounts successful ones. */
export type SignInLimits = ReturnType<typeof createSignInLimits>
