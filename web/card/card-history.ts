/** The changes and the activity of a card. They load page by page with its dialog, and the stream keeps them current. */
import { signal } from '@preact/signals'
import { api, type Change, isNotFound, type KanbanActivity } from '../common/api.ts'
import { onChange, onReset } from '../common/live.ts'
import { read } from '../common/session.ts'
import { together } from '../common/together.ts'
import type { HistorySources } from './history.ts'

/** The number of changes on a page. */
const PAGE = 40

export class CardHistory {
  readonly #id: string
  readonly #changes = new Map<number, Change>()
  #activity: readonly KanbanActivity[] = []
  /** The cursor of the next page; undefined if there is none, or nothing is loaded yet. */
  #cursor: number | undefined
  /** The loaded entries; undefined before the first page. */
  readonly sources = signal<HistorySources | undefined>(undefined)
  readonly failure = signal<unknown>(undefined)

  constructor(id: string) {
    this.#id = id
  }

  /** Loads the newest page and follows new changes. @returns ends that */
  start(): () => void {
    const end = together(
      onChange((change) => {
        if (change.itemId === this.#id) this.#add([change])
      }),
      onReset(() => void this.load()),
    )
    void this.load()
    return end
  }

  /** Loads the newest page again. */
  async load(): Promise<void> {
    const path = { id: this.#id }
    await this.#try(async () => {
      const [activity] = await Promise.all([
        // A deleted card has no activity left, but its changes remain.
        api.get('/api/kanban-items/{id}/activity', { path }).catch(unlessMissing),
        this.#readPage(undefined),
      ])
      this.#activity = activity
    })
  }

  /** Loads the next page. */
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
  if (isNotFound(error)) return []
  throw error
}
