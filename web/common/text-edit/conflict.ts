/** Saves a text with ETag and If-Match, to prevent lost updates. */

/** The service's version of a text, and the ETag of its record. */
export interface Version {
  value: string
  etag: string | undefined
}

/** A text to save, with the functions that save it. */
interface TextSaving<Answer> {
  text: string
  /** The value at the start of editing. */
  from: string
  /** The known state of the record, if any. */
  known: Version | undefined
  /** Sends the text, on the condition that the record has this ETag. @throws with `status` 412 if the record has another one by now */
  send: (etag: string | undefined) => Promise<Answer>
  /** Loads the record again. */
  read: () => Promise<Version>
}

/** The result: saved, or a conflict for the user to resolve. */
export type SavingOutcome = { isSaved: true } | { isSaved: false; theirs: string }
/** The result, with the response if a request was needed. */
export type Saved<Answer> = SavingOutcome & { answer?: Answer }

/** The maximum number of retries if other fields of the record have changed. */
const REPEATS = 3

const isOutdated = (error: unknown) => Object(error).status === 412

/**
 * Saves a text, unless it has changed since the start of editing. Other changes of the record do not matter.
 * @throws errors of `send` and `read`, except 412 before the last retry
 */
export async function saveText<Answer>({
  text,
  from,
  known,
  send,
  read,
}: TextSaving<Answer>): Promise<Saved<Answer>> {
  let version = known?.value === from ? known : await read()
  for (let repeats = 0; ; repeats++) {
    if (version.value === text) return { isSaved: true }
    if (version.value !== from) return { isSaved: false, theirs: version.value }
    try {
      return { isSaved: true, answer: await send(version.etag) }
    } catch (error) {
      if (!isOutdated(error) || repeats === REPEATS) throw error
    }
    version = await read()
  }
}
