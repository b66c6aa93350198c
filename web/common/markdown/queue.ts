/** The queue of the Markdown worker. It renders one text at a time. A worker that takes too long is terminated. */
import { DEADLINE, LONGEST } from './limits.ts'

/** The worker's messages: first that it is ready, then the HTML of each text, undefined if the text exceeds the limits. */
export type Answer = 'ready' | { html: string | undefined }

/** The part of the Worker interface that this module uses. */
export interface Renderer {
  onmessage: ((event: { data: Answer }) => void) | null
  onerror: ((event: unknown) => void) | null
  postMessage(text: string): void
  terminate(): void
}

/** The number of cached texts with their results. A cached failure is not tried again. */
const REMEMBERED = 100

interface Waiting {
  text: string
  signal: AbortSignal | undefined
  resolve: (html: string | undefined) => void
  reject: (error: Error) => void
}

/** Renders Markdown as HTML in a worker, which starts with the first text. */
export class MarkdownQueue {
  readonly #start: () => Renderer
  readonly #deadline: number
  readonly #known = new Map<string, string | undefined>()
  #waiting: Waiting[] = []
  #current: Waiting | undefined
  #worker: Renderer | undefined
  #isReady = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param deadline the maximum time for a text, in milliseconds, without the time to load the worker */
  constructor(start: () => Renderer, deadline = DEADLINE) {
    this.#start = start
    this.#deadline = deadline
  }

  /** The cached result of a text. Its `html` is undefined if the text shows as plain text. Undefined if nothing is cached. */
  known(text: string): { html: string | undefined } | undefined {
    if (text.length > LONGEST) return { html: undefined }
    return this.#known.has(text) ? { html: this.#known.get(text) } : undefined
  }

  /**
   * Renders a text as HTML.
   * @param signal aborts if the text is no longer needed
   * @returns undefined if it shows as plain text: too long, nested too deep, or past the deadline
   * @throws Error if there is no worker, e.g. because the service no longer has its script
   */
  html(text: string, signal?: AbortSignal): Promise<string | undefined> {
    const known = this.known(text)
    if (known) return Promise.resolve(known.html)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, signal, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    if (this.#current) return
    this.#waiting = this.#waiting.filter(({ signal }) => !signal?.aborted)
    this.#current = this.#waiting.shift()
    if (!this.#current) return
    try {
      this.#worker ??= this.#begin()
    } catch (error) {
      this.#fail(error)
      return
    }
    if (this.#isReady) this.#post(this.#worker, this.#current)
  }

  #begin(): Renderer {
    const worker = this.#start()
    worker.onmessage = ({ data }) => {
      if (data !== 'ready') {
        this.#settle(data.html)
        return
      }
      this.#isReady = true
      if (this.#current) this.#post(worker, this.#current)
    }
    worker.onerror = (event) => {
      if (this.#isReady) this.#giveUp(worker)
      else this.#fail(event)
    }
    return worker
  }

  #post(worker: Renderer, { text }: Waiting): void {
    this.#timer = setTimeout(() => this.#giveUp(worker), this.#deadline)
    worker.postMessage(text)
  }

  #giveUp(worker: Renderer): void {
    this.#end(worker)
    this.#settle(undefined)
  }

  #end(worker: Renderer | undefined): void {
    worker?.terminate()
    this.#worker = undefined
    this.#isReady = false
  }

  #settle(html: string | undefined): void {
    clearTimeout(this.#timer)
    const done = this.#current
    this.#current = undefined
    if (done) {
      this.#remember(done.text, html)
      done.resolve(html)
    }
    this.#next()
  }

  #remember(text: string, html: string | undefined): void {
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= REMEMBERED) this.#known.delete(oldest)
    this.#known.set(text, html)
  }

  /** Fails all waiting texts. The next text starts a new worker. */
  #fail(cause: unknown): void {
    this.#end(this.#worker)
    const error = new Error('the worker for Markdown does not start', { cause })
    const all = [this.#current, ...this.#waiting]
    this.#current = undefined
    this.#waiting = []
    for (const one of all) one?.reject(error)
  }
}
