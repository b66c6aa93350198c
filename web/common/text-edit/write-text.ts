/** Saving a text in its turn among the user's writes. */
import type { Answer } from '../api.ts'
import type { Pending } from '../records.ts'
import { done } from '../toasts.ts'
import { write } from '../writes.ts'
import { type SavingOutcome, saveText, type Version } from './conflict.ts'

interface TextWrite<Data> {
  text: string
  /** The value that the user began to edit. */
  from: string
  /** What is known of the record, if anything is, when it is its turn. */
  known?: () => Version | undefined
  /** Reads the record again. */
  read: () => Promise<Version>
  /** Sends the text for the record of an ETag. */
  send: (ifMatch: string | undefined, idempotencyKey: string) => Promise<Answer<Data>>
  /** What is shown of it meanwhile. */
  pending?: readonly Pending[]
  /** Takes the answer over. */
  onDone: (answer: Answer<Data>) => void
  /** What it did. */
  said: string
}

/** Saves a text, unless somebody else has changed it since `from`. @throws PhaseboardError when the service refuses */
export async function writeText<Data>(job: TextWrite<Data>): Promise<SavingOutcome> {
  const { text, from, known, read, pending = [], onDone, said } = job
  // Where the answer was lost, the same is sent again: by its key it is answered, though the text is there by then.
  let sent: Version | undefined
  const outcome = await write({
    pending,
    send: (key) =>
      saveText({
        text,
        from,
        known: sent ?? known?.(),
        read,
        send: (etag) => {
          sent = { value: from, etag }
          return job.send(etag, key)
        },
      }),
    onDone: ({ answer }) => answer && onDone(answer),
  })
  if (outcome.answer) done(outcome.answer.seq, said)
  return outcome
}
