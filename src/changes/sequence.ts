/** The sequence of changes as it is read: rows, and their place in it. */
import { and, asc, desc, eq, gt, isNotNull, lt, ne, or } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { changes } from '../db/schema.ts'
import { given, givenLimit, selectAll, selectOne } from '../db/statements.ts'

/** A row of the sequence, as stored. */
export type ChangeRow = typeof changes.$inferSelect

/** What is needed to tell who a change is for: cheap to read, whatever the change holds. */
export type ChangeHead = Pick<ChangeRow, 'seq' | 'kind' | 'projectId' | 'fromProjectId' | 'ownerId'>

const { seq, kind, projectId, fromProjectId, ownerId } = changes

const statementsOf = (db: SharedDatabase) => ({
  first: selectOne<{ seq: number }>(() =>
    db.select({ seq: changes.seq }).from(changes).orderBy(asc(changes.seq)).limit(1),
  ),
  last: selectOne<{ seq: number }>(() =>
    db.select({ seq: changes.seq }).from(changes).orderBy(desc(changes.seq)).limit(1),
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
  headsAfter: selectAll<ChangeHead>(db, () =>
    db
      .select({ seq, kind, projectId, fromProjectId, ownerId })
      .from(changes)
      .where(gt(seq, given('seq')))
      .orderBy(asc(seq))
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

  /** The heads of the changes after one, oldest first, at most `count`. */
  headsAfter(seq: number, count: number): ChangeHead[] {
    return this.#sql.headsAfter({ seq, count })
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
