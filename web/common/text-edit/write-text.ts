/** Saves a text as one of the user's queued writes. */
import type { Answer } from '../api.ts'
import type { Pending } from '../records.ts'
import { done, type Message } from '../toasts.ts'
import { write } from '../writes.ts'
import { type SavingOutcome, saveText, type Version } from './conflict.ts'

interface TextWrite<Data> {
  text: string
  /** The value at the start of editing. */
  from: string
  /** The known state of the record when the write's turn comes, if any. */
  known?: () => Version | undefined
  /** Loads the record again. */
  read: () => Promise<Version>
  /** Sends the text, on the condition that the record has this ETag. */
  send: (ifMatch: string | undefined, idempotencyKey: string) => Promise<Answer<Data>>
  /** The optimistic update. */
  pending?: readonly Pending[]
  /** Stores the response. */
  onDone: (answer: Answer<Data>) => void
  message: string | Message
}

/** Saves a text, unless somebody else has changed it since `from`. @throws PhaseboardError if the service refuses the write */
export async function writeText<Data>(job: TextWrite<Data>): Promise<SavingOutcome> {
  const { text, from, known, read, pending = [], onDone, message } = job
  // If a response was lost, the same request is sent again. Its idempotency key makes the service repeat the response
  // although the text has been saved by then.
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
  if (outcome.answer) done(outcome.answer.seq, message)
  return outcome
}
