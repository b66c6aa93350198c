/** Limits of requests with share links, which need no other credential. */
import { tooManyRequests } from '../errors.ts'
import { clientAt } from './addresses.ts'
import { RequestLimit } from './request-counts.ts'

/** The window, in seconds. */
const WINDOW = 60
/** Reads per window from one address (see {@link clientAt}): an office may share one address. */
export const READS = 300
/** Invalid links per window from one address. */
export const FAILURES = 30

const refuse = (seconds: number) => tooManyRequests('Too Many Requests', seconds, 'rate_limited')

/** Limits the reads of an address, and its reads with invalid links. Both count before the link is looked up. */
export class ShareLimits {
  readonly #reads = new RequestLimit(READS, WINDOW, refuse)
  readonly #failures = new RequestLimit(FAILURES, WINDOW, refuse)

  /** Counts a request, as a failed one. @throws ApiError 429 with Retry-After when there were too many */
  count(address: string): void {
    const client = clientAt(address)
    this.#reads.count(client)
    this.#failures.count(client)
  }

  /** Uncounts a failure of {@link count}: the link is valid. */
  forgive(address: string): void {
    this.#failures.uncount(clientAt(address))
  }
}
