/** Snippets of search results: the words around the first matches, marked. In linear time, of a bounded part of the text. */
import SQLite from 'better-sqlite3'
import { once } from '../once.ts'

/** The tokenizer of the search index, as in its migration. */
const TOKENIZER = 'unicode61 remove_diacritics 2'

/** The mark before and after a match. No HTML: the text around it is unescaped user input. */
const MARK = '**'

/** Words of a snippet; and characters, since a single token may be very long. */
const SNIPPET = { words: 32, length: 500 }

/** Characters of a title or text that are looked at. Of a text whose first match comes later, the beginning is shown. */
export const EXAMINED = 8192

/** What stands around a match while a snippet is made: noncharacters of Unicode, which no text has to have. */
const [OPEN, CLOSE] = ['\ufdd0', '\ufdd1']
const TAGS = /[\ufdd0\ufdd1]/g

/** A word: a match, or a run of what the tokenizer takes for parts of words. */
const WORD = /\ufdd0([^\ufdd1]*)\ufdd1|[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** An index in memory, which takes one text at a time. */
const texts = once(() => {
  const client = new SQLite(':memory:')
  client.exec(`
    create virtual table texts using fts5 (text, tokenize = '${TOKENIZER}');
    create virtual table words using fts5vocab (texts, instance)`)
  const begin = client.prepare('begin')
  const insert = client.prepare('insert into texts (text) values (?)')
  const rollback = client.prepare('rollback')
  const words = client.prepare<[], string>('select term from words order by offset').pluck()
  const marked = client
    .prepare<[string], string>(
      `select highlight(texts, 0, '${OPEN}', '${CLOSE}') from texts where texts match ?`,
    )
    .pluck()
  const within = <T>(text: string, work: () => T): T => {
    begin.run()
    try {
      insert.run(text)
      return work()
    } finally {
      rollback.run()
    }
  }
  return {
    words: (text: string): string[] => within(text, () => words.all()),
    marked: (text: string, query: string): string => within(text, () => marked.get(query)) ?? text,
  }
})

/** Splits a text into tokens as the index does. */
export const wordsOf = (text: string): string[] => texts().words(text)

/** Words of a text that stand together, and how many different matches are among them. */
interface Passage {
  text: string
  matches: number
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
 * The words of a passage with the most different matches: by two pointers, from one match to the next.
 * @returns its first and last matches, as places among all words
 */
function densest(matches: readonly { place: number; word: string }[]) {
  const counts = new Map<string, number>()
  let best = { first: 0, last: -1, different: 0 }
  let first = 0
  for (const { place, word } of matches) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
    for (let one = matches[first]; one && place - one.place >= SNIPPET.words; one = matches[++first]) {
      const left = (counts.get(one.word) ?? 0) - 1
      if (left > 0) counts.set(one.word, left)
      else counts.delete(one.word)
    }
    if (counts.size > best.different) {
      best = { first: matches[first]?.place ?? place, last: place, different: counts.size }
    }
  }
  return best
}

/** The best passage of a text. @param whole whether the text is all there is */
function passageOf(text: string, query: string, whole: boolean): Passage {
  const marked = texts().marked(text.replace(TAGS, ' '), query)
  const words = [...marked.matchAll(WORD)]
  const matches = words.flatMap(([, word], place) =>
    word === undefined ? [] : [{ place, word: word.toLowerCase() }],
  )
  const { first, last, different } = densest(matches)
  const before = last < first ? 0 : Math.floor((SNIPPET.words - (last - first + 1)) / 2)
  const start = Math.max(0, Math.min(first - before, words.length - SNIPPET.words))
  const end = Math.min(words.length, start + SNIPPET.words)
  const from = start === 0 ? 0 : (words[start]?.index ?? 0)
  const lastWord = words[end - 1]
  const isEnd = end === words.length
  const to = isEnd || !lastWord ? marked.length : lastWord.index + lastWord[0].length
  const shown = marked.slice(from, to).trim().replace(TAGS, MARK)
  return {
    text: `${start > 0 ? '…' : ''}${shown}${isEnd && whole ? '' : '…'}`,
    matches: different,
  }
}

/**
 * The snippet of a record.
 * @param parts the beginnings of its title and text, of {@link EXAMINED} characters at most, the better one first where both match as well
 * @param query of FTS5, as it found the record by any of its words
 */
export function snippetOf(parts: readonly string[], query: string): string {
  const passages = parts.map((part) => passageOf(part, query, part.length < EXAMINED))
  const best = passages.reduce((one, other) => (other.matches > one.matches ? other : one))
  return shortened(best.text)
}
