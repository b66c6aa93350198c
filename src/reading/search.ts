/** Full-text search over what a member may read, by the index of `src/db/search-index.ts`. */
import { Type } from '@sinclair/typebox'
import { eq } from 'drizzle-orm'
import { CardNumbers } from '../board/card-numbers.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { ensureInTime, IN_TIME, withDeadline } from '../db/deadline.ts'
import { cursorAt, type JsonPage, type KeyPlace, placeOf } from '../db/pages.ts'
import { projectOfEntry } from '../db/row-security.ts'
import { kanbanComments, kanbanItems, personalIdeas, projects, transcriptSummaries } from '../db/schema.ts'
import { indexerOf, searchedTexts, TITLE } from '../db/search-index.ts'
import { byFields, given, type Identified, selectOne } from '../db/statements.ts'
import { isFollowedByWorker, isLimited, TooMuchWork } from '../db/work-limits.ts'
import { invalidField, tookTooLong } from '../errors.ts'
import { once } from '../once.ts'
import { ref, valuesOfList } from '../schemas/common.ts'
import { type SearchResult, SearchResultSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { snippetOf } from './search-snippets.ts'
import { type Occurrence, rankOf, type Term, termsOf } from './search-terms.ts'

/** Most different words of a query. */
export const WORD_LIMIT = 50

/** Limits of a search. Times in milliseconds. */
interface SearchLimits {
  /**
   * Most words of the index that have a part of a word inside: FTS5 opens the list of each, at some 30 µs. Beyond it only words that begin
   * with the part are found, which is one query of FTS5 for however many words.
   */
  words: number
  /** The same for all of a query on the event loop, before the worker thread takes over. */
  wordsOnLoop: number
  /** Time limit there. */
  timeOnLoop: number
  /** Time limit elsewhere. */
  time: number
}

const LIMITS: SearchLimits = { words: 4000, wordsOnLoop: 100, timeOnLoop: 15, time: 5000 }

/** Most characters of a text to search for a snippet. */
const TEXT_READ = 100_000

/**
 * Of a query of several terms, the index is asked for the rarest, and the texts for the others, since a text costs less than the lists of many
 * words: most words of the rarest terms, and most entries that have them. Their texts have {@link TEXT_READ} characters at most, none is cut.
 */
const RAREST = { words: 200, entries: 200 }

const PROJECT_OF_ENTRY = projectOfEntry('entries')

/**
 * The matches of one rank, by the index alone, in its own order: the newest entries first. Ideas of other members
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
  order by search_index.rowid desc
  limit +?`

/** The condition of each filter, by name. */
const CONDITIONS: Record<string, string> = {
  kinds: 'entries.kind in (select value from json_each(+?))',
  projectId: `+? = ${PROJECT_OF_ENTRY}`,
  before: 'search_index.rowid < +?',
  unknown: 'search_index.rowid not in (select value from json_each(+?))',
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

/** @throws ApiError 400 for too many words */
function termsIn(text: string): Term[] {
  const terms = termsOf(text)
  if (new Set(terms.flatMap(({ words }) => words)).size > WORD_LIMIT) {
    throw invalidField('q', `must NOT have more than ${WORD_LIMIT} different words`)
  }
  return terms
}

/** A term, and the words of the index that have it inside, not at their beginning. */
interface Sought extends Term {
  inside: readonly string[]
}

/** FTS5's expression of where a term occurs. Words have no syntax, not even a quote. @param as how it may occur at most @param mark before each word */
function expressionOf({ words, as: most, inside }: Sought, as: Occurrence, mark = ''): string {
  const whole = `"${words.map((word) => mark + word).join(' ')}"`
  if (as === 'whole' || most === 'whole') return whole
  const others = as === 'part' ? inside.map((word) => ` OR "${mark}${word}"`) : []
  return `(${whole} *${others.join('')})`
}

/** The FTS5 query of the terms that are inside the fewest words. */
function rarest(sought: readonly Sought[]): string {
  const [first, ...others] = sought.toSorted((a, b) => a.inside.length - b.inside.length)
  const chosen = first ? [first] : []
  let words = first?.inside.length ?? 0
  for (const term of others) {
    words += term.inside.length
    if (words <= RAREST.words) chosen.push(term)
  }
  return chosen.map((term) => expressionOf(term, 'part')).join(' AND ')
}

/** The FTS5 query of a rank, and those of better ranks that may match the same records. */
interface Rank {
  query: string
  better: string[]
}

/**
 * The ranks, best first. All terms are
 *
 * 1. in the title, as whole words
 * 2. in the title, as words or beginnings of words
 * 3. in the title
 * 4. somewhere, as words or beginnings of words
 * 5. somewhere
 *
 * A match's rank is the first one whose query finds it, and depends on its own texts only. Counting how often a word occurs in others, like bm25,
 * would tell of those that the caller may not see.
 */
function ranksOf(sought: readonly Sought[]): Rank[] {
  const all = (as: Occurrence, mark?: string) =>
    sought.map((term) => expressionOf(term, as, mark)).join(' AND ')
  const inTitle = all('part', TITLE)
  return [
    { query: all('whole', TITLE), better: [] },
    { query: all('beginning', TITLE), better: [all('whole', TITLE)] },
    { query: inTitle, better: [all('beginning', TITLE)] },
    { query: all('beginning'), better: [inTitle] },
    { query: all('part'), better: [inTitle, all('beginning')] },
  ]
}

/** The query without the matches of better ranks. */
const excluding = ({ query, better }: Rank): string =>
  [query, ...better].map((one) => `(${one})`).join(' NOT ')

/** A search: its ranks, for whom, and the most matches of a page, with one more. */
interface Asked {
  ranks: readonly Rank[]
  memberId: string
  most: number
  filters: Record<string, string | undefined>
}

/** Before the first result by words: after a page that only has the numbered item. */
const BEFORE_ALL: Pick<Hit, 'rank' | 'entry'> = { rank: 0, entry: Number.MAX_SAFE_INTEGER }

/** The place of a result: its rank and its entry. */
const placeAt = ({ rank, entry }: Pick<Hit, 'rank' | 'entry'>): KeyPlace => ({
  id: String(entry),
  key: null,
  text: Buffer.from(String(rank)),
})

/** The rank and the entry of a place; a forged one begins somewhere. */
const partsOf = ({ id, text }: KeyPlace): Pick<Hit, 'rank' | 'entry'> => ({
  rank: Number.parseInt(String(text), 10) || 0,
  entry: Number.parseInt(id, 10) || 0,
})

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
  texts: searchedTexts(db.$client, TEXT_READ + 1),
  inside: once(() =>
    db.$client
      .prepare<[string, string, string, number], string>(
        `select search_words.word from search_parts join search_words on search_words.id = search_parts.rowid
        where search_parts match ? and substr(search_words.word, 1, length(+?)) <> +? limit +?`,
      )
      .pluck(),
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
  static readonly reads: readonly string[] = ['find', 'isBehind', 'results']
  readonly #db: SharedDatabase
  readonly #limits: SearchLimits
  readonly #numbers: CardNumbers
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Object({ results: Type.Array(ref(SearchResultSchema)) }))

  constructor(db: SharedDatabase, limits: Partial<SearchLimits> = {}) {
    this.#db = db
    this.#limits = { ...LIMITS, ...limits }
    this.#numbers = new CardNumbers(db)
    this.#sql = statementsOf(db)
  }

  /** Whether another program has written texts that are not found yet. */
  isBehind(): boolean {
    return indexerOf(this.#db).isBehind()
  }

  /** A write of nothing: every one ends with indexing what is pending, a bounded part of it (`indexRequest`). @returns whether something was */
  index(): boolean {
    return this.isBehind()
  }

  /** One page of {@link find}, as the response. */
  results(text: string, memberId: string, page: SearchPage, filter?: SearchFilter): JsonPage {
    const { results, next } = this.#search(text, memberId, page, filter)
    return { body: this.#toJson({ results }), next }
  }

  /**
   * Searches for all words of a text, each as a part of a word, and its phrases in quotation marks. An item that the text names by its number,
   * such as `WEB-12`, comes first.
   * @returns at most `limit` matching results, best first
   * @throws ApiError 400 for too many words, 503 if it takes too long; TooMuchWork
   */
  find(text: string, memberId: string, limit: number, filter?: SearchFilter): SearchResult[] {
    return this.#search(text, memberId, { limit }, filter).results
  }

  #search(text: string, memberId: string, page: SearchPage, filter: SearchFilter = {}): Found {
    const terms = termsIn(text)
    if (terms.length === 0) return { results: [] }
    // A common word may match most of the database.
    if (isLimited(this.#db)) throw new TooMuchWork()
    // Even a small file may have texts with many matches.
    const isOnLoop = isFollowedByWorker(this.#db)
    const late = () => (isOnLoop ? new TooMuchWork() : tookTooLong('Search'))
    const { time, timeOnLoop } = this.#limits
    const work = () => this.#find(terms, this.#numbered(text, filter), memberId, page, filter)
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
    terms: readonly Term[],
    numbered: Hit | undefined,
    memberId: string,
    { limit: most, cursor }: SearchPage,
    { kind, projectId }: SearchFilter,
  ): Found {
    const { places, texts } = this.#sql
    const kinds = valuesOfList(kind)
    const place = cursor === undefined ? undefined : placeOf(cursor)
    // It comes first, and nowhere else.
    const first = cursor === undefined && numbered ? [numbered] : []
    const limit = most - first.length
    const sought = this.#sought(terms)
    const asked = {
      ranks: ranksOf(sought),
      memberId,
      most: limit + 1,
      filters: {
        kinds: kinds.length > 0 ? JSON.stringify(kinds) : undefined,
        projectId: projectId || undefined,
      },
    }
    // Of several words few texts have all: one query that finds these few costs less than one for each rank.
    const few = place === undefined && terms.length > 1 ? this.#few(asked, sought) : undefined
    // One more than the page shows whether there is a next one.
    const hits = few ?? this.#ranked(asked, place && partsOf(place))
    const shown = hits.slice(0, limit)
    const last = hits.length > limit ? (shown.at(-1) ?? BEFORE_ALL) : undefined
    const others = shown.filter(({ entry }) => entry !== numbered?.entry)
    const results = [...first, ...others].flatMap(({ kind, id }) => {
      ensureInTime(this.#db)
      const place = places[kind]({ id })
      if (!place) return []
      const snippet = snippetOf(texts(kind, id) ?? [''], terms, TEXT_READ)
      return [{ kind, id, projectId: null, ...place, snippet }]
    })
    return { results, next: last && cursorAt(placeAt(last), BY_RANK) }
  }

  /** The matches of a query, the newest first. */
  #matches(
    { memberId, filters }: Asked,
    query: string,
    most: number,
    more: Record<string, unknown> = {},
  ): Match[] {
    ensureInTime(this.#db)
    const all = { ...filters, ...more }
    const values = Object.values(all).filter((value) => value !== undefined)
    return this.#sql.matches(all).all(query, memberId, ...values, most)
  }

  /** All matches with their ranks, best first; undefined if too many texts have the rarest terms. */
  #few(asked: Asked, sought: readonly Sought[]): Hit[] | undefined {
    const matches = this.#matches(asked, rarest(sought), RAREST.entries + 1)
    if (matches.length > RAREST.entries) return undefined
    const hits: Hit[] = []
    let characters = 0
    for (const match of matches) {
      ensureInTime(this.#db)
      const texts = this.#sql.texts(match.kind, match.id) ?? ['', '']
      characters += texts[0].length + texts[1].length
      if (characters > TEXT_READ) return undefined
      const rank = rankOf(sought, texts)
      if (rank !== undefined) hits.push({ ...match, rank })
    }
    return hits.sort((a, b) => a.rank - b.rank || b.entry - a.entry)
  }

  /** The matches of a page and one more, rank by rank. @param from the last of the page before */
  #ranked(asked: Asked, from: Pick<Hit, 'rank' | 'entry'> | undefined): Hit[] {
    const hits: Hit[] = []
    for (const [number, rank] of asked.ranks.entries()) {
      // The same words as before find nothing more.
      const isSame = rank.better.includes(rank.query)
      if (isSame || hits.length === asked.most || number < (from?.rank ?? 0)) continue
      const filters = {
        before: number === from?.rank ? from.entry : undefined,
        // On the first page all matches of better ranks are known, which costs less than to exclude them by their words.
        unknown: from || hits.length === 0 ? undefined : JSON.stringify(hits.map(({ entry }) => entry)),
      }
      const query = from ? excluding(rank) : rank.query
      const found = this.#matches(asked, query, asked.most - hits.length, filters)
      for (const match of found) hits.push({ ...match, rank: number })
    }
    return hits
  }

  /** The terms with the words that have them inside; none if there are too many. @throws TooMuchWork */
  #sought(terms: readonly Term[]): Sought[] {
    const { words: most, wordsOnLoop } = this.#limits
    let left = isFollowedByWorker(this.#db) ? wordsOnLoop : Number.POSITIVE_INFINITY
    return terms.map((term) => {
      const [part = ''] = term.words
      const words = term.as === 'part' ? this.#sql.inside().all(`"${part}"`, part, part, most + 1) : []
      left -= words.length
      if (left < 0) throw new TooMuchWork()
      return { ...term, inside: words.length > most ? [] : words }
    })
  }
}
