/** One-time links, with which members set passwords and invited people become members. */

import type { LinkDetails, MemberLink } from '../common/api.ts'
import { textIn } from '../common/forms.ts'

/** What the service reports about the link that opened the page. */
export type LinkState =
  | { step: 'checking' }
  | { step: 'unusable' }
  | { step: 'failed'; error: unknown }
  | { step: 'ready'; details: LinkDetails }

/** The URL of a link. @param base the root URL of the page, with a trailing slash */
export const linkAddress = (base: string, token: string): string => `${base}link#${token}`

/** The name of a link in lists; undefined for an invitation that names nobody. */
export const nameOfLink = ({ name, email }: Pick<MemberLink, 'name' | 'email'>): string | undefined =>
  name ?? email ?? undefined

/** The invited person from the values of a form. Empty values are left out. */
export function invitationOf(fields: FormData): { name?: string; email?: string } {
  const filled = ['name', 'email'].map((field) => [field, textIn(fields, field).trim()])
  return Object.fromEntries(filled.filter(([, value]) => value !== ''))
}
