/** The file with the password that a first start made up for its admin: beside the database, until the admin has another. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import { databasePath, type SharedDatabase } from '../db/client.ts'
import { given, prepareRows } from '../db/old-statements.ts'
import { members } from '../db/schema.ts'
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
 * Prepares what a change of a password takes besides.
 * @returns to be called before the change, with whose password it is; it resolves with what to call once the change is on
 * disk. That removes the file if the password in it was the member's, and throws when it cannot
 */
export function prepareInitialPassword(db: SharedDatabase): (memberId: string) => Promise<() => void> {
  const file = initialPasswordFile(db.$client.name)
  const account = prepareRows(
    db,
    db
      .select({ passwordHash: members.passwordHash })
      .from(members)
      .where(eq(members.id, given('id'))),
  )
  return async (id) => {
    const left = file === undefined ? undefined : readInitialPassword(file)
    if (file === undefined || left === undefined) return () => undefined
    const wasTheirs = await verifyPassword(account.get({ id })?.passwordHash ?? null, left)
    return () => {
      if (wasTheirs) rmSync(file, { force: true })
    }
  }
}
