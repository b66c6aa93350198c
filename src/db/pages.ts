/**
 * Keyset pagination: a page begins after the last place (the key that the list is sorted by, `id`) of the one before.
 * Records that are inserted or deleted elsewhere shift nothing, and the service keeps no state between two pages.
 */
import type { JsonBytes } from '../schemas/serialization.ts'

/** Records on one page, at most. */
export const PAGE_LIMIT = 500

/** The limit of a whole list: more than any list has. */
const ALL = 1e9

/** The sort of a list that asks for no other. */
export const DEFAULT_SORT = 'sortOrder'

/** Which page of a list to read; without `limit` and `cursor`, the whole list. */
export interface PageQuery {
  limit?: number
  cursor?: string
  /** The name of the sort, with `-` for descending. */
  sort?: string
}

/** A record's place in a list. */
export interface KeyPlace {
  id: string
  /** The value that the list is sorted by: a number, bytes, or null where it is empty. */
  key: number | Buffer | null
  /** The bytes of a key that is text where another tool stored text among numbers; else null. */
  text: Buffer | null
}

/** Reads the first `count` places after the given one, or from the beginning, in order. */
export type PlacesAfter = (place: KeyPlace | undefined, count: number) => KeyPlace[]

/** A page of a list. */
export interface Page {
  /** The ids of its records, in order. */
  ids: string[]
  /** The cursor of the next page, where there is more. */
  next?: string
}

/** A page of records, or a whole list, as JSON, and the cursor of the next page where there is one. */
export interface JsonPage {
  body: JsonBytes
  next?: string | number | undefined
  /** The ETag of the page, where the list has one. */
  etag?: string
}

/** Whether a rule's result is a {@link JsonPage}: it may come from another thread. */
export const isJsonPage = (value: unknown): value is JsonPage =>
  typeof value === 'object' && value !== null && 'body' in value && value.body instanceof Uint8Array

/** What the key of a cursor begins with where JSON has no such value. */
const BYTES = 'b'
const TEXT = 't'

function encodeKey({ key, text }: KeyPlace): number | string | null {
  if (text !== null) return TEXT + text.toString('base64url')
  if (key === null) return null
  if (typeof key === 'number') return Number.isFinite(key) ? key : String(key)
  return BYTES + key.toString('base64url')
}

/** @returns undefined for what is no key */
function decodeKey(key: unknown): Omit<KeyPlace, 'id'> | undefined {
  if (key === null || Number.isFinite(key)) return { key: key as number | null, text: null }
  if (typeof key !== 'string') return undefined
  if (key === 'Infinity' || key === '-Infinity') return { key: Number(key), text: null }
  const bytes = Buffer.from(key.slice(1), 'base64url')
  if (key.startsWith(BYTES)) return { key: bytes, text: null }
  return key.startsWith(TEXT) ? { key: null, text: bytes } : undefined
}

/** The cursor of a place. It names the sort that it is of, unless that is the default. */
export function cursorAt(place: KeyPlace, sort: string): string {
  const parts = [encodeKey(place), place.id, ...(sort === DEFAULT_SORT ? [] : [sort])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** @returns undefined for what is no cursor */
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

/** The place that a cursor is of; undefined for what is no cursor. */
export const placeOf = (cursor: string): KeyPlace | undefined => decode(cursor)?.place

/** Whether a text is a cursor: for the validator. */
export const isCursor = (text: string): boolean => decode(text) !== undefined

/** Whether a cursor is of a list in this sort: for the validator. */
export const isCursorOf = (text: string, sort: string): boolean => decode(text)?.sort === sort

/** Reads one page of a list; without a limit, all that comes after the cursor. */
export function readPage(
  placesAfter: PlacesAfter,
  { limit = ALL, cursor, sort = DEFAULT_SORT }: PageQuery,
): Page {
  const from = cursor === undefined ? undefined : placeOf(cursor)
  // One more than the page holds shows whether there is a next one.
  const places = placesAfter(from, limit + 1)
  const shown = places.slice(0, limit)
  const last = shown.at(-1)
  const ids = shown.map(({ id }) => id)
  return last && places.length > limit ? { ids, next: cursorAt(last, sort) } : { ids }
}

/** A row of a list that is sorted by `sortOrder`, or by nothing, and then by id. */
interface PlacedRow {
  id: string
  sortOrder?: number
}

/** Which of two places in such a list comes first: negative for the one. */
const compare = (one: PlacedRow, other: PlacedRow): number =>
  (one.sortOrder ?? 0) - (other.sortOrder ?? 0) || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))

/** The rows after a place. What stands there tells them best: another tool may have stored texts, which the row shows as one number. */
function rowsAfter<Row extends PlacedRow>(rows: readonly Row[], place: PlacedRow, isDescending: boolean) {
  const index = rows.findIndex((row) => row.id === place.id && compare(row, place) === 0)
  if (index !== -1) return rows.slice(index + 1)
  const sign = isDescending ? -1 : 1
  return rows.filter((row) => compare(row, place) * sign > 0)
}

/**
 * A page of a list that is short enough to be read whole, as JSON; without `limit` and `cursor` the whole list.
 * @param rows all of the list, in order
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
