/**
 * Size limits of reads. The size of a response is unknown beforehand: it is written in pieces, and abandoned once it exceeds
 * the limit.
 */
import { unavailable } from '../errors.ts'
import type { SharedDatabase } from './client.ts'
import { connectionOf } from './connection.ts'

/** The size limit of the running work, in bytes, by connection. */
const rooms = new WeakMap<object, number>()

/** `Retry-After`, in seconds: the time that clients that do not read get under memory pressure. */
const RETRY_AFTER = 5

/** Runs work with a size limit of its response. */
export function withRoom<T>(db: SharedDatabase, bytes: number, work: () => T): T {
  rooms.set(connectionOf(db), bytes)
  try {
    return work()
  } finally {
    rooms.delete(connectionOf(db))
  }
}

/** Checks a total size in bytes against the limit. @throws ApiError 503 */
export function ensureRoom(db: SharedDatabase, bytes: number): void {
  if (bytes > (rooms.get(connectionOf(db)) ?? Number.POSITIVE_INFINITY)) throw unavailable(RETRY_AFTER)
}
