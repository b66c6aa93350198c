/** Prepares the service's search results for display. */
import type { SearchResult } from '../../src/client/api.d.ts'

/** The kinds of results, in the order of their filter. */
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

/** The marker that the service puts before and after a match. */
const MARK = '**'

/**
 * The parts of a snippet. Every second part is a match. Users' text may contain the marker too, and a part may then be
 * highlighted wrongly.
 */
export const partsOf = (snippet: string): SnippetPart[] =>
  snippet
    .split(MARK)
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== '')

/** The active option after an arrow key. The list wraps around its ends, with no active option between. @returns -1 for none */
export function nextOption(active: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1
  if (active < 0) return step === 1 ? 0 : count - 1
  const next = active + step
  return next < 0 || next >= count ? -1 : next
}
