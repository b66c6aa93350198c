/** What a query asks for: its words, each as a part of one, and the phrases in quotation marks. */
import type { Texts } from '../db/search-index.ts'
import { type Word, wordsOf } from '../db/words.ts'

/** How a word may occur in a text; each allows the ones before it. */
const OCCURRENCES = ['whole', 'beginning', 'part'] as const
export type Occurrence = (typeof OCCURRENCES)[number]

/** Words next to each other, as they are: a phrase, or characters of a script without spaces. One word: also as a part of one. */
export interface Term {
  words: readonly string[]
  /** How a single word may occur. */
  as: Occurrence
}

/** The shortest part of a word that is found, and the shortest beginning, in characters. */
const SHORTEST_PART = 3
const SHORTEST_BEGINNING = 2

// By their codes: esbuild does not escape regular expressions, and one such character doubles the size of the source in memory.
const QUOTED = /["\u201c\u201e«]([^"\u201c\u201d\u201e«»]*)["\u201c\u201d»]/gu

const whole = (words: readonly string[]): Term => ({ words, as: 'whole' })

function termOf({ folded }: Word): Term {
  const length = [...folded].length
  const as = length >= SHORTEST_PART ? 'part' : length >= SHORTEST_BEGINNING ? 'beginning' : 'whole'
  return { words: [folded], as }
}

/** The words outside of phrases; adjacent characters without spaces are one term. */
function* looseTerms(text: string): Generator<Term> {
  let run: Word[] = []
  for (const word of wordsOf(text)) {
    const isNext = word.isSingle && word.start <= (run.at(-1)?.end ?? -1)
    if (run.length > 0 && !isNext) yield whole(run.map(({ folded }) => folded))
    if (word.isSingle) run = isNext ? [...run, word] : [word]
    else {
      run = []
      yield termOf(word)
    }
  }
  if (run.length > 0) yield whole(run.map(({ folded }) => folded))
}

/** The different terms of a query. There is no other syntax than quotation marks, and without a partner they only separate words. */
export function termsOf(query: string): Term[] {
  const terms: Term[] = []
  let at = 0
  for (const { 0: quoted, 1: phrase = '', index } of query.matchAll(QUOTED)) {
    terms.push(...looseTerms(query.slice(at, index)))
    const words = [...wordsOf(phrase)]
    if (words.length > 0) terms.push(whole(words.map(({ folded }) => folded)))
    at = index + quoted.length
  }
  terms.push(...looseTerms(query.slice(at)))
  return [...new Map(terms.map((term) => [`${term.as} ${term.words.join(' ')}`, term])).values()]
}

/** Whether a word of a text is one that a word of a query stands for. */
export function isMeant(word: string, wanted: string, as: Occurrence): boolean {
  if (as === 'part') return word.includes(wanted)
  return as === 'beginning' ? word.startsWith(wanted) : word === wanted
}

/** Whether words have a term. @param as how it may occur at most */
function hasTerm(all: readonly string[], { words, as: most }: Term, as: Occurrence): boolean {
  const [wanted = '', ...others] = words
  if (others.length > 0) return all.some((_, at) => words.every((word, index) => all[at + index] === word))
  const limit = OCCURRENCES.indexOf(as) < OCCURRENCES.indexOf(most) ? as : most
  return all.some((word) => isMeant(word, wanted, limit))
}

/** The number of the rank of a record, as the queries of the index find it; undefined if it has not all terms. */
export function rankOf(terms: readonly Term[], texts: Texts): number | undefined {
  const [title = [], text = []] = texts.map((one) => Array.from(wordsOf(one), ({ folded }) => folded))
  const isAllInTitle = (as: Occurrence) => terms.every((term) => hasTerm(title, term, as))
  const inTitle = OCCURRENCES.findIndex(isAllInTitle)
  if (inTitle >= 0) return inTitle
  const isSomewhere = (as: Occurrence) =>
    terms.every((term) => [title, text].some((words) => hasTerm(words, term, as)))
  if (isSomewhere('beginning')) return OCCURRENCES.length
  return isSomewhere('part') ? OCCURRENCES.length + 1 : undefined
}
