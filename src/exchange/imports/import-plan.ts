/** What an import writes, whatever it was made of: rows of the tables, in an order in which they can be written in slices. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SharedDatabase } from '../../db/client.ts'
import type { ImportedPerson } from '../../schemas/records.ts'
import type { SettleSome } from './settle-people.ts'

/** Rows of one table. They are made while they are written: all at once would take much memory. */
export interface PlannedRows {
  table: SQLiteTable
  count: number
  rows: () => Iterable<object>
}

/** Rows that fit their table. */
export const rowsOf = <T extends SQLiteTable>(
  table: T,
  count: number,
  rows: () => Iterable<T['$inferInsert']>,
): PlannedRows => ({ table, count, rows })

/** What was made, as numbers by name, in the order of the summary. */
export type Counts = Record<string, number>

/** The result of an import. */
export interface Imported {
  /** The project that it made; null where it is none, or several. */
  projectId: string | null
  counts: Counts
  /** The summary, in lines: counts that can be checked against the file. */
  lines: string[]
  /** Those lines that say what could not be taken over as it was. */
  notes: string[]
  /** Whom it names, and who they are here; those that are shown. Of an archive none: its people are records. */
  people?: ImportedPerson[]
}

/** An import that is ready to be written. */
export interface ImportPlan {
  /** The projects that it makes: nobody sees any of it before their own rows are there. */
  projectIds: readonly string[]
  /** The projects' own rows, which come with the last write: made once the people are settled. */
  projects: () => readonly object[]
  /** Begins to settle who the people are whom its rows name: before any of them is made. @throws Error with one clear line */
  settlePeople: (db: SharedDatabase) => SettleSome
  /** All other rows: parents before what belongs to them. */
  tables: readonly PlannedRows[]
  /**
   * Refuses what cannot be imported into this database. It is called before anything is written, before the last write, and
   * once more inside of it: then it must be quick, and look no further than at what has come since the call before.
   * @param since inside the last write, the newest change of that call
   * @throws Error that says why in one line
   */
  refuse: (db: SharedDatabase, since?: number) => void
  /**
   * What is made by it: complete once all rows were made.
   * @param isDryRun whether it is only said, and nothing written
   */
  result: (isDryRun: boolean) => Imported
}

/** How many rows a plan writes, beside those of people. */
export const totalOf = ({ tables, projectIds }: ImportPlan): number =>
  tables.reduce((sum, { count }) => sum + count, projectIds.length)

/**
 * Makes all rows of a plan, and writes none: what they would come to is known then.
 * @throws Error where the plan refuses
 */
export function rehearse(db: SharedDatabase, plan: ImportPlan): Imported {
  plan.refuse(db)
  plan.settlePeople(db)(() => undefined)
  for (const { rows } of plan.tables) for (const _ of rows());
  return plan.result(true)
}
