/** Counts requests by client, in windows of time. Windows end by a monotonic clock: the system's may be set back. */

import { getOrMake } from '../once.ts'

/** The window of a client, which begins with its first request. */
interface Window {
  count: number
  /** By `performance.now()`. */
  endsAt: number
}

export class RequestCounts {
  readonly #length: number
  /** In the order of their ends. */
  readonly #windows = new Map<string, Window>()

  /** @param length of a window, in milliseconds */
  constructor(length: number) {
    this.#length = length
  }

  /** Counts a request. @returns its client's requests in this window, and the milliseconds until it ends */
  count(client: string): { count: number; rest: number } {
    const now = performance.now()
    for (const [ended, { endsAt }] of this.#windows) {
      if (endsAt > now) break
      this.#windows.delete(ended)
    }
    const window = getOrMake(this.#windows, client, () => ({ count: 0, endsAt: now + this.#length }))
    window.count++
    return { count: window.count, rest: window.endsAt - now }
  }

  /** Takes back a request of the current window. */
  uncount(client: string): void {
    const window = this.#windows.get(client)
    if (window) window.count--
  }
}

/** A limit of requests per client. */
export class RequestLimit {
  readonly #counts: RequestCounts
  readonly #most: number
  readonly #seconds: number
  readonly #refuse: (seconds: number) => Error

  /**
   * @param most requests in a window
   * @param seconds the length of a window
   * @param refuse makes the error of a request above the limit, from the seconds until the window ends
   */
  constructor(most: number, seconds: number, refuse: (seconds: number) => Error) {
    this.#counts = new RequestCounts(seconds * 1000)
    this.#most = most
    this.#seconds = seconds
    this.#refuse = refuse
  }

  /** Counts a request, also one above the limit. @throws what `refuse` makes */
  count(client: string): void {
    const { count, rest } = this.#counts.count(client)
    if (count > this.#most) throw this.#refuse(Math.min(Math.ceil(rest / 1000), this.#seconds))
  }

  /** Takes back a request of the current window. */
  uncount(client: string): void {
    this.#counts.uncount(client)
  }
}
