/** Snippets: the part of a text around the matches, in time linear in the text that is read. */
import { wordsOf } from '../db/words.ts'
import { isMeant, type Term } from './search-terms.ts'

/** The mark before and after a match. No HTML: the text around it is unescaped user input. */
const MARK = '**'

/** Length of a snippet in words, and in characters, since a single word may be very long. */
const SNIPPET = { words: 32, length: 500 }

/** A part of a text, in words. */
interface Part {
  from: number
  to: number
  /** The number of different terms in it. */
  matched: number
}

/** The words of a text by number: their positions, and which are matches. */
interface Scan {
  starts: number[]
  ends: number[]
  isMatch: boolean[]
  best: Part
  /** Whether there is no word after the last one. */
  isWhole: boolean
}

/** Which term ends at the last of the words, and how many words it has there. */
function matchAt(
  words: readonly string[],
  terms: readonly Term[],
): { number: number; length: number } | undefined {
  const last = words.at(-1) as string
  for (const [number, term] of terms.entries()) {
    const { length } = term.words
    if (
      length === 1
        ? isMeant(last, term.words[0] as string, term.as)
        : term.words.every((word, at) => words[words.length - length + at] === word)
    ) {
      return { number, length }
    }
  }
  return undefined
}

/** Finds the first part of a snippet's length with the most different terms; stops as early as possible. */
function scan(text: string, terms: readonly Term[]): Scan {
  const found: Scan = {
    starts: [],
    ends: [],
    isMatch: [],
    best: { from: 0, to: 0, matched: 0 },
    isWhole: false,
  }
  const longest = Math.max(...terms.map(({ words }) => words.length))
  /** The latest words, as many as the longest term has. */
  const latest: string[] = []
  /** The matches among the latest words, from `oldest` on, with their counts. */
  const matches: { at: number; number: number }[] = []
  const counts = new Map<number, number>()
  let oldest = 0
  for (const { folded, start, end } of wordsOf(text)) {
    const at = found.starts.push(start) - 1
    found.ends.push(end)
    if (latest.push(folded) > longest) latest.shift()
    const match = matchAt(latest, terms)
    found.isMatch.push(match !== undefined)
    const { best } = found
    if (match) found.isMatch.fill(true, at + 1 - match.length)
    if (best.matched === terms.length && at >= best.to + SNIPPET.words) return found
    if (match === undefined || best.matched === terms.length) continue
    const { number, length } = match
    matches.push({ at: at + 1 - length, number })
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

/** Extends the part by equally many words on both sides, if possible. */
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
    const before = text.slice(at, start)
    const isMatched = isMatch[index] === true
    // One pair of marks around characters of a script without spaces.
    const goesOn = isMatched && before === '' && index > from && isMatch[index - 1] === true
    if (goesOn) written = written.slice(0, -MARK.length)
    written +=
      before +
      (isMatched && !goesOn ? MARK : '') +
      text.slice(Math.max(at, start), end) +
      (isMatched ? MARK : '')
    at = end
  }
  return isEnd ? written + text.slice(at) : `${written}…`
}

/** Shortens a snippet with long words to the text around its first match. */
function shortened(snippet: string): string {
  if (snippet.length <= SNIPPET.length) return snippet.trim()
  const from = Math.max(0, snippet.indexOf(MARK) - SNIPPET.length / 4)
  const part = snippet.slice(from, from + SNIPPET.length).toWellFormed()
  const isOpen = part.split(MARK).length % 2 === 0
  return `${from > 0 ? '…' : ''}${part}…${isOpen ? MARK : ''}`
}

/**
 * The snippet of a record: of its title or its text, whichever has more of the terms close together.
 * @param longest most characters of either that are read
 */
export function snippetOf(texts: readonly string[], terms: readonly Term[], longest: number): string {
  const scans = texts.map((text) => {
    const isCut = text.length > longest
    const read = isCut ? text.slice(0, longest) : text
    return { read, isCut, found: scan(read, terms) }
  })
  const best = scans.reduce((one, other) => (other.found.best.matched > one.found.best.matched ? other : one))
  return shortened(write(best.read, best.found, best.isCut))
}
