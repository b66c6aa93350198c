/** Limits of requests with share links, which need no other credential. */
import { clientAt } from './addresses.ts'
import { RequestLimit } from './request-counts.ts'

/** The window, in seconds. */
const WINDOW = 60
/** Reads per window from one address (see {@link clientAt}): an office may share one address. */
export const READS = 300
/** Invalid links per window from one address. */
export const FAILURES = 30

/** Limits the reads of an address, and its reads with invalid links. Both count before the link is looked up. */
export class ShareLimits {
  readonly #reads = new RequestLimit(READS, WINDOW)
  readonly #failures = new RequestLimit(FAILURES, WINDOW)

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
