/** Reads the contents of an archive: a consistent snapshot of the database, in slices, while others write. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { BUSY_TIMEOUT } from '../../db/client.ts'
import { FileContents } from '../../db/file-contents.ts'
import { type StoredValue, toLine } from './archive-lines.ts'
import { type ArchivedFile, MANIFEST, type Manifest, manifestOf, manifestText } from './archive-manifest.ts'
import { ARCHIVED, type ArchiveTable, CONTENTS, LISTS } from './archive-tables.ts'
import { type ArchivedContent, contentName } from './content-names.ts'

/** Milliseconds after which reading yields to the event loop. */
const SLICE = 8

/** Size of a chunk, in bytes. */
const CHUNK = 65_536

/** Longest record, in characters: readers must hold it in memory. */
const LINE_LIMIT = 64 * 1024 * 1024

/** Most attachments that are named for a damaged file. */
const NAMED = 5

/** The replacement character of invalid UTF-8. */
const REPLACEMENT = '\uFFFD'

/** The attachments of a content. */
const ATTACHMENTS_OF = `select id from attachments where sha256 = :sha256 union select id from attachments where thumbnail = :sha256
  order by id limit ${NAMED}`

const removedMeanwhile = (sha256: string) => new Error(`the file ${sha256} was removed meanwhile: try again`)

/** Opens another connection to a database. @param client a connection to it */
function connect(client: SQLite.Database): SQLite.Database {
  // An in-memory database has only one connection.
  if (client.memory) return new SQLite(client.serialize())
  const connection = new SQLite(client.name, { fileMustExist: true, timeout: BUSY_TIMEOUT })
  connection.pragma('query_only = on')
  return connection
}

/** A file whose bytes are damaged, so that the archive lacks them. */
export interface DamagedFile {
  sha256: string
  /** The ids of attachments with these bytes or this thumbnail, up to {@link NAMED}. */
  attachments: string[]
}

/** A file of an archive: read all of it before the next one. */
export interface FileOfArchive {
  name: string
  /** In bytes; known for the contents of attachments, which are mostly compressed already. */
  size?: number
  parts: AsyncIterable<Buffer> | Buffer[]
}

/** A consistent snapshot of a database, as the files of an archive. It does not block writers. */
export class ArchiveSnapshot {
  readonly #client: SQLite.Database
  readonly #lastSeq: number
  readonly #files: ArchivedFile[] = []
  readonly #bytes: FileContents
  /** The contents of the archive. */
  readonly #contents: ArchivedContent[] = []
  readonly #damaged: DamagedFile[] = []
  #rows: Iterator<unknown> | undefined
  #turnBegan = 0

  /** @param client a connection to the database */
  constructor(client: SQLite.Database) {
    this.#client = connect(client)
    this.#bytes = new FileContents(this.#client)
    try {
      this.#client.exec('begin')
      // The first read fixes the snapshot.
      this.#lastSeq = this.#number('select coalesce(max(seq), 0) from changes')
      // Fails before the first byte if it cannot be read.
      for (const table of LISTS) this.#select(table)
    } catch (error) {
      this.#client.close()
      throw error
    }
  }

  /** Counts all records: a million takes more than 100 ms, so a service does without. */
  count(): number {
    const counts = LISTS.map(({ table, isArchived }) => `(select count(*) from ${table} where ${isArchived})`)
    return this.#number(`select ${counts.join(' + ')}`)
  }

