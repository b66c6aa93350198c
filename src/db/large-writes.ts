/**
 * Writes that are too large for one transaction: done in slices that hold the write lock for some milliseconds each, and yet
 * all or nothing to everybody who reads. Imports, deletions of large projects, and what undoes either.
 *
 * - What a slice writes is hidden: it belongs to projects whose own rows are not there meanwhile, or it is named as hidden
 *   (see `hidden.ts`). The changes that triggers append are moved to `staged_changes`, so that nobody is told.
 * - The last write shows it, and tells the changes, however many, by one row: it gives them their places in the sequence,
 *   and the last of them goes there, so that whoever writes next comes after. From then on whoever reads the sequence finds
 *   them there (see `StagedChanges`).
 * - Afterwards they are moved into the sequence, in slices, by whoever has the time: {@link foldAll}.
 */
import { timestamp } from '../time.ts'
import type { Chunk, ChunkedWriter } from './chunked-writer.ts'
import type { SharedDatabase } from './client.ts'

/** Places that the staged changes of one write have: more than anybody writes, and far below what a number of JavaScript's holds. */
const PLACES = 2 ** 32

/** Changes that are moved, or forgotten, at a time: some milliseconds. */
const AT_ONCE = 200

const FIELDS = 'kind, id, action, project_id, item_id, from_project_id, owner_id, before, after'

/** What a staged change says of itself, or its write of all of them, as SQL. @param write the row of `large_writes` */
const said = (write: string): string =>
  `case when staged_changes.at is null then ${write}.at else staged_changes.at end as at,
  case when staged_changes.at is null then ${write}.actor_id else staged_changes.actor_id end as actor_id,
  case when staged_changes.at is null then ${write}."group" else ${write}."group" + staged_changes."group" end as "group"`

/**
 * The staged changes that are told, as a table like `changes`, for statements that look at them all: as SQL. While there are none
 * it is empty at no cost.
 */
export const STAGED = `(select first_seq + place - first_place as seq, ${said('large_writes')}, ${FIELDS}
  from large_writes cross join staged_changes on place between first_place and first_place + last_seq - first_seq
  where first_seq is not null)`

/** What a large write is. */
export interface LargeWriteOptions {
  /** The projects that nobody sees until it is done. */
  projectIds: readonly string[]
  /** The import that it writes. */
  importId?: string
}

/** A slice of a large write. */
export interface LargeSlice extends Chunk {
  /**
   * Stages a change that says itself when and by whom it was made.
   * @param insert writes it to `staged_changes` at this place; `nth` is how many of the write are staged before it
   */
  append: (insert: (place: number, nth: number) => void) => void
  /** Hides a record of this slice that belongs to no project. */
  hide: (table: string, id: string) => void
}

/** Tells the changes that are staged so far: where the sequence has come to inside the last write. */
export type Tell = () => void

/** What a large write has told. */
export interface LargeWriteSummary {
  /** The first of its changes, which is their group, and the last one; undefined where it made none. */
  group: number | undefined
  seq: number | undefined
}

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  // What was hidden by a write that is over may be told by its number for a while.
  begin: client.prepare(
    `insert into large_writes (number, import_id, task) select ifnull(max(number), 0) + 1, ?, ? from (
      select max(number) as number from large_writes union all select max("write") from hidden_records)`,
  ),
  hideRecord: client.prepare('insert into hidden_records (record_table, id, "write") values (?, ?, ?)'),
  hide: client.prepare('insert into hidden_projects (project_id, write) values (?, ?)'),
  show: client.prepare('delete from hidden_projects where write = ?'),
  staged: client
    .prepare<[number, number], number | null>(
      'select max(place) from staged_changes where place >= +? and place < +?',
    )
    .pluck(),
  newest: client.prepare<[], number>('select ifnull(max(seq), 0) from changes').pluck(),
  stage: client.prepare(
    `insert into staged_changes (place, ${FIELDS}) select +:next + seq - +:since - 1, ${FIELDS}
    from changes where seq > +:since order by seq`,
  ),
  attribute: client.prepare('update changes set actor_id = ?, "group" = ?, at = ? where seq > +?'),
  describe: client.prepare(
    `update large_writes set first_seq = +:first, last_seq = +:last, first_place = +:place,
    at = :at, actor_id = :actorId, "group" = +:group where number = :number`,
  ),
  /** The last one goes to its place: so the next change of anybody comes after it. */
  tellLast: client.prepare(
    `insert into changes (seq, at, actor_id, "group", ${FIELDS})
    select last_seq, ${said('large_writes')}, ${FIELDS} from large_writes
    cross join staged_changes on place = first_place + last_seq - first_seq where number = ?`,
  ),
  forgetLast: client.prepare(
    'delete from staged_changes where place = (select first_place + last_seq - first_seq from large_writes where number = ?)',
  ),
  shorten: client.prepare('update large_writes set last_seq = last_seq - 1 where number = ?'),
  forget: client.prepare(
    `delete from staged_changes where place in
    (select place from staged_changes where place >= +? and place < +? order by place limit ${AT_ONCE})`,
  ),
  end: client.prepare('delete from large_writes where number = ?'),
})

