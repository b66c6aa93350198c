/** The types of checks of the database, and of their findings. */
import type SQLite from 'better-sqlite3'
import type { SharedDatabase } from '../db/client.ts'

/** The input of a check. */
export interface Subject {
  /** A connection for reading, in one transaction with the other checks; without one for those that read all bytes of files. */
  client: SQLite.Database
  /** The file's path. */
  path: string
  /** Called by checks that read all bytes of files. */
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** The finding of a check. */
export interface Finding {
  count: number
  /** The first few of them, as texts. */
  examples: string[]
}

export interface Check {
  /** One or two words, stable across versions. */
  name: string
  /** The property that holds if all is well. */
  holds: string
  find: (subject: Subject) => Finding
  /** Advice for findings that it does not repair. */
  advice: string
  /** Repairs all findings, inside one write. @returns a description of the repair */
  fix?: (db: SharedDatabase, found: Subject) => string
}

/** Reported examples. */
const EXAMPLES = 3

export const NOTHING: Finding = { count: 0, examples: [] }

/** The finding of these texts. */
export const found = (all: readonly string[]): Finding => ({
  count: all.length,
  examples: all.slice(0, EXAMPLES),
})

/** The sum of several findings. */
export const together = (findings: readonly Finding[]): Finding => ({
  count: findings.reduce((sum, { count }) => sum + count, 0),
  examples: findings.flatMap(({ examples }) => examples).slice(0, EXAMPLES),
})

/**
 * Counts the rows of a query, and describes the first ones.
 * @param rows a select with one column: the name of each row
 * @param called describes a row
 */
export function count(client: SQLite.Database, rows: string, called: (name: string) => string): Finding {
  const total = client.prepare<[], number>(`select count(*) from (${rows})`).pluck().get() ?? 0
  if (total === 0) return NOTHING
  const names = client.prepare<[], unknown>(`${rows} limit ${EXAMPLES}`).pluck().all()
  return { count: total, examples: names.map((name) => called(String(name))) }
}

/** Whether the file has a table or trigger of this name; one of an older version may lack it. */
export const has = (client: SQLite.Database, name: string): boolean =>
  client.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined

/** `one record`, `2 records`. */
export const counted = (number: number, one: string, several = `${one}s`): string =>
  number === 1 ? `one ${one}` : `${number} ${several}`

/** Whether a table has a column: one of an older version may lack it. */
export const hasColumn = (client: SQLite.Database, table: string, column: string): boolean =>
  client.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column) !== undefined
