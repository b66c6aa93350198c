/** Changing one's own password takes knowing it. */
import { eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { given, prepareRows } from '../db/old-statements.ts'
import { members } from '../db/schema.ts'
import { invalidField } from '../errors.ts'
import { wrongPassword } from '../members/member-changes.ts'
import { verifyPassword } from '../members/passwords.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/**
 * Prepares the check that whoever changes the own password knows it. Guessing it is limited as, and together with,
 * guessing it at a sign-in.
 * @returns the check. It resolves with the hash that the password was held against, which may be another one by the time
 * of the write, and throws an ApiError: 400 on `currentPassword` when that is missing or wrong, 404, or 429
 */
export function preparePasswordCheck(db: SharedDatabase, limits: SignInLimits) {
  const account = prepareRows(
    db,
    db
      .select({ email: members.email, passwordHash: members.passwordHash })
      .from(members)
      .where(eq(members.id, given('id'))),
  )
  return async (id: string, currentPassword: string | undefined, address: string): Promise<string> => {
    if (currentPassword === undefined) throw invalidField('currentPassword', 'is required')
    const { email, passwordHash } = account.get({ id }) ?? throwNotFound(members)
    await limits.count(address, email)
    const matches = await verifyPassword(passwordHash, currentPassword)
    if (passwordHash === null || !matches) throw wrongPassword()
    await limits.forgive(address, email)
    return passwordHash
  }
}
