/**
 * The index of the sequence: the changes of each project, item and kind, and the deletions of projects and items. It is written
 * asynchronously, in slices, since an SQLite index would slow down every write.
 */
import type { SharedDatabase } from '../db/client.ts'
import { KIND_NAMES } from '../db/kinds.ts'
import { ensureFew } from '../db/work-limits.ts'
import { once } from '../once.ts'
import { maySee, type Reader } from './api-changes.ts'

/** The subject of all deletions of projects and items. */
export const DELETIONS = ''

/** Changes of one slice, at most: some 10 ms. */
const SLICE = 1000

/**
 * The same if the index is far behind, as under a constant load of writes: some 30 ms, but fewer commits. Each commit rewrites most pages
 * of the index, and the event loop's connection then drops its page cache.
 */
export const LARGE_SLICE = 4000
export const FAR_BEHIND = 20_000

/** Changes that are not in the index yet and still read on the event loop, at most: some 5 ms. */
const SCANNED = 10_000

/** Condition: a change deletes a record that the trash shows. */
const IS_DELETION = `(action = 'deleted' and kind in ('project', 'kanban-item'))`

/** Condition: a change belongs to the subject `:subject`. @see isOfProject */
const HAS_SUBJECT = `(project_id = :subject or item_id = :subject or from_project_id = :subject
  or (:subject = '${DELETIONS}' and ${IS_DELETION}))`

/** The subject of all changes of a kind without an owner. Unknown kinds share one. */
export const subjectOfKind = (kind: string) => `:${kind}`

/** The subject of the changes of a kind with an owner, and of all of these. */
const ofOwner = (kind: string, owner: string) => `:${kind}:${owner}`
const ofOwners = (kind: string) => `*${kind}`

/** The kind of a change in its subjects, as SQL. */
const KIND = `case when kind in (${KIND_NAMES.map((kind) => `'${kind}'`).join(', ')}) then kind else '' end`

/**
 * The subjects with all changes of some kinds that a reader may see; each change is in exactly one.
 * @param kinds empty: all kinds
 */
export const subjectsOf = (kinds: readonly string[], reader: Reader): string[] =>
  (kinds.length > 0 ? kinds : [...KIND_NAMES, ''])
    .filter((kind) => maySee({ kind, ownerId: null }, reader))
    .flatMap((kind) => [
      subjectOfKind(kind),
      reader.role === 'admin' ? ofOwners(kind) : ofOwner(kind, reader.id),
    ])

/** The entries of the changes that match a condition, as SQL. */
export const entriesOf = (condition: string): string =>
  [
    `select project_id, seq from changes where ${condition} and project_id is not null`,
    `select item_id, seq from changes where ${condition} and item_id is not null`,
    `select from_project_id, seq from changes where ${condition} and from_project_id is not null`,
    `select '${DELETIONS}', seq from changes where ${condition} and ${IS_DELETION}`,
    `select ':' || ${KIND} || ifnull(':' || owner_id, ''), seq from changes where ${condition}`,
    `select '*' || ${KIND}, seq from changes where ${condition} and owner_id is not null`,
  ].join(' union all ')

function statementsOf({ $client: client }: SharedDatabase) {
  const numbers = (sql: string) => once(() => client.prepare<[object], number>(sql).pluck())
  const range = 'seq > :after and seq <= :last'
  return {
    /** The position of the index, negative, stored as an entry of {@link DELETIONS}, whose other entries are positive. */
    mark: once(() =>
      client
        .prepare<[], number>(
          `select seq from change_subjects where subject = '${DELETIONS}' and seq < 0 order by seq limit 1`,
        )
        .pluck(),
    ),
    newest: once(() => client.prepare<[], number>('select max(seq) from changes').pluck()),
    lastOfSlice: numbers(
      'select max(seq) from (select seq from changes where seq > :after order by seq limit :count)',
    ),
    add: once(() => client.prepare(`insert or ignore into change_subjects ${entriesOf(range)}`)),
    unmark: once(() =>
      client.prepare(`delete from change_subjects where subject = '${DELETIONS}' and seq < 0`),
    ),
    setMark: once(() => client.prepare('insert into change_subjects (subject, seq) values (?, ?)')),
    ofTail: numbers(
      `select seq from changes where seq > :after and seq < :before and ${HAS_SUBJECT} order by seq desc limit :limit`,
    ),
    // The unary plus keeps SQLite from ending the scan at the first one.
    newestOfTail: numbers(`select max(+seq) from changes where seq > :after and ${HAS_SUBJECT}`),
    newestOfIndex: numbers('select max(seq) from change_subjects where subject = +:subject'),
    ofIndex: numbers(
      `select seq from change_subjects where subject = +:subject and seq between 1 and :before - 1
      order by seq desc limit :limit`,
    ),
    after: numbers(
      `select seq from change_subjects where subject = +:subject and seq > max(+:after, 0) and seq <= +:last
      order by seq limit :limit`,
    ),
  }
}

