/** All projects, in numbers: for their list, and for the names of those that other pages tell of. */
import { api, type ProjectSummary } from './api.ts'
import { LiveList } from './live-list.ts'

const ABOUT: ReadonlySet<string> = new Set(['project', 'kanban-item', 'kanban-column'])

export const projectList = new LiveList<ProjectSummary>(
  () => api.get('/api/projects', { query: { view: 'summary' } }),
  ({ kind }) => ABOUT.has(kind),
)

/** The name of a project; undefined while it is not known. */
export const projectName = (id: string): string | undefined => projectList.records.get(id)?.name
