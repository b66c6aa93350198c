/**
 * The full-text index of what is searched: FTS5 over folded words, and a table of these words with an index of their parts.
 *
 * Triggers note which entries were written (`search_pending`), whatever program wrote them; the words come from {@link indexSearch}, since
 * SQLite cannot fold texts as {@link wordsOf} does. The service, its threads and its commands call it at the end of each write.
 */
import type SQLite from 'better-sqlite3'
import { once } from '../once.ts'
import { connectionOf } from './connection.ts'
import { wordsOf } from './words.ts'
import { isFollowedByWorker, TooMuchWork } from './work-limits.ts'

/** All texts of a JSON column, a line each; none if it is no JSON. */
const textsIn = (column: string) => `coalesce((select group_concat(value, char(10)) from json_tree(
  case when json_valid(${column}) then ${column} else '[]' end) where type = 'text'), '')`

/** The searched tables, by the kind of their entries, and the texts of a record, as SQL. */
export const SEARCHED = {
  project: { table: 'projects', title: 'name', text: 'description || char(10) || next_step' },
  'kanban-item': { table: 'kanban_items', title: 'title', text: 'description' },
  'kanban-comment': { table: 'kanban_comments', title: "''", text: 'content' },
  'transcript-summary': {
    table: 'transcript_summaries',
    title: 'title',
    text: `summary || char(10) || ${textsIn('participants')} || char(10) || ${textsIn('action_items')}`,
  },
  'personal-idea': { table: 'personal_ideas', title: 'title', text: 'description' },
} as const

export type SearchedKind = keyof typeof SEARCHED

/** The searched texts of a record. */
export type Texts = [title: string, text: string]

type Client = Pick<SQLite.Database, 'prepare'>

/** A query of the texts of a record. @param longest most characters of each that are needed */
export function searchedTexts(
  client: Client,
  longest: number,
): (kind: SearchedKind, id: string) => Texts | undefined {
  const statements = Object.fromEntries(
    Object.entries(SEARCHED).map(([kind, { table, title, text }]) => [
      kind,
      once(() =>
        client
          .prepare<[string], [unknown, unknown]>(`select ${title}, ${text} from ${table} where id = +?`)
          .raw(),
      ),
    ]),
  )
  return (kind, id) => {
    // Another program may have stored bytes or numbers. Not by SQL's substr, which ends at a null character.
    const [title, text] =
      statements[kind]?.()
        .get(id)
        ?.map((one) => String(one ?? '').slice(0, longest)) ?? []
    return title === undefined || text === undefined ? undefined : [title, text]
  }
}

/** Most characters of a text that are indexed. */
export const LONGEST_TEXT = 1_000_000

/** Before a word of a title, and alone between the title and the text, so that no phrase has words of both. Part of no word. */
export const TITLE = '·'

const foldedWords = (text: string): string[] => Array.from(wordsOf(text), ({ folded }) => folded)

/**
 * What the index has of a record: the words of its title, marked with {@link TITLE}, and all its words. The marked ones are lists of their own,
 * since FTS5 filters by column only while it reads the lists of all columns.
 */
export function indexedWords([title, text]: Texts): string[] {
  const ofTitle = foldedWords(title)
  return [...ofTitle.map((word) => TITLE + word), ...ofTitle, TITLE, ...foldedWords(text)]
}

/** The index of a connection. */
export interface Indexer {
  /** Whether entries were written that are not in the index: by another program, since each write of the service ends with indexing. */
  isBehind: () => boolean
  /** Indexes what was written; inside a write. @returns whether there may be more @throws TooMuchWork for longer texts */
  index: (most?: Most) => boolean
}

/** Entries that are read at once, and words that a run remembers. */
const AT_ONCE = 500
const MOST_ADDED = 100_000

/** The most that is indexed at once. */
interface Most {
  entries: number
  /** Of the texts of these entries, but for the last one. */
  characters: number
  /** Of the texts of one entry. */
  longest: number
}

const ALL: Most = {
  entries: Number.POSITIVE_INFINITY,
  characters: Number.POSITIVE_INFINITY,
  longest: Number.POSITIVE_INFINITY,
}

/** At the end of a write on the event loop: some 25 ms at worst. */
const ON_LOOP: Most = { entries: 200, characters: 5000, longest: 25_000 }

/** At the end of a write elsewhere: other writers wait some 0.2 s for it, however much another program has written. */
const ELSEWHERE: Most = { ...ALL, entries: 2000, characters: 1_000_000 }

