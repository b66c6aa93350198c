/**
 * Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html): their text, and the body of an
 * endless response.
 */
import { Readable, type Writable } from 'node:stream'

/** An event. @param data a text without line breaks, e.g. JSON */
export const eventText = (type: string, data: string, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`

/** A comment that sets the client's resume position without dispatching an event. */
export const placeText = (id: number): Buffer => Buffer.from(`:\nid: ${id}\n\n`)

/**
 * The body of a stream of events: text is sent at once, or waits until the client has read the previous one. At most one
 * text waits; check {@link waitsSince} before sending.
 */
export class EventStream extends Readable {
  /** When the waiting text began to wait, by `performance.now()`; undefined: it accepts more. */
  waitsSince: number | undefined
  readonly #response: Pick<Writable, 'writableLength'>
  readonly #onReady: () => void
  readonly #onClose: () => void
  /** The latest texts, starting before the first unsent one. */
  #latest: Buffer[] = []

  /**
   * @param response the response that it is the body of
   * @param onReady called when a slow client accepts more; `onClose`, when either side has ended it
   */
  constructor(response: Pick<Writable, 'writableLength'>, onReady: () => void, onClose: () => void) {
    // Any text makes it wait: see `send`.
    super({ highWaterMark: 1 })
    this.#response = response
    this.#onReady = onReady
    this.#onClose = onClose
  }

  /** Sends text, whole events only. */
  send(text: Buffer): void {
    this.#latest = [...this.unsent(), text]
    if (!this.push(text)) this.waitsSince = performance.now()
  }

  /** The texts that the system has not accepted yet, oldest first: they are in memory. */
  unsent(): readonly Buffer[] {
    if (this.destroyed) return []
    let rest = this.readableLength + this.#response.writableLength
    let first = this.#latest.length
    while (rest > 0 && first > 0) {
      first--
      rest -= (this.#latest[first] as Buffer).length
    }
    return this.#latest.slice(first)
  }

  override _read(): void {
    if (this.waitsSince === undefined) return
    this.waitsSince = undefined
    this.#onReady()
  }

  /** Ends the response; at once if the client does not read. @param last sent before */
  end(last?: Buffer): void {
    if (this.waitsSince === undefined) {
      if (last !== undefined) this.push(last)
      this.push(null)
    } else this.destroy()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onClose()
    done(error)
  }
}
