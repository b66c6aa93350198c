/** Words of the service's open vocabularies (statuses, types, healths, priorities), as one would write them. */

/** "on-track" as "On track"; what is empty stays so. */
export function wordsOf(term: string): string {
  const words = term.replaceAll(/[-_]+/g, ' ').trim()
  return words.charAt(0).toLocaleUpperCase() + words.slice(1)
}

/** Known terms in their order, then all others that occur, by the alphabet. */
export function termsOf(known: readonly string[], occurring: Iterable<string>): string[] {
  const others = new Set(occurring)
  for (const term of known) others.delete(term)
  others.delete('')
  return [...known, ...[...others].sort()]
}
