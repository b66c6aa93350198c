/** The first admin, who can create the other members. */
import { rmSync } from 'node:fs'
import { type SharedDatabase, writeAs } from '../db/client.ts'
import { initialPasswordFile, leaveInitialPassword } from './initial-password.ts'
import type { Members } from './members.ts'
import { hashPassword } from './passwords.ts'
import { newToken } from './secrets.ts'

/** The admin created at the first start. `passwordFile`: the file with the generated password, if any. */
export interface FirstAdminMade {
  email: string
  passwordFile: string | undefined
}

/** The settings of the first admin. */
export interface FirstAdmin {
  databaseUrl: string
  adminEmail: string | undefined
  adminPassword: string | undefined
}

/**
 * Creates the first admin if there is none. Without a configured password, a random one is written to
 * {@link initialPasswordFile} (mode 0600), and only its path is logged.
 * @param members the members of the same connection
 * @returns the new admin and the file with its password; undefined if there is an admin, or for a `:memory:`
 * database without a configured password
 */
export async function ensureFirstAdmin(
  db: SharedDatabase,
  members: Members,
  { databaseUrl, adminEmail = 'admin@localhost', adminPassword }: FirstAdmin,
): Promise<FirstAdminMade | undefined> {
  if (members.hasAdmin()) return undefined
  const passwordFile = adminPassword === undefined ? initialPasswordFile(databaseUrl) : undefined
  if (adminPassword === undefined && passwordFile === undefined) return undefined
  const password = adminPassword ?? newToken()
  const passwordHash = await hashPassword(password)
  let isWritten = false
  const make = () => {
    // Another process may have started on the same new file meanwhile.
    if (members.hasAdmin()) return undefined
    members.makeAdmin(adminEmail, passwordHash)
    if (passwordFile !== undefined) {
      isWritten = true
      leaveInitialPassword(passwordFile, password)
    }
    return { email: adminEmail, passwordFile }
  }
  try {
    return writeAs(db, null, make).value
  } catch (error) {
    // A password file without its admin would mislead.
    if (isWritten && passwordFile !== undefined) rmSync(passwordFile, { force: true })
    throw error
  }
}
