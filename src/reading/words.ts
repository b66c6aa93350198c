/**
 * Splits texts like the tokenizer of the search index, with the positions of the words. The tokenizer treats each
 * character independently, so it is called once for each: blocks of 256 at a time.
 */
import SQLite from 'better-sqlite3'
import { once } from '../once.ts'

/** The tokenizer of the index, as in its migration. */
const TOKENIZER = 'unicode61 remove_diacritics 2'

/** A word of a text: as in the index, with its position. */
export interface Word {
  folded: string
  start: number
  end: number
}

/** The tokenizer's result for a character. */
interface Folding {
  /** Whether a word may begin with it: others, e.g. accents, only continue one. */
  begins: boolean
  /** Its text in a word; empty for an accent. */
  folded: string
}

/** The tokenizer itself: an in-memory index of one text at a time. */
const tokenizer = once(() => {
  const client = new SQLite(':memory:')
  client.exec(`
    create virtual table texts using fts5 (text, content = '', tokenize = '${TOKENIZER}');
    create virtual table words using fts5vocab (texts, instance)`)
  const begin = client.prepare('begin')
  const insert = client.prepare('insert into texts (text) values (?)')
  const words = client.prepare<[], string>('select term from words order by offset').pluck()
  const rollback = client.prepare('rollback')
  return (text: string): string[] => {
    begin.run()
    try {
      insert.run(text)
      return words.all()
    } finally {
      rollback.run()
    }
  }
})

const BLOCK = 256

/** By block: its characters; undefined for one that separates words. */
const foldings: (Folding | undefined)[][] = []

/** Tokenizes a block of characters: each inside a word, and alone, after a separate word. */
function foldBlock(block: number): (Folding | undefined)[] {
  const characters = Array.from({ length: BLOCK }, (_, index) => String.fromCodePoint(block * BLOCK + index))
  const words = tokenizer()(characters.map((character) => `z x${character}y z ${character}`).join(' '))
  let at = 0
  /** The words up to the next `z`; the character alone may be one. */
  const next = (isAlone: boolean): string[] => {
    const from = ++at
    if (isAlone && words[at] === 'z' && words[at + 1] === 'z') at++
    while (at < words.length && words[at] !== 'z') at++
    return words.slice(from, at)
  }
  return characters.map(() => {
    const inside = next(false)
    const alone = next(true)
    return inside.length === 1
      ? { begins: alone.length > 0, folded: (inside[0] as string).slice(1, -1) }
      : undefined
  })
}

function foldingOf(code: number): Folding | undefined {
  const block = Math.floor(code / BLOCK)
  foldings[block] ??= foldBlock(block)
  return foldings[block][code % BLOCK]
}

/** The words of a text, in order, in linear time. */
export function* wordsOf(text: string): Generator<Word, void, undefined> {
  let start = -1
  let folded = ''
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number
    const folding = foldingOf(code)
    if (folding === undefined) {
      if (start >= 0) yield { folded, start, end: at }
      start = -1
    } else if (start >= 0) {
      folded += folding.folded
    } else if (folding.begins) {
      start = at
      folded = folding.folded
    }
    at += code > 0xffff ? 2 : 1
  }
  if (start >= 0) yield { folded, start, end: text.length }
}
