/**
 * The order of siblings: `sortOrder` ascending, then `id`. This module computes every `sortOrder`: after the last sibling,
 * between two neighbours, when renumbering siblings, and for reorders by clients.
 */
import { and, asc, type ColumnBaseConfig, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { notFound } from '../errors.ts'
import { timestamp } from '../time.ts'
import type { SharedDatabase } from './client.ts'
import { thingOf } from './kinds.ts'
import { change, existsIn, given, type Identified, selectOne } from './statements.ts'
import { ensureFew } from './work-limits.ts'

/** A table whose rows have a `sortOrder`. */
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

/** Condition, for keyset pagination: the row comes after the placeholders `sortOrder` and `id`. */
export const isAfter = (table: OrderedTable): SQL =>
  sql`(${table.sortOrder}, ${table.id}) > (${given('sortOrder')}, ${given('id')})`

/** Condition: the row comes before the placeholders `sortOrder` and `id`. */
export const isBefore = (table: OrderedTable): SQL =>
  sql`(${table.sortOrder}, ${table.id}) < (${given('sortOrder')}, ${given('id')})`

/**
 * The place after all siblings.
 * @param last the largest `sortOrder` among them; null or undefined if there is none
 */
export const afterLast = (last: number | null | undefined): number => (last ?? 0) + 1

/**
 * A `sortOrder` strictly between those of two neighbours: half-way, or one step beyond the only one.
 * @param before undefined at the beginning
 * @param after undefined at the end
 * @returns undefined if no number lies between them, or the only one is so large that a step has no effect:
 * then the siblings must be renumbered
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

/** The `sortOrder` of the n-th of renumbered siblings, counted from 0. */
export const numbered = (index: number): number => afterLast(index)

/**
 * Numbers records in their order, leaving a number free before the one at an index.
 * @returns the free number, and the places that change: records already in place are not written
 */
export function numberAround(places: readonly Place[], free: number): { sortOrder: number; moved: Place[] } {
  const moved = places.flatMap(({ id, sortOrder }, index) => {
    const number = numbered(index < free ? index : index + 1)
    return number === sortOrder ? [] : [{ id, sortOrder: number }]
  })
  return { sortOrder: numbered(free), moved }
}

/**
 * A prepared update of the places of any number of records. It is one statement, since inside a savepoint SQLite keeps a
 * statement journal for each update of a table with triggers: ten thousand of them would take many seconds.
 * @param alsoSet other columns to set, from named placeholders
 * @returns the update, to be called inside a write
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
 * Reorders records for a client, all or nothing. Records already in place do not change, not even `updatedAt`.
 * @param siblings the foreign key of the owner or parent that all records must share; undefined for none
 * @param refuse creates the error for records of another parent, from their positions in the request; without it they count as unknown
 * @returns the update, to be called inside a write. @throws ApiError 404 with the unknown ids; TooMuchWork
 */
export function reorderIn(
  db: SharedDatabase,
  table: OrderedTable,
  siblings: SQLiteColumn | undefined,
  refuse?: (elsewhere: number[]) => Error,
) {
  const one = selectOne<Place>(db, () =>
    db
      .select({ id: table.id, sortOrder: table.sortOrder })
      .from(table)
      .where(and(eq(table.id, given('id')), siblings && eq(siblings, given('of')))),
  )
  const exists = existsIn(db, table)
  const put = putIn(db, table)
  function refusalOf(places: readonly Place[], others: number[]): Error {
    const named = others.map((index) => (places[index] as Place).id)
    const unknown = refuse ? named.filter((id) => !exists(id)) : named
    return unknown.length > 0 || !refuse ? notFound(thingOf(table), unknown) : refuse(others)
  }
  return (places: readonly Place[], of?: string): void => {
    ensureFew(db, places.length)
    const current = places.map(({ id }) => one({ id, of }))
    const others = current.flatMap((place, index) => (place === undefined ? [index] : []))
    if (others.length > 0) throw refusalOf(places, others)
    const moved = places.filter(({ sortOrder }, index) => sortOrder !== current[index]?.sortOrder)
    put(moved, timestamp())
  }
}
