/** The card whose dialog is open: where it is, and the ETag that edits of its texts are sent with. */
import { signal } from '@preact/signals'
import { type Answer, api, type KanbanItem, PhaseboardError } from '../common/api.ts'
import { takeItem } from '../common/item-writes.ts'
import { appliedSeq } from '../common/live.ts'
import type { OpenProject } from '../common/open-project.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { read } from '../common/session.ts'

/** Where a card is, as far as it is not where the dialog looks for it. */
export type Whereabouts = { step: 'unknown' } | { step: 'missing' } | { step: 'elsewhere'; projectId: string }

const isMissing = (error: unknown) => error instanceof PhaseboardError && error.status === 404

export class OpenCard {
  readonly id: string
  readonly store: ProjectStore
  readonly whereabouts = signal<Whereabouts>({ step: 'unknown' })
  /** The card as of the ETag that is known; undefined before any is. */
  tagged: { item: KanbanItem; etag: string | undefined } | undefined

  constructor({ store }: OpenProject, id: string) {
    this.store = store
    this.id = id
  }

  /** What the names of its drafts begin with. */
  get draftPrefix(): string {
    return `kanban-item:${this.id}`
  }

  /** Looks where the card is, and which ETag it has. Without an answer nothing is known, which the next edit asks for. */
  async look(): Promise<void> {
    await this.readAgain().catch((error) => {
      if (isMissing(error)) this.whereabouts.value = { step: 'missing' }
    })
  }

  /** Reads the card with its ETag. @throws PhaseboardError */
  async readAgain(): Promise<KanbanItem> {
    const seq = appliedSeq()
    const answer = await read(() => api.request('get', '/api/kanban-items/{id}', { path: { id: this.id } }))
    if (answer.data.projectId === this.store.id) {
      this.take(answer, seq)
      this.whereabouts.value = { step: 'unknown' }
    } else this.whereabouts.value = { step: 'elsewhere', projectId: answer.data.projectId }
    return answer.data
  }

  /** Takes over what an answer says of the card. @param seq what it knows, if the answer does not say it */
  take(answer: Answer<KanbanItem>, seq?: number): void {
    this.tagged = { item: answer.data, etag: answer.etag }
    takeItem(this.store, answer, seq)
  }
}
