/** WIP (work in progress) limits: the maximum number of items in a column, and the policy above it. */
import { and, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanItems } from '../db/schema.ts'
import { givenLimit, selectOne } from '../db/statements.ts'
import { conflict } from '../errors.ts'
import type { ColumnLimit } from './column-names.ts'
import { type ColumnOf, isInColumn } from './places.ts'

/** The column in which an item counts; undefined if it is dismissed or absent. */
type Counted = ColumnOf | undefined

/** The columns in which an item counts before and after a change. */
export interface Shift {
  before: Counted
  after: Counted
  /** The limit of the target column; undefined if the item stays in its column. */
  limit: ColumnLimit | undefined
}

/** The column in which an item counts. */
export const countedIn = ({ projectId, column, dismissed }: ColumnOf & { dismissed: boolean }): Counted =>
  dismissed ? undefined : { projectId, column }

/** Whether an item enters a column in which it did not count before. */
const arrives = ({ before, after }: Shift) =>
  after !== undefined && (before?.column !== after.column || before.projectId !== after.projectId)

/** An unambiguous map key, cheaper than JSON. */
const keyOf = ({ projectId, column }: ColumnOf) => `${projectId.length}:${projectId}${column}`

/** The growth of each column, by key. */
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
  beyond: selectOne(db, () =>
    db
      .select({ id: kanbanItems.id })
      .from(kanbanItems)
      // Not a bound value, for which SQLite would recompile the statement each time.
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
   * Checks changes against the limits of their target columns. Call it after the changes, inside their write. A change that
   * does not make a column fuller always passes.
   * @returns the warnings for each shift
   * @throws ApiError 409 if a column that blocks is above its limit
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
    if (wipPolicy === 'block') throw conflict('Column is at its WIP limit', 'wip_limit_reached')
    return [`Column "${where.column}" is above its WIP limit of ${wipLimit}`]
  }
}
