import { type Static, Type } from '@sinclair/typebox'
import type { onRequestHookHandler } from 'fastify'
import { memberOf, refuseUnseenProjects } from '../src/access/identity.ts'
import { notOwner } from '../src/errors.ts'
import { PageParameters } from '../src/requests/pages.ts'
import { listFor, recordFor } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  AnyOf,
  CreateBody,
  Description,
  ErrorBody,
  IdParams,
  LIMITS,
  MissingErrorBody,
  Nullable,
  PRIORITIES,
  REORDER_EXAMPLE,
  Reference,
  ReorderBody,
  ref,
  SortOrder,
  Success,
  Term,
  Title,
  UpdateBody,
  valuesOfAny,
} from '../src/schemas/common.ts'
import { PersonalIdeaListSchema, PersonalIdeaSchema, ProjectSchema } from '../src/schemas/records.ts'

const STATUSES = ['idea', 'ready', 'promoted', 'discarded']

const optionalFields = {
  description: Description,
  priority: Term(PRIORITIES),
  status: Term(STATUSES),
  sortOrder: SortOrder,
}
const CreatePersonalIdea = CreateBody({
  title: Title,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const UpdatePersonalIdea = UpdateBody({ title: Title, ...optionalFields })
const PromotePersonalIdea = UpdateBody({ teamId: Nullable(Reference) })

const PersonalIdeaFilterSchema = Type.Object({
  ownerId: AnyOf('Owner of the ideas; by default the current member'),
  status: AnyOf('Only ideas with this status', STATUSES),
  ...PageParameters,
})

const onlyOwn = "Another member's idea is 404, except for admins."

/** In required mode only an admin may read other members' ideas. @throws ApiError 403 */
const requireOwnIdeasOrAdmin: onRequestHookHandler = (request, _reply, done) => {
  const { ownerId } = request.query as Static<typeof PersonalIdeaFilterSchema>
  const { id, role } = memberOf(request)
  const asksForOthers = valuesOfAny(ownerId).some((owner) => owner !== id)
  done(asksForOthers && role !== 'admin' ? notOwner('ideas') : undefined)
}

/** Personal ideas: each member's private list. */
const personalIdeaRoutes: Routes<{ authMode: 'open' | 'required' }> = async (app, { authMode }) => {
  const { ideas } = app.projects
  const idea = recordFor(PersonalIdeaSchema, (id, request) => ideas.get(id, memberOf(request)))
  /** The owner whose list is compared: the first idea's, if ideas of several members are reordered. */
  const listAround = listFor((request) => {
    const [first] = (request.body as Static<typeof ReorderBody>).items
    return ideas.etagAround(first?.id, memberOf(request))
  })
  const tags = ['Personal ideas']

  app.get('/api/personal-ideas', {
    config: { access: 'own', failure: 'Failed to fetch personal ideas' },
    schema: {
      operationId: 'listPersonalIdeas',
      summary: "List a member's ideas by sortOrder",
      tags,
      querystring: PersonalIdeaFilterSchema,
      response: { 200: ref(PersonalIdeaListSchema) },
    },
    onRequest: authMode === 'required' ? requireOwnIdeasOrAdmin : [],
    handler: (request) => {
      const { ownerId, status, ...page } = request.query
      const owners = valuesOfAny(ownerId)
      const ideasOf = owners.length > 0 ? owners : [memberOf(request).id]
      return ideas.list(ideasOf, valuesOfAny(status), page)
    },
  })

  app.post('/api/personal-ideas', {
    config: { access: 'own', failure: 'Failed to create personal idea' },
    schema: {
      operationId: 'createPersonalIdea',
      summary: 'Create an idea of the current member',
      tags,
      body: CreatePersonalIdea,
      example: { title: 'A podcast about our customers', priority: 'low' },
      response: { 201: ref(PersonalIdeaSchema) },
    },
    handler: (request) => ideas.create(memberOf(request).id, request.body),
  })

  app.post('/api/personal-ideas/reorder', {
    config: {
      access: 'own',
      failure: 'Failed to reorder personal ideas',
      record: listAround,
      dependsOnRole: true,
    },
    schema: {
      operationId: 'reorderPersonalIdeas',
      summary: 'Reorder personal ideas',
      description:
        'All or nothing. Returns the given records, in the order of the request. `If-Match` is compared with the ETag of their owner’s unfiltered list.',
      tags,
      body: ReorderBody,
      example: REORDER_EXAMPLE,
      response: { 200: Type.Array(ref(PersonalIdeaSchema)), 404: ref(MissingErrorBody) },
    },
    handler: (request) => ideas.reorder(request.body.items, memberOf(request)),
  })

  app.get('/api/personal-ideas/:id', {
    config: { access: 'own', failure: 'Failed to fetch personal idea' },
    schema: {
      operationId: 'getPersonalIdea',
      summary: 'Get an idea',
      description: onlyOwn,
      tags,
      params: IdParams,
      response: { 200: ref(PersonalIdeaSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => ideas.get(request.params.id, memberOf(request)),
  })

  app.patch('/api/personal-ideas/:id', {
    config: { access: 'own', failure: 'Failed to update personal idea', record: idea, dependsOnRole: true },
    schema: {
      operationId: 'updatePersonalIdea',
      summary: 'Change an idea',
      description: onlyOwn,
      tags,
      params: IdParams,
      body: UpdatePersonalIdea,
      example: { status: 'ready' },
      response: { 200: ref(PersonalIdeaSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => ideas.update(request.params.id, request.body, memberOf(request)),
  })

  app.delete('/api/personal-ideas/:id', {
    config: { access: 'own', failure: 'Failed to delete personal idea', record: idea, dependsOnRole: true },
    schema: {
      operationId: 'deletePersonalIdea',
      summary: 'Delete an idea',
      description: `A project created from it stays. ${onlyOwn}`,
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => ideas.delete(request.params.id, memberOf(request)),
  })

  app.post('/api/personal-ideas/:id/promote', {
    config: {
      access: 'write',
      failure: 'Failed to promote personal idea',
      isBodyOptional: true,
      caching: 'no-store',
      record: idea,
      dependsOnRole: true,
    },
    schema: {
      operationId: 'promotePersonalIdea',
      summary: 'Create a project from an idea',
      description: `The project is named after the first ${LIMITS.name} characters of the title and gets the idea's description; the idea becomes \`promoted\`. While that project exists, promoting the idea again is 409. The body is optional. ${onlyOwn}`,
      tags,
      params: IdParams,
      body: PromotePersonalIdea,
      example: { teamId: 'web' },
      response: { 201: ref(ProjectSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    preValidation: refuseUnseenProjects,
    handler: (request) => ideas.promote(request.params.id, request.body, memberOf(request)),
  })
}

export default personalIdeaRoutes
