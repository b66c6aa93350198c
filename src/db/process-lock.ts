/**
 * Locks that one process at a time holds, by the operating system: such a lock is there as long as the process, however
 * that ends, so nothing has to be renewed, and nothing expires.
 */
import { closeSync, openSync } from 'node:fs'
import SQLite from 'better-sqlite3'

/** A lock that one process at a time holds. */
export interface ProcessLock {
  /** Takes it, if nobody else has it. @returns whether this one has it */
  take: () => boolean
  release: () => void
}

/** For what is one process's own anyway, as a database in memory. */
export const NO_LOCK: ProcessLock = { take: () => true, release: () => undefined }

/** Creates the file, mode 0600. One that is there is left alone: closing it would release this process's locks on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Creates a lock by SQLite's own locks on an empty file, which work wherever the database does, and between threads, too.
 * @param pathOf the path of the file, which is made when the lock is first taken
 */
export function createProcessLock(pathOf: () => string): ProcessLock {
  let client: SQLite.Database | undefined
  return {
    take: () => {
      if (client?.inTransaction) return true
      if (client === undefined) {
        const path = pathOf()
        makeFile(path)
        client = new SQLite(path, { timeout: 0 })
      }
      try {
        // Nothing is ever written: no journal has to be there either.
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
