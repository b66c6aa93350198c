/** Which projects are listed, and under which status. */
import type { ProjectSummary } from '../../src/client/api.d.ts'
import { bySortOrder } from '../common/order.ts'
import { termsOf } from '../common/terms.ts'

/** What the list is narrowed to; empty lets all through. */
export interface ProjectFilter {
  status: string
  type: string
  team: string
}

/** The statuses in the order of their groups; archived projects come last, after those of a status of the users' own. */
const STATUSES = ['active', 'backlog', 'completed']
const ARCHIVED = 'archived'
export const TYPES = ['technical', 'business', 'custom'] as const

/** The filter that an address tells. */
export const filterOf = (query: URLSearchParams): ProjectFilter => ({
  status: query.get('status') ?? '',
  type: query.get('type') ?? '',
  team: query.get('team') ?? '',
})

/** The projects that pass a filter, in their order. */
export function filtered(
  projects: readonly ProjectSummary[],
  { status, type, team }: ProjectFilter,
): ProjectSummary[] {
  return projects
    .filter((project) => status === '' || project.status === status)
    .filter((project) => type === '' || project.type === type)
    .filter((project) => team === '' || project.teamId === team)
    .toSorted(bySortOrder)
}

/** All statuses: those that are known and those that occur, archived last. */
export function statusesOf(projects: readonly ProjectSummary[]): string[] {
  const occurring = projects.map(({ status }) => status)
  return [
    ...termsOf(
      STATUSES,
      occurring.filter((status) => status !== ARCHIVED),
    ),
    ARCHIVED,
  ]
}

/** Projects of one status. */
export interface ProjectGroup {
  status: string
  projects: ProjectSummary[]
}

/** The projects by status, without statuses that nothing is in. */
export const grouped = (projects: readonly ProjectSummary[]): ProjectGroup[] =>
  statusesOf(projects)
    .map((status) => ({ status, projects: projects.filter((project) => project.status === status) }))
    .filter((group) => group.projects.length > 0)
