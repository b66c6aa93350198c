/** Constraint violations. */
import SQLite from 'better-sqlite3'

/** Whether a write failed because of a table constraint: NOT NULL, a key, a reference. */
export const isConstraint = (error: unknown): error is Error =>
  error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')
