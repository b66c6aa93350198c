/**
 * Which of several services on one database file delivers to webhooks: each change is to be sent once, and in order. A lock
 * of the operating system decides, on an empty file beside the database: it is there as long as the process, however that
 * ends, so nothing has to be renewed, and nothing expires.
 */
import { closeSync, openSync, realpathSync } from 'node:fs'
import SQLite from 'better-sqlite3'

/** A lock that one process at a time holds. */
export interface DeliveryLock {
  /** Takes it, if nobody else has it. @returns whether this process has it */
  take: () => boolean
  release: () => void
}

/** A database in memory is one process's own. */
export const NO_LOCK: DeliveryLock = { take: () => true, release: () => undefined }

/** Creates the file, mode 0600. One that is there is left alone: closing it would release this process's locks on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Creates the lock of a database, by SQLite's own locks, which work wherever the database does.
 * @param database the path of its file; the lock's is beside it, with the suffix `.webhooks-lock`
 */
export function createDeliveryLock(database: string): DeliveryLock {
  let client: SQLite.Database | undefined
  return {
    take: () => {
      if (client?.inTransaction) return true
      if (client === undefined) {
        const path = `${realpathSync(database)}.webhooks-lock`
        makeFile(path)
        client = new SQLite(path, { timeout: 0 })
      }
      try {
        client.exec('begin exclusive')
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
