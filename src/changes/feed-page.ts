/** A page of the feed, read in slices, so that other work can run in between. */
import { BYTES_READ } from '../db/work-limits.ts'
import { ApiError } from '../errors.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import type { Reader } from './api-changes.ts'
import { changeText } from './change-text.ts'
import type { Feed, FeedQuery, Slice } from './feed.ts'
import type { ChangeRow } from './sequence.ts'

/** Bytes of records of one slice, at most; one change may have more. */
const SLICE_BYTES = 65_536

/** Examined changes of all slices of a page, roughly. */
const EXAMINED = 5000

/** A part of the sequence as a response of the feed. */
export interface FeedPage extends Pick<Slice, 'last' | 'newest'> {
  count: number
  body: JsonBytes
}

/** The feed's response. @param texts changes as JSON */
export const feedBody = (texts: readonly string[], last: number): JsonBytes =>
  Buffer.from(`{"changes":[${texts.join(',')}],"last":${last}}`)

export class PageReading {
  readonly #feed: Pick<Feed, 'slice'>
  readonly #query: FeedQuery
  readonly #reader: Reader
  readonly #texts: string[] = []
  /** Undefined: before the oldest stored change. */
  #last: number | undefined
  #newest = 0
  #size = 0
  #examined = 0
  #latest: { row: ChangeRow; group: number } | undefined

  /** @param reader the caller, who only sees permitted changes */
  constructor(feed: Pick<Feed, 'slice'>, query: FeedQuery, reader: Reader) {
    this.#feed = feed
    this.#query = query
    this.#reader = reader
    this.#last = query.after
  }

  /** The part read so far. */
  page(): FeedPage {
    const [count, last, newest] = [this.#texts.length, this.#last ?? 0, this.#newest]
    return { count, last, newest, body: feedBody(this.#texts, last) }
  }

  /**
   * Reads a slice: some milliseconds.
   * @returns whether the page needs more
   * @throws ApiError 410 if there is no other result
   */
  step(): boolean {
    const slice = this.#next()
    const isTooMuch = this.#texts.length > 0 && this.#size + (slice?.size ?? 0) > BYTES_READ
    if (slice === undefined || isTooMuch) return false
    for (const [index, row] of slice.rows.entries()) {
      this.#latest = { row, group: slice.groups[index] as number }
      this.#texts.push(changeText(row, this.#latest.group))
    }
    this.#last = slice.last
    this.#newest = slice.newest
    this.#size += slice.size
    this.#examined += slice.examined
    return slice.last < slice.newest && this.#texts.length < this.#query.limit && this.#examined < EXAMINED
  }

  /** The next slice; undefined if the next changes were pruned meanwhile: a request for them gets 410. */
  #next(): Slice | undefined {
    const limit = this.#query.limit - this.#texts.length
    const query = { ...this.#query, limit, bytes: SLICE_BYTES }
    try {
      return this.#feed.slice({ ...query, after: this.#last }, this.#reader, this.#latest)
    } catch (error) {
      if (!(error instanceof ApiError && error.statusCode === 410)) throw error
      if (this.#texts.length > 0) return undefined
      // With a given place the result is 410; without one, the page begins at the now oldest change.
      if (this.#query.after !== undefined) throw error
      return this.#feed.slice(query, this.#reader)
    }
  }
}
