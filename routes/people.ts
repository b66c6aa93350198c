import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { actorOf, memberOf } from '../src/access/identity.ts'
import { isSafe } from '../src/members/identity.ts'
import type { PeopleQuery, PeopleReader } from '../src/members/people.ts'
import { askHost, othersOf } from '../src/requests/hosted-people.ts'
import { PageParameters } from '../src/requests/pages.ts'
import { recordFor } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  CreateBody,
  ErrorBody,
  FilterByText,
  IdParams,
  LIMITS,
  MissingErrorBody,
  PERSON_LIMIT,
  ref,
  Success,
  ValidationErrorBody,
} from '../src/schemas/common.ts'
import { MergedPersonSchema, PERSON_KINDS, PersonSchema } from '../src/schemas/records.ts'

const ListQuery = Type.Object({
  ids: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description: `Only these people, in this order, even unlisted ones: comma-separated or repeated; at most ${PERSON_LIMIT}. Unknown ids are omitted, and other parameters are ignored`,
    }),
  ),
  q: FilterByText('Part of the name'),
  kind: Type.Optional(
    Type.Unsafe<(typeof PERSON_KINDS)[number]>({
      type: 'string',
      enum: [...PERSON_KINDS],
      description: 'People of this kind',
    }),
  ),
  ...PageParameters,
})

const MergePerson = CreateBody({
  into: Type.String({
    minLength: 1,
    maxLength: LIMITS.reference,
    description: 'The id of the member or person that replaces this one',
  }),
})

/** People: everybody with a name, members or not. */
const peopleRoutes: Routes = async (app) => {
  const { people } = app.members
  const tags = ['People']
  const readerOf = (request: FastifyRequest): PeopleReader => {
    const { id, role } = memberOf(request)
    return { id, role }
  }
  const record = recordFor(PersonSchema, (id, request) => people.get(id, [], readerOf(request)))

  // Not a hook of the routes, which a batch runs, too: a batch does not query the host.
  if (app.peopleOfHost) {
    app.addHook('preHandler', async (request) => {
      if (!isSafe(request.method)) return
      const { id } = request.params as Partial<Static<typeof IdParams>>
      await askHost(app, request, id === undefined ? (request.query as PeopleQuery) : { ids: id })
    })
  }

  app.get('/api/people', {
    config: { access: 'read', failure: 'Failed to fetch people', caching: 'no-store' },
    schema: {
      operationId: 'listPeople',
      summary: 'List people by name, or look up ids',
      description:
        'Everyone who can be assigned, mentioned or filtered by: members that are not disabled, people of the host application, and people of imported boards, unless they were merged. `ids` also finds others, such as deleted members: for the names of ids in records. Guests get the people assigned to their projects, disabled or not, and of others only `id`, `name` and `kind`: other fields have the same values for every person.',
      tags,
      querystring: ListQuery,
      response: { 200: Type.Array(ref(PersonSchema)), 400: ref(ValidationErrorBody) },
    },
    handler: (request) => people.page(request.query, othersOf(app, request), readerOf(request)),
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
    handler: (request) => people.get(request.params.id, othersOf(app, request), readerOf(request)),
  })

  app.post('/api/people/:id/merge', {
    config: {
      access: 'admin',
      failure: 'Failed to merge people',
      caching: 'no-store',
      record,
    },
    schema: {
      operationId: 'mergePerson',
      summary: 'Merge a person into another',
      description:
        'Replaces the person by the other one in assignees and claims, leads, project assignments, comment authors and idea owners, in one write; undo its `group` to revert it. Activity, changes, the audit log and teams stay unchanged. A member is 409, more than 5,000 records are 413.',
      tags,
      params: IdParams,
      body: MergePerson,
      example: { into: 'ada' },
      response: {
        200: ref(MergedPersonSchema),
        404: ref(MissingErrorBody),
        409: ref(ErrorBody),
        413: ref(ErrorBody),
      },
    },
    handler: ({ params, body }) => people.merge(params.id, body.into),
  })

  app.delete('/api/people/:id', {
    config: {
      access: 'admin',
      failure: 'Failed to forget person',
      caching: 'no-store',
      record,
    },
    schema: {
      operationId: 'forgetPerson',
      summary: 'Forget a person',
      description:
        'Erases the name wherever the service stores it, including the sequence of changes and the audit log; records keep the id. Texts that mention the person stay. It cannot be undone. A member is 409: delete the member first.',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => app.changes.forgetting.forget(request.params.id, actorOf(request)),
  })
}

export default peopleRoutes
