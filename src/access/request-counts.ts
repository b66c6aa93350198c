/** Counts requests by client, in windows of time. Windows end by a monotonic clock: the system's may be set back. */

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
    const window = this.#windows.get(client) ?? { count: 0, endsAt: now + this.#length }
    if (window.count === 0) this.#windows.set(client, window)
    window.count++
    return { count: window.count, rest: window.endsAt - now }
  }
}
