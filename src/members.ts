/** Members: the people who can sign in. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { and, eq, sql } from 'drizzle-orm'
import { type Database, databasePath, write } from './db/client.ts'
import { members } from './db/schema.ts'
import { newId } from './ids.ts'
import { hashPassword } from './passwords.ts'
import { newToken } from './secrets.ts'

/** A member as stored, password hash included: never what a response shows. */
export type MemberRow = typeof members.$inferSelect

/** The member with this email, whatever its case. */
export const findMemberByEmail = (db: Database, email: string): MemberRow | undefined =>
  db
    .select()
    .from(members)
    .where(eq(sql`lower(${members.email})`, sql`lower(${email})`))
    .get()

const hasAdmin = (db: Database): boolean =>
  db
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.role, 'admin'), eq(members.disabled, false)))
    .limit(1)
    .get() !== undefined

/** Where the first admin's generated password is left: beside the database file. Undefined for `:memory:`. */
export function initialPasswordFile(databaseUrl: string): string | undefined {
  const path = databasePath(databaseUrl)
  return path === ':memory:' ? undefined : join(dirname(path), 'initial-admin-password')
}

/** A file that is already there would keep its mode, and whoever could read it could read the password. */
function writePassword(file: string, password: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx' })
}

/** The admin a first start made. `passwordFile`: where the generated password is left, if one was. */
export interface FirstAdminMade {
  email: string
  passwordFile: string | undefined
}

/** What the first start needs to know to make an admin. */
export interface FirstAdmin {
  databaseUrl: string
  adminEmail: string | undefined
  adminPassword: string | undefined
}

/**
 * Makes the first admin when there is none. Without a configured password, a random one is written to
 * {@link initialPasswordFile} (mode 0600), and only its path is ever told.
 * @returns the admin made and the file with its password, or undefined when nothing had to be done (also for a
 * `:memory:` database without a configured password: there is no place to leave one)
 */
export async function ensureFirstAdmin(
  db: Database,
  { databaseUrl, adminEmail = 'admin@localhost', adminPassword }: FirstAdmin,
): Promise<FirstAdminMade | undefined> {
  if (hasAdmin(db)) return undefined
  const passwordFile = adminPassword === undefined ? initialPasswordFile(databaseUrl) : undefined
  if (adminPassword === undefined && passwordFile === undefined) return undefined
  const password = adminPassword ?? newToken()
  const passwordHash = await hashPassword(password)
  return write(db, (tx) => {
    // Another process may have started on the same new file meanwhile.
    if (hasAdmin(tx)) return undefined
    const admin = { role: 'admin', disabled: false, passwordHash } as const
    const existing = findMemberByEmail(tx, adminEmail)
    if (existing) tx.update(members).set(admin).where(eq(members.id, existing.id)).run()
    else
      tx.insert(members)
        .values({ id: newId(), name: 'Admin', email: adminEmail, ...admin })
        .run()
    if (passwordFile !== undefined) writePassword(passwordFile, password)
    return { email: adminEmail, passwordFile }
  })
}
