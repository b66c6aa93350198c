/**
 * Staged changes: published changes of large writes that are not in the table of the sequence yet (see
 * `src/db/large-writes.ts`). Usually there are none, and they are not queried: they can only be in gaps of the table.
 */
import type { SharedDatabase } from '../db/client.ts'
import { STAGED } from '../db/large-writes.ts'
import { bytesOf } from '../db/work-limits.ts'
import { once } from '../once.ts'
import type { ChangeHead, ChangeRow } from './sequence.ts'

/** The changes around it, exclusive. */
export interface Gap {
  after: number
  before: number
}

const HEAD = `kind, project_id as projectId, item_id as itemId, from_project_id as fromProjectId, owner_id as ownerId`

const ROW = `${HEAD}, at, actor_id as actorId, "group", id, action, before, after`

const SIZE = `${bytesOf('before', 'after')} as size`

/** The places of a gap, of one write: found by key. */
const IN_GAP = `number = +:number and place >= first_place + max(0, +:after + 1 - first_seq)
  and place <= first_place + min(last_seq, +:before - 1) - first_seq`

function statementsOf({ $client: client }: SharedDatabase) {
  const between = <Row>(columns: string) =>
    once(() =>
      client.prepare<[object], Row>(
        `select first_seq + place - first_place as seq, ${columns}
        from large_writes cross join (
          select place, kind, id, action, project_id, item_id, from_project_id, owner_id, before, after,
            at as own_at, actor_id as own_actor, "group" as own_group from staged_changes)
        where ${IN_GAP} order by place limit +:count`,
      ),
    )
  const among = <Row>(columns: string) =>
    once(() =>
      client.prepare<[string], Row>(
        `select seq, ${columns} from ${STAGED} where seq in (select value from json_each(+?)) order by seq`,
      ),
    )
  const own = (name: string, other: string) =>
    `case when own_at is null then ${name} else ${other} end as ${name}`
  return {
    first: once(() => client.prepare<[], number | null>('select min(first_seq) from large_writes').pluck()),
    writeIn: once(() =>
      client
        .prepare<[object], number>(
          'select number from large_writes where last_seq > +:after and first_seq < +:before order by first_seq limit 1',
        )
        .pluck(),
    ),
    ofGroup: once(() =>
      client.prepare<[number], number>(
        'select 1 from large_writes where first_seq is not null and "group" = +?',
      ),
    ),
    rows: between<ChangeRow>(
      `${HEAD}, ${own('at', 'own_at')}, case when own_at is null then actor_id else own_actor end as actorId,
      ${own('"group"', '"group" + own_group')}, id, action, before, after`,
    ),
    heads: between<ChangeHead>(`${HEAD}, ${SIZE}`),
    rowsOf: among<ChangeRow>(ROW),
    headsOf: among<ChangeHead>(`${HEAD}, ${SIZE}`),
  }
}

/** The staged changes. All reads; a caller that reads the table too needs one read transaction. */
export class StagedChanges {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
  }

  /** The first of them, or undefined. */
  first(): number | undefined {
    return this.#sql.first().get() ?? undefined
  }

  /** Those in a gap of the table, oldest first, at most `count`. A gap has changes of at most one write. */
  rows(gap: Gap, count: number): ChangeRow[] {
    return this.#in(gap, (number) => this.#sql.rows().all({ ...gap, number, count }))
  }

  /** Their heads, read lazily. */
  heads(gap: Gap, count: number): Iterable<ChangeHead> {
    return this.#in<Iterable<ChangeHead>>(gap, (number) =>
      this.#sql.heads().iterate({ ...gap, number, count }),
    )
  }

  /** Whether a change is one of them. */
  has(seq: number): boolean {
    return this.#sql.writeIn().get({ after: seq - 1, before: seq + 1 }) !== undefined
  }

  /** Whether a group has staged changes. */
  hasGroup(group: number): boolean {
    return this.#sql.ofGroup().get(group) !== undefined
  }

  /** The staged ones of some changes, oldest first. */
  rowsOf(seqs: readonly number[]): ChangeRow[] {
    return this.#sql.rowsOf().all(JSON.stringify(seqs))
  }

  /** The heads of the staged ones of some changes, oldest first. */
  headsOf(seqs: readonly number[]): ChangeHead[] {
    return this.#sql.headsOf().all(JSON.stringify(seqs))
  }

  #in<T>(gap: Gap, read: (number: number) => T): T | [] {
    const number = this.#sql.writeIn().get(gap)
    return number === undefined ? [] : read(number)
  }
}
