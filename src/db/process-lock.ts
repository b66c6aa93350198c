/**
 * Operating system locks that one process at a time holds, until it ends, however
 * it ends: nothing must be renewed, and nothing expires.
 */
import { closeSync, openSync, realpathSync, rmSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import { remember } from './files.ts'

/** A lock that one process at a time holds. */
export interface ProcessLock {
  /** Takes it if it is free. @returns whether this process has it */
  take: () => boolean
  release: () => void
}

/** For data of a single process, such as an in-memory database. */
export const NO_LOCK: ProcessLock = { take: () => true, release: () => undefined }

/** Creates the file, mode 0600. An existing one is not opened: closing it would release this process's locks on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Creates a lock from SQLite's locks on an empty file, which work wherever the database does, also between threads.
 * @param path of the file, which exists
 */
function createProcessLock(path: string): ProcessLock {
  let client: SQLite.Database | undefined
  return {
    take: () => {
      if (client?.inTransaction) return true
      client ??= new SQLite(path, { timeout: 0 })
      try {
        // Nothing is ever written, so no journal is needed either.
        client.exec('pragma journal_mode = memory; begin exclusive')
        return true
      } catch (error) {
        if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false
        throw error
      }
    },
    release: () => {
      client?.close()
      client = undefined
    },
  }
}

/**
 * A lock whose file is removed when its holder releases it; a process that is killed leaves the file.
 * @param path of the file
 */
export function createTransientLock(path: string): ProcessLock {
  const lock = createProcessLock(path)
  let isInPlace: () => boolean = () => false
  let isHeld = false
  return {
    take: () => {
      if (isHeld) return true
      if (!isInPlace()) {
        lock.release()
        makeFile(path)
        isInPlace = remember(path)
      }
      // Between opening and locking it, the holder may have removed the file: then others lock a new one.
      isHeld = lock.take() && isInPlace()
      return isHeld
    },
    release: () => {
      // First remove the file, then release the lock: the next process locks another file.
      if (isHeld) rmSync(path, { force: true })
      isHeld = false
      lock.release()
    },
  }
}

/** The lock of one kind of work on a database, in a file beside it. @param database its path */
export const lockOfWork = (database: string, work: string): ProcessLock =>
  database === ':memory:' ? NO_LOCK : createTransientLock(`${realpathSync(database)}.${work}-lock`)
