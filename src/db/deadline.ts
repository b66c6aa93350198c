/**
 * Deadlines of statements. better-sqlite3 cannot interrupt a running statement; but a function that the
 * statement calls for each row can throw, which ends it.
 */
import type { SharedDatabase } from './client.ts'
import { connectionOf } from './connection.ts'

/** A deadline by `performance.now()`, and its error. */
interface Deadline {
  at: number
  error: () => Error
}

const NEVER: Deadline = { at: Number.POSITIVE_INFINITY, error: () => new Error('there is no deadline') }

const deadlines = new WeakMap<object, { current: Deadline }>()

/** The name of the function in SQL. */
export const IN_TIME = 'in_time'

/**
 * Gives a connection the function `in_time(<column>)`: 1, for a condition. Pass a column of the outermost table, so that it is
 * called for each of its rows. It throws the error of {@link withDeadline} after the deadline.
 */
function deadlineOf(db: SharedDatabase): { current: Deadline } {
  const known = deadlines.get(connectionOf(db))
  if (known) return known
  const deadline = { current: NEVER }
  db.$client.function(IN_TIME, { varargs: true }, () => {
    if (performance.now() > deadline.current.at) throw deadline.current.error()
    return 1
  })
  deadlines.set(connectionOf(db), deadline)
  return deadline
}

/** Prepares a new connection for statements that call `in_time`, before any is prepared. */
export const limitTime = (db: SharedDatabase): void => {
  deadlineOf(db)
}

/**
 * Runs work whose statements end at a deadline.
 * @param milliseconds in total; an earlier outer deadline still applies
 * @param error thrown then
 */
export function withDeadline<T>(
  db: SharedDatabase,
  milliseconds: number,
  error: () => Error,
  work: () => T,
): T {
  const deadline = deadlineOf(db)
  const before = deadline.current
  const at = performance.now() + milliseconds
  if (at < before.at) deadline.current = { at, error }
  try {
    return work()
  } finally {
    deadline.current = before
  }
}

/** Checks the deadline of the running work. @throws its error */
export function ensureInTime(db: SharedDatabase): void {
  const { at, error } = deadlines.get(connectionOf(db))?.current ?? NEVER
  if (performance.now() > at) throw error()
}
