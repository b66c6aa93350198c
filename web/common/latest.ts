/** Writes that say of which state of a record they are: made again when it was changed meanwhile, unless that is what they change. */
import { type Answer, PhaseboardError } from './api.ts'
import { changedFields } from './forms.ts'

/** How often a record may change in between before that is told. */
const ATTEMPTS = 5

/** Somebody else has changed the same fields. */
export class LostRace extends Error {
  /** What they are now, by the name of the field. */
  readonly theirs: Readonly<Record<string, unknown>>

  constructor(theirs: Readonly<Record<string, unknown>>) {
    super('Somebody else has changed the same')
    this.theirs = theirs
  }
}

/**
 * Reads a record and writes what follows from it, under the condition that it is still the same.
 * @param read answers the record with its ETag
 * @param send writes; throws PhaseboardError 412 where the record is another by now
 * @throws PhaseboardError
 */
export async function onLatest<T, U>(
  read: () => Promise<Answer<T>>,
  send: (latest: T, ifMatch: string | undefined) => Promise<Answer<U>>,
): Promise<Answer<U>> {
  for (let attempt = 1; ; attempt++) {
    const { data, etag } = await read()
    try {
      return await send(data, etag)
    } catch (error) {
      const isChanged = error instanceof PhaseboardError && error.status === 412
      if (!isChanged || attempt === ATTEMPTS) throw error
    }
  }
}

/** What somebody edits: some fields of a record, from what they were when editing began. */
export interface Editing<T extends object, F extends Partial<T>> {
  /** The record as editing began; when a race is lost, with what was lost, so that saving again overwrites that. */
  base: { current: T }
  /** What the fields are to be. */
  after: F
  read: () => Promise<Answer<T>>
  send: (body: Partial<F>, ifMatch: string | undefined) => Promise<Answer<T>>
}

/**
 * Saves the fields that were changed, unless somebody else has changed the same ones meanwhile.
 * @throws LostRace; PhaseboardError
 */
export function saveFields<T extends object, F extends Partial<T>>({
  base,
  after,
  read,
  send,
}: Editing<T, F>): Promise<Answer<T>> {
  return onLatest(read, (latest, ifMatch) => {
    const body = changedFields<F>(base.current as Partial<F>, after)
    const theirs = changedFields<T>(base.current, latest)
    const lost = Object.entries(theirs).filter(
      ([name, value]) => name in body && JSON.stringify(value) !== JSON.stringify(body[name as keyof F]),
    )
    if (lost.length > 0) {
      const fields = Object.fromEntries(lost)
      base.current = { ...base.current, ...fields }
      throw new LostRace(fields)
    }
    return send(body, ifMatch)
  })
}
