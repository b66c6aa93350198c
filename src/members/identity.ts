/** The identity of a request, and the access that a route requires. */
import { adminRequired, authenticationRequired, forbidden } from '../errors.ts'
import type { CurrentMember, Token } from '../schemas/records.ts'

/** How a member was identified. `proxy`: by a proxy in front; `host`: by the application this service is embedded in. */
export type Via = 'session' | 'token' | 'proxy' | 'default' | 'host'

/** The member a request acts for. `scope` limits what an API token may do. */
export interface Identity {
  member: CurrentMember
  via: Via
  scope: Token['scope']
  /** The id of the session, if it identified the member. */
  sessionId?: string
  /** The id of the API token, if it identified the member. */
  tokenId?: string
  /** The only projects that the token may access; absent or null: all that its member sees. */
  projectIds?: readonly string[] | null
  /** Whether the member is an admin with the rights of a member here, because the token is limited to some projects: see {@link limitedRole}. */
  isOfAdmin?: true
  /** The projects that the host allows for the member; absent: the rules of this service apply. */
  projects?: Readonly<Record<string, 'read' | 'write'>>
}

/**
 * The role of a member whose credential is limited to some projects. The functions of admins cover all projects: exports, webhooks, the
 * audit log, members.
 */
export const limitedRole = (role: CurrentMember['role']): CurrentMember['role'] =>
  role === 'admin' ? 'member' : role

/**
 * The access level of a route.
 * - `public`: anyone; credentials are ignored
 * - `read`: any member
 * - `calendar`: any member, and a token of the scope `calendar`, also as the query parameter `token`
 * - `write`: any member but a viewer
 * - `own`: any member, viewers too, only on their own records
 * - `each`: any member with any token scope: each part of the request is checked separately
 * - `admin`: an admin
 * - `admin-or-403`: an admin; anyone else gets 403, also without a credential or with an invalid one
 *
 * In open mode viewers may write, and so may those whose host says which projects they may write; a read token never may. Outside of calendars, a calendar token is
 * no credential (401).
 */
export type Access = 'public' | 'read' | 'calendar' | 'write' | 'own' | 'each' | 'admin' | 'admin-or-403'

/** Whether a method is safe: read-only (RFC 9110, section 9.2.1). */
export const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Whether requests of a method may have a body, for any route. */
export const hasBody = (method: string) => method === 'POST' || method === 'PUT' || method === 'PATCH'

/**
 * Checks a request's access to a route.
 * @param identity undefined without a credential
 * @throws ApiError 401 or 403
 */
export function authorize(
  access: Exclude<Access, 'public'>,
  identity: Identity | undefined,
  method: string,
  authMode: 'open' | 'required',
): void {
  const isForCalendars = identity?.scope === 'calendar'
  const mayWrite = !isForCalendars && (isSafe(method) || identity?.scope === 'write')
  if (access === 'admin-or-403') {
    if (identity?.member.role !== 'admin' || !mayWrite) throw adminRequired()
    return
  }
  if (!identity) throw authenticationRequired()
  if (isForCalendars) {
    if (access === 'calendar') return
    throw authenticationRequired()
  }
  if (access === 'each') return
  if (access === 'admin' && identity.member.role !== 'admin') throw adminRequired()
  if (!mayWrite) throw forbidden('read-only token', 'read_only_token')
  const isViewer = identity.member.role === 'viewer' && identity.projects === undefined
  if (access === 'write' && authMode === 'required' && isViewer) {
    throw forbidden('read-only role', 'read_only_role')
  }
}

/**
 * The id of an identity's row in `members`; null for the default member and a host's members, who have no row. If their
 * id equals that of a row, the row's credentials are still not theirs.
 */
export const accountOf = ({ member, via }: Identity): string | null =>
  via === 'default' || via === 'host' ? null : member.id
