/** Limits of work in progress: how many items a column should hold, and what happens above that. */
import { and, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanItems } from '../db/schema.ts'
import { givenLimit, selectOne } from '../db/statements.ts'
import { conflict } from '../errors.ts'
import type { ColumnLimit } from './column-names.ts'
import { type ColumnOf, isInColumn } from './places.ts'

/** The column whose items an item is counted among; undefined when it is not: dismissed, or not there at all. */
type Counted = ColumnOf | undefined

/** Where an item counted before a change, and where it counts after it. */
export interface Shift {
  before: Counted
  after: Counted
  /** The limit of the column that it may come into; undefined when it stays where it is. */
  limit: ColumnLimit | undefined
}

/** The column whose items an item is counted among. */
export const countedIn = ({ projectId, column, dismissed }: ColumnOf & { dismissed: boolean }): Counted =>
  dismissed ? undefined : { projectId, column }

/** Whether an item comes into a column that it was not counted in. */
const arrives = ({ before, after }: Shift) =>
  after !== undefined && (before?.column !== after.column || before.projectId !== after.projectId)

/** Unambiguous whatever the two hold, and cheaper than JSON. */
const keyOf = ({ projectId, column }: ColumnOf) => `${projectId.length}:${projectId}${column}`

/** How many items more each column has after the shifts, by key. */
function growth(shifts: readonly Shift[]): Map<string, number> {
  const more = new Map<string, number>()
  const add = (counted: Counted, change: number) =>
    counted && more.set(keyOf(counted), (more.get(keyOf(counted)) ?? 0) + change)
  for (const { before, after } of shifts) {
    add(before, -1)
    add(after, +1)
  }
  return more
}

const statementsOf = (db: SharedDatabase) => ({
  beyond: selectOne(() =>
    db
      .select({ id: kanbanItems.id })
      .from(kanbanItems)
      // Not as a value to compare with, for which SQLite would plan the statement anew each time.
      .where(and(isInColumn, sql`not ${kanbanItems.dismissed}`))
      .limit(1)
      .offset(givenLimit('wipLimit')),
  ),
})

/** The limits of all columns. */
export class WipLimits {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /**
   * Holds changes against the limits of the columns that they fill; to be called after the changes, inside their write.
   * What stays in its column, or leaves it no fuller than it was, always passes.
   * @returns for each shift the warnings that it earned
   * @throws ApiError 409 when a column that blocks is above its limit
   */
  check(shifts: readonly Shift[]): string[][] {
    if (!shifts.some(arrives)) return shifts.map(() => [])
    const more = growth(shifts)
    const warnings = new Map<string, string[]>()
    return shifts.map((shift) => {
      const { after, limit } = shift
      if (!after || !limit || !arrives(shift)) return []
      const key = keyOf(after)
      if ((more.get(key) ?? 0) <= 0) return []
      const found = warnings.get(key) ?? this.#warningsOf(after, limit)
      warnings.set(key, found)
      return found
    })
  }

  #warningsOf(where: ColumnOf, { wipLimit, wipPolicy }: ColumnLimit): string[] {
    if (wipLimit === 0 || !this.#sql.beyond({ ...where, wipLimit })) return []
    if (wipPolicy === 'block') throw conflict('Column is at its WIP limit')
    return [`Column "${where.column}" is above its WIP limit of ${wipLimit}`]
  }
}
