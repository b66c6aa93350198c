/**
 * Writes that are too large for one transaction: done in slices that hold the write lock for some milliseconds each, and still
 * all or nothing for all readers. Imports, deletions of large projects, and their undos.
 *
 * - Slices write hidden records: of projects whose own rows are missing meanwhile, or listed as hidden
 *   (see `hidden.ts`). The changes that triggers append are moved to `staged_changes`, invisible to readers.
 * - The last write reveals the records, and publishes any number of changes by one row: it gives them their places in the sequence.
 *   The last change is inserted there, so that the next write comes after it. From then on readers of the sequence find
 *   them (see `StagedChanges`).
 * - Afterwards slices move them into the sequence in the background: {@link foldAll}.
 */
import { timestamp } from '../time.ts'
import type { Chunk, ChunkedWriter } from './chunked-writer.ts'
import type { SharedDatabase } from './client.ts'
import { markQuiet } from './quiet-changes.ts'

/** Range of staging places per write: more than any write needs, and far below JavaScript's safe integers. */
const PLACES = 2 ** 32

/** Changes moved or discarded at a time: some milliseconds. */
const AT_ONCE = 200

const FIELDS = 'kind, id, action, project_id, item_id, from_project_id, owner_id, before, after'

/** The time, actor and group of a staged change: its own or those of its write, as SQL. @param write the row of `large_writes` */
const attribution = (write: string): string =>
  `case when staged_changes.at is null then ${write}.at else staged_changes.at end as at,
  case when staged_changes.at is null then ${write}.actor_id else staged_changes.actor_id end as actor_id,
  case when staged_changes.at is null then ${write}."group" else ${write}."group" + staged_changes."group" end as "group"`

/**
 * The published staged changes, as a table like `changes`, as SQL, for statements that need all of them. Without any,
 * it is empty at no cost.
 */
export const STAGED = `(select first_seq + place - first_place as seq, ${attribution('large_writes')}, ${FIELDS}
  from large_writes cross join staged_changes on place between first_place and first_place + last_seq - first_seq
  where first_seq is not null)`

/** The type of large writes. */
interface LargeWriteOptions {
  /** The projects that are hidden until it is done. */
  projectIds: readonly string[]
  /** The import that it writes. */
  importId?: string
}

/** A slice of a large write. */
export interface LargeSlice extends Chunk {
  /**
   * Stages a change with its own time and actor.
   * @param insert writes it to `staged_changes` at this place; `nth` is the number of the write's changes staged before it
   */
  append: (insert: (place: number, nth: number) => void) => void
  /** Hides a record of this slice without a project. */
  hide: (table: string, id: string) => void
}

/** Publishes the changes staged so far, at the current end of the sequence inside the last write. */
export type Publish = () => void

/** The published changes of a large write. */
export interface LargeWriteSummary {
  /** The first of its changes, which is their group, and the last one; undefined if it made none. */
  group: number | undefined
  seq: number | undefined
}

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  // Hidden records of a finished write may still be listed under its number for a while.
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
  attribute: client.prepare(
    'update changes set actor_id = ?, "group" = ifnull("group", ?), at = ? where seq > +?',
  ),
  describe: client.prepare(
    `update large_writes set first_seq = +:first, last_seq = +:last, first_place = +:place,
    at = :at, actor_id = :actorId, "group" = +:group where number = :number`,
  ),
  /** The last one is inserted at its place, so that the next change of any process comes after it. */
  publishLast: client.prepare(
    `insert into changes (seq, at, actor_id, "group", ${FIELDS})
    select last_seq, ${attribution('large_writes')}, ${FIELDS} from large_writes
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

/** A write in slices. Meanwhile its connection is used for no other writes. */
export class LargeWrite {
  readonly number: number
  readonly #db: SharedDatabase
  readonly #writes: ChunkedWriter
  readonly #sql: ReturnType<typeof statementsOf>
  /** The place of the next staged change. */
  #next: number

  /** Continues a write whose process may have died. @param number its number in `large_writes` */
  constructor(db: SharedDatabase, writes: ChunkedWriter, number: number) {
    this.#db = db
    this.#writes = writes
    this.#sql = statementsOf(db)
    this.number = number
    this.#next = (this.#sql.staged.get(...this.#places()) ?? this.#first() - 1) + 1
  }

  /**
   * Begins a write: from now on its projects are hidden.
   * @param also work in the same slice, before anything is hidden; its changes are discarded. It returns the task
   * as JSON, for another process to continue if this one dies
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

  /** Writes a slice. @param work writes until the slice should end */
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
   * Makes the last write: it reveals the records and publishes their changes, as one group, in some
   * milliseconds for any size. It is synced to disk when it resolves.
   * @param actorId the acting member; null for a command
   * @param work writes the rest. It calls `publish` to place the staged changes: after its own changes so far, before
   * later ones
   * @param end reads and stores the result after publishing, inside the same write
   */
  async last<T>(
    actorId: string | null,
    work: (publish: Publish) => void,
    end: (summary: LargeWriteSummary) => T,
  ): Promise<LargeWriteSummary & { value: T }> {
    return await this.#writes.last((since) => {
      const own = { actorId, group: since + 1, at: timestamp() }
      let attributed = since
      const attribute = () => {
        this.#sql.attribute.run(actorId, own.group, own.at, attributed)
        attributed = this.#sql.newest.get() ?? 0
      }
      work(() => {
        attribute()
        this.#publish({ ...own, since: attributed })
        attributed = this.#sql.newest.get() ?? 0
      })
      attribute()
      this.#sql.show.run(this.number)
      markQuiet(this.#db, since)
      const summary =
        attributed > since ? { group: own.group, seq: attributed } : { group: undefined, seq: undefined }
      return { ...summary, value: end(summary) }
    })
  }

  /** Discards all staged changes, in slices: for a cancelled write. */
  async forget(): Promise<void> {
    const forgetSome = ({ isLong }: Chunk): boolean => {
      do {
        if (this.#sql.forget.run(...this.#places()).changes < AT_ONCE) return false
      } while (!isLong())
      return true
    }
    while (await this.#writes.slice(forgetSome));
  }

  /** Ends a cancelled write, inside a slice: its records must already be removed. */
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

  #publish({ since, ...own }: { since: number; at: string; actorId: string | null; group: number }): void {
    const { number } = this
    const place = this.#first()
    const count = this.#next - place
    if (count > 0) {
      this.#sql.describe.run({ ...own, number, place, first: since + 1, last: since + count })
      this.#sql.publishLast.run(number)
      this.#sql.forgetLast.run(number)
      this.#sql.shorten.run(number)
    }
    // Nothing to move.
    if (count <= 1) this.#sql.end.run(number)
  }
}

/** Whether no published changes are staged. */
export const isFolded = (client: SharedDatabase['$client']): boolean =>
  client.prepare('select 1 from large_writes where first_seq is not null limit 1').get() === undefined

/** Prepares moving some staged changes into the sequence, inside a write. */
export function createFold({ $client: client }: SharedDatabase): (count?: number) => boolean {
  const first = client.prepare<[], { number: number; count: number; place: number }>(
    `select number, last_seq - first_seq + 1 as count, first_place as place from large_writes
    where first_seq is not null order by first_seq limit 1`,
  )
  const move = client.prepare(
    `insert into changes (seq, at, actor_id, "group", ${FIELDS})
    select first_seq + place - first_place, ${attribution('large_writes')}, ${FIELDS}
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

/** Deletes the lists of hidden records of finished large writes. */
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

/** Moves all published staged changes into the sequence, in slices. */
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
