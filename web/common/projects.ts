/** The summaries of all projects, for their list, and for their names on other pages. */

import { computed } from '@preact/signals'
import { followAccess } from './access.ts'
import { api, type ProjectSummary } from './api.ts'
import { LiveList } from './live-list.ts'

const ABOUT: ReadonlySet<string> = new Set(['project', 'kanban-item', 'kanban-column'])

export const projectList = new LiveList<ProjectSummary>(
  () => api.get('/api/projects', { query: { view: 'summary' } }),
  ({ kind }) => ABOUT.has(kind),
)

followAccess(projectList, ({ id }) => id)

/** The keys of all projects that the user sees, separated by blanks: a value to compare. */
export const projectKeys = computed(() =>
  projectList.records
    .ids()
    .map((id) => projectList.records.get(id)?.key ?? '')
    .join(' '),
)

/** The name of a project; undefined until it is known. */
export const projectName = (id: string): string | undefined => projectList.records.get(id)?.name
