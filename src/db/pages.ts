/**
 * Keyset pagination: a page begins after the last place (the sort key, `id`) of the previous one.
 * Inserted or deleted records do not shift pages, and the service stores nothing between two pages.
 */
import type { JsonBytes } from '../schemas/serialization.ts'

/** Records on one page, at most. */
export const PAGE_LIMIT = 500

/** The limit for a whole list: more than any list has. */
const ALL = 1e9

export const DEFAULT_SORT = 'sortOrder'

/** The page of a list to read; without `limit` and `cursor`, the whole list. */
export interface PageQuery {
  limit?: number
  cursor?: string
  /** The name of the sort, with `-` for descending. */
  sort?: string
}

/** A record's place in a list. */
export interface KeyPlace {
  id: string
  /** The sort key: a number, bytes, or null if empty. */
  key: number | Buffer | null
  /** The bytes of a text key that another tool stored among numbers; else null. */
  text: Buffer | null
}

/** Reads the first `count` places after the given one, or from the beginning, in order. */
export type PlacesAfter = (place: KeyPlace | undefined, count: number) => KeyPlace[]

/** A page of a list. */
export interface Page {
  /** The ids of its records, in order. */
  ids: string[]
  /** The cursor of the next page, if any. */
  next?: string
}

/** A page of records, or a whole list, as JSON, with the cursor of the next page, if any. */
export interface JsonPage {
  body: JsonBytes
  next?: string | number | undefined
  /** The ETag of the page, if the list has one. */
  etag?: string
}

/** Whether a rule's result is a {@link JsonPage}: it may come from another thread. */
export const isJsonPage = (value: unknown): value is JsonPage =>
  typeof value === 'object' && value !== null && 'body' in value && value.body instanceof Uint8Array

/** The prefix of cursor keys that JSON cannot represent. */
const BYTES = 'b'
const TEXT = 't'

function encodeKey({ key, text }: KeyPlace): number | string | null {
  if (text !== null) return TEXT + text.toString('base64url')
  if (key === null) return null
  if (typeof key === 'number') return Number.isFinite(key) ? key : String(key)
  return BYTES + key.toString('base64url')
}

/** @returns undefined for an invalid key */
function decodeKey(key: unknown): Omit<KeyPlace, 'id'> | undefined {
  if (key === null || Number.isFinite(key)) return { key: key as number | null, text: null }
  if (typeof key !== 'string') return undefined
  if (key === 'Infinity' || key === '-Infinity') return { key: Number(key), text: null }
  const bytes = Buffer.from(key.slice(1), 'base64url')
  if (key.startsWith(BYTES)) return { key: bytes, text: null }
  return key.startsWith(TEXT) ? { key: null, text: bytes } : undefined
}

/** The cursor of a place. It names its sort, unless that is the default. */
export function cursorAt(place: KeyPlace, sort: string): string {
  const parts = [encodeKey(place), place.id, ...(sort === DEFAULT_SORT ? [] : [sort])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** @returns undefined for an invalid cursor */
function decode(text: string): { place: KeyPlace; sort: unknown } | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(parts)) return undefined
    const [first, id, sort = DEFAULT_SORT] = parts
    const key = decodeKey(first)
    // No sortOrder is empty.
    const isPlace = typeof id === 'string' && (first !== null || sort !== DEFAULT_SORT)
    return key && isPlace ? { place: { id, ...key }, sort } : undefined
  } catch {
    return undefined
  }
}

/** The place of a cursor; undefined for an invalid one. */
export const placeOf = (cursor: string): KeyPlace | undefined => decode(cursor)?.place

/** Whether a text is a cursor: for the validator. */
export const isCursor = (text: string): boolean => decode(text) !== undefined

/** Whether a cursor belongs to this sort: for the validator. */
export const isCursorOf = (text: string, sort: string): boolean => decode(text)?.sort === sort

/** Reads one page of a list; without a limit, everything after the cursor. */
export function readPage(
  placesAfter: PlacesAfter,
  { limit = ALL, cursor, sort = DEFAULT_SORT }: PageQuery,
): Page {
  const from = cursor === undefined ? undefined : placeOf(cursor)
  // One more than the page shows whether there is a next one.
  const places = placesAfter(from, limit + 1)
  const shown = places.slice(0, limit)
  const last = shown.at(-1)
  const ids = shown.map(({ id }) => id)
  return last && places.length > limit ? { ids, next: cursorAt(last, sort) } : { ids }
}

/** A row of a list sorted by `sortOrder`, or only by id. */
interface PlacedRow {
  id: string
  sortOrder?: number
}

/** Compares two places in such a list: negative if the first precedes. */
const compare = (one: PlacedRow, other: PlacedRow): number =>
  (one.sortOrder ?? 0) - (other.sortOrder ?? 0) || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))

/** The rows after a place. The row at that place is found by id, since text stored by another tool shows as one number. */
function rowsAfter<Row extends PlacedRow>(rows: readonly Row[], place: PlacedRow, isDescending: boolean) {
  const index = rows.findIndex((row) => row.id === place.id && compare(row, place) === 0)
  if (index !== -1) return rows.slice(index + 1)
  const sign = isDescending ? -1 : 1
  return rows.filter((row) => compare(row, place) * sign > 0)
}

/**
 * A page, as JSON, of a list that is short enough to read whole; without `limit` and `cursor` the whole list.
 * @param rows the whole list, in order
 * @param toJson serialises them
 * @param isDescending whether the greatest place comes first
 */
export function pageOfRows<Row extends PlacedRow>(
  rows: readonly Row[],
  { limit = ALL, cursor }: PageQuery,
  toJson: (rows: Row[]) => JsonBytes,
  isDescending = false,
): JsonPage {
  const from = cursor === undefined ? undefined : placeOf(cursor)
  const rest = from ? rowsAfter(rows, { id: from.id, sortOrder: Number(from.key) }, isDescending) : rows
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  if (last === undefined || rest.length === shown.length) return { body: toJson(shown) }
  const { id, sortOrder = 0 } = last
  return { body: toJson(shown), next: cursorAt({ id, key: sortOrder, text: null }, DEFAULT_SORT) }
}
