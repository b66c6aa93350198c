/** The project behind a share link: loaded, and loaded again while the page is visible. It needs no user and no stream. */
import { signal } from '@preact/signals'
import { api, isNotFound } from '../common/api.ts'
import { addPeople } from '../common/people.ts'
import { ProjectStore } from '../common/project-store.ts'

/** The state of loading it. `gone`: the link is invalid. */
type SharedState =
  | { step: 'loading' }
  | { step: 'ready'; store: ProjectStore }
  | { step: 'gone' }
  | { step: 'failed'; error: unknown }

/** The time between two requests, in milliseconds. */
const PAUSE = 30_000

export class SharedProject {
  readonly state = signal<SharedState>({ step: 'loading' })
  readonly #secret: string
  #etag: string | undefined
  /** The number of responses, which orders them like changes. */
  #count = 0
  #asked = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(secret: string) {
    this.#secret = secret
  }

  /** Updates it. @returns a function that ends this */
  follow(): () => void {
    const next = () => this.#next()
    document.addEventListener('visibilitychange', next)
    next()
    return () => {
      document.removeEventListener('visibilitychange', next)
      clearTimeout(this.#timer)
    }
  }

  /** Loads it. If that fails, the shown board stays, unless the link is invalid. */
  async load(): Promise<void> {
    this.#asked = performance.now()
    try {
      await this.#read()
    } catch (error) {
      if (isNotFound(error)) this.state.value = { step: 'gone' }
      else if (this.state.peek().step !== 'ready') this.state.value = { step: 'failed', error }
    }
    this.#next()
  }

  /** Loads it at intervals, only while the page is visible. */
  #next(): void {
    clearTimeout(this.#timer)
    if (document.visibilityState === 'hidden' || this.state.peek().step === 'gone') return
    const wait = Math.max(0, this.#asked + PAUSE - performance.now())
    this.#timer = setTimeout(() => void this.load(), wait)
  }

  async #read(): Promise<void> {
    const { status, data, etag } = await api.request('get', '/api/shared/{secret}', {
      path: { secret: this.#secret },
      query: { expand: 'board' },
      ...(this.#etag !== undefined && { headers: { 'if-none-match': this.#etag } }),
    })
    if (status === 304) return
    this.#etag = etag
    const { people = {}, kanbanColumns: columns = [], kanbanItems, ...rest } = data
    // The link does not open attachments: a request for a cover would be refused.
    const project = { ...rest, kanbanItems: kanbanItems.map((item) => ({ ...item, coverId: null })) }
    addPeople(
      people,
      kanbanItems.flatMap(({ assigneeIds }) => assigneeIds),
    )
    const state = this.state.peek()
    const store = state.step === 'ready' ? state.store : new ProjectStore(project.id)
    store.load({ project, columns, labels: [] }, ++this.#count)
    if (state.step !== 'ready') this.state.value = { step: 'ready', store }
  }
}
