/** The files of a database: whether they are in place, their permissions, whether a process has them open. */
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'
import { StartupError } from '../errors.ts'

/** Suffixes of the files beside an open database: the write-ahead log and its shared-memory index. */
export const COMPANIONS = ['-wal', '-shm'] as const

/** Free bytes above which a disk does not count as full. */
const ROOM = 1_048_576

/** The files of an open database. */
export interface DatabaseFiles {
  /**
   * Why writes would be lost: the file, or the log beside it, was replaced or removed since it was opened. Undefined
   * if all are in place.
   */
  lost: () => Error | undefined
  /** Whether the disk has room for more than the smallest of writes. */
  hasRoom: () => boolean
}

/** An in-memory database has no files to lose. */
export const NO_FILES: DatabaseFiles = { lost: () => undefined, hasRoom: () => true }

/** The file at a path, following symbolic links, or undefined. */
function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined) =>
  one?.ino === other?.ino && one?.dev === other?.dev

/** Stores the identity of the file at a path. @returns a function that returns whether the file is still the same */
export function remember(path: string): () => boolean {
  const opened = look(path)
  return () => isSame(look(path), opened)
}

/**
 * Watches the files of a just opened database, by inode: no other file can get theirs while they are open. SQLite
 * follows symbolic links, and puts the log beside the file itself.
 */
export function watchFiles(path: string): DatabaseFiles {
  const real = realpathSync(path)
  const inPlace = [path, ...COMPANIONS.map((suffix) => real + suffix)].map(remember)
  const message = `the database ${path} was replaced or removed while it was open: restart the service`
  return {
    lost: () => (inPlace.every((isInPlace) => isInPlace()) ? undefined : new Error(message)),
    hasRoom: () => {
      const { bavail, bsize } = statfsSync(dirname(real))
      return bavail * bsize >= ROOM
    },
  }
}

/**
 * Refuses an existing file that this process may not write, e.g. of another user: SQLite would open it to read only, and every write
 * would fail.
 * @throws StartupError
 */
export function refuseReadOnly(path: string): void {
  if (!existsSync(path)) return
  try {
    accessSync(path, constants.W_OK)
  } catch (error) {
    const { message } = error as Error
    throw new StartupError(`cannot write to the database ${path}: ${message}`, { cause: error })
  }
}

/** The files of a database that others than owner and group may read or write. Windows has no such modes. */
export function filesOpenToOthers(path: string): string[] {
  if (process.platform === 'win32') return []
  return [path, ...COMPANIONS.map((suffix) => realpathSync(path) + suffix)].filter(
    (file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o007) !== 0,
  )
}

/** Syncs a folder, so that creating, renaming or removing a file in it survives a power cut. */
export function syncFolder(folder: string): void {
  // Windows cannot sync folders.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Opens a database file exclusively, if no other process has it open, until the connection is closed. In WAL mode every
 * connection, idle or not, in any process or container, holds a shared lock, which the system releases when the
 * process ends, however it ends.
 * @returns the connection; undefined if another process has the file open
 * @throws SqliteError for a file that is no database
 */
export function openAlone(path: string): SQLite.Database | undefined {
  const client = new SQLite(path, { fileMustExist: true, timeout: 0 })
  try {
    client.pragma('locking_mode = exclusive')
    client.exec('begin exclusive; commit')
    return client
  } catch (error) {
    client.close()
    if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}

/** The files and folders created for a database. */
export interface Made {
  folders: string[]
  file: string | undefined
  /** Whether the file was created with its tables. */
  hasTables?: boolean
}

/**
 * Creates the missing parent folders of a file, one by one: Node's `recursive` never ends below `/proc`, where a folder that exists says that it
 * does not when something is made in it.
 * @returns them, the outermost first
 */
export function makeFolders(path: string): string[] {
  const missing: string[] = []
  let folder = dirname(path)
  // The root of a drive may be missing, too.
  while (!existsSync(folder) && folder !== dirname(folder)) {
    missing.unshift(folder)
    folder = dirname(folder)
  }
  const made: string[] = []
  for (const one of missing) {
    try {
      mkdirSync(one)
      made.push(one)
    } catch (error) {
      // Another process created it first.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST' && isFolder(one)) continue
      removeFolders(made)
      throw error
    }
  }
  return made
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Removes folders that are empty, the innermost first. */
export function removeFolders(folders: string[]): void {
  try {
    for (const folder of folders.toReversed()) rmdirSync(folder)
  } catch {
    // One of them is not empty any more.
  }
}

/**
 * Creates a file for a database, mode 0600, with its missing parent folders.
 * @param image its initial contents, where that is possible; by default it is empty
 * @returns the created file and folders
 */
export function makeFile(path: string, image?: Buffer): Made {
  const folders = makeFolders(path)
  try {
    if (image && linkImage(path, image)) return { folders, file: path, hasTables: true }
    closeSync(openSync(path, 'wx', 0o600))
    return { folders, file: path }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      removeFolders(folders)
      throw error
    }
    // Another process created it first, or it is a symbolic link to a missing file.
    closeSync(openSync(path, 'a', 0o600))
    return { folders, file: undefined }
  }
}

/** Creates a file atomically with its contents. @returns false if the file exists, or the file system has no hard links */
function linkImage(path: string, image: Buffer): boolean {
  const whole = `${path}-${process.pid}-new`
  try {
    writeFileSync(whole, image, { mode: 0o600 })
    linkSync(whole, path)
    return true
  } catch {
    return false
  } finally {
    rmSync(whole, { force: true })
  }
}

/**
 * Removes a just created database, unless another process has it open.
 * @param also another file to remove with it
 */
export function unmake({ folders, file }: Made, also?: string): void {
  if (file !== undefined) {
    const client = openAlone(file)
    if (client === undefined) return
    for (const suffix of ['', ...COMPANIONS]) rmSync(file + suffix, { force: true })
    client.close()
    if (also !== undefined) rmSync(also, { force: true })
  }
  removeFolders(folders)
}
