/** Changing one's own password takes knowing it. */
import { invalidField } from '../errors.ts'
import { type Members, wrongPassword } from '../members/members.ts'
import { verifyPassword } from '../members/passwords.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/**
 * Makes the check that whoever changes the own password knows it. Guessing it is limited as, and together with,
 * guessing it at a sign-in.
 * @returns the check. It resolves with the hash that the password was held against, which may be another one by the time
 * of the write, and throws an ApiError: 400 on `currentPassword` when that is missing or wrong, 404, or 429
 */
export function createPasswordCheck(members: Members, limits: SignInLimits) {
  return async (id: string, currentPassword: string | undefined, address: string): Promise<string> => {
    if (currentPassword === undefined) throw invalidField('currentPassword', 'is required')
    const { email, passwordHash } = members.stored(id)
    await limits.count(address, email)
    const matches = await verifyPassword(passwordHash, currentPassword)
    if (passwordHash === null || !matches) throw wrongPassword()
    await limits.forgive(address, email)
    return passwordHash
  }
}
