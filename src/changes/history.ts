/** The history of a project or item: all changes of it and its child records, even after its deletion. */
import type SQLite from 'better-sqlite3'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { scopeOf } from '../db/row-security.ts'
import { kanbanItems, projects } from '../db/schema.ts'
import { existsIn, type Identified } from '../db/statements.ts'
import { BYTES_READ, isLimited, TooMuchWork } from '../db/work-limits.ts'
import { once } from '../once.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { isOfProject, type Reader } from './api-changes.ts'
import { changeText } from './change-text.ts'
import type { ChangeHead, ChangeRow, Sequence } from './sequence.ts'
import type { Subjects } from './subjects.ts'
import type { Visibility } from './visibility.ts'

/** Default number of changes per page. */
export const HISTORY_LIMIT = 100

/** The page: number of changes, and the change before which they come. */
export interface HistoryQuery {
  limit?: number
  cursor?: number
}

/** A page as JSON, with the cursor of the next one, if any. */
interface HistoryPage {
  body: JsonBytes
  next: number | undefined
}

/** A kind of record that has a history. */
interface Kind {
  table: Identified
  isOf: (change: Pick<ChangeRow, 'projectId' | 'fromProjectId' | 'itemId'>, id: string) => boolean
  exists: (id: string) => boolean
  /** Whether the record exists, in scope or not. */
  isHidden: () => SQLite.Statement<[string], number>
}

/** The histories of projects and items. */
export class History {
  static readonly reads: readonly string[] = ['ofProject', 'ofItem']
  readonly #db: SharedDatabase
  readonly #sequence: Sequence
  readonly #subjects: Subjects
  readonly #visibility: Visibility
  readonly #project: Kind
  readonly #item: Kind

  constructor(db: SharedDatabase, sequence: Sequence, subjects: Subjects, visibility: Visibility) {
    this.#db = db
    this.#visibility = visibility
    this.#sequence = sequence
    this.#subjects = subjects
    const isThere = (table: string) =>
      once(() => db.$client.prepare<[string], number>(`select 1 from main.${table} where id = +?`).pluck())
    this.#project = {
      table: projects,
      isOf: isOfProject,
      exists: existsIn(db, projects),
      isHidden: isThere('projects'),
    }
    this.#item = {
      isHidden: isThere('kanban_items'),
      table: kanbanItems,
      isOf: ({ itemId }, id) => itemId === id,
      exists: existsIn(db, kanbanItems),
    }
  }

  /**
   * The changes of a project and its child records, newest first.
   * @throws ApiError 404 if there is neither such a project nor a change of it; TooMuchWork
   */
  ofProject(id: string, query: HistoryQuery, reader: Reader): HistoryPage {
    return read(this.#db, () => this.#page(this.#project, id, query, reader))
  }

  /** The changes of an item and its child records, like {@link ofProject}. */
  ofItem(id: string, query: HistoryQuery, reader: Reader): HistoryPage {
    return read(this.#db, () => this.#page(this.#item, id, query, reader))
  }

  #page(
    kind: Kind,
    id: string,
    { limit = HISTORY_LIMIT, cursor = Number.POSITIVE_INFINITY }: HistoryQuery,
    reader: Reader,
  ): HistoryPage {
    this.#ensureKnown(kind, id, reader)
    // One more than the page shows whether there is a next one.
    const seqs = this.#subjects.list(id, cursor, limit + 1)
    const heads = this.#sequence.headsOf(seqs.slice(0, limit))
    this.#ensureShort(heads)
    const view = this.#visibility.of(reader)
    const shown = heads.filter((head) => kind.isOf(head, id) && view.maySee(head))
    const rows = this.#sequence.several(shown.map(({ seq }) => seq)).map((row) => view.shown(row))
    const groups = this.#sequence.groupsOf(rows)
    const texts = rows.map((row, index) => changeText(row, groups[index] as number))
    return {
      body: Buffer.from(`[${texts.toReversed().join(',')}]`),
      next: seqs.length > limit ? seqs[limit - 1] : undefined,
    }
  }

  #ensureKnown({ table, exists, isOf, isHidden }: Kind, id: string, reader: Reader): void {
    if (exists(id)) return
    // The same work for a hidden record as for an unknown one.
    const hides = scopeOf(this.#db) !== undefined && isHidden().get(id) === 1
    const newest = this.#subjects.newest(id)
    const heads = this.#sequence.headsOf(newest === undefined ? [] : [newest])
    const isSeen = !hides && heads.some((head) => isOf(head, id) && this.#visibility.maySee(head, reader))
    if (!isSeen) throwNotFound(table)
  }

  #ensureShort(heads: readonly ChangeHead[]): void {
    const bytes = heads.reduce((sum, { size }) => sum + size, 0)
    if (bytes > BYTES_READ && isLimited(this.#db)) throw new TooMuchWork()
  }
}
