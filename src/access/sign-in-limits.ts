/** Limits of failed sign-ins. */
import { tooManyRequests } from '../errors.ts'
import { emailKey } from '../members/emails.ts'
import { clientAt } from './addresses.ts'
import { RequestLimit } from './request-counts.ts'

/** The window, in seconds. */
const WINDOW = 60
/** Failures a window for one account from one address (see {@link clientAt}): password guessing. */
const PER_PAIR = 10
/** Failures a window from one address: password spraying. */
const PER_ADDRESS = 50

const refuse = (seconds: number) => tooManyRequests('Too many failed sign-ins', seconds, 'too_many_sign_ins')

const pairKey = (client: string, email: string) => `${client} ${emailKey(email)}`

/**
 * Limits failed sign-ins per pair of address and account, and per address; never per account alone, so that an attacker
 * cannot lock out a member. Attempts are counted before the password is checked, so that concurrent guesses count too, and
 * uncounted if the sign-in succeeds.
 */
export class SignInLimits {
  readonly #pairs = new RequestLimit(PER_PAIR, WINDOW, refuse)
  readonly #addresses = new RequestLimit(PER_ADDRESS, WINDOW, refuse)

  /** Counts an attempt. @throws ApiError 429 with Retry-After when there were too many */
  count(address: string, email: string): void {
    const client = clientAt(address)
    this.#addresses.count(client)
    try {
      this.#pairs.count(pairKey(client, email))
    } catch (refusal) {
      // A rejected attempt does not count: retrying one account must not use up the limit of the address.
      this.#addresses.uncount(client)
      throw refusal
    }
  }

  /** Uncounts an attempt of {@link count}: the sign-in succeeded. */
  forgive(address: string, email: string): void {
    const client = clientAt(address)
    this.#addresses.uncount(client)
    this.#pairs.uncount(pairKey(client, email))
  }
}
