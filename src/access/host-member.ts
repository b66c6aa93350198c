/** The identity of the member that a host application returns for a request. */
import { forbidden } from '../errors.ts'
import { type Identity, limitedRole } from '../members/identity.ts'
import type { HostMember } from '../phaseboard.d.ts'
import { ROLES } from '../schemas/records.ts'

const RIGHTS = ['read', 'write'] as const

/** 403 for a member that the service cannot understand: the fault is the host's, whose log has the reason. */
const notUnderstood = () => forbidden('the host application gave no valid member')

/** A value of the host, for its log: it may be anything. */
const quoted = (value: unknown): string => {
  if (typeof value !== 'string') return value === null ? 'null' : typeof value
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 99)}…` : value)
}

/** What is wrong with a value of `resolveMember`; undefined for nothing. */
function problemOf({ id, role, projects }: HostMember): string | undefined {
  if (typeof id !== 'string' || id === '') return `the id ${quoted(id)}: it must be a non-empty string`
  if (!ROLES.includes(role)) return `the role ${quoted(role)}: known roles are ${ROLES.join(', ')}`
  if (projects === undefined || projects === 'all') return undefined
  if (Object(projects) !== projects)
    return `the projects ${quoted(projects)}: they must be 'all' or an object`
  const wrong = Object.entries(projects).find(([, right]) => !RIGHTS.includes(right))
  return (
    wrong &&
    `the right ${quoted(wrong[1])} to the project ${quoted(wrong[0])}: known rights are ${RIGHTS.join(', ')}`
  )
}

/**
 * @param report receives what is wrong with the member, for the log
 * @throws ApiError 403 if it is not valid
 */
export function hostIdentity(member: HostMember, report: (problem: string) => void): Identity {
  const problem = problemOf(member)
  if (problem !== undefined) {
    report(`resolveMember returned ${problem}`)
    throw notUnderstood()
  }
  const { id, role, name = id, email = null, projects = 'all' } = member
  const identity = { member: { id, name, email, role }, via: 'host', scope: 'write' } as const
  if (projects === 'all') return identity
  return { ...identity, member: { ...identity.member, role: limitedRole(role) }, projects: { ...projects } }
}
