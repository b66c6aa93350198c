/** Orphaned records: other tools may write to the file without enforcing foreign keys. */
import type SQLite from 'better-sqlite3'

/** Counts the foreign key violations in a file. */
export const orphansIn = (client: SQLite.Database): number =>
  (client.pragma('foreign_key_check') as unknown[]).length
