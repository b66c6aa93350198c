/** Display texts for the service's open vocabularies (statuses, types, healths, priorities). */
import { texts } from '../texts.ts'

const names = { ...texts.overview.values, priority: texts.board.priorities, idea: texts.ideaList.statuses }

/** A term as the service spells its own: other clients also write "on_track" and "On track". */
export const usualTerm = (term: string): string => term.toLowerCase().replaceAll(/[_ ]+/g, '-')

/** A term in the language of the page, or as words if it is another's. */
export const termName = (kind: keyof typeof names, term: string): string =>
  (names[kind] as Readonly<Record<string, string>>)[usualTerm(term)] ?? wordsOf(term)

/** Turns "on-track" into "On track". An empty text stays empty. */
export function wordsOf(term: string): string {
  const words = term.replaceAll(/[-_]+/g, ' ').trim()
  return words.charAt(0).toLocaleUpperCase() + words.slice(1)
}

/** Known terms in their order, then all other occurring terms, in alphabetical order. */
export function termsOf(known: readonly string[], occurring: Iterable<string>): string[] {
  const others = new Set(occurring)
  for (const term of known) others.delete(term)
  others.delete('')
  return [...known, ...[...others].sort()]
}
