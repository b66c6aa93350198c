/** Checks whether the full-text index matches the records. */
import { crc32 } from 'node:zlib'
import type SQLite from 'better-sqlite3'
import {
  indexedWords,
  LONGEST_TEXT,
  rebuildSearch,
  SEARCHED,
  type SearchedKind,
  searchedTexts,
} from '../db/search-index.ts'
import { type Check, count, found, has, NOTHING, together } from './checks.ts'

/** A number for a word at its place; those of different texts hardly ever have the same sum. */
const markOf = (word: string, offset: number): number => crc32(`${word} ${offset}`)

/** The sums of the entries in the index. */
function indexedSums(client: SQLite.Database): Map<number, number> {
  const entries = client.prepare<[], number>('select id from search_index_docsize').pluck().all()
  const sums = new Map(entries.map((entry) => [entry, 0]))
  // A view of the index, not a table of the file.
  client.pragma('query_only = off')
  client.exec(
    "create virtual table if not exists temp.indexed using fts5vocab (main, search_index, 'instance')",
  )
  client.pragma('query_only = on')
  const words = client
    .prepare<[], [string, number, number]>('select term, doc, "offset" from temp.indexed')
    .raw()
  for (const [word, entry, offset] of words.iterate()) {
    sums.set(entry, (sums.get(entry) ?? 0) + markOf(word, offset))
  }
  return sums
}

/** The entries that differ from their records. Those that were written last are indexed by the next write. */
function differing(client: SQLite.Database): string[] {
  const sums = indexedSums(client)
  const textsOf = searchedTexts(client, LONGEST_TEXT)
  const pending = new Set(client.prepare<[], number>('select entry from search_pending').pluck().all())
  const entries = client
    .prepare<[], [number, SearchedKind, string]>('select id, kind, record_id from search_entries')
    .raw()
    .all()
  const problems: string[] = []
  for (const [entry, kind, id] of entries) {
    const texts = textsOf(kind, id)
    if (texts === undefined) problems.push(`${kind} ${id} is gone`)
    else if (
      !pending.has(entry) &&
      sums.get(entry) !== indexedWords(texts).reduce((sum, word, offset) => sum + markOf(word, offset), 0)
    ) {
      problems.push(`${kind} ${id} is missing in the index, or indexed with other contents`)
    }
    sums.delete(entry)
  }
  for (const entry of sums.keys()) if (!pending.has(entry)) problems.push(`entry ${entry} has no record`)
  return problems
}

/** The check of the index. */
export const SEARCH_CHECKS: readonly Check[] = [
  {
    name: 'search',
    holds: 'the search index agrees with the records',
    advice: 'searches miss records or find deleted ones; --fix rebuilds the index',
    find: ({ client }) => {
      // The index of an earlier version is made anew by the migration.
      if (!has(client, 'search_words')) return NOTHING
      const [answer] = client.pragma('integrity_check(search_index)') as { integrity_check: string }[]
      const problem = answer?.integrity_check ?? 'ok'
      if (problem !== 'ok') return found([problem])
      const missing = Object.entries(SEARCHED).map(([kind, { table }]) =>
        count(
          client,
          `select id from ${table} as record
            where not exists (select 1 from search_entries where kind = '${kind}' and record_id = record.id)`,
          (id) => `${kind} ${id} has no entry`,
        ),
      )
      return together([...missing, found(differing(client))])
    },
    fix: (db) => `rebuilt the index of ${rebuildSearch(db)} records`,
  },
]
