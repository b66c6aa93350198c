/** What the service found, as the page shows it. */
import type { SearchResult } from '../../src/client/api.d.ts'

/** The kinds of what can be found, in the order of their filter. */
export const KINDS: readonly SearchResult['kind'][] = [
  'project',
  'kanban-item',
  'kanban-comment',
  'transcript-summary',
  'personal-idea',
]

/** A part of a text around a match. */
export interface SnippetPart {
  text: string
  isMatch: boolean
}

/** The mark that the service puts before and after a match. */
const MARK = '**'

/** The parts of a snippet: every second one is a match. Text of users may hold the mark, too: then a part is marked that is none. */
export const partsOf = (snippet: string): SnippetPart[] =>
  snippet
    .split(MARK)
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== '')

/** The option that is active after an arrow key: from none at the end of the list, around its ends. @returns -1 for none */
export function nextOption(active: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1
  if (active < 0) return step === 1 ? 0 : count - 1
  const next = active + step
  return next < 0 || next >= count ? -1 : next
}
