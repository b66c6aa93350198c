/** Texts that wait for the worker: one after the other, and a worker that takes too long for one is ended. */
import { DEADLINE, LONGEST } from './limits.ts'

/** What the worker says: first that it is there, then what each text is as HTML, undefined where it is too much. */
export type Answer = 'ready' | { html: string | undefined }

/** A worker, as far as this needs one. */
export interface Renderer {
  onmessage: ((event: { data: Answer }) => void) | null
  onerror: ((event: unknown) => void) | null
  postMessage(text: string): void
  terminate(): void
}

/** Texts that are remembered, with what came of them: to show them again at once, or not to try them again. */
const REMEMBERED = 100

interface Waiting {
  text: string
  signal: AbortSignal | undefined
  resolve: (html: string | undefined) => void
  reject: (error: Error) => void
}

/** Makes HTML of Markdown, in a worker that is started when the first text needs it. */
export class MarkdownQueue {
  readonly #start: () => Renderer
  readonly #deadline: number
  readonly #known = new Map<string, string | undefined>()
  #waiting: Waiting[] = []
  #current: Waiting | undefined
  #worker: Renderer | undefined
  #isReady = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param deadline how long a text may take, in milliseconds; loading the worker does not count */
  constructor(start: () => Renderer, deadline = DEADLINE) {
    this.#start = start
    this.#deadline = deadline
  }

  /** What is known of a text already: `html` is undefined where it shows as it is. Undefined where nothing is known. */
  known(text: string): { html: string | undefined } | undefined {
    if (text.length > LONGEST) return { html: undefined }
    return this.#known.has(text) ? { html: this.#known.get(text) } : undefined
  }

  /**
   * A text as HTML.
   * @param signal of who has lost interest in it
   * @returns undefined where it shows as it is: too long, nested too deep, or not done in time
   * @throws Error where there is no worker: its script is gone from the service, say
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

  /** Nothing can be rendered now; the next text tries again. */
  #fail(cause: unknown): void {
    this.#end(this.#worker)
    const error = new Error('the worker for Markdown does not start', { cause })
    const all = [this.#current, ...this.#waiting]
    this.#current = undefined
    this.#waiting = []
    for (const one of all) one?.reject(error)
  }
}
