/** Saves a text with ETag and If-Match, to prevent lost updates. */

/** A text as the service has it, and the ETag of the record that it belongs to. */
export interface Version {
  value: string
  etag: string | undefined
}

/** A text to save, and how. */
export interface TextSaving<Answer> {
  text: string
  /** The value that the user began to edit. */
  from: string
  /** What is known of the record, as far as anything is. */
  known: Version | undefined
  /** Sends the text for the record of an ETag. @throws with `status` 412 where the record has another by now */
  send: (etag: string | undefined) => Promise<Answer>
  /** Reads the record again. */
  read: () => Promise<Version>
}

/** The text is saved, or there is a conflict for the user to resolve. */
export type SavingOutcome = { isSaved: true } | { isSaved: false; theirs: string }
/** That, with the answer, if the service had to be asked. */
export type Saved<Answer> = SavingOutcome & { answer?: Answer }

/** Most retries if other fields of the record have changed. */
const REPEATS = 3

const isOutdated = (error: unknown) => Object(error).status === 412

/**
 * Saves a text, unless it has changed since the user began to edit. Other changes of the record do not matter.
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
