/**
 * The bytes of files: contents, in chunks, so that each write is short. A content is incomplete until the write of the record that
 * refers to it, which sets its hash. The service removes incomplete contents, and those to which no record refers any more.
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type SQLite from 'better-sqlite3'
import { ApiError, unavailable } from '../errors.ts'
import { once } from '../once.ts'
import { faultOf } from './faults.ts'

/** Bytes of a chunk; only the last one of a content is shorter. */
export const CHUNK_BYTES = 256 * 1024

/** Range of the chunk keys of a content. */
export const CHUNKS_OF_CONTENT = 65_536

/** The largest content, in bytes. */
export const LARGEST_CONTENT = CHUNK_BYTES * CHUNKS_OF_CONTENT

/** Chunks that one write removes: some milliseconds. */
const REMOVED_AT_ONCE = 8

/** Milliseconds between two sums of all contents, each of which reads an index entry per content. */
const SUMMED_EVERY = 250

/** Contents that one write examines. */
const EXAMINED_AT_ONCE = 100

/** `unnamed_since` of a content that has lost a reference and is not examined yet: see the triggers. */
export const TO_EXAMINE = -1

/** `Retry-After` of an upload whose beginning was removed, in seconds. */
const RETRY_AFTER = 1

/** 507: the database file must not grow, or cannot. */
export const noSpace = () => new ApiError(507, 'No space left for attachments', { code: 'no_space' })

/** Whether SQLite cannot read something because its pages are damaged. */
const isUnreadable = (error: unknown) => String(faultOf(error)?.code).startsWith('SQLITE_CORRUPT')

/** A content that is complete except for its hash. */
export interface Uploaded {
  /** Its id. */
  content: number
  /** In bytes. */
  size: number
  /** SHA-256, hexadecimal. */
  sha256: string
  /** The content of the same hash that it replaces: see {@link FileContents.damaged}. */
  damaged?: number | undefined
}

/** Reads a chunk of a content; undefined if there is none. */
type ReadChunk = (content: number, chunk: number) => Promise<Uint8Array | undefined>

/** Condition: an attachment refers to the content, as SQL. */
export const IS_NAMED = `(exists (select 1 from attachments where sha256 = file_contents.sha256)
  or exists (select 1 from attachments where thumbnail = file_contents.sha256 and thumbnail is not null))`

const statementsOf = (client: SQLite.Database) => ({
  begin: once(() =>
    client
      .prepare<[object], number>(
        'insert into file_contents (size, touched_at) values (+:size, +:now) returning id',
      )
      .pluck(),
  ),
  grow: once(() =>
    client.prepare<[object]>(
      'update file_contents set size = size + :size, touched_at = :now where id = :id and sha256 is null',
    ),
  ),
  touch: once(() =>
    client.prepare<[object]>(
      'update file_contents set touched_at = :now where id in (select value from json_each(:ids)) and sha256 is null',
    ),
  ),
  addChunk: once(() =>
    client.prepare<[number, Uint8Array]>('insert into file_chunks (place, bytes) values (?, ?)'),
  ),
  chunk: once(() =>
    client.prepare<[number], Buffer>('select bytes from file_chunks where place = +?').pluck(),
  ),
  total: once(() => client.prepare<[], number>('select total(size) from file_contents').pluck()),
  count: once(() => client.prepare<[], number>('select count(*) from file_contents').pluck()),
  incompleteBytes: once(() =>
    client.prepare<[], number>('select total(size) from file_contents where sha256 is null').pluck(),
  ),
  known: once(() =>
    client.prepare<[string], number>('select id from file_contents where sha256 = ?').pluck(),
  ),
  sizeOf: once(() => client.prepare<[number], number>('select size from file_contents where id = ?').pluck()),
  giveUp: once(() =>
    client.prepare<[number]>(
      'update file_contents set sha256 = null, unnamed_since = null, touched_at = 0 where id = ?',
    ),
  ),
  complete: once(() =>
    client.prepare<[object]>(
      'update file_contents set sha256 = :sha256 where id = :content and size = :size and sha256 is null',
    ),
  ),
  examineLater: once(() =>
    client.prepare<[object]>(
      `update file_contents set unnamed_since = ${TO_EXAMINE} where id = :content and sha256 = :sha256 and not ${IS_NAMED}`,
    ),
  ),
  removeChunks: once(() =>
    client.prepare<[object]>(
      `delete from file_chunks where place in (
        select place from file_chunks where place >= +:first and place < +:end order by place limit ${REMOVED_AT_ONCE})`,
    ),
  ),
  remove: once(() => client.prepare<[number]>('delete from file_contents where id = +? and sha256 is null')),
  isIncomplete: once(() =>
    client.prepare<[number], number>('select 1 from file_contents where id = +? and sha256 is null').pluck(),
  ),
  leftovers: once(() =>
    client
      .prepare<[number], number>('select id from file_contents where sha256 is null and touched_at < +?')
      .pluck(),
  ),
  isToExamine: once(() =>
    client
      .prepare<[], number>(`select 1 from file_contents where unnamed_since = ${TO_EXAMINE} limit 1`)
      .pluck(),
  ),
  examine: once(() =>
    client.prepare(
      `update file_contents set unnamed_since =
        case when not ${IS_NAMED} then ifnull((select max(seq) from changes), 0) end
      where id in (select id from file_contents where unnamed_since = ${TO_EXAMINE} limit ${EXAMINED_AT_ONCE})`,
    ),
  ),
  /** All changes up to the one at which they lost their last reference are pruned. */
  forgotten: once(() =>
    client
      .prepare<[], number>(
        `select id from file_contents where sha256 is not null and unnamed_since >= 0
        and unnamed_since < ifnull((select min(seq) from changes where seq > 0), 9e18) and not ${IS_NAMED}`,
      )
      .pluck(),
  ),
  forget: once(() =>
    client.prepare<[number]>(
      `update file_contents set sha256 = null, unnamed_since = null, touched_at = 0 where id = +? and unnamed_since >= 0 and not ${IS_NAMED}`,
    ),
  ),
})

