/** Writes with optimistic concurrency (ETag, If-Match). A write is retried if the record changed, unless the same fields changed. */
import { type Answer, PhaseboardError } from './api.ts'
import { changedFields } from './forms.ts'

/** The maximum number of retries. */
const ATTEMPTS = 5

/** A conflict: somebody else has changed the same fields. */
export class LostRace extends Error {
  /** The current values, by field name. */
  readonly theirs: Readonly<Record<string, unknown>>

  constructor(theirs: Readonly<Record<string, unknown>>) {
    super('Somebody else has changed the same')
    this.theirs = theirs
  }
}

/**
 * Loads a record, and writes on the condition that it has not changed.
 * @param read returns the record with its ETag
 * @param send writes; throws PhaseboardError 412 if the record has changed
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

/** An edit of some fields of a record, with their initial values. */
interface Editing<T extends object, F extends Partial<T>> {
  /** The record at the start of editing. After a conflict it has the current values, so that saving again overwrites them. */
  base: { current: T }
  /** The new values. */
  after: F
  read: () => Promise<Answer<T>>
  send: (body: Partial<F>, ifMatch: string | undefined) => Promise<Answer<T>>
}

/**
 * Saves the changed fields, unless somebody else has changed the same ones.
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
