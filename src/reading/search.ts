/** Full-text search over what a member may read. The FTS5 index and its triggers are in the migration `search`. */
import { Type } from '@sinclair/typebox'
import { eq } from 'drizzle-orm'
import { CardNumbers } from '../board/card-numbers.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { ensureInTime, IN_TIME, withDeadline } from '../db/deadline.ts'
import { cursorAt, type JsonPage, type KeyPlace, placeOf } from '../db/pages.ts'
import { projectOfEntry } from '../db/row-security.ts'
import { kanbanComments, kanbanItems, personalIdeas, projects, transcriptSummaries } from '../db/schema.ts'
import { byFields, given, type Identified, selectOne } from '../db/statements.ts'
import { isFollowedByWorker, isLimited, TooMuchWork } from '../db/work-limits.ts'
import { invalidField, tookTooLong } from '../errors.ts'
import { once } from '../once.ts'
import { ref, valuesOfList } from '../schemas/common.ts'
import { type SearchResult, SearchResultSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { indexSize } from './index-size.ts'
import { snippetOf, type Wanted } from './search-snippets.ts'
import { wordsOf } from './words.ts'

/** Most different words of a query: each is one more posting list to scan. */
export const WORD_LIMIT = 50

/** Limits of a search. Times in milliseconds. */
interface SearchLimits {
  /**
   * Most bytes of the index with the last word as prefix: FTS5 merges them in memory before the first row, at some
   * 30 ms and 3 MB for each megabyte. Beyond it the last word is searched only as a whole word.
   */
  prefixBytes: number
  /** Most bytes of the index to read on the event loop before the worker thread takes over: some 15 ms at worst for each rank. */
  bytesOnLoop: number
  /** Time limit there. */
  timeOnLoop: number
  /** Time limit elsewhere. */
  time: number
}

const LIMITS: SearchLimits = {
  prefixBytes: 8 * 1024 * 1024,
  bytesOnLoop: 256 * 1024,
  timeOnLoop: 15,
  time: 5000,
}

/** Most characters of a text to search for a snippet. */
const TEXT_READ = 100_000

const PROJECT_OF_ENTRY = projectOfEntry('entries')

/**
 * The matches of one rank, by the index alone; the newest first, since ids ascend in time. Ideas of other members
 * are filtered before the limit. The unary pluses keep the query plan, as in `given`. The
 * deadline is checked for every sixteenth record, since the function call costs as much as the rest of a row.
 * @param filters additional conditions
 */
const matchesWhere = (...filters: string[]) => `
  select entries.id as entry, entries.kind, entries.record_id as id
  from search_index cross join search_entries as entries on entries.id = search_index.rowid
  where search_index match ? and ((search_index.rowid & 15) <> 0 or ${IN_TIME}(search_index.rowid)) and (
    entries.kind <> 'personal-idea'
    or exists (select 1 from personal_ideas as idea where idea.id = entries.record_id and idea.owner_id = +?)
  )${filters.map((filter) => ` and ${filter}`).join('')}
  order by entries.record_id desc, entries.kind desc
  limit +?`

/** The condition of each filter, by name. */
const CONDITIONS: Record<string, string> = {
  kinds: 'entries.kind in (select value from json_each(+?))',
  projectId: `+? = ${PROJECT_OF_ENTRY}`,
  after: '(entries.record_id, entries.kind) < (+?, +?)',
}

/** The filters of results; an absent or empty one does not filter. */
interface SearchFilter {
  /** Of any of these kinds. */
  kind?: string | string[] | undefined
  projectId?: string | undefined
}

/** The page of results. */
export interface SearchPage {
  limit: number
  cursor?: string | undefined
}

/** The results of a search. */
interface Found {
  results: SearchResult[]
  /** The cursor of the next page, if any. */
  next?: string | undefined
}

/** The sort in cursors of searches. */
export const BY_RANK = 'rank'

type StringColumn = Identified['id']
type Match = Pick<SearchResult, 'kind' | 'id'> & { entry: number }
interface Hit extends Match {
  /** The number of its rank, from 0. */
  rank: number
}
type Texts = [title: string, text: string]

/**
 * The query of a text: all its words, the last one as a prefix.
 * @throws ApiError 400 for too many
 */
function wantedIn(text: string): Wanted {
  const all = [...wordsOf(text)].map(({ folded }) => folded)
  const last = all.at(-1)
  const words = new Set(all.slice(0, -1))
  // A required whole word also satisfies its prefixes.
  const prefix = last !== undefined && words.has(last) ? undefined : last
  if (words.size + (prefix === undefined ? 0 : 1) > WORD_LIMIT) {
    throw invalidField('q', `must NOT have more than ${WORD_LIMIT} different words`)
  }
  return { words: [...words], prefix }
}

/**
 * The FTS5 queries of the ranks, best first; every match is in exactly one of them:
 *
 * 1. all words in the title
 * 2. the same with the last word as the beginning of one
 * 3. some whole word in the title
 * 4. no whole word in the title
 * 5. the same with the last word as the beginning of one
 *
 * A match's rank depends on its own texts only. Counting how often a word occurs in others, like bm25, would tell of those that the caller may not
 * see. A word contains no query syntax, not even a quote. FTS5 collects the completions of a prefix for each of its occurrences here: there are few.
 */
function ranksOf({ words, prefix }: Wanted): string[] {
  const others = words.map((word) => `"${word}"`)
  const last = prefix === undefined ? [] : [`"${prefix}"`]
  const whole = [...others, ...last]
  const inTitle = (...terms: string[]) => `{title} : (${terms.join(' ')})`
  const without = (query: string, ...excluded: string[]) => [`(${query})`, ...excluded].join(' NOT ')
  const all = prefix === undefined ? others : [...others, `"${prefix}" *`]
  const ofTitle = inTitle(...all)
  const someInTitle = whole.length > 1 ? [inTitle(whole.join(' OR '))] : []
  const ofText = [ofTitle, ...someInTitle]
  return [
    inTitle(...whole),
    ...last.map((word) => without(ofTitle, inTitle(word))),
    ...someInTitle.map((some) => without(`(${all.join(' ')}) AND ${some}`, ofTitle)),
    without(whole.join(' '), ...ofText),
    ...last.map((word) => without(all.join(' '), word, ...ofText)),
  ]
}

/** Before the first result by words: after a page that only has the numbered item. */
const BEFORE_ALL: Pick<Hit, 'rank' | 'kind' | 'id'> = { rank: 0, kind: 'project', id: '\u{10ffff}' }

/** The place of a result: its rank, and its kind beside its id, which is unique among its kind only. */
const placeAt = ({ rank, kind, id }: Pick<Hit, 'rank' | 'kind' | 'id'>): KeyPlace => ({
  id,
  key: null,
  text: Buffer.from(`${rank} ${kind}`),
})

/** The rank, id and kind of a place; a forged one begins somewhere. */
function partsOf({ id, text }: KeyPlace): { rank: number; after: [id: string, kind: string] } {
  const [rank = '', kind = ''] = String(text).split(' ')
  return { rank: Number.parseInt(rank, 10) || 0, after: [id, kind] }
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
  texts: once(() =>
    db.$client
      .prepare<[entry: number], Texts>(
        `select substr(title, 1, ${TEXT_READ + 1}), substr(text, 1, ${TEXT_READ + 1})
        from search_index where rowid = ?`,
      )
      .raw(),
  ),
  entry: once(() =>
    db.$client
      .prepare<[string], number>(
        "select id from search_entries where kind = 'kanban-item' and record_id = +?",
      )
      .pluck(),
  ),
  matches: byFields((names) =>
    db.$client.prepare<unknown[], Match>(matchesWhere(...names.map((name) => CONDITIONS[name] ?? ''))),
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
  readonly #numbers: CardNumbers
  readonly #sizeInIndex: ReturnType<typeof indexSize>
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Object({ results: Type.Array(ref(SearchResultSchema)) }))

  constructor(db: SharedDatabase, limits: Partial<SearchLimits> = {}) {
    this.#db = db
    this.#limits = { ...LIMITS, ...limits }
    this.#numbers = new CardNumbers(db)
    this.#sizeInIndex = indexSize(db.$client)
    this.#sql = statementsOf(db)
  }

  /** One page of {@link find}, as the response. */
  results(text: string, memberId: string, page: SearchPage, filter?: SearchFilter): JsonPage {
    const { results, next } = this.#search(text, memberId, page, filter)
    return { body: this.#toJson({ results }), next }
  }

  /**
   * Searches for all words of a text, the last one as a prefix. An item that the text names by its number, such as `WEB-12`, comes first.
   * @returns at most `limit` matching results, best first
   * @throws ApiError 400 for too many words, 503 if it takes too long; TooMuchWork
   */
  find(text: string, memberId: string, limit: number, filter?: SearchFilter): SearchResult[] {
    return this.#search(text, memberId, { limit }, filter).results
  }

  #search(text: string, memberId: string, page: SearchPage, filter: SearchFilter = {}): Found {
    const asked = wantedIn(text)
    if (asked.words.length === 0 && asked.prefix === undefined) return { results: [] }
    // A common word may match most of the database.
    if (isLimited(this.#db)) throw new TooMuchWork()
    // Even a small file may have texts with many matches.
    const isOnLoop = isFollowedByWorker(this.#db)
    const late = () => (isOnLoop ? new TooMuchWork() : tookTooLong('Search'))
    const { time, timeOnLoop } = this.#limits
    const work = () =>
      this.#find(this.#bounded(asked, isOnLoop), this.#numbered(text, filter), memberId, page, filter)
    return withDeadline(this.#db, isOnLoop ? timeOnLoop : time, late, () => read(this.#db, work))
  }

  /** The item that the text names by its number, such as `WEB-12`, if the filter admits it and the caller sees it. */
  #numbered(text: string, { kind, projectId }: SearchFilter): Hit | undefined {
    const id = this.#numbers.find(text.trim())
    const kinds = valuesOfList(kind)
    if (id === undefined || (kinds.length > 0 && !kinds.includes('kanban-item'))) return undefined
    const place = this.#sql.places['kanban-item']({ id })
    if (place === undefined || (projectId && place.projectId !== projectId)) return undefined
    const entry = this.#sql.entry().get(id)
    return entry === undefined ? undefined : { kind: 'kanban-item', id, entry, rank: 0 }
  }

  #find(
    wanted: Wanted,
    numbered: Hit | undefined,
    memberId: string,
    { limit: most, cursor }: SearchPage,
    { kind, projectId }: SearchFilter,
  ): Found {
    const { matches, places, texts } = this.#sql
    const kinds = valuesOfList(kind)
    const place = cursor === undefined ? undefined : placeOf(cursor)
    const from = place && partsOf(place)
    // It comes first, and nowhere else.
    const first = cursor === undefined && numbered ? [numbered] : []
    const limit = most - first.length
    const hits: Hit[] = []
    for (const [rank, query] of ranksOf(wanted).entries()) {
      if (hits.length > limit || rank < (from?.rank ?? 0)) continue
      ensureInTime(this.#db)
      const filters = {
        kinds: kinds.length > 0 ? JSON.stringify(kinds) : undefined,
        projectId: projectId || undefined,
        after: rank === from?.rank ? from.after : undefined,
      }
      const values = Object.values(filters).filter((value) => value !== undefined)
      // One more than the page shows whether there is a next one.
      const found = matches(filters).all(query, memberId, ...values.flat(), limit + 1 - hits.length)
      for (const match of found) hits.push({ ...match, rank })
    }
    const shown = hits.slice(0, limit)
    const last = hits.length > limit ? (shown.at(-1) ?? BEFORE_ALL) : undefined
    const others = shown.filter(({ entry }) => entry !== numbered?.entry)
    const results = [...first, ...others].flatMap(({ kind, id, entry }) => {
      ensureInTime(this.#db)
      const place = places[kind]({ id })
      if (!place) return []
      const snippet = snippetOf(texts().get(entry) ?? [''], wanted, TEXT_READ)
      return [{ kind, id, projectId: null, ...place, snippet }]
    })
    return { results, next: last && cursorAt(placeAt(last), BY_RANK) }
  }

  /** Limits the query: drops a prefix with too many matches. @throws TooMuchWork */
  #bounded({ words, prefix }: Wanted, isOnLoop: boolean): Wanted {
    const { prefixBytes, bytesOnLoop } = this.#limits
    const ofPrefix = prefix === undefined ? 0 : this.#sizeInIndex(prefix, true)
    if (isOnLoop) {
      const total = words.reduce((sum, word) => sum + this.#sizeInIndex(word, false), ofPrefix)
      if (total > bytesOnLoop) throw new TooMuchWork()
    }
    if (prefix === undefined || ofPrefix <= prefixBytes) return { words, prefix }
    return { words: [...words, prefix], prefix: undefined }
  }
}
