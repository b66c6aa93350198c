/** Full-text search over what a member may read. The FTS5 index and its triggers are in the migration `search`. */
import { eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { ensureInTime, IN_TIME, withDeadline } from '../db/deadline.ts'
import { kanbanComments, kanbanItems, personalIdeas, projects, transcriptSummaries } from '../db/schema.ts'
import { byFields, given, type Identified, selectOne } from '../db/statements.ts'
import { isFollowedByWorker, isLimited, TooMuchWork } from '../db/work-limits.ts'
import { invalidField, tookTooLong } from '../errors.ts'
import { once } from '../once.ts'
import { valuesOfAny } from '../schemas/common.ts'
import type { SearchResult } from '../schemas/records.ts'
import { EXAMINED, snippetOf, wordsOf } from './snippets.ts'

/** Different words of a query, at most: each is one more posting list to scan. */
export const WORD_LIMIT = 20

/** Limits of a search. Times in milliseconds. */
export interface SearchLimits {
  /** How long it may take on the event loop, where the worker thread takes over. */
  onLoop: number
  /** How long it may take elsewhere. */
  elsewhere: number
  /**
   * Words in the index up to which the last word of a query is a prefix, too. FTS5 merges the posting lists of all words with a
   * prefix at once, which nothing can interrupt.
   */
  prefixWords: number
}

/** Twenty million words are some 100 MB of text, and merged in a second at worst. */
const LIMITS: SearchLimits = { onLoop: 15, elsewhere: 5000, prefixWords: 20_000_000 }

/** The project of an entry, as SQL; NULL for an idea. */
const PROJECT_OF_ENTRY = `case entries.kind
    when 'project' then entries.record_id
    when 'kanban-item' then (select project_id from kanban_items where id = entries.record_id)
    when 'kanban-comment' then (
      select project_id from kanban_comments as comment join kanban_items as item on item.id = comment.item_id
      where comment.id = entries.record_id
    )
    when 'transcript-summary' then (select project_id from transcript_summaries where id = entries.record_id)
  end`

/**
 * Ranks all matches by the index alone (bm25, linear in the matches). A word in the title weighs fifty times one in the text.
 * Ideas of other members, and what is hidden, are filtered before the limit. The unary pluses keep the query plan, as that of
 * `given` does.
 * @param filters more conditions
 */
const bestWhere = (...filters: string[]) => `
  select entries.id as entry, entries.kind, entries.record_id as id, bm25(search_index, 50, 1) as score
    from search_index cross join search_entries as entries on entries.id = search_index.rowid
    where search_index match ? and ${IN_TIME}(search_index.rowid) and (
      entries.kind <> 'personal-idea'
      or exists (select 1 from personal_ideas as idea where idea.id = entries.record_id and idea.owner_id = +?)
    ) and (not exists (select 1 from hidden_projects)
      or ifnull(${PROJECT_OF_ENTRY}, '') not in (select project_id from hidden_projects)
    )${filters.map((filter) => ` and ${filter}`).join('')}
    order by score, entries.record_id
    limit +?`

/** The words of all texts in the index, from the record in which FTS5 counts them: varints of the rows and of each column. */
function countWords(totals: Uint8Array): number {
  const counts = [0]
  for (const byte of totals) {
    counts.push((counts.pop() ?? 0) * 128 + (byte & 127))
    if (byte < 128) counts.push(0)
  }
  return counts.slice(1).reduce((sum, count) => sum + count, 0)
}

/** The condition of each filter, by name. */
const CONDITIONS: Record<string, string> = {
  kinds: 'entries.kind in (select value from json_each(+?))',
  projectId: `+? = ${PROJECT_OF_ENTRY}`,
}

/** Which results to show; an absent or empty filter lets all through. */
export interface SearchFilter {
  /** Of any of these kinds. */
  kind?: string | string[] | undefined
  projectId?: string | undefined
}

type StringColumn = Identified['id']
type Hit = Pick<SearchResult, 'kind' | 'id'> & { entry: number }

/** The FTS5 query that finds any of the words, the last one as a prefix. A token contains no query syntax, not even a quote. */
const queryOf = (words: readonly string[], operator: string, isPrefix: boolean): string =>
  `${words.map((word) => `"${word}"`).join(operator)}${isPrefix ? ' *' : ''}`

/**
 * The different words of a text; the last one stays the last.
 * @throws ApiError 400 when there are too many
 */
function differentWords(text: string): string[] {
  const words = [...new Set(wordsOf(text).toReversed())].toReversed()
  if (words.length > WORD_LIMIT)
    throw invalidField('q', `must NOT have more than ${WORD_LIMIT} different words`)
  return words
}

/** A prepared query of a record's project and title, by id. */
const placeIn = (
  db: SharedDatabase,
  table: Identified,
  fields: { projectId?: StringColumn; title: StringColumn },
) =>
  selectOne<{ projectId?: string; title: string }>(db, () =>
    db
      .select(fields)
      .from(table)
      .where(eq(table.id, given('id'))),
  )

const statementsOf = (db: SharedDatabase) => ({
  best: byFields((names) =>
    db.$client.prepare<unknown[], Hit>(bestWhere(...names.map((name) => CONDITIONS[name] ?? ''))),
  ),
  totals: once(() =>
    db.$client.prepare<[], Buffer>('select block from search_index_data where id = 1').pluck(),
  ),
  beginnings: once(() =>
    db.$client
      .prepare<[number], [string, string]>(
        `select substr(title, 1, ${EXAMINED}), substr(text, 1, ${EXAMINED}) from search_index where rowid = ?`,
      )
      .raw(),
  ),
  places: {
    project: placeIn(db, projects, { projectId: projects.id, title: projects.name }),
    'kanban-item': placeIn(db, kanbanItems, { projectId: kanbanItems.projectId, title: kanbanItems.title }),
    'kanban-comment': selectOne(db, () =>
      db
        .select({ projectId: kanbanItems.projectId, title: kanbanItems.title })
        .from(kanbanComments)
        .innerJoin(kanbanItems, eq(kanbanItems.id, kanbanComments.itemId))
        .where(eq(kanbanComments.id, given('id'))),
    ),
    'transcript-summary': placeIn(db, transcriptSummaries, {
      projectId: transcriptSummaries.projectId,
      title: transcriptSummaries.title,
    }),
    'personal-idea': placeIn(db, personalIdeas, { title: personalIdeas.title }),
  },
})

/** The search over what a member may read. */
export class Search {
  static readonly reads: readonly string[] = ['find', 'results']
  readonly #db: SharedDatabase
  readonly #limits: SearchLimits
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase, limits: Partial<SearchLimits> = {}) {
    this.#db = db
    this.#limits = { ...LIMITS, ...limits }
    this.#sql = statementsOf(db)
  }

  /** The same as {@link find}, as the response has it. */
  results(...query: Parameters<Search['find']>): { results: SearchResult[] } {
    return { results: this.find(...query) }
  }

  /**
   * Searches for all words of a text, the last one as a prefix.
   * @returns at most `limit` results that pass the filter, best first
   * @throws ApiError 400 for too many words, 503 where it takes too long; TooMuchWork
   */
  find(
    text: string,
    memberId: string,
    limit: number,
    { kind, projectId }: SearchFilter = {},
  ): SearchResult[] {
    const words = differentWords(text)
    if (words.length === 0) return []
    // A common word may match most of the database.
    if (isLimited(this.#db)) throw new TooMuchWork()
    const kinds = valuesOfAny(kind)
    const filters = {
      kinds: kinds.length > 0 ? JSON.stringify(kinds) : undefined,
      projectId: projectId || undefined,
    }
    const values = Object.values(filters).filter((value) => value !== undefined)
    const { onLoop, elsewhere, prefixWords } = this.#limits
    const work = () => {
      const isPrefix = countWords(this.#sql.totals().get() ?? new Uint8Array()) <= prefixWords
      const hits = this.#sql.best(filters).all(queryOf(words, ' ', isPrefix), memberId, ...values, limit)
      const anyWord = queryOf(words, ' OR ', isPrefix)
      return hits.flatMap((hit) => this.#resultOf(hit, anyWord))
    }
    // A short file may hold texts that match many times, too.
    const isShort = isFollowedByWorker(this.#db)
    const late = () => (isShort ? new TooMuchWork() : tookTooLong('Search'))
    return withDeadline(this.#db, isShort ? onLoop : elsewhere, late, () => read(this.#db, work))
  }

  #resultOf({ kind, id, entry }: Hit, anyWord: string): SearchResult[] {
    ensureInTime(this.#db)
    const place = this.#sql.places[kind]({ id })
    if (!place) return []
    const parts = this.#sql.beginnings().get(entry) ?? []
    return [{ kind, id, projectId: null, ...place, snippet: snippetOf(parts, anyWord) }]
  }
}