/** A running upload. */
interface Upload {
  /** Reserved bytes that are not written yet, and those of them that are being written. */
  left: number
  writing: number
  /** The contents that it has begun. */
  contents: number[]
}

/** The contents of a connection. Methods that write need a transaction. */
export class FileContents {
  readonly #sql: ReturnType<typeof statementsOf>
  /** The bytes of all contents at the last sum, and the bytes reserved since. */
  #total = 0
  #summedAt = Number.NEGATIVE_INFINITY
  readonly #uploads = new Map<number, Upload>()
  #latestUpload = 0

  constructor(client: SQLite.Database) {
    this.#sql = statementsOf(client)
  }

  /**
   * Writes a chunk of an incomplete content.
   * @param content its id; null for the first chunk, which begins it
   * @param chunk its number, from 0
   * @param now milliseconds since 1970
   * @param upload the running upload that it belongs to: none of its contents counts as a leftover
   * @returns the id of the content
   * @throws ApiError 503 if the content was removed meanwhile
   */
  write(content: number | null, chunk: number, bytes: Uint8Array, now: number, upload?: number): number {
    const size = bytes.byteLength
    const id = content ?? (this.#sql.begin().get({ size, now }) as number)
    if (content !== null && this.#sql.grow().run({ id, size, now }).changes === 0)
      throw unavailable(RETRY_AFTER)
    if (size > 0) this.#sql.addChunk().run(id * CHUNKS_OF_CONTENT + chunk, bytes)
    const running = this.#uploads.get(upload ?? 0)
    if (running === undefined) return id
    if (content === null) running.contents.push(id)
    if (running.contents.length > 1) this.#sql.touch().run({ ids: JSON.stringify(running.contents), now })
    return id
  }

  /** A chunk; undefined if there is none. */
  read(content: number, chunk: number): Buffer | undefined {
    return this.#sql.chunk().get(content * CHUNKS_OF_CONTENT + chunk)
  }

  /**
   * Begins an upload: reserves room for all of it, so that of several that do not all fit, the first ones do.
   * @param bytes its size; null if it was not announced: then as much as there is, up to `largest`
   * @param most bytes of all contents together
   * @returns its number; undefined without room. The caller ends it
   */
  begin(bytes: number | null, largest: number, most: number): number | undefined {
    const room = most - this.#sum() - this.#reserved()
    const left = bytes ?? Math.min(largest, room)
    // Nothing always fits: repetitions of uploads are only read.
    if (left > Math.max(room, 0) || (bytes === null && room <= 0)) return undefined
    const upload = ++this.#latestUpload
    this.#uploads.set(upload, { left, writing: 0, contents: [] })
    return upload
  }

  /** Whether there is room for the next chunk of an upload: what it has reserved, or more. If its write fails, so does the upload. */
  hasRoomFor(bytes: number, most: number, upload: number): boolean {
    const running = this.#uploads.get(upload)
    // Its thread has ended since, and this is another one.
    if (running === undefined) return this.takeRoomFor(bytes, most)
    const more = Math.max(0, running.writing + bytes - running.left)
    if (this.#sum() + this.#reserved() + more > most) return false
    running.left += more
    running.writing += bytes
    return true
  }

  /** Notes that a chunk of an upload was written. */
  wrote(bytes: number, upload: number): void {
    const running = this.#uploads.get(upload)
    if (running === undefined) return
    running.left -= bytes
    running.writing -= bytes
    this.#total += bytes
  }

  /** Ends an upload, and releases what it has reserved. */
  end(upload: number): void {
    this.#uploads.delete(upload)
  }

  /** Takes room of an import or a thumbnail, if all contents, including incomplete ones, stay within the limit. @param most bytes of all together @returns whether it has */
  takeRoomFor(bytes: number, most: number): boolean {
    if (this.#sum() + bytes > most) return false
    // They are written later, and others may take room before.
    this.#total += bytes
    return true
  }

  /** The bytes of all contents, including incomplete ones: of a moment ago, and what was written since. */
  #sum(): number {
    const now = performance.now()
    if (now - this.#summedAt > SUMMED_EVERY) {
      this.#total = this.#sql.total().get() as number
      this.#summedAt = now
    }
    return this.#total
  }

  #reserved(): number {
    let bytes = 0
    for (const { left } of this.#uploads.values()) bytes += left
    return bytes
  }

  /** The number of contents, including incomplete ones. It reads an index entry for each. */
  count(): number {
    return this.#sql.count().get() as number
  }

  /** The bytes of all contents, including incomplete ones. It reads an index entry for each. */
  bytes(): number {
    return this.#sql.total().get() as number
  }

  /** The bytes of incomplete contents. */
  incompleteBytes(): number {
    return this.#sql.incompleteBytes().get() as number
  }

  /** The id of the complete content of a hash. */
  known(sha256: string): number | undefined {
    return this.#sql.known().get(sha256)
  }

  /**
   * Finds the complete content of a hash if its bytes are damaged: missing, unreadable, in other chunks, or other ones. Reads all of them, and yields to the event
   * loop after each chunk.
   * @returns its id; undefined if it is whole, or there is none
   */
  async damaged(
    sha256: string,
    read: ReadChunk = async (content, chunk) => this.read(content, chunk),
  ): Promise<number | undefined> {
    const content = this.known(sha256)
    if (content === undefined) return undefined
    try {
      return (await this.#hashOf(content, read)) === sha256 ? undefined : content
    } catch (error) {
      if (!isUnreadable(error)) throw error
      return content
    }
  }

  /** The SHA-256 of a content's bytes, hexadecimal; undefined if its chunks are not those of its size. */
  async #hashOf(content: number, read: ReadChunk): Promise<string | undefined> {
    const digest = createHash('sha256')
    let size = 0
    let chunk = 0
    for (let bytes = await read(content, 0); bytes !== undefined; bytes = await read(content, chunk)) {
      if (size !== chunk * CHUNK_BYTES) return undefined
      digest.update(bytes)
      size += bytes.byteLength
      chunk++
      await nextTurn()
    }
    return size === this.#sql.sizeOf().get(content) ? digest.digest('hex') : undefined
  }

  /**
   * Completes a content, unless a whole one with the same hash exists; a damaged one becomes incomplete. Call it in the write of the record that refers
   * to it.
   * @throws ApiError 503 if the content was removed meanwhile
   */
  complete({ content, size, sha256, damaged }: Uploaded): void {
    const known = this.known(sha256)
    if (known !== undefined && known !== damaged) return
    if (known !== undefined) this.#sql.giveUp().run(known)
    if (this.#sql.complete().run({ content, size, sha256 }).changes === 0) throw unavailable(RETRY_AFTER)
  }

  /** The same for a content to which perhaps only the history refers: it stays as long as these changes. */
  restore(uploaded: Uploaded): void {
    this.complete(uploaded)
    this.#sql.examineLater().run({ content: uploaded.content, sha256: uploaded.sha256 })
  }

  /** Whether a content exists and is incomplete. */
  isIncomplete(content: number): boolean {
    return this.#sql.isIncomplete().get(content) !== undefined
  }

  /** The bytes of all contents, including incomplete ones. */
  total(): number {
    return this.#sql.total().get() as number
  }

  /**
   * Stores a content of one chunk at once, unless a whole one with the same hash exists.
   * @param most bytes of all contents together
   * @throws ApiError 507 without space
   */
  add(bytes: Uint8Array, sha256: string, most: number): void {
    const damaged = this.known(sha256)
    if (damaged !== undefined && this.read(damaged, 0)?.equals(bytes)) return
    const size = bytes.byteLength
    if (!this.takeRoomFor(size, most)) throw noSpace()
    const content = this.write(null, 0, bytes, Date.now())
    this.complete({ content, size, sha256, damaged })
  }

  /** Removes some of an incomplete content. @returns whether there is more of it */
  removeSome(content: number): boolean {
    if (!this.isIncomplete(content)) return false
    const first = content * CHUNKS_OF_CONTENT
    const { changes } = this.#sql.removeChunks().run({ first, end: first + CHUNKS_OF_CONTENT })
    if (changes === REMOVED_AT_ONCE) return true
    this.#sql.remove().run(content)
    this.#summedAt = Number.NEGATIVE_INFINITY
    return false
  }

  /** Incomplete contents without a new chunk since a time. @param before milliseconds since 1970 */
  leftovers(before: number): number[] {
    return this.#sql.leftovers().all(before)
  }

  /** Whether {@link examineSome} has something to do. */
  hasToExamine(): boolean {
    return this.#sql.isToExamine().get() === 1
  }

  /** Stores for some contents since when no record refers to them. Call it in a write, after {@link hasToExamine}. */
  examineSome(): void {
    this.#sql.examine().run()
  }

  /** Contents to which no record and no stored change refers. */
  forgotten(): number[] {
    return this.#sql.forgotten().all()
  }

  /** Makes such a content incomplete, so that no record can refer to it any more. */
  forget(content: number): void {
    this.#sql.forget().run(content)
  }
}
