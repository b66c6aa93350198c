/**
 * Who sees which project, as the contract's table has it: an independent model, which knows nothing of the code. The tests compare the
 * service with it.
 */

/** The projects of the tests. Their names are the words by which their records are recognised in responses. */
export const PROJECTS = ['ozone', 'mango', 'tulip', 'vault'] as const
export type Project = (typeof PROJECTS)[number]

/** Only this one is open to everyone. */
export const OPEN: Project = 'ozone'

/** A right to a project. */
export type Right = 'none' | 'read' | 'write'

/** Whom requests act for. */
export interface Principal {
  name: string
  role: 'admin' | 'member' | 'viewer' | 'guest'
  /** The application that it uses: of its own members, of a host's, or in open mode. */
  mode?: 'host' | 'open'
  /** The projects that it is assigned to, and as what. */
  assigned?: Partial<Record<Project, 'lead' | 'member' | 'viewer'>>
  /** The projects whose team it belongs to. */
  teams?: readonly Project[]
  /** A token, which may only read, or reaches only some projects. */
  token?: { isReadOnly?: true; only?: readonly Project[] }
  /** The rights that the host gives. */
  given?: Partial<Record<Project, 'read' | 'write'>>
}

export const PRINCIPALS: readonly Principal[] = [
  { name: 'an admin', role: 'admin' },
  { name: 'a member of nothing', role: 'member' },
  { name: 'a lead', role: 'member', assigned: { mango: 'lead' } },
  { name: 'an assigned member', role: 'member', assigned: { mango: 'member' } },
  { name: 'an assigned viewer', role: 'member', assigned: { mango: 'viewer', ozone: 'viewer' } },
  { name: 'a member of the team', role: 'member', teams: ['tulip'] },
  { name: 'a viewer in the team', role: 'member', teams: ['tulip'], assigned: { tulip: 'viewer' } },
  { name: 'a viewer of nothing', role: 'viewer' },
  { name: 'a viewer assigned as member', role: 'viewer', assigned: { mango: 'member' } },
  { name: 'a guest assigned as member', role: 'guest', assigned: { mango: 'member' } },
  { name: 'a guest assigned as viewer', role: 'guest', assigned: { ozone: 'viewer' } },
  { name: 'a guest in the team', role: 'guest', teams: ['tulip'] },
  { name: 'a guest of nothing', role: 'guest' },
  {
    name: 'a token for one project',
    role: 'member',
    assigned: { mango: 'lead', tulip: 'lead' },
    token: { only: ['mango'] },
  },
  { name: "an admin's token for one project", role: 'admin', token: { only: ['mango'] } },
  { name: 'a token for a project that its member lost', role: 'member', token: { only: ['vault'] } },
  { name: 'a read token', role: 'member', assigned: { mango: 'member' }, token: { isReadOnly: true } },
  { name: "a host's member", mode: 'host', role: 'member', assigned: { mango: 'member' } },
  { name: "a host's guest", mode: 'host', role: 'guest', assigned: { tulip: 'viewer' } },
  {
    name: "a host's member with given projects",
    mode: 'host',
    role: 'member',
    assigned: { vault: 'lead' },
    given: { mango: 'read', tulip: 'write' },
  },
  { name: "a host's admin with given projects", mode: 'host', role: 'admin', given: { mango: 'write' } },
  { name: 'the default member', mode: 'open', role: 'member' },
]

/** The table of the contract: what a principal may do with a project. */
export function rightOf(
  { role, mode, assigned = {}, teams = [], token, given }: Principal,
  project: Project,
  isOpen = project === OPEN,
): Right {
  if (given) return given[project] ?? 'none'
  if (token?.only && !token.only.includes(project)) return 'none'
  if (role === 'admin' || mode === 'open') return 'write'
  const isAssigned = project in assigned || teams.includes(project)
  if (!isAssigned && (role === 'guest' || !isOpen)) return 'none'
  return role === 'viewer' || assigned[project] === 'viewer' ? 'read' : 'write'
}

/** Whether a principal may do what only admins may: not if it reaches only some projects. */
export const isFullAdmin = ({ role, token, given }: Principal): boolean =>
  role === 'admin' && token?.only === undefined && given === undefined

/** Who is named by a project: the words by which its people are recognised. */
export const PERSON_OF: Record<Project, string> = {
  ozone: 'olga',
  mango: 'mirko',
  tulip: 'tessa',
  vault: 'valda',
}

/** A deleted project that only admins may know of. */
export const RELIC = 'relic'

/** What no response to a principal may contain; undefined: nothing is hidden. */
export function forbiddenTo(principal: Principal): RegExp | undefined {
  const unseen = PROJECTS.filter((project) => rightOf(principal, project) === 'none')
  if (unseen.length === 0) return undefined
  const people = principal.role === 'guest' ? unseen.map((project) => PERSON_OF[project]) : []
  return new RegExp([...unseen, ...people, RELIC].join('|'), 'i')
}
