/** The files a database consists of: whether they are in place, who may read them, whether anybody has them open. */
import {
  type BigIntStats,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import SQLite from 'better-sqlite3'

/** What SQLite keeps beside a database file while somebody has it open: the log and its index. */
export const COMPANIONS = ['-wal', '-shm'] as const

/** Bytes that a disk must have free before it counts as having room again. */
const ROOM = 1_048_576

/** A database's files as the connection to them knows them. */
export interface DatabaseFiles {
  /**
   * Why what is written would be lost: the file, or the log beside it, is another one than when it was opened, or gone.
   * Undefined while all is in place.
   */
  lost: () => Error | undefined
  /** Whether the disk has room for more than the smallest of writes. */
  hasRoom: () => boolean
}

/** A database in memory has no files that could be lost. */
export const NO_FILES: DatabaseFiles = { lost: () => undefined, hasRoom: () => true }

/** The file that a path leads to; undefined where none can be reached. */
function look(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined) =>
  one?.ino === other?.ino && one?.dev === other?.dev

/** Which file a path leads to at this moment. @returns the question whether it still leads there */
export function remember(path: string): () => boolean {
  const opened = look(path)
  return () => isSame(look(path), opened)
}

/**
 * Watches the files of a database that was just opened. While they are open no other file can have their numbers, so
 * comparing numbers tells them apart. SQLite follows symbolic links, and keeps the log beside the file itself.
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

/** Those of a database's files that others than their owner and group may read or change. Windows has no such modes. */
export function filesOpenToOthers(path: string): string[] {
  if (process.platform === 'win32') return []
  return [path, ...COMPANIONS.map((suffix) => realpathSync(path) + suffix)].filter(
    (file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o007) !== 0,
  )
}

/** Makes a file's name, or its disappearance, survive a power cut. */
export function syncFolder(folder: string): void {
  // Windows knows no such thing.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Opens a database file if nobody else has it open, and keeps everybody out until the connection is closed. Whoever has
 * a database in WAL mode open, idle or not, in whichever process or container, holds a shared lock on it, which the
 * system takes away when the process ends, however it ends.
 * @returns the connection; undefined when somebody has the file open
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

/** What was made for a database, in the order of making. */
export interface Made {
  folders: string[]
  file: string | undefined
}

/** Makes the folders that are missing on the way to a file. @returns them, the outermost first */
export function makeFolders(path: string): string[] {
  const folder = dirname(path)
  const outermost = mkdirSync(folder, { recursive: true })
  if (outermost === undefined) return []
  const made: string[] = []
  for (let one = folder; one.length >= outermost.length; one = dirname(one)) made.unshift(one)
  return made
}

/** Removes folders that are empty, the innermost first. */
export function removeFolders(folders: string[]): void {
  try {
    for (const folder of folders.toReversed()) rmdirSync(folder)
  } catch {
    // Somebody has put something there.
  }
}

/**
 * Makes an empty file for a database, for its owner alone, with the folders it needs.
 * @returns what of it was not there before
 */
export function makeFile(path: string): Made {
  const folders = makeFolders(path)
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return { folders, file: path }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      removeFolders(folders)
      throw error
    }
    // Another process was faster, or it is a link to a file that is not there yet.
    closeSync(openSync(path, 'a', 0o600))
    return { folders, file: undefined }
  }
}

/**
 * Takes away a database that was made for nothing, unless somebody has it open.
 * @param also a file that makes no sense without it
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
