/** The changes and the activity of a card: read with its dialog, in pages, and kept current by the stream. */
import { signal } from '@preact/signals'
import { api, type Change, type KanbanActivity, PhaseboardError } from '../common/api.ts'
import { onChange, onReset } from '../common/live.ts'
import { read } from '../common/session.ts'
import type { HistorySources } from './history.ts'

/** Changes on a page. */
const PAGE = 40

export class CardHistory {
  readonly #id: string
  readonly #changes = new Map<number, Change>()
  #activity: readonly KanbanActivity[] = []
  /** Where the next page begins; undefined where there is none, or nothing is read yet. */
  #cursor: number | undefined
  /** What is known; undefined before the first page. */
  readonly sources = signal<HistorySources | undefined>(undefined)
  readonly failure = signal<unknown>(undefined)

  constructor(id: string) {
    this.#id = id
  }

  /** Reads the newest page, and follows what happens. @returns what ends it */
  start(): () => void {
    const ends = [
      onChange((change) => {
        if (change.itemId === this.#id) this.#add([change])
      }),
      onReset(() => void this.load()),
    ]
    void this.load()
    return () => {
      for (const end of ends) end()
    }
  }

  /** Reads from the newest on. */
  async load(): Promise<void> {
    const path = { id: this.#id }
    await this.#try(async () => {
      const [activity] = await Promise.all([
        // Gone with a deleted card, whose changes remain.
        api.get('/api/kanban-items/{id}/activity', { path }).catch(unlessMissing),
        this.#readPage(undefined),
      ])
      this.#activity = activity
    })
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    await this.#try(() => this.#readPage(this.#cursor))
  }

  async #try(request: () => Promise<void>): Promise<void> {
    try {
      await read(request)
      this.failure.value = undefined
      this.#show()
    } catch (error) {
      this.failure.value = error
    }
  }

  async #readPage(cursor: number | undefined): Promise<void> {
    const path = { id: this.#id }
    const query = { limit: PAGE, cursor }
    const changes = await api.get('/api/kanban-items/{id}/changes', { path, query })
    for (const change of changes) this.#changes.set(change.seq, change)
    this.#cursor = changes.length < PAGE ? undefined : changes.at(-1)?.seq
  }

  #add(changes: readonly Change[]): void {
    for (const change of changes) this.#changes.set(change.seq, change)
    if (this.sources.peek() !== undefined) this.#show()
  }

  #show(): void {
    this.sources.value = {
      changes: [...this.#changes.values()],
      activity: this.#activity,
      isComplete: this.#cursor === undefined,
    }
  }
}

function unlessMissing(error: unknown): KanbanActivity[] {
  if (error instanceof PhaseboardError && error.status === 404) return []
  throw error
}
