/** Changes of what belongs to a project: shown at once, and taken back where they are refused. */
import type { Answer } from '../common/api.ts'
import type { Records } from '../common/records.ts'
import { done } from '../common/toasts.ts'
import { write } from '../common/writes.ts'

interface RecordWrite<T extends { id: string }> {
  records: Records<T>
  /** What it did, e.g. "Saved." */
  said: string
}

interface Change<T extends { id: string }> extends RecordWrite<T> {
  id: string
  /** What is shown until it is answered; the record as it is, if absent. */
  patch?: (record: T) => T
  send: (idempotencyKey: string) => Promise<Answer<T>>
}

/** Changes a record. @throws PhaseboardError */
export async function changeRecord<T extends { id: string }>({
  records,
  said,
  id,
  patch,
  send,
}: Change<T>): Promise<void> {
  const { seq } = await write({
    pending: patch ? [records.patch(id, (record) => record && patch(record))] : [],
    send,
    onDone: (answer) => records.put(answer.data, answer.seq ?? records.seqOf(id)),
  })
  done(seq, said)
}

/** Adds a record. @throws PhaseboardError */
export async function addRecord<T extends { id: string }>({
  records,
  said,
  send,
}: RecordWrite<T> & Pick<Change<T>, 'send'>): Promise<void> {
  const { seq } = await write({
    send,
    onDone: ({ data, seq: made = 0 }) => records.put(data, made),
  })
  done(seq, said)
}

interface Removal<T extends { id: string }> extends RecordWrite<T> {
  id: string
  send: (idempotencyKey: string) => Promise<Answer<unknown>>
}

/** Deletes a record; it can be undone. @throws PhaseboardError */
export async function removeRecord<T extends { id: string }>({
  records,
  said,
  id,
  send,
}: Removal<T>): Promise<void> {
  const { seq } = await write({
    pending: [records.patch(id, () => undefined)],
    send,
    onDone: (answer) => records.remove(id, answer.seq ?? records.seqOf(id)),
  })
  done(seq, said)
}