/** A write in slices. While it is under way, nothing else is written on its connection. */
export class LargeWrite {
  readonly number: number
  readonly #writes: ChunkedWriter
  readonly #sql: ReturnType<typeof statementsOf>
  /** The place that the next change is staged at. */
  #next: number

  /** Goes on with a write that was begun: its process may be gone. @param number its number in `large_writes` */
  constructor(db: SharedDatabase, writes: ChunkedWriter, number: number) {
    this.#writes = writes
    this.#sql = statementsOf(db)
    this.number = number
    this.#next = (this.#sql.staged.get(...this.#places()) ?? this.#first() - 1) + 1
  }

  /**
   * Begins a write: from now on nobody sees its projects.
   * @param also what belongs into the same slice, before anything is hidden; its changes are forgotten. It returns what is to
   * be done, as JSON, for whoever goes on once this process is gone
   */
  static async begin(
    db: SharedDatabase,
    writes: ChunkedWriter,
    { projectIds, importId }: LargeWriteOptions,
    also: () => string,
  ): Promise<LargeWrite> {
    const { begin, hide } = statementsOf(db)
    return await writes.slice(() => {
      const number = Number(begin.run(importId ?? null, also()).lastInsertRowid)
      for (const id of projectIds) hide.run(id, number)
      return new LargeWrite(db, writes, number)
    })
  }

  /** Writes a slice. @param work what to write, until the write is long enough */
  async slice<T>(work: (slice: LargeSlice) => T): Promise<T> {
    const first = this.#first()
    let next = this.#next
    const append: LargeSlice['append'] = (insert) => {
      insert(next, next - first)
      next++
    }
    const hide: LargeSlice['hide'] = (table, id) => void this.#sql.hideRecord.run(table, id, this.number)
    const value = await this.#writes.slice(
      ({ isLong }) => work({ isLong, append, hide }),
      (since) => {
        next += this.#sql.stage.run({ next, since }).changes
      },
    )
    this.#next = next
    return value
  }

  /** Hides more projects, inside a slice. */
  hideProjects(ids: Iterable<string>): void {
    for (const id of ids) this.#sql.hide.run(id, this.number)
  }

  /**
   * Makes the last write: it shows what was hidden, and tells of it, as one group. However much that is, it takes some
   * milliseconds. It is synced to the disk when it resolves.
   * @param actorId the member whose write it is; null for a command
   * @param work writes what is left. It calls `tell` where the staged changes are to come: after its own until then, before
   * those that follow
   * @param end reads what it came to, once all is told, and keeps it: inside of the same write
   */
  async last<T>(
    actorId: string | null,
    work: (tell: Tell) => void,
    end: (told: LargeWriteSummary) => T,
  ): Promise<LargeWriteSummary & { value: T }> {
    return await this.#writes.last((since) => {
      const own = { actorId, group: since + 1, at: timestamp() }
      let said = since
      const attribute = () => {
        this.#sql.attribute.run(actorId, own.group, own.at, said)
        said = this.#sql.newest.get() ?? 0
      }
      work(() => {
        attribute()
        this.#tell({ ...own, since: said })
        said = this.#sql.newest.get() ?? 0
      })
      attribute()
      this.#sql.show.run(this.number)
      const told = said > since ? { group: own.group, seq: said } : { group: undefined, seq: undefined }
      return { ...told, value: end(told) }
    })
  }

  /** Forgets all that is staged, in slices: for a write that comes to nothing. */
  async forget(): Promise<void> {
    const forgetSome = ({ isLong }: Chunk): boolean => {
      do {
        if (this.#sql.forget.run(...this.#places()).changes < AT_ONCE) return false
      } while (!isLong())
      return true
    }
    while (await this.#writes.slice(forgetSome));
  }

  /** Ends a write that came to nothing, inside a slice: what it had written must be gone by now. */
  end(): void {
    this.#sql.show.run(this.number)
    this.#sql.end.run(this.number)
  }

  #first(): number {
    return this.number * PLACES
  }

  #places(): [from: number, to: number] {
    return [this.#first(), this.#first() + PLACES]
  }

  #tell({ since, ...said }: { since: number; at: string; actorId: string | null; group: number }): void {
    const { number } = this
    const place = this.#first()
    const count = this.#next - place
    if (count > 0) {
      this.#sql.describe.run({ ...said, number, place, first: since + 1, last: since + count })
      this.#sql.tellLast.run(number)
      this.#sql.forgetLast.run(number)
      this.#sql.shorten.run(number)
    }
    // There is nothing to move then.
    if (count <= 1) this.#sql.end.run(number)
  }
}

