/** The assignments of a project. A request always contains all of them. */
import type { ReplaceTeamAssignments, TeamAssignment } from '../common/api.ts'
import { isUnsaved } from '../common/record-writes.ts'

type Members = ReplaceTeamAssignments['members']

/** One change of the assignments. */
export type PeopleChange =
  | { what: 'add' | 'role'; memberId: string; role: string }
  | { what: 'remove'; memberId: string }
  | { what: 'lead'; leadId: string | null }

const ROLE = 'member'

/** All assignments after one change. The request leaves the lead unchanged, unless that is the change. */
export function afterChange(
  latest: readonly Pick<TeamAssignment, 'memberId' | 'role'>[],
  change: PeopleChange,
): { members: Members; leadId?: string | null } {
  const members = latest.map(({ memberId, role }) => ({ memberId, role }))
  if (change.what === 'lead') return { members, leadId: change.leadId }
  const others = members.filter(({ memberId }) => memberId !== change.memberId)
  if (change.what === 'remove') return { members: others }
  const one = { memberId: change.memberId, role: change.role || ROLE }
  const isKnown = others.length < members.length
  if (!isKnown) return { members: [...members, one] }
  return { members: members.map((member) => (member.memberId === one.memberId ? one : member)) }
}

/** The assignments to show: one for each member. The stream may bring one before the response that ends its placeholder. */
export function onePerMember<T extends Pick<TeamAssignment, 'id' | 'memberId'>>(list: readonly T[]): T[] {
  const saved = new Set(list.flatMap(({ id, memberId }) => (isUnsaved(id) ? [] : memberId)))
  return list.filter(({ id, memberId }) => !isUnsaved(id) || !saved.has(memberId))
}
