/** What a check of the database is, and what it finds. */
import type SQLite from 'better-sqlite3'
import type { SharedDatabase } from '../db/client.ts'
import { isHiddenById, isHiddenRow } from '../db/hidden.ts'

/** What a check looks at. */
export interface Subject {
  /** A connection that only reads; each statement reads the newest state, so that no long read holds up checkpoints. */
  client: SQLite.Database
  /** The file's path. */
  path: string
}

/** What a check has found. */
export interface Finding {
  count: number
  /** The first few of them, in words. */
  examples: string[]
}

/** A check. */
export interface Check {
  /** One word or two, the same in every version. */
  name: string
  /** What holds where all is well. */
  holds: string
  find: (subject: Subject) => Finding
  /** What to do about what it finds and does not repair. */
  advice: string
  /** Repairs all of it, inside one write. @returns what it did, in words */
  fix?: (db: SharedDatabase, found: Subject) => string
}

/** Examples that are told. */
const EXAMPLES = 3

export const NOTHING: Finding = { count: 0, examples: [] }

/** The finding of these, in words. */
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
 * Counts the rows of a query, and tells of the first.
 * @param rows a select with one column: what each row is called
 * @param called in which words
 */
export function count(client: SQLite.Database, rows: string, called: (name: string) => string): Finding {
  const total = client.prepare<[], number>(`select count(*) from (${rows})`).pluck().get() ?? 0
  if (total === 0) return NOTHING
  const names = client.prepare<[], unknown>(`${rows} limit ${EXAMPLES}`).pluck().all()
  return { count: total, examples: names.map((name) => called(String(name))) }
}

/** Whether the file has a table or trigger of this name: an older version may not have made it yet. */
export const has = (client: SQLite.Database, name: string): boolean =>
  client.prepare('select 1 from sqlite_schema where name = ?').get(name) !== undefined

/** What belongs to a project that is being imported: its own row comes last. */
const IMPORTED = 'select project_id from hidden_projects'

/**
 * Condition: a row does not belong to an import that is being written (see `src/db/hidden.ts`). What is not told of yet must
 * not be repaired either.
 * @param row what the statement calls it
 */
export function isShown(client: SQLite.Database, table: string, row = `"${table}"`): string {
  if (!has(client, 'hidden_projects')) return 'true'
  if (isHiddenById(table) && !has(client, 'hidden_records')) return 'true'
  const columns = client.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
  return `not (${isHiddenRow(table, columns, { row, projects: IMPORTED })})`
}

/** `one record`, `2 records`. */
export const counted = (number: number, one: string, several = `${one}s`): string =>
  number === 1 ? `one ${one}` : `${number} ${several}`

/** Whether a table has a column: one of an older version may lack it. */
export const hasColumn = (client: SQLite.Database, table: string, column: string): boolean =>
  client.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column) !== undefined
