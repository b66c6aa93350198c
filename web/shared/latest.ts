/** Writes that replace a list as a whole: made from what the service has now, and again when it was changed meanwhile. */
import { type Answer, PhaseboardError } from './api.ts'

/** How often the list may change in between before that is told. */
const ATTEMPTS = 5

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
