/**
 * Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html): their text, and the body of a
 * response that has no end.
 */
import { Readable, type Writable } from 'node:stream'

/** An event. @param data a text without line breaks, e.g. JSON */
export const eventText = (type: string, data: string, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${data}\n\n`

/** A comment that tells the client, which dispatches nothing, where to go on. */
export const placeText = (id: number): Buffer => Buffer.from(`:\nid: ${id}\n\n`)

/**
 * The body of a stream of events: text goes out at once, or waits until the client has read what went before. At most one
 * text waits; whoever sends looks at {@link waitsSince} before.
 */
export class EventStream extends Readable {
  /** Since when a text has waited for the client to read, by `performance.now()`; undefined: it takes more. */
  waitsSince: number | undefined
  readonly #response: Pick<Writable, 'writableLength'>
  readonly #onReady: () => void
  readonly #onClose: () => void
  /** The latest texts, from before the first that is not sent yet. */
  #latest: Buffer[] = []

  /**
   * @param response what it is the body of
   * @param onReady is called when a client that was waited for takes more; `onClose`, when either side has ended it
   */
  constructor(response: Pick<Writable, 'writableLength'>, onReady: () => void, onClose: () => void) {
    // Any text is enough for it to wait: see `send`.
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

  /** The texts that the system has not taken yet, oldest first: they are in memory. */
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

  /** Ends the response; at once, where the client does not read. */
  end(): void {
    if (this.waitsSince === undefined) this.push(null)
    else this.destroy()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onClose()
    done(error)
  }
}
