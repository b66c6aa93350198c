/**
 * Deadlines of statements. SQLite runs a statement to its end, and better-sqlite3 cannot interrupt it; but a function that the
 * statement calls for each row may throw, which ends it.
 */
import type { SharedDatabase } from './client.ts'

/** A deadline by `performance.now()`, and what ends a statement then. */
interface Deadline {
  at: number
  error: () => Error
}

const NEVER: Deadline = { at: Number.POSITIVE_INFINITY, error: () => new Error('there is no deadline') }

const deadlines = new WeakMap<SharedDatabase, { current: Deadline }>()

/** The name of the function in SQL. */
export const IN_TIME = 'in_time'

/**
 * Gives a connection the function `in_time(<column>)`: 1, for a condition. Name a column of the outermost table, so that it is
 * asked for each of its rows. It throws the error of {@link withDeadline} once the time is over.
 */
function deadlineOf(db: SharedDatabase): { current: Deadline } {
  const known = deadlines.get(db)
  if (known) return known
  const deadline = { current: NEVER }
  db.$client.function(IN_TIME, { varargs: true }, () => {
    if (performance.now() > deadline.current.at) throw deadline.current.error()
    return 1
  })
  deadlines.set(db, deadline)
  return deadline
}

/** Prepares a connection for statements that call `in_time`: where it is opened, before any is prepared. */
export const limitTime = (db: SharedDatabase): void => {
  deadlineOf(db)
}

/**
 * Runs work whose statements end once their time is over.
 * @param milliseconds of all of them together; a shorter deadline that is set already stays
 * @param error what is thrown then
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

/** Whether the time of the work that runs is over. @throws its error */
export function ensureInTime(db: SharedDatabase): void {
  const { at, error } = deadlines.get(db)?.current ?? NEVER
  if (performance.now() > at) throw error()
}
