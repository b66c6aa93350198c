/** The files beside a database during imports: uploads and locks. */
import { readdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createTransientLock, NO_LOCK, type ProcessLock } from '../../db/process-lock.ts'

/** The path of an in-memory database: its files are temporary files. */
export const MEMORY = ':memory:'

const LOCK = '.lock'

const beside = (database: string, id: string) =>
  database === MEMORY ? join(tmpdir(), `phaseboard-import-${id}`) : `${realpathSync(database)}.import-${id}`

/**
 * The path of an import's upload until it is read: on the database's disk, which needs free space anyway.
 * @param database the path of the database, or `:memory:`
 * @param id the import's
 */
export const uploadOf = (database: string, id: string): string => beside(database, id)

/** The path of an import's spool until it is unlinked (see spool.ts). */
export const spoolOf = (database: string, id: string): string => `${uploadOf(database, id)}.spool`

/** The ids of imports with uploads beside a database: running and orphaned ones. */
export function uploadsBeside(database: string): string[] {
  if (database === MEMORY) return []
  const start = beside(database, '')
  return readdirSync(dirname(start))
    .filter((name) => name.startsWith(basename(start)) && !name.endsWith(LOCK))
    .map((name) => name.slice(basename(start).length))
}

/** The lock that an import's process holds from its beginning to its end. */
export function lockOf(database: string, id: string): ProcessLock {
  if (database === MEMORY) return NO_LOCK
  return createTransientLock(`${beside(database, id)}${LOCK}`)
}
