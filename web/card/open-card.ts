/** The card whose dialog is open: its location, and the ETag for edits of its texts. */
import { signal } from '@preact/signals'
import type { Made } from '../common/actors.ts'
import { type Answer, api, type Change, isNotFound, type KanbanItem } from '../common/api.ts'
import { takeItem } from '../common/item-writes.ts'
import { appliedSeq } from '../common/live.ts'
import type { OpenProject } from '../common/open-project.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { read } from '../common/session.ts'

/** The location of a card that is not where the dialog expects it. */
type Whereabouts =
  | { step: 'unknown' }
  | { step: 'missing'; deletion: Change | undefined }
  | { step: 'elsewhere'; projectId: string }

/** The props of the parts of the card's dialog. */
export interface CardPartProps {
  card: OpenCard
  item: KanbanItem
  canEdit: boolean
}

export class OpenCard {
  readonly id: string
  readonly store: ProjectStore
  readonly whereabouts = signal<Whereabouts>({ step: 'unknown' })
  /** The creator, once the history is loaded; null if the history does not contain the creation. */
  readonly maker = signal<Made | null | undefined>(undefined)
  /** The card at the known ETag; undefined before one is known. */
  tagged: { item: KanbanItem; etag: string | undefined } | undefined

  constructor({ store }: OpenProject, id: string) {
    this.store = store
    this.id = id
  }

  /** The prefix of the names of its drafts. */
  get draftPrefix(): string {
    return `kanban-item:${this.id}`
  }

  /** Loads the card's location and ETag. If that fails they stay unknown, and the next edit loads them. */
  async look(): Promise<void> {
    await this.readAgain().catch(async (error) => {
      if (isNotFound(error)) this.whereabouts.value = { step: 'missing', deletion: await this.#deletion() }
    })
  }

  /** The change that deleted the card from this project, if its history is still kept and ends with it. */
  async #deletion(): Promise<Change | undefined> {
    const path = { id: this.id }
    const [last] = await api
      .get('/api/kanban-items/{id}/changes', { path, query: { limit: 1 } })
      .catch(() => [])
    const isDeletion = last?.kind === 'kanban-item' && last.action === 'deleted'
    return isDeletion && last.projectId === this.store.id ? last : undefined
  }

  /** Loads the card with its ETag. @throws PhaseboardError */
  async readAgain(): Promise<KanbanItem> {
    const seq = appliedSeq()
    const answer = await read(() => api.request('get', '/api/kanban-items/{id}', { path: { id: this.id } }))
    if (answer.data.projectId === this.store.id) {
      this.take(answer, seq)
      this.whereabouts.value = { step: 'unknown' }
    } else this.whereabouts.value = { step: 'elsewhere', projectId: answer.data.projectId }
    return answer.data
  }

  /** Stores the card from a response. @param seq the response's last change, if the response does not have it */
  take(answer: Answer<KanbanItem>, seq?: number): void {
    this.tagged = { item: answer.data, etag: answer.etag }
    takeItem(this.store, answer, seq)
  }
}