/** Whether all changes that are told are in the table of the sequence. */
export const isFolded = (client: SharedDatabase['$client']): boolean =>
  client.prepare('select 1 from large_writes where first_seq is not null limit 1').get() === undefined

/** Prepares moving told changes into the sequence: inside a write, some of them. */
export function createFold({ $client: client }: SharedDatabase): (count?: number) => boolean {
  const first = client.prepare<[], { number: number; count: number; place: number }>(
    `select number, last_seq - first_seq + 1 as count, first_place as place from large_writes
    where first_seq is not null order by first_seq limit 1`,
  )
  const move = client.prepare(
    `insert into changes (seq, at, actor_id, "group", ${FIELDS})
    select first_seq + place - first_place, ${said('large_writes')}, ${FIELDS}
    from large_writes cross join staged_changes on place >= first_place and place < first_place + +:count
    where number = :number order by place`,
  )
  const forget = client.prepare(
    'delete from staged_changes where place >= +:place and place < +:place + +:count',
  )
  const shorten = client.prepare(
    'update large_writes set first_seq = first_seq + +:count, first_place = first_place + +:count where number = :number',
  )
  const end = client.prepare('delete from large_writes where number = ?')
  return (most = AT_ONCE) => {
    const write = first.get()
    if (write === undefined) return false
    const { number, place } = write
    const count = Math.min(most, write.count)
    move.run({ number, count })
    forget.run({ place, count })
    if (count === write.count) end.run(number)
    else shorten.run({ number, count })
    return true
  }
}

/** Forgets which records large writes had hidden that are over: nobody asks any more. */
async function forgetHidden({ $client: client }: SharedDatabase, writes: ChunkedWriter): Promise<void> {
  const over = `from hidden_records where "write" not in (select number from large_writes where first_seq is null)`
  if (client.prepare(`select 1 ${over} limit 1`).get() === undefined) return
  const some = client.prepare(
    `delete from hidden_records where rowid in (select rowid ${over} limit ${AT_ONCE})`,
  )
  const forgetSome = ({ isLong }: Chunk): boolean => {
    do {
      if (some.run().changes < AT_ONCE) return false
    } while (!isLong())
    return true
  }
  while (await writes.slice(forgetSome));
}

/** Moves all changes that are told to where they belong in the sequence, in slices. */
export async function foldAll(db: SharedDatabase, writes: ChunkedWriter): Promise<void> {
  await forgetHidden(db, writes)
  if (isFolded(db.$client)) return
  const fold = createFold(db)
  const foldSome = ({ isLong }: Chunk): boolean => {
    do {
      if (!fold()) return false
    } while (!isLong())
    return true
  }
  while (await writes.slice(foldSome));
}
