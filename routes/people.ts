import { type Static, Type } from '@sinclair/typebox'
import { actorOf } from '../src/access/identity.ts'
import { isSafe } from '../src/members/identity.ts'
import type { PeopleQuery } from '../src/members/people.ts'
import { askHost, hostedOf } from '../src/requests/hosted-people.ts'
import { PageParameters } from '../src/requests/pages.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
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

const MergePerson = CreateBody({
  into: Type.String({
    minLength: 1,
    maxLength: LIMITS.reference,
    description: 'The id of the member or person whom everything names then',
  }),
})

/** People: who has a name here, members or not. */
const peopleRoutes: Routes = async (app) => {
  const { people } = app.members
  const tags = ['People']

  // Not a hook of the routes, which a batch runs, too: there the host is not asked.
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
      summary: 'List people by name, or find those of some ids',
      description:
        'Everybody who can be assigned, mentioned or filtered by: members that are not disabled, people of the application that the service is embedded in, and those whom imported boards name, unless they were merged. With `ids` others too, such as a member that was deleted: for the names beside what records hold.',
      tags,
      querystring: ListQuery,
      response: { 200: Type.Array(ref(PersonSchema)), 400: ref(ValidationErrorBody) },
    },
    handler: (request) => people.page(request.query, hostedOf(request)),
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
    handler: (request) => people.get(request.params.id, hostedOf(request)),
  })

  app.post('/api/people/:id/merge', {
    config: {
      access: 'admin',
      failure: 'Failed to merge people',
      caching: 'no-store',
      record: recordOf(PersonSchema, app.members.people.get),
    },
    schema: {
      operationId: 'mergePerson',
      summary: 'Merge a person into another',
      description:
        'Who turns out to be somebody else: assignees and claims, leads, assignments to projects, authors of comments and owners of ideas name the other one from then on, in one write, which an undo of its `group` takes back. Activity, changes, the audit log and teams stay as they are. A member is 409, more than 5,000 records are 413.',
      tags,
      params: IdParams,
      body: MergePerson,
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
      record: recordOf(PersonSchema, app.members.people.get),
    },
    schema: {
      operationId: 'forgetPerson',
      summary: 'Forget a person',
      description:
        'The name goes from wherever the service keeps it, the sequence of changes and the audit log included; records keep the id, which says nothing then. What people have written about somebody stays. It cannot be undone. A member is 409: delete the member first.',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => app.changes.forgetting.forget(request.params.id, actorOf(request)),
  })
}

export default peopleRoutes
