/** What a query asks for: its words, each as a part of one, and the phrases in quotation marks. */
import { type Word, wordsOf } from '../db/words.ts'

/** Words next to each other, as they are: a phrase, or characters of a script without spaces. One word: also as a part of one. */
export interface Term {
  words: readonly string[]
  /** How a single word may occur. */
  as: 'whole' | 'beginning' | 'part'
}

/** The shortest part of a word that is found, and the shortest beginning, in characters. */
const SHORTEST_PART = 3
const SHORTEST_BEGINNING = 2

const QUOTED = /["“„«]([^"“”„«»]*)["“”»]/gu

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
