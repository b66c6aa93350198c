/** The roles of people in a project. Any word may be a role; only `viewer` affects rights. */
import { texts } from '../texts.ts'

const words = texts.overview

/** The offered roles. */
export const ROLES = ['lead', 'member', 'viewer'] as const
type Role = (typeof ROLES)[number]

/** The value of the choice of another word. */
export const OTHER = ''

const isOffered = (role: string): role is Role => (ROLES as readonly string[]).includes(role)

/** The choice that shows a role. */
export const choiceOf = (role: string): string => (isOffered(role) ? role : OTHER)

export const roleName = (role: string): string => (isOffered(role) ? words.roles[role] : role)

/** The rights of a person with this role. */
export const roleSays = (role: string): string => words.rolesSay[role === 'viewer' ? 'viewer' : 'member']

/** The role from a form. An offered role that is typed is that role: "Viewer" must not be a word that lets its person write. */
export function roleFrom(fields: { get(name: string): unknown }): string {
  const role = String(fields.get('role') || fields.get('otherRole') || '').trim()
  return isOffered(role.toLowerCase()) ? role.toLowerCase() : role
}
