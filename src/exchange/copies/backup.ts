/** Backups: copies the database while the service writes, and restores a copy. */
import {
  type BigIntStats,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import SQLite from 'better-sqlite3'
import { BUSY_TIMEOUT, describe, isDamage } from '../../db/client.ts'
import { makeFolders, openAlone, removeFolders, syncFolder } from '../../db/files.ts'
import { jump, lastChange } from '../../db/lost-changes.ts'
import { refuseForeignTables } from '../../db/migrations.ts'
import { orphansIn } from '../../db/orphans.ts'
import { StartupError } from '../../errors.ts'

/** Pages in one step: enough to be fast, few enough to show progress. */
const STEP = 2000

/** Suffixes of files that SQLite leaves beside a database file, and would apply to any file of that name. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const

/** Called before the first page and after each step, with the number of pages copied and to copy. */
type OnProgress = (done: number, total: number) => void

interface CopyOptions {
  onProgress: OnProgress
  /** Aborts the copy. */
  signal?: AbortSignal | undefined
}

/** A checked copy. */
export interface Copied {
  /** Bytes of the copy. */
  size: number
  /** Violations of foreign keys: other tools may write to the file without enforcing them. */
  orphans: number
}

const look = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [look(one), look(other)]
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

/** Why something at a path is no file; undefined for a file. */
function whyNoFile(there: BigIntStats): string | undefined {
  if (there.isFile()) return undefined
  return there.isDirectory() ? 'it is a directory' : 'it is not a regular file'
}

/** Wraps an error of the system or SQLite with its context. */
function because(what: string, error: unknown): Error {
  if (error instanceof StartupError) return error
  return new Error(`${what}: ${describe(error)}`, { cause: error })
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ['', ...COMPANIONS]) rmSync(path + suffix, { force: true })
}

/** The source of a copy. */
interface Source {
  path: string
  /** Its name in messages. */
  called: string
  /** Whether it is the database of the configuration, which is to blame if it is another application's. */
  isConfigured: boolean
}

/**
 * Opens the source of a copy, in a transaction.
 * @throws StartupError if the configured one is no Phaseboard database, or of a newer version; Error if another one is, or it
 * cannot be read
 */
function openSource({ path, called, isConfigured }: Source): SQLite.Database {
  // A read-only connection never runs a checkpoint. Without a log there is nothing to write, and none is left behind.
  const hasLog = COMPANIONS.some((suffix) => existsSync(path + suffix))
  let client: SQLite.Database | undefined
  try {
    client = new SQLite(path, { readonly: hasLog, fileMustExist: true, timeout: BUSY_TIMEOUT })
    // All steps read the snapshot of this transaction. Without it, each commit of a service would restart the
    // backup.
    client.exec('begin')
    if (isConfigured) refuseForeignTables(client, called)
    else refuseForeignTables(client, 'it', Error)
    return client
  } catch (error) {
    client?.close()
    throw because(`cannot read ${called}`, error)
  }
}

/**
 * Copies a consistent snapshot of a database, while others write, into a new file, mode 0600. The copy is a single file,
 * without a log.
 * @throws StartupError if the configured one is no Phaseboard database, or of a newer version; Error if another one is, or it is damaged
 */
async function copy(from: Source, to: string, { onProgress, signal }: CopyOptions): Promise<Copied> {
  const source = openSource(from)
  try {
    closeSync(openSync(to, 'wx', 0o600))
    const { totalPages } = await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        signal?.throwIfAborted()
        onProgress(totalPages - remainingPages, totalPages)
        return STEP
      },
    })
    onProgress(totalPages, totalPages)
  } finally {
    source.close()
  }
  signal?.throwIfAborted()
  const orphans = check(to)
  return { size: statSync(to).size, orphans }
}

/**
 * Checks a copy, and makes it a single file.
 * @returns the number of orphans in it
 * @throws Error if it is no Phaseboard database, or of a newer version, or damaged
 */
export function check(copied: string): number {
  const client = new SQLite(copied)
  try {
    client.pragma('journal_mode = delete')
    refuseForeignTables(client, 'it', Error)
    const [problem] = client.pragma('integrity_check(1)') as { integrity_check: string }[]
    if (problem?.integrity_check !== 'ok') throw new Error(`it is damaged: ${problem?.integrity_check}`)
    return orphansIn(client)
  } finally {
    client.close()
  }
}

interface BackupOptions extends CopyOptions {
  /** Replace an existing file. */
  force?: boolean | undefined
}

/**
 * Backs up a database, even while a service writes to it. The backup is renamed into place once it is checked and synced.
 * @param path the database
 * @param file the target
 * @throws Error if the file exists and `force` is not set, or the backup fails its checks
 */
export async function backUp(path: string, file: string, options: BackupOptions): Promise<Copied> {
  const target = resolve(file)
  if (!existsSync(dirname(target))) throw new Error(`there is no folder ${dirname(target)}`)
  if (isSameFile(path, target)) throw new Error(`${file} is the database itself`)
  // The backup would take the place of a device, e.g. /dev/null.
  const there = look(target)
  const obstacle = there && whyNoFile(there)
  if (obstacle !== undefined) throw new Error(`cannot back up to ${file}: ${obstacle}`)
  const isThere = () => new Error(`${file} already exists: use --force to replace it`)
  if (!options.force && there !== undefined) throw isThere()
  const companion = COMPANIONS.map((suffix) => target + suffix).find((one) => existsSync(one))
  if (companion !== undefined)
    throw new Error(`${companion} exists: a database of that name is or was in use`)
  const temporary = `${target}.${process.pid}.tmp`
  const source = { path, called: `the database ${path}`, isConfigured: true }
  try {
    const copied = await copy(source, temporary, options)
    sync(temporary)
    if (options.force) renameSync(temporary, target)
    else putBeside(temporary, target, isThere)
    syncFolder(dirname(target))
    return copied
  } catch (error) {
    throw because(`cannot back up to ${file}`, error)
  } finally {
    removeDatabase(temporary)
  }
}

