/** Changing your own password requires the current one; and the work after a password change. */
import type { FastifyBaseLogger } from 'fastify'
import { invalidField } from '../errors.ts'
import { type Members, wrongPassword } from '../members/members.ts'
import { verifyPassword } from '../members/passwords.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/**
 * Creates the check of the current password before a member changes it. Failures count towards the limits of failed
 * sign-ins.
 * @returns the check. It resolves with the verified hash, which may have changed by the time of the write, and throws an
 * ApiError: 400 on `currentPassword` when that is missing or wrong, 404, or 429
 */
export function createPasswordCheck(members: Members, limits: SignInLimits) {
  return async (id: string, currentPassword: string | undefined, address: string): Promise<string> => {
    if (currentPassword === undefined) throw invalidField('currentPassword', 'is required')
    const { email, passwordHash } = members.stored(id)
    limits.count(address, email)
    const matches = await verifyPassword(passwordHash, currentPassword)
    if (passwordHash === null || !matches) throw wrongPassword()
    limits.forgive(address, email)
    return passwordHash
  }
}

/**
 * Removes the file with the initial password once it has changed. A failure to remove it does not fail the change.
 * @param remove see `prepareInitialPasswordRemoval`
 */
export function removeAfterwards(remove: () => void, log: FastifyBaseLogger): void {
  try {
    remove()
  } catch (err) {
    log.warn({ err }, 'could not remove the file with the initial password')
  }
}
