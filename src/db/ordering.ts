/**
 * Where records stand among their siblings: `sortOrder` ascending, then `id`. All that decides on a `sortOrder` is
 * here: the place after the last, the place between two neighbours, numbering siblings anew, and an order of the client's own.
 */
import { and, asc, type ColumnBaseConfig, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { timestamp } from '../time.ts'
import type { SharedDatabase } from './client.ts'
import { change, given, type Identified, selectOne } from './statements.ts'
import { ensureFew } from './work-limits.ts'

/** A table whose rows have a place among others. */
export type OrderedTable = Identified & {
  sortOrder: SQLiteColumn<ColumnBaseConfig<'number', string> & { data: number; notNull: true }>
}

/** A record's place. */
export interface Place {
  id: string
  sortOrder: number
}

/** The order of a list. */
export const inOrder = (table: Identified & { sortOrder?: SQLiteColumn }): SQL[] =>
  table.sortOrder === undefined ? [asc(table.id)] : [asc(table.sortOrder), asc(table.id)]

/** Condition: the row stands after the place that is given as `sortOrder` and `id`. */
export const isAfter = (table: OrderedTable): SQL =>
  sql`(${table.sortOrder}, ${table.id}) > (${given('sortOrder')}, ${given('id')})`

/** Condition: the row stands before the place that is given as `sortOrder` and `id`. */
export const isBefore = (table: OrderedTable): SQL =>
  sql`(${table.sortOrder}, ${table.id}) < (${given('sortOrder')}, ${given('id')})`

/**
 * The place after all siblings.
 * @param last the largest `sortOrder` among them; null or undefined when there is none
 */
export const afterLast = (last: number | null | undefined): number => (last ?? 0) + 1

/**
 * A `sortOrder` strictly between those of two neighbours: half-way, or one step beyond the only one.
 * @param before undefined at the beginning
 * @param after undefined at the end
 * @returns undefined when no number lies between them, or the only one is so large that a step from it changes nothing:
 * then the siblings have to be numbered anew
 */
export function between(before: number | undefined, after: number | undefined): number | undefined {
  const place =
    before === undefined
      ? after === undefined
        ? afterLast(undefined)
        : after - 1
      : after === undefined
        ? afterLast(before)
        : // Not half of the sum: that of two large numbers is infinite.
          before / 2 + after / 2
  const fits = (before ?? -Infinity) < place && place < (after ?? Infinity)
  return fits ? place : undefined
}

/** The `sortOrder` of the n-th of siblings that are numbered anew, counted from 0. */
export const numbered = (index: number): number => afterLast(index)

/**
 * Puts records in their places with one statement, however many they are: inside a savepoint SQLite keeps what each
 * single one on a table with triggers changes until the savepoint ends, so that ten thousand would hold everybody up for
 * many seconds.
 * @param alsoSet what else becomes of each of them, from values that are given by name
 * @returns the change, to be called inside the write that it is part of
 */
export function putIn(db: SharedDatabase, table: OrderedTable, alsoSet: Record<string, SQL> = {}) {
  const put = change(() =>
    db
      .update(table as SQLiteTable)
      .set({
        ...alsoSet,
        sortOrder: sql`json_each.value ->> 'sortOrder'`,
        updatedAt: sql`${sql.placeholder('updatedAt')}`,
      } as never)
      .from(sql`json_each(${given('places')})`)
      .where(eq(table.id, sql`json_each.value ->> 'id'`)),
  )
  return (places: readonly Place[], updatedAt: string, values: Record<string, string> = {}): void => {
    put({ ...values, places: JSON.stringify(places), updatedAt })
  }
}

/**
 * Gives records the places that a client wants, all or nothing. A record that is there already is left as it is,
 * `updatedAt` included.
 * @param siblings the column by which records are looked up together with whom they belong to; absent for those of nobody
 * @param refuse makes the refusal of ids that name no such record, from their positions in the request
 * @returns the change, to be called inside the write that it is part of
 */
export function reorderIn(
  db: SharedDatabase,
  table: OrderedTable,
  siblings: SQLiteColumn | undefined,
  refuse: (unknown: number[]) => Error,
) {
  const one = selectOne<Place>(() =>
    db
      .select({ id: table.id, sortOrder: table.sortOrder })
      .from(table)
      .where(and(eq(table.id, given('id')), siblings && eq(siblings, given('of')))),
  )
  const put = putIn(db, table)
  return (places: readonly Place[], of?: string): void => {
    ensureFew(db, places.length)
    const current = places.map(({ id }) => one({ id, of }))
    const unknown = current.flatMap((place, index) => (place === undefined ? [index] : []))
    if (unknown.length > 0) throw refuse(unknown)
    const moved = places.filter(({ sortOrder }, index) => sortOrder !== current[index]?.sortOrder)
    put(moved, timestamp())
  }
}
