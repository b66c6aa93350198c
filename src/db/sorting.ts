/**
 * Sorts of lists: each key is declared once, with `-` for descending, completed by `id`, and
 * with the conditions for its pages. Empty keys come last in both directions. Other tools may have stored anything
 * in any column: each key has a total order, and its cursor is exact.
 */
import { asc, desc, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { OrderedTable } from './ordering.ts'
import { DEFAULT_SORT, type KeyPlace } from './pages.ts'
import { given, type Identified } from './statements.ts'

/** A sort of a list. */
export interface Sort {
  /** The order, for `order by`. */
  order: SQL[]
  /** The fields of a place (`KeyPlace`) besides the id. */
  place: { key: SQL; text: SQL }
  /** The same order of places, from a subquery. */
  orderOfPlaces: SQL[]
  /** Condition: the row comes after the placeholders `key`, `text` and `id`. */
  after: SQL
}

/** The sorts of a list by name, e.g. `dueDate` and `-dueDate`. */
export type Sorts = Readonly<Record<string, Sort>>

/** The fields of a place in a subquery. */
const KEY = sql.raw('"key"')
const ID = sql.raw('"id"')

/** Significant bytes of a text: more than any title has. The cursor contains them. */
const KEY_BYTES = 2000

/** The key of a text column: its bytes; empty text counts as empty, like NULL. */
export const textKey = (column: SQLiteColumn): SQL =>
  sql`nullif(substr(cast(${column} as blob), 1, ${sql.raw(String(KEY_BYTES))}), x'')`

/** The key of a column of an open vocabulary: the position of the listed values, with all others after them. */
export function rankKey(column: SQLiteColumn, listed: readonly string[]): SQL {
  const ranks = listed.map((value, rank) => sql.raw(`when '${value}' then ${rank} `))
  return sql`iif(${textKey(column)} is null, null, case ${column} ${sql.join(ranks)}else ${sql.raw(String(listed.length))} end)`
}

/**
 * The sort by `sortOrder`, which has indexes: its key is the column itself. SQLite orders texts and then bytes after all
 * numbers.
 */
function bySortOrder({ id, sortOrder }: OrderedTable, isDescending: boolean): Sort {
  const key = sql`coalesce(cast(${given('text')} as text), ${given('key')})`
  return {
    order: [isDescending ? desc(sortOrder) : asc(sortOrder), asc(id)],
    place: {
      key: sql`${sortOrder}`,
      text: sql`iif(typeof(${sortOrder}) = 'text', cast(${sortOrder} as blob), null)`,
    },
    orderOfPlaces: [isDescending ? desc(KEY) : asc(KEY), asc(ID)],
    after: isDescending
      ? sql`${sortOrder} <= ${key} and (${sortOrder} < ${key} or ${id} > ${given('id')})`
      : sql`(${sortOrder}, ${id}) > (${key}, ${given('id')})`,
  }
}

/** The sort by any other key, which has no index: the rows are read and sorted. */
function byKey({ id }: Identified, key: SQL, isDescending: boolean): Sort {
  const place = given('key')
  const isBeyond = isDescending ? sql`${key} < ${place}` : sql`${key} > ${place}`
  return {
    order: [sql`${key} is null`, isDescending ? desc(key) : asc(key), asc(id)],
    place: { key, text: sql`null` },
    orderOfPlaces: [sql`${KEY} is null`, isDescending ? desc(KEY) : asc(KEY), asc(ID)],
    // Empty keys are equal, and come after all others.
    after: sql`(${isBeyond} or (${key} is ${place} and ${id} > ${given('id')}) or (${key} is null and ${place} is not null))`,
  }
}

/** A place before all others by `sortOrder`, ascending, so that an index finds the first page like the others. */
export const BEGINNING: KeyPlace = { key: -Infinity, text: null, id: '' }

/**
 * Declares the sorts of a table's lists: by `sortOrder`, and by these keys.
 * @param keys by the names of the sorts, as clients name them
 */
export const sortsOf = (table: OrderedTable, keys: Record<string, SQL>): Sorts =>
  Object.fromEntries(
    [false, true].flatMap((isDescending) => {
      const sign = isDescending ? '-' : ''
      return [
        [`${sign}${DEFAULT_SORT}`, bySortOrder(table, isDescending)],
        ...Object.entries(keys).map(([name, key]) => [`${sign}${name}`, byKey(table, key, isDescending)]),
      ]
    }),
  )
