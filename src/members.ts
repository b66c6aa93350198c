/** Members: the people who can sign in. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { and, eq, sql } from 'drizzle-orm'
import { type Database, databasePath, type SharedDatabase, write } from './db/client.ts'
import { members } from './db/schema.ts'
import { given, prepareRows } from './db/statements.ts'
import { noSuch } from './existence.ts'
import { newId } from './ids.ts'
import { inOrder } from './ordering.ts'
import { hashPassword } from './passwords.ts'
import type { Member } from './schemas/records.ts'
import { newToken } from './secrets.ts'

/** A member as stored, password hash included: never what a response shows. */
export type MemberRow = typeof members.$inferSelect

/** The member with this email, whatever its case. */
export function findMemberByEmail(db: Database, email: string): MemberRow | undefined {
  const select = () => db.select().from(members)
  const found = select()
    .where(eq(sql`lower(${members.email})`, sql`lower(${email})`))
    .get()
  // SQLite's `lower`, and so the index, knows the letters of ASCII alone: where there are others, everybody is looked at.
  if (found || /^\p{ASCII}*$/u.test(email)) return found
  const wanted = email.toLowerCase()
  return select()
    .all()
    .find((member) => member.email.toLowerCase() === wanted)
}

/** The member with this id or email. */
export const findMember = (db: Database, idOrEmail: string): MemberRow | undefined =>
  db.select().from(members).where(eq(members.id, idOrEmail)).get() ?? findMemberByEmail(db, idOrEmail)

/**
 * Prepares the statements that read members, nothing of their passwords among it.
 * @returns the readers
 */
export function prepareMembers(db: SharedDatabase) {
  const { id, name, email, role, disabled, createdAt, updatedAt } = members
  const select = () => db.select({ id, name, email, role, disabled, createdAt, updatedAt }).from(members)
  const one = prepareRows(db, select().where(eq(id, given('id'))))
  const all = prepareRows(db, select().orderBy(...inOrder(members)))
  return {
    /** One member. @throws ApiError 404 */
    get: (memberId: string): Member => one.get({ id: memberId }) ?? noSuch(members),
    /** All members, by id. */
    list: (): Member[] => all.all(),
  }
}

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
  let isWritten = false
  const make = (tx: Database) => {
    // Another process may have started on the same new file meanwhile.
    if (hasAdmin(tx)) return undefined
    const admin = { role: 'admin', disabled: false, passwordHash } as const
    const existing = findMemberByEmail(tx, adminEmail)
    if (existing) tx.update(members).set(admin).where(eq(members.id, existing.id)).run()
    else
      tx.insert(members)
        .values({ id: newId(), name: 'Admin', email: adminEmail, ...admin })
        .run()
    if (passwordFile !== undefined) {
      isWritten = true
      writePassword(passwordFile, password)
    }
    return { email: adminEmail, passwordFile }
  }
  try {
    return write(db, make)
  } catch (error) {
    // A password without its admin would only mislead.
    if (isWritten && passwordFile !== undefined) rmSync(passwordFile, { force: true })
    throw error
  }
}
