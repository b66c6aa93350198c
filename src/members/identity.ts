/** Who makes a request, and what a route demands of them. */
import { authenticationRequired, forbidden } from '../errors.ts'
import type { CurrentMember } from '../schemas/records.ts'

/** How a member was recognised. `proxy`: by the one in front; `host`: by the application this service is embedded in. */
export type Via = 'session' | 'token' | 'proxy' | 'default' | 'host'

/** The member a request acts for. `scope` limits what an API token may do. */
export interface Identity {
  member: CurrentMember
  via: Via
  scope: 'read' | 'write'
  /** The session that the request came with, when that is how the member was recognised. */
  sessionId?: string
}

/**
 * Who may call a route.
 * - `public`: whoever; no credential is even looked at
 * - `read`: any member
 * - `write`: any member but a viewer
 * - `own`: any member, viewers too, on what is theirs alone
 * - `admin`: an admin
 * - `admin-or-403`: an admin; whoever is not one gets 403, also without a credential or with a useless one
 *
 * In open mode viewers are not held back; a read token never writes.
 */
export type Access = 'public' | 'read' | 'write' | 'own' | 'admin' | 'admin-or-403'

/** Whether a request with this method changes nothing (RFC 9110, section 9.2.1). */
export const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Lets a request pass or throws.
 * @param identity undefined when nobody was recognised
 * @throws ApiError 401 or 403
 */
export function authorize(
  access: Exclude<Access, 'public'>,
  identity: Identity | undefined,
  method: string,
  authMode: 'open' | 'required',
): void {
  const mayWrite = isSafe(method) || identity?.scope === 'write'
  if (access === 'admin-or-403') {
    if (identity?.member.role !== 'admin' || !mayWrite) throw forbidden('admin access required')
    return
  }
  if (!identity) throw authenticationRequired()
  if (access === 'admin' && identity.member.role !== 'admin') throw forbidden('admin access required')
  if (!mayWrite) throw forbidden('read-only token')
  if (access === 'write' && authMode === 'required' && identity.member.role === 'viewer') {
    throw forbidden('read-only role')
  }
}

/**
 * The id of the row in `members` that an identity stands for; null for the default member and a host's, who are none,
 * whatever their ids are: what belongs to rows is not theirs.
 */
export const accountOf = ({ member, via }: Identity): string | null =>
  via === 'default' || via === 'host' ? null : member.id
