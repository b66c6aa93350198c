/** Writes of transcripts, and of the cards created from them. */
import { sending, type TranscriptSummary } from '../common/api.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { accepted, added, removeRecord, take, writeWithMessage } from '../common/record-writes.ts'
import { texts } from '../texts.ts'
import { transcriptOf } from './transcripts.ts'

/** Adds a transcript, and one card for each action item. @throws PhaseboardError */
export async function addTranscript(store: ProjectStore, fields: FormData): Promise<void> {
  const body = transcriptOf(store.id, fields)
  await writeWithMessage(added(body.title), {
    ...sending('post', '/api/ingest/transcript', { body }),
    onDone: ({ data, seq }) => {
      take(store.transcripts, { data: data.transcript, seq })
      for (const item of data.kanbanItems) take(store.items, { data: item, seq })
    },
  })
}

export const removeTranscript = (store: ProjectStore, { id, title }: TranscriptSummary): void =>
  void accepted(
    removeRecord({
      records: store.transcripts,
      message: texts.deleted(title),
      id,
      ...sending('delete', '/api/transcript-summaries/{id}', { path: { id } }),
    }),
  )
