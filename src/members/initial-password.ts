/** The file with the password that a first start made up for its admin: beside the database, until the admin has another. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { databasePath, type SharedDatabase } from '../db/client.ts'
import { verifyPassword } from './passwords.ts'

/** Where the password is left: one file for each database. Undefined for `:memory:`. */
export function initialPasswordFile(databaseUrl: string): string | undefined {
  const path = databasePath(databaseUrl)
  return path === ':memory:' ? undefined : `${path}.initial-admin-password`
}

/** A file that is already there would keep its mode, and whoever could read it could read the password. */
export function leaveInitialPassword(file: string, password: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx' })
}

function readInitialPassword(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch {
    return undefined
  }
}

/**
 * To be called before a change of a member's password: finds out whether the one in the file is the member's.
 * @param passwordHash of the password that the member has
 * @returns what to call once the change is on disk: it removes the file if so, and throws when it cannot
 */
export async function prepareInitialPasswordRemoval(
  { $client }: SharedDatabase,
  passwordHash: string | null,
): Promise<() => void> {
  const file = initialPasswordFile($client.name)
  const left = file === undefined ? undefined : readInitialPassword(file)
  if (file === undefined || left === undefined) return () => undefined
  const isTheirs = await verifyPassword(passwordHash, left)
  return () => {
    if (isTheirs) rmSync(file, { force: true })
  }
}
