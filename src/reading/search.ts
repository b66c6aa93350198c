/** Full-text search over what a member may read. The FTS5 index and its triggers are in the migration `search`. */
import SQLite from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { kanbanComments, kanbanItems, personalIdeas, projects, transcriptSummaries } from '../db/schema.ts'
import { byFields, given, type Identified, selectOne } from '../db/statements.ts'
import { isLimited, TooMuchWork } from '../db/work-limits.ts'
import { invalidField } from '../errors.ts'
import { once } from '../once.ts'
import { valuesOfAny } from '../schemas/common.ts'
import type { SearchResult } from '../schemas/records.ts'

/** The tokenizer of the index, as in its migration. */
const TOKENIZER = 'unicode61 remove_diacritics 2'

/** Words of a query, at most: each is one more posting list to scan. */
export const WORD_LIMIT = 50

/** The mark before and after a match. No HTML: the text around it is unescaped user input. */
const MARK = '**'

/** Words of a snippet; and characters, since a single token may be very long. */
const SNIPPET = { words: 32, length: 500 }

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
 * Ranks all matches by the index alone, then scans them once more for the snippets of the best. A word in the title
 * weighs fifty times one in the text. Ideas of other members, and what is hidden, are filtered before the limit. The unary pluses keep the
 * query plan, as that of `given` does; the one of the rowid makes the second pass a single scan.
 * @param filters more conditions
 */
const bestWhere = (...filters: string[]) => `
  with best as materialized (
    select entries.id as entry, entries.kind, entries.record_id, bm25(search_index, 50, 1) as score
    from search_index cross join search_entries as entries on entries.id = search_index.rowid
    where search_index match ? and (
      entries.kind <> 'personal-idea'
      or exists (select 1 from personal_ideas as idea where idea.id = entries.record_id and idea.owner_id = +?)
    ) and (not exists (select 1 from hidden_projects)
      or ifnull(${PROJECT_OF_ENTRY}, '') not in (select project_id from hidden_projects)
    )${filters.map((filter) => ` and ${filter}`).join('')}
    order by score, entries.record_id
    limit +?
  )
  select kind, record_id as id, snippet(search_index, -1, '${MARK}', '${MARK}', '…', ${SNIPPET.words}) as snippet
  from search_index cross join best on best.entry = +search_index.rowid
  where search_index match ?
  order by score, record_id`

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
type Hit = Pick<SearchResult, 'kind' | 'id' | 'snippet'>

/** Splits texts into tokens as the index does: by an in-memory index of one text at a time. */
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

/**
 * The FTS5 query for a text: all its words, the last one as a prefix; undefined where there are none.
 * @throws ApiError 400 when there are too many
 */
function toQuery(text: string): string | undefined {
  const words = tokenizer()(text)
  if (words.length > WORD_LIMIT) throw invalidField('q', `must NOT have more than ${WORD_LIMIT} words`)
  // A token contains no query syntax, not even a quote.
  return words.length > 0 ? `${words.map((word) => `"${word}"`).join(' ')} *` : undefined
}

/** Shortens a snippet of long words to the surroundings of its first match. */
function shortened(snippet: string): string {
  if (snippet.length <= SNIPPET.length) return snippet.trim()
  const from = Math.max(0, snippet.indexOf(MARK) - SNIPPET.length / 4)
  const part = snippet.slice(from, from + SNIPPET.length).toWellFormed()
  const isOpen = part.split(MARK).length % 2 === 0
  return `${from > 0 ? '…' : ''}${part}…${isOpen ? MARK : ''}`
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
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** The same as {@link find}, as the response has it. */
  results(...query: Parameters<Search['find']>): { results: SearchResult[] } {
    return { results: this.find(...query) }
  }

  /**
   * Searches for all words of a text, the last one as a prefix.
   * @returns at most `limit` results that pass the filter, best first
   * @throws ApiError 400 for too many words; TooMuchWork
   */
  find(
    text: string,
    memberId: string,
    limit: number,
    { kind, projectId }: SearchFilter = {},
  ): SearchResult[] {
    const query = toQuery(text)
    if (query === undefined) return []
    // A common word may match most of the database.
    if (isLimited(this.#db)) throw new TooMuchWork()
    const { best, places } = this.#sql
    const kinds = valuesOfAny(kind)
    const filters = {
      kinds: kinds.length > 0 ? JSON.stringify(kinds) : undefined,
      projectId: projectId || undefined,
    }
    const values = Object.values(filters).filter((value) => value !== undefined)
    return read(this.#db, () =>
      best(filters)
        .all(query, memberId, ...values, limit, query)
        .flatMap(({ kind, id, snippet }) => {
          const place = places[kind]({ id })
          return place ? [{ kind, id, projectId: null, ...place, snippet: shortened(snippet) }] : []
        }),
    )
  }
}