/** The changes of projects and items, by the index; unindexed ones are scanned. */
export class Subjects {
  static readonly reads: readonly string[] = ['list', 'newest', 'after', 'behind', 'indexed']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** The last change in the index; 0 for none. */
  indexed(): number {
    return -(this.#sql.mark().get() ?? 0)
  }

  /** The number of unindexed changes, roughly: pruned ones count. */
  behind(): number {
    return Math.max(0, (this.#sql.newest().get() ?? 0) - this.indexed())
  }

  /**
   * Writes the next slice of the index: in the worker thread, where there is one.
   * @param count changes, at most; if absent, as many as suit how far behind it is
   * @returns how many are left, roughly
   */
  index(count = this.behind() > FAR_BEHIND ? LARGE_SLICE : SLICE): number {
    ensureFew(this.#db, count)
    const after = this.indexed()
    const last = this.#sql.lastOfSlice().get({ after, count })
    if (typeof last !== 'number') return 0
    this.#sql.add().run({ after, last })
    this.#sql.unmark().run()
    this.#sql.setMark().run(DELETIONS, -last)
    return this.behind()
  }

  /**
   * The changes of a subject before one, newest first.
   * @param subject the id of a project or an item, or {@link DELETIONS}
   * @param before a `seq`; Infinity for no limit
   * @param limit how many, at most
   * @returns their `seq`
   * @throws TooMuchWork if too many changes are unindexed
   */
  list(subject: string, before: number, limit: number): number[] {
    ensureFew(this.#db, this.behind(), SCANNED)
    const indexed = this.indexed()
    const last = Math.min(before, Number.MAX_SAFE_INTEGER)
    const ofTail = this.#sql.ofTail().all({ subject, after: indexed, before: last, limit })
    if (ofTail.length === limit) return ofTail
    const ofIndex = this.#sql.ofIndex().all({
      subject,
      before: Math.min(last, indexed + 1),
      limit: limit - ofTail.length,
    })
    return [...ofTail, ...ofIndex]
  }

  /**
   * The newest change of a subject; undefined for none. It takes the same time for a subject without changes, so that its duration does not
   * reveal whether there are any.
   * @throws TooMuchWork if too many changes are unindexed
   */
  newest(subject: string): number | undefined {
    ensureFew(this.#db, this.behind(), SCANNED)
    const asked = { subject, after: this.indexed() }
    const { newestOfTail, newestOfIndex } = this.#sql
    const newest = Math.max(newestOfTail().get(asked) ?? 0, newestOfIndex().get(asked) ?? 0)
    return newest > 0 ? newest : undefined
  }

  /**
   * The indexed changes of some subjects after one, oldest first.
   * @param subjects must not share changes
   * @param limit maximum number
   * @returns their `seq`
   */
  after(subjects: readonly string[], after: number, limit: number): number[] {
    let found: number[] = []
    for (const subject of subjects) {
      const last = found.length === limit ? (found.at(-1) as number) : Number.MAX_SAFE_INTEGER
      const more = this.#sql.after().all({ subject, after, last, limit })
      if (more.length > 0) found = [...found, ...more].sort((one, other) => one - other).slice(0, limit)
    }
    return found
  }
}
