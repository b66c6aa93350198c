/** API tokens: what is sent for a new one, and the address of a calendar. */
import type { CreateToken } from '../common/api.ts'

/**
 * When a token ends that is to be good through a day here.
 * @param day `YYYY-MM-DD`; empty for never
 * @returns the end of that day, as an ISO 8601 moment; null for never
 */
export const endOfDay = (day: string): string | null =>
  day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString()

/** The token that a form asks for. */
export function tokenOf(fields: { get(name: string): unknown }): CreateToken {
  const scope = fields.get('scope')
  return {
    name: String(fields.get('name') ?? '').trim(),
    scope: scope === 'write' || scope === 'calendar' ? scope : 'read',
    expiresAt: endOfDay(String(fields.get('expiresAt') ?? '')),
  }
}

/** The address that a calendar program subscribes to. @param base where the service answers, with a slash at its end */
export const calendarAddress = (base: string, token: string): string =>
  `${base}api/calendar.ics?${new URLSearchParams({ assigneeId: 'me', token })}`
