/** Members and their roles. */
import type { Member } from '../common/api.ts'

/** The role of a form's field; the least of those that write, where it is none. */
export const roleOf = (value: unknown): Member['role'] =>
  value === 'admin' || value === 'viewer' ? value : 'member'

/** By name, in the order of the user's language; those that are disabled last. */
export const inOrder = (members: readonly Member[]): Member[] =>
  members.toSorted((a, b) => Number(a.disabled) - Number(b.disabled) || a.name.localeCompare(b.name))
