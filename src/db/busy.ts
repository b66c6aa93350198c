/** Detects locks held by another connection. They are no fault of the service. */
import { ApiError } from '../errors.ts'

/** Milliseconds a statement waits for another process's lock before it fails with SQLITE_BUSY. */
export const BUSY_TIMEOUT = 5000

/** With all variants: a stale snapshot, a log in recovery, a locked table. */
const BUSY = /^SQLITE_(BUSY|LOCKED)/

/** Whether an error, or one of its causes, reports a lock of the database held by another connection. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && BUSY.test(String(error.code))) || isBusy(error.cause))

/** 503 after waiting too long for a lock: nothing was done, and a retry will probably succeed. */
export const databaseBusy = (): ApiError =>
  new ApiError(503, 'The database is busy', { headers: { 'retry-after': '1' }, code: 'database_busy' })
