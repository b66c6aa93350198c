import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PageParameters } from '../src/requests/pages.ts'
import {
  ErrorBody,
  FilterByText,
  IdParams,
  PERSON_LIMIT,
  ref,
  ValidationErrorBody,
} from '../src/schemas/common.ts'
import { PERSON_KINDS, PersonSchema } from '../src/schemas/records.ts'

const PeopleQuery = Type.Object({
  ids: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description: `These people alone, in this order, whether they are listed or not: with commas between them, or given several times; at most ${PERSON_LIMIT}. Unknown ones are left out, and other parameters do not count`,
    }),
  ),
  q: FilterByText('A part of the name'),
  kind: Type.Optional(
    Type.Unsafe<(typeof PERSON_KINDS)[number]>({
      type: 'string',
      enum: [...PERSON_KINDS],
      description: 'People of this kind',
    }),
  ),
  ...PageParameters,
})

/** People: who has a name here, members or not. */
const peopleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { people } = app.members
  const tags = ['People']

  app.get('/api/people', {
    config: { access: 'read', failure: 'Failed to fetch people', caching: 'no-store' },
    schema: {
      operationId: 'listPeople',
      summary: 'List people by name, or find those of some ids',
      description:
        'Everybody who can be assigned, mentioned or filtered by: members that are not disabled, people of the application that the service is embedded in, and those whom imported boards name, unless they were merged. With `ids` others too, such as a member that was deleted: for the names beside what records hold.',
      tags,
      querystring: PeopleQuery,
      response: { 200: Type.Array(ref(PersonSchema)), 400: ref(ValidationErrorBody) },
    },
    handler: ({ query }) => people.page(query),
  })

  app.get('/api/people/:id', {
    config: { access: 'read', failure: 'Failed to fetch person', caching: 'no-store' },
    schema: {
      operationId: 'getPerson',
      summary: 'Get a person',
      tags,
      params: IdParams,
      response: { 200: ref(PersonSchema), 404: ref(ErrorBody) },
    },
    handler: ({ params }) => people.get(params.id),
  })
}

export default peopleRoutes
