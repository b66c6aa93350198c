/**
 * Keyset pagination: a page begins after the last place (`sortOrder`, `id`) of the one before. Records that are inserted
 * or deleted elsewhere shift nothing, and the service keeps no state between two pages.
 */
import type { JsonBytes } from '../schemas/serialization.ts'
import type { Place } from './ordering.ts'

/** Records on one page, at most. */
export const PAGE_LIMIT = 500

/** The limit of a whole list: more than any list has. */
const ALL = 1e9

/** Which page of a list to read; without either, the whole list. */
export interface PageQuery {
  limit?: number
  cursor?: string
}

/** Reads the first `count` places after the given one, in order. */
export type PlacesAfter = (place: Place, count: number) => Place[]

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
  next: string | undefined
}

/** Whether a rule's result is a {@link JsonPage}: it may come from another thread. */
export const isJsonPage = (value: unknown): value is JsonPage =>
  typeof value === 'object' &&
  value !== null &&
  'next' in value &&
  'body' in value &&
  value.body instanceof Uint8Array

/** Before every place: a `sortOrder` is finite. */
export const BEGINNING: Place = { sortOrder: -Infinity, id: '' }

const encode = ({ sortOrder, id }: Place) =>
  Buffer.from(JSON.stringify([sortOrder, id])).toString('base64url')

/** @returns undefined for what is no cursor */
function decode(text: string): Place | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(parts)) return undefined
    const [sortOrder, id] = parts
    return Number.isFinite(sortOrder) && typeof id === 'string' ? { sortOrder, id } : undefined
  } catch {
    return undefined
  }
}

/** Whether a text is a cursor: for the validator. */
export const isCursor = (text: string): boolean => decode(text) !== undefined

/** Reads one page of a list; without a limit, all that comes after the cursor. */
export function readPage(placesAfter: PlacesAfter, { limit = ALL, cursor }: PageQuery): Page {
  const from = cursor === undefined ? BEGINNING : (decode(cursor) ?? BEGINNING)
  // One more than the page holds shows whether there is a next one.
  const places = placesAfter(from, limit + 1)
  const shown = places.slice(0, limit)
  const last = shown.at(-1)
  const ids = shown.map(({ id }) => id)
  return last && places.length > limit ? { ids, next: encode(last) } : { ids }
}
