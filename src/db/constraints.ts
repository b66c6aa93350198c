/** What a file does not take. */
import SQLite from 'better-sqlite3'

/** Whether a write failed since a constraint of a table does not allow it: NOT NULL, a key, a reference. */
export const isConstraint = (error: unknown): error is Error =>
  error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')
