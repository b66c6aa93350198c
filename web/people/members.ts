/** Members and their roles. */
import type { Member } from '../common/api.ts'

/** The role from a form's field; by default the least of the roles that may write. */
export const roleOf = (value: unknown): Member['role'] =>
  value === 'admin' || value === 'viewer' || value === 'guest' ? value : 'member'

/** By name, in the order of the user's language. Disabled members are last. */
export const inOrder = (members: readonly Member[]): Member[] =>
  members.toSorted((a, b) => Number(a.disabled) - Number(b.disabled) || a.name.localeCompare(b.name))
