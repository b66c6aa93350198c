/** A lock that somebody else holds: another connection writes, so this one has waited in vain. No fault of the service. */
import { ApiError } from '../errors.ts'

/** With all their variants: a snapshot that is too old to write on, a log that is being recovered, a table that is locked. */
const BUSY = /^SQLITE_(BUSY|LOCKED)/

/** Whether an error, or one that it was caused by, says that somebody else holds a lock of the database. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && (('code' in error && BUSY.test(String(error.code))) || isBusy(error.cause))

/** 503 for whoever has waited for a lock too long: nothing was done, and it may well succeed in a moment. */
export const databaseBusy = (): ApiError =>
  new ApiError(503, 'The database is busy', { headers: { 'retry-after': '1' }, code: 'database_busy' })
