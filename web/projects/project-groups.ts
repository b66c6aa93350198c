/** Filters the projects, and groups them by status. */
import type { ProjectSummary } from '../../src/client/api.d.ts'
import { bySortOrder } from '../common/order.ts'
import { termsOf } from '../common/terms.ts'

/** The filter. Empty values match everything. */
export interface ProjectFilter {
  status: string
  type: string
  team: string
}

/** The order of the groups by status. Custom statuses come after the known ones, and archived projects last. */
const STATUSES = ['active', 'backlog', 'completed']
const ARCHIVED = 'archived'
export const TYPES = ['technical', 'business', 'custom'] as const

/** The filter in an address. */
export const filterOf = (query: URLSearchParams): ProjectFilter => ({
  status: query.get('status') ?? '',
  type: query.get('type') ?? '',
  team: query.get('team') ?? '',
})

/** The projects that match a filter, in order. */
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

/** All statuses, known ones and occurring ones, with archived last. */
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

/** Projects of the same status. */
export interface ProjectGroup {
  status: string
  projects: ProjectSummary[]
}

/** The projects by status, without empty groups. */
export const grouped = (projects: readonly ProjectSummary[]): ProjectGroup[] =>
  statusesOf(projects)
    .map((status) => ({ status, projects: projects.filter((project) => project.status === status) }))
    .filter((group) => group.projects.length > 0)
