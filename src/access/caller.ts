/** The caller of a request: the key of its turn in the worker thread, and its access. Structured-cloneable. */
import type { Identity } from '../members/identity.ts'
import type { Principal } from './policy.ts'

export interface Caller {
  /** The member whose turn it takes; null for the default member, which all users of the host share. */
  turn: string | null
  /** Undefined: unlimited access, like the service itself. */
  principal: Principal | undefined
}

/** The service itself. */
export const SERVICE: Caller = { turn: null, principal: undefined }

/** The member whose turn an identity takes: see {@link Caller}. */
export const turnWith = ({ via, member }: Identity): string | null => (via === 'default' ? null : member.id)

/** The principal of an identity, for the policy. Undefined for unlimited access: admins, and the default member. */
export function principalOf({
  member,
  via,
  projectIds = null,
  projects,
  isOfAdmin,
}: Identity): Principal | undefined {
  const { id: memberId, role } = member
  const seesAll = via === 'default' || role === 'admin' || isOfAdmin === true
  if (seesAll && projectIds === null && projects === undefined) return undefined
  return { memberId, role, seesAll, projectIds, projects }
}

/** The caller with an identity. */
export const callerWith = (identity: Identity): Caller => ({
  turn: turnWith(identity),
  principal: principalOf(identity),
})
