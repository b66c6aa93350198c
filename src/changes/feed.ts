/** Reads the sequence from a place, a page at a time. */
import { read, type SharedDatabase } from '../db/client.ts'
import { unlessTooMuch } from '../db/work-limits.ts'
import type { Reader } from './api-changes.ts'
import { type FeedPage, PageReading } from './feed-page.ts'
import { type ChangeFilter, passes } from './filters.ts'
import type { ChangeHead, ChangeRow, Sequence } from './sequence.ts'
import { type Subjects, subjectsOf } from './subjects.ts'
import type { Visibility } from './visibility.ts'

/** Most changes that one slice examines, matching or not: some 2 ms. */
const EXAMINED = 1000

/** Changes right after the place that are examined before the index is used, and most changes read from it then. */
const NEAR = 100
const LISTED = EXAMINED - NEAR

/** The page to read. */
export interface FeedQuery extends ChangeFilter {
  /** The change to continue from; undefined: before the oldest stored one. */
  after: number | undefined
  /** Maximum number of changes. */
  limit: number
}

/** The slice to read. */
interface SliceQuery extends FeedQuery {
  /** Maximum bytes of records; a single change may have more. */
  bytes: number
  /** Leaves out changes whose records have more bytes. */
  largest?: number
}

/** The latest change before the place that was read, with its group: see `Sequence.groupOf`. */
interface Previous {
  row: ChangeRow
  group: number
}

/** A part of the sequence. */
export interface Slice {
  rows: ChangeRow[]
  /** The groups of the rows: see `Sequence.groupOf`. */
  groups: number[]
  /** Size of their records, in bytes. */
  size: number
  /** Number of examined changes. */
  examined: number
  /** The last examined change: where to continue. */
  last: number
  /** The newest change of all. */
  newest: number
}

/** 410: the requested changes are no longer stored. */

/** The feed of changes: all reads. */
export class Feed {
  static readonly reads: readonly string[] = ['slice', 'page']
  readonly #db: SharedDatabase
  readonly #sequence: Sequence
  readonly #subjects: Subjects
  readonly visibility: Visibility

  constructor(db: SharedDatabase, sequence: Sequence, subjects: Subjects, visibility: Visibility) {
    this.#db = db
    this.visibility = visibility
    this.#sequence = sequence
    this.#subjects = subjects
  }

  /**
   * A part of the sequence, limited by the request and by the time of the event loop. It may be empty although there is more.
   * @param reader the caller, who only sees permitted changes
   * @param previous the latest change before the place that was read, with its group: see `Sequence.groupOf`
   * @throws ApiError 410 if changes after the place were pruned or lost
   */
  slice(query: SliceQuery, reader: Reader, previous?: Previous): Slice {
    return read(this.#db, () => {
      const slice = unlessTooMuch(() => this.#slice(query, reader, previous))
      if (slice !== undefined) return slice
      // The next attempt continues to look for deletions of projects in unindexed changes.
      const last = this.#after(query)
      return { rows: [], groups: [], size: 0, examined: 0, last, newest: this.#sequence.last() }
    })
  }

  /** @throws TooMuchWork if too many unindexed changes have not been examined for deletions of projects */
  #slice(query: SliceQuery, reader: Reader, previous: Previous | undefined): Slice {
    return read(this.#db, () => {
      const newest = this.#sequence.last()
      const after = this.#after(query)
      if (after >= newest) return { rows: [], groups: [], size: 0, examined: 0, last: newest, newest }
      this.#sequence.ensureKept(after)
      return this.#examine(query, { after, newest }, reader, previous)
    })
  }

  #after({ after }: SliceQuery): number {
    return after ?? Math.max(0, this.#sequence.first() - 1)
  }

  #examine(
    { limit, bytes, largest = Number.POSITIVE_INFINITY, after: _, ...filter }: SliceQuery,
    { after, newest }: { after: number; newest: number },
    reader: Reader,
    previous: Previous | undefined,
  ): Slice {
    const view = this.visibility.of(reader)
    const found: number[] = []
    let last = after
    let [size, examined] = [0, 0]
    let isFull = false
    const take = (head: ChangeHead): boolean => {
      examined++
      if (head.size <= largest && passes(head, filter) && view.maySee(head)) {
        if (found.length > 0 && size + head.size > bytes) isFull = true
        if (isFull) return false
        found.push(head.seq)
        size += head.size
        isFull = found.length === limit
      }
      last = head.seq
      return !isFull
    }
    const look = (count: number) => {
      for (const head of this.#sequence.heads(last, count)) if (!take(head)) break
    }
    const isMore = () => !isFull && last < newest
    // Usually these are all.
    look(NEAR)
    const listed = isMore() ? this.#listed(filter, reader, last) : undefined
    if (listed) {
      this.#sequence.headsOf(listed.seqs).every(take)
      if (!isFull) last = listed.end
    }
    if (isMore() && examined < EXAMINED) look(EXAMINED - examined)
    const rows = this.#sequence.several(found).map((row) => view.shown(row))
    return { rows, groups: this.#sequence.groupsOf(rows, previous), size, examined, last, newest }
  }

  /** A part of the sequence as a response of the feed, read at once. @throws ApiError 410; TooMuchWork */
  page(query: FeedQuery, reader: Reader): FeedPage {
    const slice: Feed['slice'] = (part, its, previous) => this.#slice(part, its, previous)
    const reading = new PageReading({ slice }, query, reader)
    while (reading.step());
    return reading.page()
  }

  /**
   * The candidates of a filter by the index: those of the project, the item or the kinds, whichever are the fewest.
   * @returns the next of them, oldest first, and the change up to which they are complete; undefined if the index does not help
   */
  #listed(
    { projectId, itemId, kinds = [] }: ChangeFilter,
    reader: Reader,
    after: number,
  ): { seqs: number[]; end: number } | undefined {
    const indexed = this.#subjects.indexed()
    const lists = [itemId, projectId].flatMap((subject) => (subject === undefined ? [] : [[subject]]))
    if (kinds.length > 0 || reader.role !== 'admin') lists.push(subjectsOf(kinds, reader))
    if (after >= indexed) return undefined
    let best: { seqs: number[]; end: number } | undefined
    for (const list of lists) {
      const seqs = this.#subjects.after(list, after, LISTED)
      const end = seqs.length < LISTED ? indexed : (seqs.at(-1) as number)
      if (!best || end > best.end || (end === best.end && seqs.length < best.seqs.length))
        best = { seqs, end }
    }
    return best
  }
}