/** Links a file under a new name that must not exist yet; renames it if the file system has no hard links. */
function putBeside(from: string, to: string, isThere: () => Error): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || existsSync(to)) throw isThere()
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
    renameSync(from, to)
  }
}

/** The result of replacing a database. */
export interface Replaced {
  /** The new name of the replaced database, if any. */
  kept: string | undefined
}

/** The result of a restore. */
export interface Restored extends Copied, Replaced {
  /** The change that the sequence continues with; undefined for a backup without changes. */
  jumpedTo: number | undefined
}

/**
 * Replaces a database that no process has open by a copy of a backup, and keeps the old one under another name. The sequence of
 * changes jumps ahead, so that no number since the backup is used twice.
 * @param path the database; missing parent folders are created
 * @param file the backup
 * @throws Error if a process has the database open, or the backup is damaged: then nothing has changed
 */
export async function restore(path: string, file: string, options: CopyOptions): Promise<Restored> {
  const given = resolve(file)
  const there = look(given)
  const obstacle = there ? whyNoFile(there) : 'there is no such file'
  if (obstacle !== undefined) throw new Error(`cannot read ${file}: ${obstacle}`)
  if (isSameFile(path, given)) throw new Error(`${file} is the database itself`)
  const names = { what: `cannot restore ${file}`, suffix: 'before-restore' }
  return replaceDatabase(path, names, async (temporary, known) => {
    const source = { path: given, called: `the backup ${file}`, isConfigured: false }
    const { orphans } = await copy(source, temporary, options)
    const jumpedTo = jumpIn(temporary, known)
    return { orphans, jumpedTo, size: statSync(temporary).size }
  })
}

function jumpIn(file: string, known: number): number | undefined {
  const client = new SQLite(file)
  try {
    return jump(client, known)
  } finally {
    client.close()
  }
}

/**
 * Replaces a database that no process has open by a new file, and keeps the old one under another name.
 * @param path the database; missing parent folders are created
 * @param names the prefix of errors, and the suffix of the other name, which ends with the time
 * @param make creates the checked new file at the given path; it gets the last change of the replaced one, 0 for none
 * @returns the result of `make`, and the other name
 * @throws Error if a process has the database open, or `make` throws: then nothing has changed
 */
export async function replaceDatabase<Done>(
  path: string,
  names: { what: string; suffix: string },
  make: (temporary: string, known: number) => Promise<Done>,
): Promise<Done & Replaced> {
  const isThere = existsSync(path)
  const folders = makeFolders(path)
  const real = isThere ? realpathSync(path) : path
  const temporary = `${real}.${process.pid}.tmp`
  const lock = isThere ? lockOut(real) : undefined
  try {
    const done = await make(temporary, lastIn(lock))
    copyOwnership(temporary, isThere ? real : dirname(real))
    sync(temporary)
    const kept = `${real}.${names.suffix}-${new Date().toISOString().replaceAll(':', '-')}`
    if (lock) writeBackLog(lock)
    if (isThere) putBeside(real, kept, () => new Error(`${kept} is already there`))
    // The log belongs to the replaced database.
    for (const suffix of COMPANIONS) setAside(real + suffix, kept + suffix)
    renameSync(temporary, real)
    syncFolder(dirname(real))
    return { ...done, kept: isThere ? kept : undefined }
  } catch (error) {
    throw because(names.what, error)
  } finally {
    lock?.close()
    removeDatabase(temporary)
    if (!existsSync(real)) removeFolders(folders)
  }
}

/**
 * Locks a database exclusively, until the connection is closed.
 * @returns the connection; undefined for a file that is no readable database, so no process can be using it
 * @throws Error if another process has it open
 */
function lockOut(path: string): SQLite.Database | undefined {
  let client: SQLite.Database | undefined
  try {
    client = openAlone(path)
  } catch (error) {
    if (isDamage(error)) return undefined
    throw because(`cannot open the database ${path}`, error)
  }
  if (client === undefined) {
    throw new Error(
      `the database ${path} is in use: first stop the service and all other processes that have it open`,
    )
  }
  return client
}

/** The last change of a database; 0 if unreadable: it may be damaged, a reason to restore. */
function lastIn(client: SQLite.Database | undefined): number {
  try {
    return (client && lastChange(client)?.seq) ?? 0
  } catch {
    return 0
  }
}

/** Runs a checkpoint, so that the file is complete without its log. */
function writeBackLog(client: SQLite.Database): void {
  try {
    client.pragma('wal_checkpoint(truncate)')
  } catch {
    // The database may be damaged, a reason to restore: then file and log stay unchanged.
  }
}

/**
 * Gives a file the owner and mode of the replaced one, or else the owner of its folder: the
 * service must be able to open it, whichever user restores.
 * @param model the replaced file, or the folder
 * @throws Error if the system does not permit it
 */
function copyOwnership(file: string, model: string): void {
  const wanted = statSync(model)
  const current = statSync(file)
  if (wanted.isFile()) chmodSync(file, wanted.mode & 0o777)
  const { uid, gid } = wanted.isFile() || current.uid === 0 ? wanted : current
  if (current.uid !== uid || current.gid !== gid) chownSync(file, uid, gid)
}

/** Renames a file beside a database, or removes it if it is empty or an index. */
function setAside(file: string, name: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) return
  // The index is rebuilt from the log.
  if (size === 0 || file.endsWith('-shm')) rmSync(file)
  else renameSync(file, name)
}
