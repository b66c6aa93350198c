/** When credentials expire: tokens, and share links. */
import { invalidField } from '../errors.ts'
import { parseTimestamp } from '../time.ts'

/**
 * The expiry of a new credential as a timestamp.
 * @param expiresAt a date or date-time from a client; null or absent: never
 * @throws ApiError 400 for a time that is not in the future
 */
export function expiryOf(expiresAt: string | null | undefined, now: string): string | null {
  const expiry = expiresAt == null ? null : parseTimestamp(expiresAt)
  if (expiry === undefined || (expiry !== null && expiry <= now)) {
    throw invalidField('expiresAt', 'must be in the future')
  }
  return expiry
}
