/** The plan of an import of any source: rows of the tables, in the order of writing. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SharedDatabase } from '../../db/client.ts'
import type { people } from '../../db/schema.ts'
import type { ImportedPerson } from '../../schemas/records.ts'
import { secondsOfWriting } from './write-time.ts'

/** Rows of one table, created lazily while writing, to save memory. */
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

/** Numbers of created records by name, in the order of the summary. */
export type Counts = Record<string, number>

/** The result of an import. */
export interface Imported {
  /** The created project; null for none or several. */
  projectId: string | null
  counts: Counts
  /** The summary, in lines: counts that can be checked against the file. */
  lines: string[]
  /** The lines about values that could not be imported unchanged. */
  notes: string[]
  /** The shown people with their matches. None for an archive, whose people are records. */
  people?: ImportedPerson[]
}

/** An import that is ready to be written. */
export interface ImportPlan {
  /** The created projects. */
  projectIds: readonly string[]
  /** Matches the people in its rows, before any row is created. @returns the new ones @throws Error with one clear line */
  settlePeople: (db: SharedDatabase) => readonly (typeof people.$inferInsert)[]
  /** The projects' own rows. */
  projects: () => readonly { name: string }[]
  /** All other rows, parents before children. */
  tables: readonly PlannedRows[]
  /**
   * Refuses an import that is impossible in this database. It is called before the write, and once more inside it: then it must be fast,
   * and check only changes since the previous call.
   * @param since inside the write, the newest change before the previous call
   * @throws Error with the reason in one line
   */
  refuse: (db: SharedDatabase, since?: number) => void
  /**
   * The result: complete once all rows were created.
   * @param isDryRun whether nothing was written
   */
  result: (isDryRun: boolean) => Imported
}

/** The number of rows of a plan, without those of people. */
export const totalOf = ({ tables, projectIds }: ImportPlan): number =>
  tables.reduce((sum, { count }) => sum + count, projectIds.length)

/** How long other writes wait for an import, in lines: none for less than a second. */
export function describeWait(records: number): string[] {
  const seconds = secondsOfWriting(records)
  return seconds > 0 ? [`others can read meanwhile; their writes wait, for up to ${seconds} s or so`] : []
}

/**
 * Creates all rows of a plan without writing them, for the result of a dry run.
 * @throws Error if the plan refuses
 */
export function rehearse(db: SharedDatabase, plan: ImportPlan): Imported {
  plan.refuse(db)
  plan.settlePeople(db)
  for (const { rows } of plan.tables) for (const _ of rows());
  return plan.result(true)
}
