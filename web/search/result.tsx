/** The parts of a search result. */
import type { ProjectSummary, SearchResult } from '../common/api.ts'
import { projectList, projectName } from '../common/projects.ts'
import { texts } from '../texts.ts'
import { partsOf } from './results.ts'

/** The kind of the result, and its project. */
export function kindOf({ kind, projectId }: SearchResult): string {
  const name = texts.find.kinds[kind]
  const project = projectId !== null && kind !== 'project' ? projectName(projectId) : undefined
  return project === undefined ? name : texts.find.kindIn(name, project)
}

/** The project of a result, or the result if it is one; undefined until it is known. */
export const projectOf = ({ kind, id, projectId }: SearchResult): ProjectSummary | undefined =>
  kind === 'personal-idea' ? undefined : projectList.records.get(projectId ?? id)

/** The text around the match, with the match highlighted. */
export const Snippet = ({ text, q = '' }: { text: string; q: string | undefined }) => (
  <span class="meta result-snippet" dir="auto">
    {partsOf(text, q).map(({ text: part, isMatch }, index) =>
      isMatch ? <mark key={index}>{part}</mark> : part,
    )}
  </span>
)
