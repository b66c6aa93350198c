/**
 * How large what is read may become. Nobody knows how large an answer is before it is made: it is written piece by piece, and given
 * up as soon as it is larger than there is room for.
 */
import { unavailable } from '../errors.ts'
import type { SharedDatabase } from './client.ts'

/** The room of the work that runs, in bytes, by its connection. */
const rooms = new WeakMap<SharedDatabase, number>()

/** `Retry-After`, in seconds: as long as clients that do not read have under memory pressure. */
const RETRY_AFTER = 5

/** Runs work that may answer so many bytes. */
export function withRoom<T>(db: SharedDatabase, bytes: number, work: () => T): T {
  rooms.set(db, bytes)
  try {
    return work()
  } finally {
    rooms.delete(db)
  }
}

/** Checks whether there is room for so many bytes in all. @throws ApiError 503 */
export function ensureRoom(db: SharedDatabase, bytes: number): void {
  if (bytes > (rooms.get(db) ?? Number.POSITIVE_INFINITY)) throw unavailable(RETRY_AFTER)
}
