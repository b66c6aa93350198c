/** The comments of a card. They load with its dialog, the stream keeps them current, and the user writes them. */
import { signal } from '@preact/signals'
import { api, type Change, type KanbanComment, sending } from '../common/api.ts'
import { onChange, onReset } from '../common/live.ts'
import { applyTo } from '../common/project-store.ts'
import { readLive } from '../common/read-live.ts'
import { accepted, addRecord, ifThere, removeRecord, take } from '../common/record-writes.ts'
import { Records } from '../common/records.ts'
import { read } from '../common/session.ts'
import type { SavingOutcome } from '../common/text-edit/conflict.ts'
import { writeText } from '../common/text-edit/write-text.ts'
import type { Message } from '../common/toasts.ts'
import { together } from '../common/together.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

const PATH = '/api/kanban-comments/{id}'

export class CardComments {
  readonly records = new Records<KanbanComment>()
  /** The error of loading them, if any. */
  readonly failure = signal<unknown>(undefined)
  readonly #card: OpenCard

  constructor(card: OpenCard) {
    this.#card = card
  }

  /** Loads the comments and follows their changes. @returns ends that */
  start(): () => void {
    const end = together(
      onChange((change) => this.#apply(change)),
      onReset(() => void this.load()),
    )
    void this.load()
    return end
  }

  /** Reloads the comments. */
  async load(): Promise<void> {
    const path = { id: this.#card.id }
    try {
      await readLive(
        () => api.get('/api/kanban-items/{id}/comments', { path }),
        (comments, seq) => this.records.reset(comments, seq, true),
        (change) => this.#apply(change),
      )
      this.failure.value = undefined
    } catch (error) {
      this.failure.value = error
    }
  }

  #apply(change: Change): void {
    if (change.kind === 'kanban-comment' && change.itemId === this.#card.id) applyTo(this.records, change)
  }

  /** @throws PhaseboardError if the service refuses the write */
  async add(content: string): Promise<void> {
    const path = { id: this.#card.id }
    await addRecord({
      records: this.records,
      message: { text: texts.card.commentAdded, shown: 'heard' },
      ...sending('post', '/api/kanban-items/{id}/comments', { path, body: { content } }),
    })
  }

  /** Changes a comment, unless it has changed since `from`. @param shown where the message shows @throws PhaseboardError if the service refuses the write */
  change(id: string, text: string, from: string, shown: Message['shown'] = 'toast'): Promise<SavingOutcome> {
    return writeText({
      text,
      from,
      read: async () => {
        const answer = await read(() => api.request('get', PATH, { path: { id } }))
        return { value: answer.data.content, etag: answer.etag }
      },
      send: (ifMatch, idempotencyKey) =>
        api.request('patch', PATH, { path: { id }, body: { content: text }, ifMatch, idempotencyKey }),
      pending: [
        this.records.patch(
          id,
          ifThere((comment) => ({ ...comment, content: text })),
        ),
      ],
      onDone: (answer) => take(this.records, answer),
      message: { text: texts.card.commentChanged, shown },
    })
  }

  /** Deletes a comment. Shows a message if the service refuses. */
  async remove(id: string): Promise<void> {
    await accepted(
      removeRecord({
        records: this.records,
        message: texts.card.commentDeleted,
        id,
        ...sending('delete', PATH, { path: { id } }),
      }),
    )
  }
}
