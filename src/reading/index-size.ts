/**
 * Estimates how much of the search index a query reads: FTS5 has a table of the first word of each page (`idx`,
 * see the head of fts5_index.c in SQLite's sources). Its work between two rows cannot be interrupted.
 */
import type SQLite from 'better-sqlite3'
import { once } from '../once.ts'

/** Approximate page size of the index, in bytes: FTS5's default. */
const PAGE_SIZE = 4096

/** The prefix of the main index's words in the table (prefix indexes, of which there are none, have others). */
const MAIN = '0'

/** Larger than any byte of UTF-8: all words with a prefix sort before the prefix followed by it. */
const AFTER_ALL = Buffer.of(0xff)

/**
 * Counts pages in each segment of the index: from the one that begins before a first word, to the one that begins after a
 * last. Page numbers are doubled, since their lowest bit is a flag. The pages of a segment are numbered from 1, in the rows
 * of `search_index_data` from its number times 2^37 on.
 */
const PAGES = `
  with recursive segments (id) as (
    select min(segid) from search_index_idx
    union all
    select (select min(segid) from search_index_idx where segid > id) from segments where id is not null
  )
  select ifnull(sum(1
    + ifnull(
      (select pgno / 2 from search_index_idx where segid = segments.id and term > :last order by term limit 1),
      (select max(id) from search_index_data where id < (segments.id << 37) + (1 << 31)) - (segments.id << 37)
    )
    - ifnull(
      (select pgno / 2 from search_index_idx where segid = segments.id and term <= :first order by term desc limit 1), 1
    )
  ), 0) from segments where id is not null`

/** Estimates bytes of the index, rather too many than too few. @returns the estimator for a word or a prefix */
export function indexSize(client: SQLite.Database): (word: string, isPrefix: boolean) => number {
  const pages = once(() => client.prepare<[{ first: Buffer; last: Buffer }], number>(PAGES).pluck())
  return (word, isPrefix) => {
    const first = Buffer.from(MAIN + word)
    const last = isPrefix ? Buffer.concat([first, AFTER_ALL]) : first
    return Number(pages().get({ first, last })) * PAGE_SIZE
  }
}
