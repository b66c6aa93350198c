/** Counts requests by client, in windows of time. Windows end by a monotonic clock: the system's may be set back. */
import { tooManyRequests } from '../errors.ts'
import { getOrMake } from '../once.ts'

/** The window of a client, which begins with its first request. */
interface Window {
  count: number
  /** By `performance.now()`. */
  endsAt: number
}

export class RequestCounts {
  readonly #seconds: number
  /** In the order of their ends. */
  readonly #windows = new Map<string, Window>()

  /** @param seconds the length of a window */
  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /** Counts a request. @returns its client's requests in this window, and the seconds until it ends, rounded up */
  count(client: string): { count: number; seconds: number } {
    const now = performance.now()
    for (const [ended, { endsAt }] of this.#windows) {
      if (endsAt > now) break
      this.#windows.delete(ended)
    }
    const window = getOrMake(this.#windows, client, () => ({ count: 0, endsAt: now + this.#seconds * 1000 }))
    window.count++
    const seconds = Math.min(Math.ceil((window.endsAt - now) / 1000), this.#seconds)
    return { count: window.count, seconds }
  }

  /** Takes back a request of the current window. */
  uncount(client: string): void {
    const window = this.#windows.get(client)
    if (window) window.count--
  }
}

/** The 429 of most limits. */
export const rateLimited = (seconds: number) => tooManyRequests('Too Many Requests', seconds, 'rate_limited')

/** A limit of requests per client. */
export class RequestLimit {
  readonly #counts: RequestCounts
  readonly #most: number
  readonly #refuse: (seconds: number) => Error

  /**
   * @param most requests in a window
   * @param seconds the length of a window
   * @param refuse makes the error of a request above the limit, from the seconds until the window ends
   */
  constructor(most: number, seconds: number, refuse: (seconds: number) => Error = rateLimited) {
    this.#counts = new RequestCounts(seconds)
    this.#most = most
    this.#refuse = refuse
  }

  /** Counts a request, also one above the limit. @throws what `refuse` makes */
  count(client: string): void {
    const { count, seconds } = this.#counts.count(client)
    if (count > this.#most) throw this.#refuse(seconds)
  }

  /** Takes back a request of the current window. */
  uncount(client: string): void {
    this.#counts.uncount(client)
  }
}
