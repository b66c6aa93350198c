/** Changes of transcripts, and of the cards that came of them. */
import { api, type KanbanItem, type TranscriptSummary } from '../common/api.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { done, failed } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { changeRecord, removeRecord } from './record-writes.ts'
import { transcriptOf } from './transcripts.ts'

const words = texts.overview

/** Adds a transcript, and a card for each of its action items. @throws PhaseboardError */
export async function addTranscript(store: ProjectStore, fields: FormData): Promise<void> {
  const body = transcriptOf(store.id, fields)
  const { seq } = await write({
    send: (idempotencyKey) => api.request('post', '/api/ingest/transcript', { body, idempotencyKey }),
    onDone: ({ data, seq: made = 0 }) => {
      store.transcripts.put(data.transcript, made)
      for (const item of data.kanbanItems) store.items.put(item, made)
    },
  })
  done(seq, words.added(body.title))
}

export const removeTranscript = (store: ProjectStore, { id, title }: TranscriptSummary): void =>
  void removeRecord({
    records: store.transcripts,
    said: words.deleted(title),
    id,
    send: (idempotencyKey) =>
      api.request('delete', '/api/transcript-summaries/{id}', { path: { id }, idempotencyKey }),
  }).catch(failed)

/** Says what becomes of a card that is new: it is work to do, or it is not. */
export function review(store: ProjectStore, { id, title }: KanbanItem, isApproved: boolean): void {
  const body = isApproved ? { approved: true, isNew: false } : { dismissed: true, isNew: false }
  void changeRecord({
    records: store.items,
    said: isApproved ? words.approved(title) : words.dismissed(title),
    id,
    patch: (item) => ({ ...item, ...body }),
    send: (idempotencyKey) =>
      api.request('patch', '/api/kanban-items/{id}', { path: { id }, body, idempotencyKey }),
  }).catch(failed)
}
