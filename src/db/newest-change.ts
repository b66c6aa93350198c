import type SQLite from 'better-sqlite3'

/** The newest change of a file; 0 for none. A connection that asks often prepares the statement itself. */
export const newestChange = (client: SQLite.Database): number =>
  client.prepare<[], number>('select ifnull(max(seq), 0) from changes').pluck().get() ?? 0
