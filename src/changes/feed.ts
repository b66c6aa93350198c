/** Reading the sequence from a place on, a page at a time. */
import { read, type SharedDatabase } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { type FeedPage, PageReading } from './feed-page.ts'
import { type ChangeFilter, passes } from './filters.ts'
import type { ChangeHead, ChangeRow, Sequence } from './sequence.ts'
import type { Subjects } from './subjects.ts'
import type { Reader } from './told.ts'

/** Changes that one slice looks at, at most, whether they pass the filter or not: some 2 ms. */
const EXAMINED = 1000

/** Which page to read. */
export interface FeedQuery extends ChangeFilter {
  /** The change to go on from. */
  after: number
  /** How many changes, at most. */
  limit: number
}

/** Which slice to read. */
export interface SliceQuery extends FeedQuery {
  /** How many bytes of records, at most; one change may have more. */
  bytes: number
}

/** A part of the sequence. */
export interface Slice {
  rows: ChangeRow[]
  /** The groups of the rows: see `Sequence.groupOf`. */
  groups: number[]
  /** Bytes of their records. */
  size: number
  /** How many changes were looked at. */
  examined: number
  /** The last change that was looked at: where to go on. */
  last: number
  /** The newest change of all. */
  newest: number
}

/** 410: what is asked for is not kept any more. */
export const changesGone = (oldest: number) => new ApiError(410, 'Changes are gone', { details: { oldest } })

/** The feed of changes: all reads. */
export class Feed {
  static readonly reads: readonly string[] = ['slice', 'page']
  readonly #db: SharedDatabase
  readonly #sequence: Sequence
  readonly #subjects: Subjects

  constructor(db: SharedDatabase, sequence: Sequence, subjects: Subjects) {
    this.#db = db
    this.#sequence = sequence
    this.#subjects = subjects
  }

  /**
   * A part of the sequence: no more than is asked for, and no more than the event loop has time for.
   * @param reader who asks: sees what it may
   * @param previous the latest change before the place that was read, with its group: see `Sequence.groupOf`
   * @throws ApiError 410 where changes after the place are not kept any more, or were lost
   */
  slice(
    { after, limit, bytes, ...filter }: SliceQuery,
    reader: Reader,
    previous?: { row: ChangeRow; group: number },
  ): Slice {
    return read(this.#db, () => {
      const newest = this.#sequence.last()
      if (after >= newest) return { rows: [], groups: [], size: 0, examined: 0, last: newest, newest }
      if (!this.#sequence.isPlace(after)) throw changesGone(this.#sequence.first())
      const found: number[] = []
      let last = after
      let [size, examined] = [0, 0]
      let isFull = false
      const take = (head: ChangeHead): boolean => {
        examined++
        if (passes(head, filter, reader)) {
          if (found.length > 0 && size + head.size > bytes) isFull = true
          if (isFull) return false
          found.push(head.seq)
          size += head.size
          isFull = found.length === limit
        }
        last = head.seq
        return !isFull
      }
      const { heads, end, rest } = this.#fromIndex(filter, after)
      heads.every(take)
      if (!isFull && end !== undefined) last = end
      if (!isFull && last < newest && rest > 0) {
        for (const head of this.#sequence.heads(last, rest)) if (!take(head)) break
      }
      const rows = this.#sequence.several(found)
      return { rows, groups: this.#sequence.groupsOf(rows, previous), size, examined, last, newest }
    })
  }

  /** A part of the sequence as the feed answers it, at once. @throws ApiError 410 */
  page(query: FeedQuery, reader: Reader): FeedPage {
    const reading = new PageReading(this, query, reader)
    while (reading.step());
    return reading.page()
  }

  /**
   * What the index knows of the subject that a filter names.
   * @returns the changes, oldest first, the change up to which there are no others, and how many more may be looked at
   */
  #fromIndex(
    { projectId, itemId }: ChangeFilter,
    after: number,
  ): { heads: ChangeHead[]; end?: number; rest: number } {
    const subject = itemId ?? projectId
    const indexed = subject === undefined ? 0 : this.#subjects.indexed()
    if (subject === undefined || after >= indexed) return { heads: [], rest: EXAMINED }
    const seqs = this.#subjects.after(subject, after, EXAMINED)
    const heads = this.#sequence.headsOf(seqs)
    const rest = EXAMINED - seqs.length
    return { heads, rest, ...(rest > 0 && { end: indexed }) }
  }
}
