import { Type } from '@sinclair/typebox'
import { memberOf } from '../src/access/identity.ts'
import { PAGE_LIMIT } from '../src/db/pages.ts'
import { BY_RANK, WORD_LIMIT } from '../src/reading/search.ts'
import { PageParameters } from '../src/requests/pages.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { AnyOfThese, ref } from '../src/schemas/common.ts'
import { SEARCH_KINDS, SearchResultSchema } from '../src/schemas/records.ts'

/** Results without a `limit`. */
const DEFAULT_LIMIT = 20

const SearchQuerySchema = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        maxLength: 500,
        description: `At most ${WORD_LIMIT} different words; without any, nothing is found`,
        examples: ['engine test', '"engine test"'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_LIMIT,
        default: DEFAULT_LIMIT,
        description: 'Maximum number of results',
      }),
    ),
    cursor: PageParameters.cursor,
    kind: AnyOfThese('Kinds to search', SEARCH_KINDS),
    projectId: Type.Optional(
      Type.String({
        description: 'Only this project and its child records, which excludes ideas; empty does not filter',
      }),
    ),
  },
  { 'x-cursor-of-sort': BY_RANK },
)

const DESCRIPTION = `Finds projects (name, description, next step), kanban items (title, description; dismissed ones
too), kanban comments, transcript summaries (title, summary, participants, action items) and the caller's own personal
ideas (title, description).

A record must contain all words of \`q\`, in any order. A word is a run of letters and digits. From three characters on it is found as a part of
a word, with two as the beginning of one, with one as a word of its own; characters of scripts without spaces (Han, Kana, Thai, Lao, Khmer, Burmese)
and emoji are found wherever they are. Words in quotation marks must be next to each other, as they are. Everything else only separates
words. Case, accents and ligatures do not matter, nor do strokes and hooks of letters: \`STRASSE\` finds "Straße", \`lodz\` "Łódź". A part
that more than 4,000 different words have inside is found as their beginning only. A search that takes too long is 503.

The best matches come first: records with all words in their title as they are, as beginnings, as parts; then those with all words as
beginnings anywhere, then all others; the newest come first. The order depends on nothing but the texts of the results. A result whose text changes
between two pages may appear on both, or on neither.`

/** Search over everything that the caller may read. */
const searchRoutes: Routes = async (app) => {
  // Texts of other programs; what the service writes is indexed already.
  app.addHook('preHandler', async () => {
    while (app.rules.reading.search.isBehind()) await app.perform(app.reading.search.index(), BY_SERVICE)
  })
  app.get('/api/search', {
    config: { access: 'read', failure: 'Failed to search', caching: 'no-store' },
    schema: {
      operationId: 'search',
      summary: 'Search all records that the caller may read',
      description: DESCRIPTION,
      tags: ['Search'],
      querystring: SearchQuerySchema,
      response: { 200: Type.Object({ results: Type.Array(ref(SearchResultSchema)) }) },
    },
    handler: (request) => {
      const { q = '', limit = DEFAULT_LIMIT, cursor, kind, projectId } = request.query
      return app.reading.search.results(q, memberOf(request).id, { limit, cursor }, { kind, projectId })
    },
  })
}

export default searchRoutes
