/** The files beside a database while something is imported into it: what was uploaded, and who is at it. */
import { readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createProcessLock, NO_LOCK, type ProcessLock } from '../../db/process-lock.ts'

/** The path of a database in memory: its files are among the temporary ones. */
export const MEMORY = ':memory:'

const LOCK = '.lock'

const beside = (database: string, id: string) =>
  database === MEMORY ? join(tmpdir(), `phaseboard-import-${id}`) : `${realpathSync(database)}.import-${id}`

/**
 * Where the upload of an import is kept until it is read: on the database's disk, which has room or nothing works.
 * @param database the path of the database, or `:memory:`
 * @param id the import's
 */
export const uploadOf = (database: string, id: string): string => beside(database, id)

/** Where the spool of an import is for a moment, before it has no name (see spool.ts). */
export const spoolOf = (database: string, id: string): string => `${uploadOf(database, id)}.spool`

/** The ids of imports whose uploads are beside a database: of those under way, and of those whose process is gone. */
export function uploadsBeside(database: string): string[] {
  if (database === MEMORY) return []
  const start = beside(database, '')
  return readdirSync(dirname(start))
    .filter((name) => name.startsWith(basename(start)) && !name.endsWith(LOCK))
    .map((name) => name.slice(basename(start).length))
}

/** The lock that whoever is at an import holds from its beginning to its end. */
export function lockOf(database: string, id: string): ProcessLock {
  if (database === MEMORY) return NO_LOCK
  const path = `${beside(database, id)}${LOCK}`
  const lock = createProcessLock(() => path)
  let isHeld = false
  return {
    take: () => {
      isHeld = lock.take()
      return isHeld
    },
    release: () => {
      // First the file, then the lock: whoever takes it then has another file.
      if (isHeld) rmSync(path, { force: true })
      isHeld = false
      lock.release()
    },
  }
}
