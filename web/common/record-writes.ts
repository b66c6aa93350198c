/** Writes of records with optimistic updates, which are reverted if the service refuses them. */
import { batch } from '@preact/signals'
import { randomId } from '../../src/client/random-id.ts'
import { texts } from '../texts.ts'
import type { Answer } from './api.ts'
import type { Placed } from './order.ts'
import type { Patch, Records } from './records.ts'
import { done, failed, type Message } from './toasts.ts'
import { type Write, write } from './writes.ts'

const NEW = 'new:'
/** The placeholder id of a record until the service responds. */
export const newId = (): string => NEW + randomId()
export const isUnsaved = (id: string): boolean => id.startsWith(NEW)

interface RecordWrite<T extends { id: string }, Data> {
  records: Records<T>
  /** The message, e.g. "Saved." */
  message: string | Message
  send: (idempotencyKey: string) => Promise<Answer<Data>>
}

interface Change<T extends { id: string }> extends RecordWrite<T, T> {
  id: string
  /** The optimistic update; absent if nothing changes until the response. */
  patch?: (record: T) => T
}

/** Writes, and shows a message. @throws PhaseboardError */
export async function writeWithMessage<Data>(
  message: string | Message,
  job: Write<Answer<Data>>,
): Promise<Answer<Data>> {
  const answer = await write({ message: typeof message === 'string' ? message : message.text, ...job })
  done(answer.seq, message)
  return answer
}

/** Shows a message if a write is refused. @returns whether the service accepted it, also before */
export const accepted = (writing: Promise<unknown>): Promise<boolean> => writing.then(() => true, failed)

/** Stores a record from a response. */
export function take<T extends { id: string }>(
  records: Records<T>,
  { data, seq = records.seqOf(data.id) }: Pick<Answer<T>, 'data' | 'seq'>,
): void {
  records.put(data, seq)
}

/** An update that applies to an existing record only. */
export const ifThere =
  <T>(patch: (record: T) => T): Patch<T> =>
  (record) =>
    record && patch(record)

/** Changes a record. @throws PhaseboardError */
export const changeRecord = <T extends { id: string }>({
  records,
  message,
  id,
  patch,
  send,
}: Change<T>): Promise<Answer<T>> =>
  writeWithMessage(message, {
    pending: patch ? [records.patch(id, ifThere(patch))] : [],
    send,
    onDone: (answer) => take(records, answer),
  })

/** The message of something added, for screen readers: others see it where they added it. */
export const added = (name: string): Message => ({ text: texts.added(name), shown: 'heard' })

/** Adds a record. @param shown the placeholder until the service responds @throws PhaseboardError */
export const addRecord = <T extends { id: string }>(
  { records, message, send }: RecordWrite<T, T>,
  shown?: T,
): Promise<Answer<T>> =>
  writeWithMessage(message, {
    pending: shown ? [records.patch(shown.id, () => shown)] : [],
    send,
    onDone: (answer) => take(records, answer),
  })

/** Deletes a record. The user can undo it. @throws PhaseboardError */
export const removeRecord = <T extends { id: string }>({
  records,
  message,
  id,
  send,
}: RecordWrite<T, unknown> & { id: string }): Promise<Answer<unknown>> =>
  writeWithMessage(message, {
    pending: [records.patch(id, () => undefined)],
    send,
    onDone: ({ seq = records.seqOf(id) }) => records.remove(id, seq),
  })

/** The optimistic update of a new order of records. */
export const showPlaces = <T extends Placed>(records: Records<T>, places: readonly Placed[]) =>
  batch(() =>
    places.map(({ id, sortOrder }) =>
      records.patch(
        id,
        ifThere((record) => ({ ...record, sortOrder })),
      ),
    ),
  )

/** Reorders records, in one write. @throws PhaseboardError */
export const placeRecords = <T extends Placed>({
  records,
  message,
  places,
  send,
}: RecordWrite<T, readonly T[]> & { places: readonly Placed[] }): Promise<Answer<readonly T[]>> =>
  writeWithMessage(message, {
    pending: showPlaces(records, places),
    send,
    onDone: ({ data, seq }) => {
      for (const one of data) take(records, { data: one, seq })
    },
  })
