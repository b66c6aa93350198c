/** The file with the generated password of the first admin: beside the database, until the password changes. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { databasePath, type SharedDatabase } from '../db/client.ts'
import { verifyPassword } from './passwords.ts'

/** The path of the file: one for each database. Undefined for `:memory:`. */
export function initialPasswordFile(databaseUrl: string): string | undefined {
  const path = databasePath(databaseUrl)
  return path === ':memory:' ? undefined : `${path}.initial-admin-password`
}

/** Writes the file, mode 0600. An existing one is removed first: it would keep its mode, perhaps readable by others. */
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
 * Checks, before a change of a member's password, whether the file contains the current one.
 * @param passwordHash the hash of the current password
 * @returns a function to call once the change is on disk: it removes the file if so, and throws if it cannot
 */
export async function prepareInitialPasswordRemoval(
  { $client }: SharedDatabase,
  passwordHash: string | null,
): Promise<() => void> {
  const file = initialPasswordFile($client.name)
  const left = file === undefined ? undefined : readInitialPassword(file)
  if (file === undefined || left === undefined) return () => undefined
  const isCurrent = await verifyPassword(passwordHash, left)
  return () => {
    if (isCurrent) rmSync(file, { force: true })
  }
}
