/** Groups of changes: all changes of one write. */
import type { SharedDatabase } from '../db/client.ts'
import { BYTES_READ, bytesOf, isLimited, ROWS_WRITTEN, TooMuchWork } from '../db/work-limits.ts'
import { once } from '../once.ts'
import type { ChangeRow, Placed, Sequence } from './sequence.ts'
import type { ChangeScope } from './visibility.ts'

/** Changes read at a time. */
const SLICE = 1000

/** Whether two neighbours are of one group; changes of another tool's write have the same time. */
const isOfOne = (one: Placed, other: Placed): boolean =>
  one.group === other.group && (one.group !== null || one.at === other.at)

/** A neighbour of a change, and the bytes of its texts. */
type Neighbour = Placed & { size: number }

/** The changes of a group that the same readers see, and how many records they change. */
type ScopeOfGroup = ChangeScope & { records: number }

function statementsOf({ $client: client }: SharedDatabase) {
  const neighbours = (condition: string, order: string) =>
    once(() =>
      client.prepare<[number, number], Neighbour>(
        `select seq, at, "group", ${bytesOf('before', 'after')} as size
        from changes where seq ${condition} +? order by seq ${order} limit +?`,
      ),
    )
  return {
    from: neighbours('>=', 'asc'),
    before: neighbours('<', 'desc'),
    scopes: once(() =>
      client.prepare<[object], ScopeOfGroup>(
        `select min(seq) as seq, kind, owner_id as ownerId, project_id as projectId, from_project_id as fromProjectId,
          count(distinct id) as records
        from changes where seq >= +:first and "group" is :group and (:group is not null or at = :at)
        group by kind, owner_id, project_id, from_project_id`,
      ),
    ),
  }
}

/** Finds and reads groups. All reads. */
export class Groups {
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #sequence: Sequence

  constructor(db: SharedDatabase, sequence: Sequence) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#sequence = sequence
  }

  /**
   * Whether all changes of a group are stored. For another tool's write with the oldest change, that is unknown.
   * @param row one of its changes
   * @param group the group's number
   */
  isWhole({ group: stamped }: Placed, group: number): boolean {
    const first = this.#sequence.first()
    return group > first || (group === first && (stamped !== null || first === 1))
  }

  /**
   * All changes of a change's group, oldest first; undefined if some are not stored.
   * @throws TooMuchWork
   */
  changesOf(row: ChangeRow): ChangeRow[] | undefined {
    if (isLimited(this.#db)) this.#ensureFew(row)
    const group = this.#sequence.groupOf(row)
    if (!this.isWhole(row, group)) return undefined
    const rows: ChangeRow[] = []
    for (;;) {
      const slice = this.#sequence.after(rows.at(-1)?.seq ?? group - 1, SLICE)
      const end = slice.findIndex((one) => !isOfOne(row, one))
      for (const one of end === -1 ? slice : slice.slice(0, end)) rows.push(one)
      if (end !== -1 || slice.length < SLICE) return rows
    }
  }

  /**
   * The scopes of a change's group, if it has more changes than `most`.
   * @throws TooMuchWork
   */
  scopesBeyond(row: ChangeRow, most: number): ScopeOfGroup[] {
    const first = this.#sequence.groupOf(row)
    const far = this.#sequence.one(first + most)
    if (far === undefined || !isOfOne(row, far)) return []
    if (isLimited(this.#db)) throw new TooMuchWork()
    return this.#sql.scopes().all({ first, group: row.group, at: row.at })
  }

  /** Refuses a group that is large, or has long texts; it reads only as far as needed. @throws TooMuchWork */
  #ensureFew(row: ChangeRow): void {
    let rows = 0
    let bytes = 0
    for (const neighbours of [this.#sql.before(), this.#sql.from()]) {
      for (const one of neighbours.iterate(row.seq, ROWS_WRITTEN + 1)) {
        if (!isOfOne(row, one)) break
        rows += 1
        bytes += one.size
        if (rows > ROWS_WRITTEN || bytes > BYTES_READ) throw new TooMuchWork()
      }
    }
  }
}
