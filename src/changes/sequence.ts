/** The sequence of changes as it is read: rows, and their place in it. */
import { and, asc, desc, eq, gt, isNotNull, lt, ne, or, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { changes } from '../db/schema.ts'
import { given, givenLimit, selectAll, selectOne } from '../db/statements.ts'

/** A row of the sequence, as stored. */
export type ChangeRow = typeof changes.$inferSelect

/** Any change: read by the key, not by a scan of the table. */
const isThere = gt(changes.seq, sql`0`)

const statementsOf = (db: SharedDatabase) => ({
  first: selectOne<{ seq: number }>(() =>
    db.select({ seq: changes.seq }).from(changes).where(isThere).orderBy(asc(changes.seq)).limit(1),
  ),
  last: selectOne<{ seq: number }>(() =>
    db.select({ seq: changes.seq }).from(changes).where(isThere).orderBy(desc(changes.seq)).limit(1),
  ),
  one: selectOne<ChangeRow>(() =>
    db
      .select()
      .from(changes)
      .where(eq(changes.seq, given('seq'))),
  ),
  after: selectAll<ChangeRow>(db, () =>
    db
      .select()
      .from(changes)
      .where(gt(changes.seq, given('seq')))
      .orderBy(asc(changes.seq))
      .limit(givenLimit('count')),
  ),
  beforeRun: selectOne<{ seq: number }>(() =>
    db
      .select({ seq: changes.seq })
      .from(changes)
      .where(and(lt(changes.seq, given('seq')), or(isNotNull(changes.group), ne(changes.at, given('at')))))
      .orderBy(desc(changes.seq))
      .limit(1),
  ),
})

/** The sequence of changes of a connection. All reads. */
export class Sequence {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** The oldest change that is kept; 0 where there is none yet. */
  first(): number {
    return this.#sql.first()?.seq ?? 0
  }

  /** The newest change; 0 where there is none yet. */
  last(): number {
    return this.#sql.last()?.seq ?? 0
  }

  /** One change; undefined where it is not kept, or not made yet. */
  one(seq: number): ChangeRow | undefined {
    return this.#sql.one({ seq })
  }

  /** The changes after one, oldest first, at most `count`. */
  after(seq: number, count: number): ChangeRow[] {
    return this.#sql.after({ seq, count })
  }

  /**
   * The group of a change: the first change of its write. Other tools do not say where a write of theirs begins; but all
   * that one statement changes, cascades included, is of the same time, since SQLite reads the clock once a statement.
   * @param previous the change before it and its group, where they are known: saves the search
   */
  groupOf(row: ChangeRow, previous?: { row: ChangeRow; group: number }): number {
    if (row.group !== null) return row.group
    if (previous?.row.seq === row.seq - 1) {
      return previous.row.group === null && previous.row.at === row.at ? previous.group : row.seq
    }
    return (this.#sql.beforeRun({ seq: row.seq, at: row.at })?.seq ?? this.first() - 1) + 1
  }

  /** The groups of rows, oldest first. */
  groupsOf(rows: readonly ChangeRow[]): number[] {
    const groups: number[] = []
    for (const [index, row] of rows.entries()) {
      const previous = rows[index - 1]
      const group = groups[index - 1]
      groups.push(this.groupOf(row, previous && group !== undefined ? { row: previous, group } : undefined))
    }
    return groups
  }
}
