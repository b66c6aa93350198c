/** Backups: a copy of the database while the service writes, and putting one in the database's place. */
import {
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
import { BUSY_TIMEOUT, describe, refuseForeignTables } from '../db/client.ts'
import { makeFolders, openAlone, removeFolders, syncFolder } from '../db/files.ts'
import { StartupError } from '../errors.ts'

/** Pages in one step: enough to be quick, few enough for progress to be seen. */
const STEP = 2000

/** What SQLite may have left beside a database file, and takes for a part of whatever bears that name. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const

/** Called before the first page and after every few, with the number of pages copied and to copy. */
type OnProgress = (done: number, total: number) => void

interface CopyOptions {
  onProgress: OnProgress
  /** Gives up when it is aborted. */
  signal?: AbortSignal | undefined
}

/** A copy that was made and checked. */
export interface Copied {
  /** Bytes of the copy. */
  size: number
  /** How many records point at others that do not exist: not every tool that writes to the file looks. */
  orphans: number
}

const look = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [look(one), look(other)]
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev
}

/** Says of which file an error of the system, or of SQLite, tells. */
function because(what: string, error: unknown): Error {
  if (error instanceof StartupError) return error
  const reason = (error as NodeJS.ErrnoException).code === 'EISDIR' ? 'it is a directory' : describe(error)
  return new Error(`${what}: ${reason}`, { cause: error })
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

/**
 * Copies a database into a new file, for its owner alone, as it was at one moment, whoever writes meanwhile. The copy is
 * one file in itself, without a log.
 * @throws StartupError when it is no Phaseboard database, or of a newer version; Error when it is damaged
 */
async function copy(from: string, to: string, { onProgress, signal }: CopyOptions): Promise<Copied> {
  // A connection that only reads leaves the log alone. Without a log there is nothing to write, and none is left behind.
  const hasLog = COMPANIONS.some((suffix) => existsSync(from + suffix))
  const source = new SQLite(from, { readonly: hasLog, fileMustExist: true, timeout: BUSY_TIMEOUT })
  try {
    // All steps read the state in which this transaction began. Without it, each commit of a service would make SQLite
    // begin anew.
    source.exec('begin')
    refuseForeignTables(source, from)
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
  const orphans = check(to, from)
  return { size: statSync(to).size, orphans }
}

/** Checks a copy, and makes it one file in itself. @returns the number of orphans in it */
function check(copied: string, from: string): number {
  const client = new SQLite(copied)
  try {
    client.pragma('journal_mode = delete')
    refuseForeignTables(client, from)
    const [problem] = client.pragma('integrity_check(1)') as { integrity_check: string }[]
    if (problem?.integrity_check !== 'ok') throw new Error(`it is damaged: ${problem?.integrity_check}`)
    return (client.pragma('foreign_key_check') as unknown[]).length
  } finally {
    client.close()
  }
}

/** How a backup may be asked for. */
export interface BackupOptions extends CopyOptions {
  /** Replace the file that has the name of the backup. */
  force?: boolean | undefined
}

/**
 * Backs up a database, also while a service writes to it. The backup gets its name only once it is checked and on disk.
 * @param path the database
 * @param file where the backup goes
 * @throws Error when the file is there and `force` is not set, or when no sound backup can be made
 */
export async function backUp(path: string, file: string, options: BackupOptions): Promise<Copied> {
  const target = resolve(file)
  if (!existsSync(dirname(target))) throw new Error(`there is no folder ${dirname(target)}`)
  if (isSameFile(path, target)) throw new Error(`${file} is the database itself`)
  const isThere = () => new Error(`${file} is already there: use --force to replace it`)
  if (!options.force && existsSync(target)) throw isThere()
  const companion = COMPANIONS.map((suffix) => target + suffix).find((one) => existsSync(one))
  if (companion !== undefined)
    throw new Error(`${companion} is there: a database of that name is in use, or was`)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    const copied = await copy(path, temporary, options)
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

/** Gives a file a second name that nothing has yet; where there are no second names, the file's only one. */
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

/** What restoring did. */
export interface Restored extends Copied {
  /** What became of the database that was replaced: its new name. Undefined where there was none. */
  kept: string | undefined
}

/**
 * Puts a copy of a backup in the place of a database that nobody has open, and keeps that one under another name.
 * @param path the database; what its folder lacks is made
 * @param file the backup
 * @throws Error when somebody has the database open, or the backup is not sound: then nothing has changed
 */
export async function restore(path: string, file: string, options: CopyOptions): Promise<Restored> {
  const given = resolve(file)
  if (look(given)?.isFile() !== true) throw new Error(`cannot read ${file}: there is no such file`)
  if (isSameFile(path, given)) throw new Error(`${file} is the database itself`)
  const isThere = existsSync(path)
  const folders = makeFolders(path)
  const real = isThere ? realpathSync(path) : path
  const temporary = `${real}.${process.pid}.tmp`
  const lock = isThere ? lockOut(real) : undefined
  try {
    const copied = await copy(given, temporary, options)
    beLike(temporary, isThere ? real : dirname(real))
    sync(temporary)
    const kept = `${real}.before-restore-${new Date().toISOString().replaceAll(':', '-')}`
    if (lock) writeBackLog(lock)
    if (isThere) putBeside(real, kept, () => new Error(`${kept} is already there`))
    // What the log still holds belongs to the database that is replaced.
    for (const suffix of COMPANIONS) setAside(real + suffix, kept + suffix)
    renameSync(temporary, real)
    syncFolder(dirname(real))
    return { ...copied, kept: isThere ? kept : undefined }
  } catch (error) {
    throw because(`cannot restore ${file}`, error)
  } finally {
    lock?.close()
    removeDatabase(temporary)
    if (!existsSync(real)) removeFolders(folders)
  }
}

/**
 * Takes a database for itself, until the connection is closed.
 * @returns the connection; undefined for a file that is no readable database, which nobody can be working with
 * @throws Error when somebody has it open
 */
function lockOut(path: string): SQLite.Database | undefined {
  let client: SQLite.Database | undefined
  try {
    client = openAlone(path)
  } catch (error) {
    if (/^SQLITE_(NOTADB|CORRUPT)/.test((error as { code?: string }).code ?? '')) return undefined
    throw because(`cannot open the database ${path}`, error)
  }
  if (client === undefined) {
    throw new Error(`the database ${path} is in use: stop the service, and whatever else has it open, first`)
  }
  return client
}

/** Copies the log into the file, so that the file is whole in itself. */
function writeBackLog(client: SQLite.Database): void {
  try {
    client.pragma('wal_checkpoint(truncate)')
  } catch {
    // A damaged database is a reason to restore: then file and log are kept as they are.
  }
}

/**
 * Gives a file the owner, and the mode, of the one that it replaces, or where there is none the owner of its folder: the
 * service must be able to open it, whoever restores.
 * @throws Error when the system does not let us
 */
function beLike(file: string, other: string): void {
  const theirs = statSync(other)
  const ours = statSync(file)
  if (theirs.isFile()) chmodSync(file, theirs.mode & 0o777)
  const { uid, gid } = theirs.isFile() || ours.uid === 0 ? theirs : ours
  if (ours.uid !== uid || ours.gid !== gid) chownSync(file, uid, gid)
}

/** Gives a file beside a database a new name, or removes it where it holds nothing. */
function setAside(file: string, name: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) return
  // The index of a log is made anew from the log.
  if (size === 0 || file.endsWith('-shm')) rmSync(file)
  else renameSync(file, name)
}
