/** API tokens: the request for a new one, and the URL of a calendar. */

import type { CreateToken } from '../common/api.ts'
import { endOfDay } from '../common/date-words.ts'
import { textIn } from '../common/forms.ts'

/** The token from the values of a form. */
export function tokenOf(fields: {
  get(name: string): unknown
  getAll(name: string): readonly unknown[]
}): CreateToken {
  const scope = fields.get('scope')
  const projectIds = fields.getAll('projectIds').map(String)
  return {
    name: textIn(fields, 'name').trim(),
    scope: scope === 'write' || scope === 'calendar' ? scope : 'read',
    // Without one, it reaches all projects that its member sees.
    projectIds: projectIds.length > 0 ? projectIds : null,
    expiresAt: endOfDay(textIn(fields, 'expiresAt')),
  }
}

/** The URL that a calendar program subscribes to. @param base the root URL of the service, with a trailing slash */
export const calendarAddress = (base: string, token: string): string =>
  `${base}api/calendar.ics?${new URLSearchParams({ assigneeId: 'me', token })}`
