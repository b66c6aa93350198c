/** Snippets: the part of a text around what was searched for, in time linear in what is read of the text. */
import { wordsOf } from './words.ts'

/** The mark before and after a match. No HTML: the text around it is unescaped user input. */
const MARK = '**'

/** Words of a snippet; and characters, since a single word may be very long. */
const SNIPPET = { words: 32, length: 500 }

/** What is searched for. */
export interface Wanted {
  /** Words as the index has them, each once. */
  words: readonly string[]
  /** What a word begins with, besides; undefined for none. */
  prefix: string | undefined
}

/** A part of a text, in words. */
interface Part {
  from: number
  to: number
  /** How many of the wanted words are in it. */
  matched: number
}

/** Numbers of the words as one whole text has them: where they are, and which of them were wanted. */
interface Scan {
  starts: number[]
  ends: number[]
  /** Whether each was wanted. */
  isMatch: boolean[]
  best: Part
  /** Whether there is no word after the last one. */
  isWhole: boolean
}

/** Says which of the wanted words a word is: a number; undefined for none. */
function matcherOf({ words, prefix }: Wanted): (word: string) => number | undefined {
  const numbers = new Map(words.map((word, index) => [word, index]))
  return (word) =>
    numbers.get(word) ?? (prefix !== undefined && word.startsWith(prefix) ? words.length : undefined)
}

/** Looks for the first part of a snippet's length with most of the wanted words; no further than it takes. */
function scan(text: string, wanted: Wanted): Scan {
  const numberOf = matcherOf(wanted)
  const total = wanted.words.length + (wanted.prefix === undefined ? 0 : 1)
  const found: Scan = {
    starts: [],
    ends: [],
    isMatch: [],
    best: { from: 0, to: 0, matched: 0 },
    isWhole: false,
  }
  /** The matches among the latest words, from `oldest` on, and how often each is among them. */
  const matches: { at: number; number: number }[] = []
  const counts = new Map<number, number>()
  let oldest = 0
  for (const { folded, start, end } of wordsOf(text)) {
    const at = found.starts.push(start) - 1
    found.ends.push(end)
    const number = numberOf(folded)
    found.isMatch.push(number !== undefined)
    const { best } = found
    if (best.matched === total && at >= best.to + SNIPPET.words) return found
    if (number === undefined || best.matched === total) continue
    matches.push({ at, number })
    counts.set(number, (counts.get(number) ?? 0) + 1)
    for (let first = matches[oldest]; first && first.at <= at - SNIPPET.words; first = matches[++oldest]) {
      const left = (counts.get(first.number) as number) - 1
      if (left === 0) counts.delete(first.number)
      else counts.set(first.number, left)
    }
    if (counts.size > best.matched) {
      found.best = { from: matches[oldest]?.at as number, to: at + 1, matched: counts.size }
    }
  }
  return { ...found, isWhole: true }
}

/** The part with as many words before it as after it, as far as there are any. */
function around({ best, starts }: Scan): { from: number; to: number } {
  const spare = SNIPPET.words - (best.to - best.from)
  const from = Math.max(0, Math.min(best.from - Math.floor(spare / 2), starts.length - SNIPPET.words))
  return { from, to: Math.min(starts.length, from + SNIPPET.words) }
}

/** Writes a part of a text, with its matches marked. @param isCut whether the text goes on */
function write(text: string, found: Scan, isCut: boolean): string {
  const { starts, ends, isMatch } = found
  const { from, to } = around(found)
  const isEnd = found.isWhole && to === starts.length && !isCut
  let written = from > 0 ? '…' : ''
  let at = from > 0 ? (starts[from] as number) : 0
  for (let index = from; index < to; index++) {
    const [start, end] = [starts[index] as number, ends[index] as number]
    const word = text.slice(start, end)
    written += text.slice(at, start) + (isMatch[index] ? MARK + word + MARK : word)
    at = end
  }
  return isEnd ? written + text.slice(at) : `${written}…`
}

/** Shortens a snippet of long words to the surroundings of its first match. */
function shortened(snippet: string): string {
  if (snippet.length <= SNIPPET.length) return snippet.trim()
  const from = Math.max(0, snippet.indexOf(MARK) - SNIPPET.length / 4)
  const part = snippet.slice(from, from + SNIPPET.length).toWellFormed()
  const isOpen = part.split(MARK).length % 2 === 0
  return `${from > 0 ? '…' : ''}${part}…${isOpen ? MARK : ''}`
}

/**
 * The snippet of a record: of its title or its text, whichever has more of the wanted words close to each other.
 * @param longest characters of either that are read, at most
 */
export function snippetOf(texts: readonly string[], wanted: Wanted, longest: number): string {
  const scans = texts.map((text) => {
    const isCut = text.length > longest
    const read = isCut ? text.slice(0, longest) : text
    return { read, isCut, found: scan(read, wanted) }
  })
  const best = scans.reduce((one, other) => (other.found.best.matched > one.found.best.matched ? other : one))
  return shortened(write(best.read, best.found, best.isCut))
}