const statementsOf = (client: Client) => ({
  place: client
    .prepare<[number], [SearchedKind, string]>('select kind, record_id from search_entries where id = ?')
    .raw(),
  // FTS5's own table of the rows that it has: it cannot tell itself without their texts.
  isIndexed: client.prepare<[number]>('select 1 from search_index_docsize where id = ?'),
  remove: client.prepare('delete from search_index where rowid = ?'),
  insert: client.prepare('insert into search_index (rowid, words) values (?, ?)'),
  addWords: client.prepare('insert or ignore into search_words (word) select value from json_each(?)'),
  done: client.prepare('delete from search_pending where entry = ?'),
  textsOf: searchedTexts(client, LONGEST_TEXT),
})

function createIndexer(client: SQLite.Database): Indexer {
  const pending = client.prepare<[number], number>('select entry from search_pending limit ?').pluck()
  const statements = once(() => statementsOf(client))
  /** Adds those that this run has not added yet. */
  function addWords(words: readonly string[], added: Set<string>): void {
    const more = new Set(words.filter((word) => !added.has(word) && !word.startsWith(TITLE)))
    if (more.size > 0) statements().addWords.run(JSON.stringify([...more]))
    for (const word of more) added.add(word)
    if (added.size > MOST_ADDED) added.clear()
  }
  /** @param longest the most characters of its texts @returns how many they are @throws TooMuchWork */
  function indexEntry(entry: number, added: Set<string>, longest: number): number {
    const { place, isIndexed, remove, insert, done, textsOf } = statements()
    const [kind, id] = place.get(entry) ?? []
    const texts = kind && textsOf(kind, id as string)
    const characters = texts ? texts[0].length + texts[1].length : 0
    if (characters > longest) throw new TooMuchWork()
    if (isIndexed.get(entry)) remove.run(entry)
    if (texts) {
      const words = indexedWords(texts)
      insert.run(entry, words.join(' '))
      addWords(words, added)
    }
    done.run(entry)
    return characters
  }
  return {
    isBehind: () => pending.get(1) !== undefined,
    index: ({ entries: most, characters, longest } = ALL) => {
      let [left, room] = [most, characters]
      const added = new Set<string>()
      while (left > 0) {
        const wanted = Math.min(left, AT_ONCE)
        const entries = pending.all(wanted)
        for (const entry of entries) {
          if (room <= 0) return true
          room -= indexEntry(entry, added, longest)
        }
        left -= entries.length
        if (entries.length < wanted) return false
      }
      return true
    },
  }
}

const indexers = new WeakMap<object, Indexer>()

/** The index of a connection, created once. */
export function indexerOf(db: { $client: SQLite.Database }): Indexer {
  let indexer = indexers.get(db.$client)
  if (indexer === undefined) {
    // Of the connection, not of a handle, which may see a part of the records only.
    indexer = createIndexer(connectionOf(db))
    indexers.set(db.$client, indexer)
  }
  return indexer
}

/** Indexes what was written; inside a write. @param entries at most @returns whether there may be more */
export const indexSearch = (db: { $client: SQLite.Database }, entries = ALL.entries): boolean =>
  indexerOf(db).index({ ...ALL, entries })

/**
 * The same at the end of a write. Of much that another program has written it leaves some to the next writes and searches.
 * @param isRequest whether the event loop leaves long texts to the worker thread @throws TooMuchWork
 */
export function indexWritten(db: { $client: SQLite.Database }, isRequest = false): boolean {
  const indexer = indexerOf(db)
  return indexer.isBehind() && indexer.index(isRequest && isFollowedByWorker(db) ? ON_LOOP : ELSEWHERE)
}

/** The same of a request. @throws TooMuchWork */
export const indexRequest = (db: { $client: SQLite.Database }): boolean => indexWritten(db, true)

/** Indexes all that was written, before a search in the same write. @throws TooMuchWork on the event loop for more than a little */
export function indexBeforeSearch(db: { $client: SQLite.Database }): void {
  while (indexRequest(db)) if (isFollowedByWorker(db)) throw new TooMuchWork()
}

/** Makes the index anew, whatever was in it; inside a write. @returns the number of records */
export function rebuildSearch(db: { $client: SQLite.Database }): number {
  const { $client: client } = db
  client.exec(`insert into search_index (search_index) values ('delete-all');
    insert into search_parts (search_parts) values ('delete-all');
    delete from search_words; delete from search_pending; delete from search_entries;
    ${Object.entries(SEARCHED)
      .map(
        ([kind, { table }]) =>
          `insert into search_entries (kind, record_id) select '${kind}', id from ${table};`,
      )
      .join('')}
    insert into search_pending (entry) select id from search_entries`)
  indexSearch(db)
  return client.prepare<[], number>('select count(*) from search_entries').pluck().get() ?? 0
}