  #select({ table, fields, key, isArchived }: ArchiveTable) {
    const columnOf = (name: string) => `"${fields.find((field) => field.name === name)?.column}"`
    const columns = fields.map(({ column }) => `"${column}"`).join(', ')
    return this.#client
      .prepare<[], [bigint, ...StoredValue[]]>(
        `select rowid, ${columns} from ${table} where ${isArchived} order by ${key.map(columnOf).join(', ')}`,
      )
      .raw()
      .safeIntegers()
  }

  /**
   * The files: the tables, the contents, their list, and the manifest.
   * @param onRecords called with the number of records of each part
   * @throws Error for a record that is too large for an archive, or for a content that was removed meanwhile
   */
  async *files(onRecords: (count: number) => void = () => {}): AsyncGenerator<FileOfArchive, void, void> {
    for (const table of ARCHIVED) yield { name: table.file, parts: this.#lines(table, onRecords) }
    for await (const content of this.#contentsNow())
      yield { name: contentName(content), size: content.size, parts: this.#content(content) }
    yield { name: CONTENTS.file, parts: this.#lines(CONTENTS, onRecords) }
    yield { name: MANIFEST, parts: [Buffer.from(manifestText(this.manifest()))] }
  }

  /** The counts so far; complete after the list of contents. */
  manifest(): Manifest {
    return manifestOf(this.#files, this.#lastSeq)
  }

  /**
   * Reads a table as the lines of its file, with backpressure and regular pauses. Those of {@link CONTENTS} are the contents that the archive
   * has.
   */
  async *#lines(of: ArchiveTable, onRecords: (count: number) => void): AsyncGenerator<Buffer, void, void> {
    const { file, table, fields } = of
    const rows = of === CONTENTS ? this.#listed() : this.#select(of).iterate()
    this.#rows = rows
    const digest = createHash('sha256')
    let [records, bytes] = [0, 0]
    let [part, length, counted] = ['', 0, 0]
    const take = (): Buffer => {
      const chunk = Buffer.from(part)
      digest.update(chunk)
      bytes += chunk.length
      onRecords(records - counted)
      counted = records
      part = ''
      length = 0
      return chunk
    }
    for (const [rowid, ...values] of rows) {
      const exact = values.map((value, index) =>
        typeof value === 'string' && value.includes(REPLACEMENT)
          ? this.#exactText(table, fields[index]?.column as string, rowid, value)
          : value,
      )
      const line = toLine(exact, fields)
      if (line.length > LINE_LIMIT) throw new Error(`a record of ${table} is too large to be exported`)
      part += line
      length += line.length
      records++
      if (length >= CHUNK) yield take()
      await this.#pause()
    }
    if (length > 0) yield take()
    this.#files.push({
      name: file,
      fields: fields.map(({ name }) => name),
      records,
      bytes,
      sha256: digest.digest('hex'),
    })
  }

  /**
   * The contents, after the tables: the transaction ends with their list. Each is checked before it is returned, since a file of an archive cannot be
   * withdrawn once its first bytes are written; {@link damaged} has the others.
   * @throws Error if one was removed since
   */
  async *#contentsNow(): AsyncGenerator<ArchivedContent, void, void> {
    const all: ArchivedContent[] = []
    const rows = this.#select(CONTENTS).iterate()
    this.#rows = rows
    for (const [, sha256, size] of rows) {
      all.push({ sha256: String(sha256), size: Number(size) })
      await this.#pause()
    }
    this.#client.exec('commit')
    for (const content of all) {
      const { sha256 } = content
      const damaged = await this.#bytes.damaged(sha256)
      const known = this.#bytes.known(sha256)
      if (known === undefined) throw removedMeanwhile(sha256)
      // An upload may have replaced a damaged one meanwhile.
      if (known !== damaged) {
        this.#contents.push(content)
        yield content
      } else {
        const attachments = this.#client.prepare<[object], string>(ATTACHMENTS_OF).pluck().all({ sha256 })
        this.#damaged.push({ sha256, attachments })
      }
    }
  }

  /** The files whose bytes are damaged, so far. */
  get damaged(): readonly DamagedFile[] {
    return this.#damaged
  }

  /** The rows of the list of contents. */
  *#listed(): Generator<[rowid: bigint, ...StoredValue[]]> {
    for (const { sha256, size } of this.#contents) yield [0n, sha256, BigInt(size)]
  }

  /**
   * Reads the bytes of a content. They never change, so this needs no transaction, and a slow reader does not block checkpoints. The id may
   * change, if an upload replaces a damaged content.
   * @throws Error if it was removed since
   */
  async *#content({ sha256, size }: ArchivedContent): AsyncGenerator<Buffer, void, void> {
    const digest = createHash('sha256')
    let left = size
    for (let chunk = 0; left > 0; chunk++) {
      const id = this.#bytes.known(sha256)
      const bytes = id === undefined ? undefined : this.#bytes.read(id, chunk)
      if (bytes === undefined) break
      digest.update(bytes)
      left -= bytes.length
      yield bytes
      await this.#pause()
    }
    if (left !== 0 || digest.digest('hex') !== sha256) throw removedMeanwhile(sha256)
  }

  /** Ends it, even in the middle of a table. */
  close(): void {
    this.#rows?.return?.()
    this.#client.close()
  }

  /** Yields to the event loop, if this turn has taken long enough. */
  #pause(): Promise<void> | undefined {
    if (performance.now() - this.#turnBegan < SLICE) return undefined
    return nextTurn().then(() => {
      this.#turnBegan = performance.now()
    })
  }

  #number(sql: string): number {
    return this.#client.prepare<[], number>(sql).pluck().get() ?? 0
  }

  /** A text, or its bytes if it is not valid UTF-8. */
  #exactText(table: string, column: string, rowid: bigint, decoded: string): StoredValue {
    const bytes = this.#client
      .prepare<[bigint], Buffer>(`select cast("${column}" as blob) from ${table} where rowid = ?`)
      .pluck()
      .get(rowid) as Buffer
    return bytes.equals(Buffer.from(decoded)) ? decoded : { text: bytes }
  }
}
