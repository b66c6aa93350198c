/** Saving a text without overwriting what somebody else has written meanwhile. */

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

/** Either the text is saved, or somebody else has changed it: the user must choose. */
export type SavingOutcome = { isSaved: true } | { isSaved: false; theirs: string }
/** That, with the answer, if the service had to be asked. */
export type Saved<Answer> = SavingOutcome & { answer?: Answer }

/** How often a text is sent again, where something else of the record has changed. */
const REPEATS = 3

const isOutdated = (error: unknown) => Object(error).status === 412

/**
 * Saves a text, unless it is no longer what the user began to edit. What else has changed in the record does not matter.
 * @throws whatever `send` and `read` throw, but for 412; that too, after the last repetition
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
