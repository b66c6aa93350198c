/** Opens the database file: pragmas, version check, migrations. */
import { existsSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import SQLite from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { StartupError } from '../errors.ts'
import { BUSY_TIMEOUT } from './busy.ts'
import { attributionOf, type Written } from './current-write.ts'
import { limitTime } from './deadline.ts'
import { type DatabaseFiles, type Made, makeFile, NO_FILES, remember, unmake, watchFiles } from './files.ts'
import { migrate, refuseForeignTables, tableNames } from './migrations.ts'
import { type Checkpoints, setPragmas } from './pragmas.ts'
import * as schema from './schema.ts'
import { indexWritten } from './search-index.ts'

export { BUSY_TIMEOUT } from './busy.ts'
export type { Checkpoints } from './pragmas.ts'

/** A database handle: the shared one, or an open transaction. */
export type Database = BaseSQLiteDatabase<'sync', SQLite.RunResult, typeof schema>

/** The shared handle: Drizzle, with better-sqlite3 itself as `$client`. */
export type SharedDatabase = BetterSQLite3Database<typeof schema> & { $client: SQLite.Database }

/** An opened database and how to close it. */
interface OpenDatabase {
  db: SharedDatabase
  files: DatabaseFiles
  close: () => void
  /**
   * After a failed start, closes it and removes the files that this opening created. Files that existed before stay, and so
   * does a new one that another process has used since.
   * @param also another file to remove with it
   */
  discard: (also?: string) => void
}

/**
 * The file a database URL names.
 * @param url `file:relative/or/absolute`, a plain path, or `:memory:`
 * @returns an absolute path, or `:memory:`
 * @throws StartupError for a URL of another kind
 */
export function databasePath(url: string): string {
  // Files of variables for containers keep quotes as they are. The file would be in a folder named by a quote, outside the volume.
  if (/^['"]/.test(url)) throw new StartupError('DATABASE_URL must not begin with a quote')
  if (url === ':memory:' || url === 'file::memory:') return ':memory:'
  const path = pathIn(url)
  // A URI parameter would become part of the name, and silently open another file.
  if (`${url}${path}`.includes('?')) {
    throw new StartupError('DATABASE_URL must not contain a question mark: it takes no parameters')
  }
  if (/^file:.*#/.test(url)) {
    throw new StartupError('DATABASE_URL must not contain a # in a file: URL: a path without file: may')
  }
  // better-sqlite3 would trim them, and open a different file than the checked one.
  if (path !== path.trim()) throw new StartupError('DATABASE_URL must not begin or end with a blank')
  return resolve(path)
}

function pathIn(url: string): string {
  if (/^file:\/\//.test(url)) {
    try {
      return fileURLToPath(url)
    } catch {
      throw new StartupError(`DATABASE_URL is not a local file: ${url}`)
    }
  }
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]
  if (scheme !== undefined && scheme !== 'file') {
    throw new StartupError(`DATABASE_URL must be a file: URL, a path or :memory:, not ${scheme}:`)
  }
  const path = url.replace(/^file:/, '')
  if (path === '') throw new StartupError('DATABASE_URL names no file')
  return path
}

/**
 * Opens the database, creating and migrating it as needed.
 *
 * WAL lets other processes read while one writes. `synchronous=FULL` syncs the log at every commit, so that acknowledged
 * writes survive a power cut.
 * @param url see {@link databasePath}
 * @param checkpoints which process runs them
 * @throws StartupError with one clear line if the file cannot be opened, is no Phaseboard database, or was written by
 * a newer version (it stays unchanged)
 */
export function openDatabase(url: string, checkpoints: Checkpoints = 'service'): OpenDatabase {
  const path = databasePath(url)
  const isFile = path !== ':memory:'
  let made: Made = { folders: [], file: undefined }
  let client: SQLite.Database | undefined
  let haveOthersWritten = () => statSync(path).size > 0
  const close = () => {
    if (!client?.open) return
    if (made.file !== undefined && haveOthersWritten()) made = { ...made, file: undefined }
    client.close()
  }
  const discard = (also?: string) => {
    try {
      close()
      unmake(made, also)
    } catch {
      // The cause of the failed start may make this fail too; the first error is the one to report.
    }
  }
  try {
    const isOld = isFile && existsSync(path)
    if (isOld) checkBeforeOpening(path)
    // It holds password hashes and private ideas; SQLite gives the log beside it the same mode.
    else if (isFile) made = makeFile(path, images?.file)
    const isInPlace = isFile ? remember(path) : () => true
    client = new SQLite(isFile ? path : (images?.memory ?? path), { timeout: BUSY_TIMEOUT })
    // Before anything is written: even switching it to WAL would change it.
    if (isOld) refuseOtherTables(client, path)
    switchToWal(client)
    const isNew = !isFile || made.file !== undefined
    if (made.file !== undefined) haveOthersWritten = watchOthers(client, made.hasTables)
    setPragmas(client, checkpoints)
    migrate(client)
    if (isNew) keepImages(client)
    client.pragma('foreign_keys = ON')
    const files = isFile ? watchFiles(path) : NO_FILES
    // A restore may have replaced the file since it was opened.
    if (!isInPlace()) throw new Error('it was replaced while it was being opened')
    const db = drizzle(client, { schema, casing: 'snake_case' })
    limitTime(db)
    return { db, files, close, discard }
  } catch (error) {
    discard()
    if (error instanceof StartupError) throw error
    throw new StartupError(`cannot open the database ${path}: ${describe(error)}`, { cause: error })
  }
}

/** The journal mode in the header of a file. */
const ROLLBACK = 1
const WAL = 2

/** The bytes of a database right after its migrations: as a file in WAL mode, and for one in memory, which cannot be in that. */
let images: { file: Buffer; memory: Buffer } | undefined
let newDatabases = 0

/**
 * Stores a copy of the second new database, from which later new databases are created: tests create thousands, and
 * migrations take most of the time. A service opens only one, so it stores no copy.
 */
function keepImages(client: SQLite.Database): void {
  newDatabases += 1
  if (newDatabases !== 2) return
  const image = client.serialize()
  images = { file: withJournal(image, WAL), memory: withJournal(image, ROLLBACK) }
}

/** The same image in another journal mode: bytes 18 and 19 of the header, see https://sqlite.org/fileformat.html. */
const withJournal = (image: Buffer, version: number): Buffer => Buffer.from(image).fill(version, 18, 20)

/**
 * Watches a new database.
 * @param hasTables whether it was created with all its tables
 * @returns whether other processes have written to it, as a function
 */
function watchOthers(client: SQLite.Database, hasTables = false): () => boolean {
  const version = client.prepare<[], number>('pragma data_version').pluck()
  const first = version.get()
  const wasNew = hasTables || tableNames(client).length === 0
  return () => {
    try {
      return !wasNew || version.get() !== first
    } catch {
      return true
    }
  }
}

/**
 * Runs `work` as one write transaction, synchronously, on a connection that only this thread uses: of a command, the worker
 * thread, or a service before it listens. All other writes of a service use `app.perform`, whose group commit does not block the event
 * loop. The transaction begins immediate: the write lock comes first, so the data that `work` reads cannot change. An error rolls
 * everything back. What was written is indexed for the search.
 * @param actorId the acting member; {@link BY_COMMAND} for a command, null for the service itself
 */
export function writeAs<T>(db: SharedDatabase, actorId: string | null, work: () => T): Written<T> {
  const attribution = attributionOf(db)
  return db.transaction(
    () => {
      attribution.begin()
      const written = attribution.run(actorId, work)
      indexWritten(db)
      return written
    },
    { behavior: 'immediate' },
  )
}

/**
 * Sets the busy timeout to 0, so that SQLITE_BUSY comes at once: waiting for another process's lock would block the event
 * loop. In WAL mode reads do not wait, unless another process recovers the log; writes must be retried.
 */
export function stopWaitingForLocks({ $client }: SharedDatabase): void {
  $client.pragma('busy_timeout = 0')
}

/** Runs `work` in one read transaction, or in the open one: all its statements read the same snapshot of the file. */
export function read<T>({ $client }: SharedDatabase, work: () => T): T {
  if ($client.inTransaction) return work()
  let transaction = readTransactions.get($client)
  if (transaction === undefined) {
    transaction = $client.transaction((toRead) => toRead())
    readTransactions.set($client, transaction)
  }
  return transaction(work) as T
}

/** Creating a transaction function costs more than running it: each connection caches its own. */
const readTransactions = new WeakMap<SQLite.Database, (work: () => unknown) => unknown>()

/** The message of an SQLite error. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && error.code === 'SQLITE_NOTADB' ? 'it is not a database' : error.message
}

/** Whether SQLite refuses a file because it is damaged, or no database. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(NOTADB|CORRUPT)/.test((error as { code?: string }).code ?? '')

/**
 * Refuses a path that cannot be reached, and what is no regular file: SQLite reports a directory, a pipe or a device in words that do not say so.
 * @throws StartupError
 */
export function refuseOtherKinds(path: string): void {
  let status: Stats | undefined
  try {
    status = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw new StartupError(`cannot open the database ${path}: ${describe(error)}`, { cause: error })
  }
  if (status === undefined || status.isFile()) return
  const what = status.isDirectory() ? 'a directory' : 'not a regular file'
  throw new StartupError(`cannot open the database ${path}: it is ${what}`)
}

/** Checks a file before it is opened for writing. @throws StartupError */
function checkBeforeOpening(path: string): void {
  refuseOtherKinds(path)
  if (existsSync(`${path}-journal`)) rollBack(path)
  // Closing the last connection runs a checkpoint, which may write to the file; a read-only one never does. Without a log there
  // is nothing to write.
  const hasLog = existsSync(`${path}-wal`) || existsSync(`${path}-journal`)
  if (!hasLog) return
  const client = new SQLite(path, { readonly: true, timeout: BUSY_TIMEOUT })
  try {
    refuseOtherTables(client, path)
  } finally {
    client.close()
  }
}

/** Checks the tables of a file, if it has any. @throws StartupError */
function refuseOtherTables(client: SQLite.Database, path: string): void {
  if (tableNames(client).length > 0) refuseForeignTables(client, `the database ${path}`)
}

/**
 * Rolls back a hot journal, which a power cut leaves of a file that is not in WAL mode yet: a read-only connection cannot
 * (SQLITE_READONLY_ROLLBACK). Any next connection to the file would do the same, whichever application owns it.
 */
function rollBack(path: string): void {
  for (const readonly of [true, false]) {
    const client = new SQLite(path, { readonly, timeout: BUSY_TIMEOUT })
    try {
      client.prepare('select 1 from sqlite_schema').get()
      return
    } catch (error) {
      const needsRollback = error instanceof SQLite.SqliteError && error.code === 'SQLITE_READONLY_ROLLBACK'
      if (!needsRollback) throw error
    } finally {
      client.close()
    }
  }
}

/**
 * Switches to WAL mode. When two processes open one new file, one of them gets SQLITE_BUSY whatever its busy timeout,
 * since waiting could deadlock; so it is retried here.
 */
function switchToWal(client: SQLite.Database): void {
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (const deadline = Date.now() + BUSY_TIMEOUT; ; Atomics.wait(clock, 0, 0, 10)) {
    try {
      client.pragma('journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY'
      if (!isBusy || Date.now() > deadline) throw error
    }
  }
}
