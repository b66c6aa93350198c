/** Splits texts into the words of the search index, with their places. */
import { CHARACTER, fold, WITHOUT_SPACES } from '../folding.ts'

/** A word of a text. */
export interface Word {
  /** As in the index, see {@link fold}; at most {@link LONGEST} characters. */
  folded: string
  /** Whether it is one character of a script without spaces between words, or an emoji. */
  isSingle: boolean
  start: number
  end: number
}

/** Most UTF-16 units of a word that are indexed: longer ones are encoded data, not words. */
const LONGEST = 250

/** What a character is in a folded text: a part of a word, a word of its own, or between words. */
type Part = 'letter' | 'single' | undefined

const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/u
const LETTER = /[\p{L}\p{M}\p{N}]/u

function partOf(character: string): Part {
  if (EMOJI.test(character)) return 'single'
  if (!LETTER.test(character)) return undefined
  return WITHOUT_SPACES.test(character) ? 'single' : 'letter'
}

/** The characters of a folded one with their parts: several for a ligature or a syllable. Few differ in a text. */
type Folded = readonly { folded: string; part: Part }[]
const known = new Map<string, Folded>()
const MOST_KNOWN = 20_000

function partsOf(character: string): Folded {
  const found = known.get(character)
  if (found) return found
  const parts = [...fold(character)].map((folded) => ({ folded, part: partOf(folded) }))
  if (known.size >= MOST_KNOWN) known.clear()
  if (character.length <= 8) known.set(character, parts)
  return parts
}

const isAsciiWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)

/** The words of a text, in order, in linear time. */
export function* wordsOf(text: string): Generator<Word, void, undefined> {
  let folded = ''
  let start = 0
  let end = 0
  const word = (): Word => ({
    folded: folded.length > LONGEST ? folded.slice(0, LONGEST).toWellFormed() : folded,
    isSingle: false,
    start,
    end,
  })
  const add = (more: string, from: number, to: number) => {
    if (folded === '') start = from
    folded += more
    end = to
  }
  for (let at = 0, next = 0; at < text.length; at = next) {
    // Runs of ASCII letters; the last may have a mark.
    while (isAsciiWord(text.charCodeAt(next))) next++
    if (text.charCodeAt(next) > 0x7f && next > at) next--
    if (next > at) {
      add(text.slice(at, next).toLowerCase(), at, next)
      continue
    }
    CHARACTER.lastIndex = at
    const [character = ''] = CHARACTER.exec(text) ?? []
    next = at + character.length
    for (const { folded: one, part } of partsOf(character)) {
      if (part === 'letter') {
        add(one, at, next)
        continue
      }
      if (folded !== '') yield word()
      folded = ''
      if (part === 'single') yield { folded: one, isSingle: true, start: at, end: next }
    }
  }
  if (folded !== '') yield word()
}
