/** One-time links: with which members set passwords, and people become members. */
import type { LinkDetails, MemberLink } from '../common/api.ts'

/** What is known of the link that the page was opened with. */
export type LinkState =
  | { step: 'checking' }
  | { step: 'unusable' }
  | { step: 'failed'; error: unknown }
  | { step: 'ready'; details: LinkDetails }

/** Where a link is used. @param base the address of the page's root, with a slash at its end */
export const linkAddress = (base: string, token: string): string => `${base}link#${token}`

/** What a link is called in lists; undefined for an invitation of nobody in particular. */
export const nameOfLink = ({ name, email }: Pick<MemberLink, 'name' | 'email'>): string | undefined =>
  name ?? email ?? undefined

/** What a form says of who is invited; what was left empty is not said. */
export function invitationOf(fields: FormData): { name?: string; email?: string } {
  const said = ['name', 'email'].map((field) => [field, String(fields.get(field) ?? '').trim()])
  return Object.fromEntries(said.filter(([, value]) => value !== ''))
}
