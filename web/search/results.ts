/** Prepares the service's search results for display. */
import type { SearchResult } from '../../src/client/api.d.ts'
import { fold, WITHOUT_SPACES } from '../../src/folding.ts'

/** The kinds of results, in the order of their filter. */
export const KINDS: readonly SearchResult['kind'][] = [
  'project',
  'kanban-item',
  'kanban-comment',
  'transcript-summary',
  'personal-idea',
]

/** A part of a text around a match. */
interface SnippetPart {
  text: string
  isMatch: boolean
}

/** Characters of words, as in the service's index: letters, digits and accents. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The shortest part of a word that is found. */
const SHORTEST_PART = 3

/** Markdown as plain text, without the marks that the service puts around matches, which look the same as users' own. */
const withoutMarkdown = (text: string): string =>
  text
    .replaceAll('**', '')
    .replace(/!?\[([^[\]\n]*)\]\([^[)\s]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6} |> ?|[-*+] (?:\[[ xX]\] )?|\d+[.)] |`{3,}.*|[|:-][|: -]*$)/gm, '')
    .replace(/(^|[^\p{L}\p{N}])(?:__|[_*`]|~~)(?=\S)|(?<=\S)(?:__|[_*`]|~~)(?![\p{L}\p{N}])/gu, '$1')
    .replace(/(?<!\s)\s*\n\s*/g, ' ')
    .trim()

/**
 * The parts of a snippet, whose matches are found again here: words with a word of the query in them.
 */
export function partsOf(snippet: string, q: string): SnippetPart[] {
  const text = withoutMarkdown(snippet)
  const wanted = [...q.matchAll(WORD)].map(([word]) => fold(word))
  const isWanted = (word: string) =>
    wanted.some(
      (part) =>
        word.startsWith(part) ||
        ((part.length >= SHORTEST_PART || WITHOUT_SPACES.test(part)) && word.includes(part)),
    )
  const parts: SnippetPart[] = []
  let at = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!isWanted(fold(word))) continue
    parts.push({ text: text.slice(at, index), isMatch: false }, { text: word, isMatch: true })
    at = index + word.length
  }
  return [...parts, { text: text.slice(at), isMatch: false }].filter((part) => part.text !== '')
}

/** The active option after an arrow key. The list wraps around its ends, with no active option between. @returns -1 for none */
export function nextOption(active: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1
  if (active < 0) return step === 1 ? 0 : count - 1
  const next = active + step
  return next < 0 || next >= count ? -1 : next
}
