/** Members: the people who can sign in. */
import { rmSync } from 'node:fs'
import { and, eq } from 'drizzle-orm'
import { type Database, type SharedDatabase, write } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { given, prepareRows } from '../db/old-statements.ts'
import { inOrder } from '../db/ordering.ts'
import { members } from '../db/schema.ts'
import type { Member } from '../schemas/records.ts'
import { emailKey, hasEmailKey, isBeyondAscii, withEmailKey } from './emails.ts'
import { initialPasswordFile, leaveInitialPassword } from './initial-password.ts'
import { hashPassword } from './passwords.ts'
import { newToken } from './secrets.ts'

/** A member as stored, password hash included: never what a response shows. */
export type MemberRow = typeof members.$inferSelect

/** The member with this email, whatever its case. */
export function findMemberByEmail(db: Database, email: string): MemberRow | undefined {
  const key = emailKey(email)
  const select = () => db.select().from(members)
  // Both in any case, so that the time does not tell who is there.
  const found = select().where(hasEmailKey(key)).get()
  const others = select().where(isBeyondAscii).all()
  return found ?? withEmailKey(others, key)
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
    get: (memberId: string): Member => one.get({ id: memberId }) ?? throwNotFound(members),
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
      leaveInitialPassword(passwordFile, password)
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
