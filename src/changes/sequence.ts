/** Reads the sequence of changes. */
import { and, asc, desc, eq, gt, gte, isNotNull, lt, ne, or, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { changes } from '../db/schema.ts'
import { amongValues, given, givenLimit, selectAll, selectOne } from '../db/statements.ts'
import { bytesOf } from '../db/work-limits.ts'
import { changesGone } from '../errors.ts'
import { once } from '../once.ts'

/** A stored row of the sequence. */
export type ChangeRow = typeof changes.$inferSelect

/** The fields that decide the group of a change. */
export type Placed = Pick<ChangeRow, 'seq' | 'at' | 'group'>

/** Whether a value is a valid group of a change. @param seq of the change */
const isGroup = (value: number, seq: number): boolean => Number.isInteger(value) && value > 0 && value <= seq

/** The fields of a change that decide access and filters, and the size of its records in bytes. */
export interface ChangeHead
  extends Pick<ChangeRow, 'seq' | 'kind' | 'projectId' | 'itemId' | 'fromProjectId' | 'ownerId'> {
  size: number
}

const HEAD = `select seq, kind, project_id as projectId, item_id as itemId, from_project_id as fromProjectId,
  owner_id as ownerId, ${bytesOf('before', 'after')} as size from changes`

/** Any change: read by the key, not by a scan of the table. */
const isThere = gt(changes.seq, sql`0`)

const statementsOf = (db: SharedDatabase) => ({
  first: selectOne<{ seq: number }>(db, () =>
    db.select({ seq: changes.seq }).from(changes).where(isThere).orderBy(asc(changes.seq)).limit(1),
  ),
  last: selectOne<{ seq: number }>(db, () =>
    db.select({ seq: changes.seq }).from(changes).where(isThere).orderBy(desc(changes.seq)).limit(1),
  ),
  one: selectOne<ChangeRow>(db, () =>
    db
      .select()
      .from(changes)
      .where(eq(changes.seq, given('seq'))),
  ),
  exists: once(() => db.$client.prepare<[number], number>('select 1 from changes where seq = +?').pluck()),
  after: selectAll<ChangeRow>(db, () =>
    db
      .select()
      .from(changes)
      .where(gt(changes.seq, given('seq')))
      .orderBy(asc(changes.seq))
      .limit(givenLimit('count')),
  ),
  several: selectAll<ChangeRow>(db, () =>
    db.select().from(changes).where(amongValues(changes.seq, 'seqs')).orderBy(asc(changes.seq)),
  ),
  heads: once(() =>
    db.$client.prepare<[number, number], ChangeHead>(`${HEAD} where seq > +? order by seq limit +?`),
  ),
  headsOf: once(() =>
    db.$client.prepare<[string], ChangeHead>(
      `${HEAD} where seq in (select value from json_each(+?)) order by seq`,
    ),
  ),
  beforeRun: selectOne<{ seq: number }>(db, () =>
    db
      .select({ seq: changes.seq })
      .from(changes)
      .where(
        and(
          lt(changes.seq, given('seq')),
          gte(changes.seq, given('from')),
          or(isNotNull(changes.group), ne(changes.at, given('at'))),
        ),
      )
      .orderBy(desc(changes.seq))
      .limit(1),
  ),
})

/** The sequence of changes of a connection. All reads. */
export class Sequence {
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** The oldest stored change; 0 if there is none yet. */
  first(): number {
    return this.#sql.first()?.seq ?? 0
  }

  /** The newest change; 0 if there is none yet. */
  last(): number {
    return this.#sql.last()?.seq ?? 0
  }

  /** One change; undefined if it is not stored, or does not exist yet. */
  one(seq: number): ChangeRow | undefined {
    return this.#sql.one({ seq })
  }

  /**
   * Ensures that a reader may continue from a place: no later change is missing. After the oldest stored change, a place without a
   * change can only come from a machine whose last changes were lost (see `src/db/lost-changes.ts`).
   * @throws ApiError 410
   */
  ensureKept(seq: number): void {
    if (this.#sql.exists().get(seq) !== 1 && seq !== this.first() - 1) throw changesGone(this.first())
  }

  /** The changes after one, oldest first, at most `count`. */
  after(seq: number, count: number): ChangeRow[] {
    return this.#sql.after({ seq, count })
  }

  /** Changes by their `seq`, oldest first, without pruned ones. */
  several(seqs: readonly number[]): ChangeRow[] {
    return this.#sql.several({ seqs: JSON.stringify(seqs) })
  }

  /**
   * The heads of the changes after one, oldest first, at most `count`. Inside a read, they are read lazily.
   */
  heads(seq: number, count: number): Iterable<ChangeHead> {
    const heads = this.#sql.heads()
    return this.#db.$client.inTransaction ? heads.iterate(seq, count) : heads.all(seq, count)
  }

  /** The heads of changes by their `seq`, oldest first. */
  headsOf(seqs: readonly number[]): ChangeHead[] {
    return this.#sql.headsOf().all(JSON.stringify(seqs))
  }

  /**
   * The group of a change: the first change of its write. Other tools do not record it, but all changes of
   * one statement, including cascades, have the same time, since SQLite reads the clock once per statement.
   * @param previous an earlier change and its group, if known: shortens the search
   */
  groupOf(row: Placed, previous?: { row: Placed; group: number }): number {
    // Another tool may have written an invalid group: then the change is a group of its own.
    if (row.group !== null) return isGroup(row.group, row.seq) ? row.group : row.seq
    const from = previous?.row.seq ?? 0
    const before = from === row.seq - 1 ? previous?.row : undefined
    const isRun = previous?.row.group === null && previous.row.at === row.at
    if (before) return isRun ? Number(previous?.group) : row.seq
    const border = this.#sql.beforeRun({ seq: row.seq, at: row.at, from })?.seq
    if (border === undefined && isRun) return Number(previous?.group)
    return (border ?? this.first() - 1) + 1
  }

  /** The groups of rows, oldest first. @param previous as for {@link groupOf} */
  groupsOf(rows: readonly Placed[], previous?: { row: Placed; group: number }): number[] {
    let known = previous
    return rows.map((row) => {
      const group = this.groupOf(row, known)
      known = { row, group }
      return group
    })
  }
}
