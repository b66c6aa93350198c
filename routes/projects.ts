import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { actorOf, callerOf, memberOf, refuseUnseenProjects } from '../src/access/identity.ts'
import { DEFAULT_SORT } from '../src/db/pages.ts'
import { SHARERS } from '../src/members/sharing.ts'
import { PROJECT_KEY_PATTERN } from '../src/projects/project-keys.ts'
import { PROJECT_SORTS } from '../src/projects/projects.ts'
import { ExpandQuery, expandsPeople, sendWithPeople } from '../src/requests/expand.ts'
import { ListQuery } from '../src/requests/pages.ts'
import { sendPage, sendSnapshot } from '../src/requests/respond.ts'
import { listFor, recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { isStrict } from '../src/requests/strictness.ts'
import {
  AnyObject,
  AnyOf,
  CreateBody,
  Description,
  ErrorBody,
  FilterByText,
  Id,
  IdParams,
  JsonText,
  LIMITS,
  MissingErrorBody,
  Name,
  NotModified,
  Nullable,
  REORDER_EXAMPLE,
  Reference,
  ReorderBody,
  ref,
  SortOrder,
  Success,
  Term,
  UpdateBody,
} from '../src/schemas/common.ts'
import {
  ProjectListSchema,
  ProjectSchema,
  ProjectSummaryListSchema,
  ProjectWithPeopleSchema,
} from '../src/schemas/records.ts'

const PhaseSchema = Type.Object({ name: Type.String({ minLength: 1 }) }, { additionalProperties: true })

const TYPES = ['technical', 'business', 'custom']
const HEALTHS = ['on-track', 'at-risk', 'blocked']
const STATUSES = ['backlog', 'active', 'completed', 'archived']

const optionalFields = {
  key: Nullable(
    Type.String({
      pattern: PROJECT_KEY_PATTERN,
      description:
        'What the numbers of its items begin with, as in `WEB-12`: 2 to 6 letters and digits. Without one, or with null, a new project gets one made from its name, and another keeps its own.',
      examples: ['WEB'],
    }),
  ),
  description: Description,
  type: Term(TYPES),
  status: Term(STATUSES),
  phase: Type.String({
    maxLength: LIMITS.term,
    description: 'Name of the current phase; empty counts as absent',
  }),
  phaseConfig: JsonText(Type.Array(PhaseSchema)),
  health: Term(HEALTHS),
  nextStep: Description,
  sortOrder: SortOrder,
  metadata: JsonText(AnyObject),
  leadId: Nullable(Reference),
  teamId: Nullable(Reference),
  access: Type.Unsafe<'everyone' | 'assigned'>({
    type: 'string',
    enum: ['everyone', 'assigned'],
    description:
      'Who sees it: every member except guests, or only admins and those who are assigned to the project or belong to its team. Being the assignee of an item gives no access.',
  }),
  shareLinks: Type.Unsafe<(typeof SHARERS)[number]>({
    type: 'string',
    enum: [...SHARERS],
    description:
      'Who may create share links: members who may write the project, but no guests; only admins; or nobody: then its links do not work. Whoever may create them may change it.',
  }),
}
const CreateProject = CreateBody({
  name: Name,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const UpdateProject = UpdateBody({
  name: Name,
  ...optionalFields,
  phase: Type.String({ minLength: 1, maxLength: LIMITS.term, description: 'Name of the current phase' }),
})

const ProjectsQuery = ListQuery(
  {
    status: AnyOf('Exact match', STATUSES),
    teamId: AnyOf('Exact match'),
    leadId: AnyOf('Exact match'),
    type: AnyOf('Exact match', TYPES),
    health: AnyOf('Exact match', HEALTHS),
    q: FilterByText('Part of the name or the description'),
    view: Type.Optional(
      Type.Unsafe<'summary'>({
        type: 'string',
        enum: ['summary'],
        description: 'Projects with counts instead of all their records',
      }),
    ),
  },
  PROJECT_SORTS,
)

/** Whether a query lists all projects, or those of a status or a team with all relations by sortOrder, as snapshots cache them. */
const isWholeList = ({
  status: _status,
  teamId: _teamId,
  sort = DEFAULT_SORT,
  ...others
}: Static<typeof ProjectsQuery>) =>
  sort === DEFAULT_SORT && Object.keys(others).every((name) => !Object.hasOwn(ProjectsQuery.properties, name))

const ProjectPlaceSchema = Type.Object({ id: Id, sortOrder: Type.Number() })

/** Projects: the whole record with all relations, in every response. */
const projectRoutes: Routes = async (app) => {
  const tags = ['Projects']

  /** Reads the list inside a batch, including the batch's own writes, which no snapshot contains. */
  function listInBatch(request: FastifyRequest) {
    const query = request.query as Static<typeof ProjectsQuery>
    if (query.view === 'summary') return app.reading.summaries.page(query, query)
    return app.reading.wholeProjects.page(query, query)
  }

  app.get('/api/projects', {
    config: { access: 'read', failure: 'Failed to fetch projects', inBatch: listInBatch },
    schema: {
      operationId: 'listProjects',
      summary: 'List projects, by sortOrder or the given sort',
      description: 'With a `limit`, the `Link` header names the next page, if there is one.',
      tags,
      querystring: ProjectsQuery,
      response: {
        // Not `oneOf`: an empty list matches both.
        200: Type.Union([ref(ProjectListSchema), ref(ProjectSummaryListSchema)], {
          description: 'With `view=summary` a `ProjectSummaryList`, else a `ProjectList`',
        }),
        304: NotModified,
      },
    },
    handler: (request, reply) => {
      const { query } = request
      if (isWholeList(query)) return sendSnapshot(reply, app.snapshots.list(query, callerOf(request)))
      if (query.view !== 'summary')
        return sendPage(reply, app.snapshots.page(query, query, callerOf(request)))
      return sendPage(reply, app.read(app.reading.summaries.page(query, query), callerOf(request)))
    },
  })

  app.post('/api/projects', {
    config: { access: 'write', failure: 'Failed to create project' },
    schema: {
      operationId: 'createProject',
      summary: 'Create a project',
      description:
        'Without `phaseConfig` the project gets the default sequence of its type; without `phase` it starts in the first of its sequence.',
      tags,
      body: CreateProject,
      example: {
        name: 'Website relaunch',
        description: 'A new home page before the trade fair.',
        type: 'business',
        status: 'active',
        nextStep: 'Ask three agencies for offers',
        metadata: { budget: 12000 },
      },
      response: { 201: ref(ProjectSchema) },
    },
    preValidation: refuseUnseenProjects,
    handler: (request) => app.projects.create(request.body, { isStrict: isStrict(request) }),
  })

  app.post('/api/projects/reorder', {
    config: {
      access: 'write',
      failure: 'Failed to reorder projects',
      record: listFor(() => app.reading.wholeProjects.etag()),
    },
    schema: {
      operationId: 'reorderProjects',
      summary: 'Reorder projects',
      description:
        'All or nothing. Returns the given records, in the order of the request. `If-Match` is compared with the ETag of `GET /api/projects`, without parameters.',
      tags,
      body: ReorderBody,
      example: REORDER_EXAMPLE,
      response: { 200: Type.Array(ProjectPlaceSchema), 404: ref(MissingErrorBody) },
    },
    handler: (request) => app.projects.reorder(request.body.items),
  })

  app.get('/api/projects/:id', {
    config: {
      access: 'read',
      failure: 'Failed to fetch project',
      inBatch: ({ params }) => app.projects.get((params as Static<typeof IdParams>).id),
    },
    schema: {
      operationId: 'getProject',
      summary: 'Get a project',
      tags,
      params: IdParams,
      querystring: ExpandQuery,
      response: { 200: ref(ProjectWithPeopleSchema), 304: NotModified, 404: ref(ErrorBody) },
    },
    handler: (request, reply) => {
      const snapshot = app.snapshots.project(request.params.id, callerOf(request))
      return expandsPeople(request.query)
        ? sendWithPeople(app, reply, request.params.id, snapshot)
        : sendSnapshot(reply, snapshot)
    },
  })

  app.patch('/api/projects/:id', {
    config: {
      access: 'write',
      failure: 'Failed to update project',
      record: recordOf(ProjectSchema, (id) => app.projects.get(id)),
      later: (request, reply) => {
        const { id } = request.params as Static<typeof IdParams>
        return sendSnapshot(reply, app.snapshots.project(id, callerOf(request)))
      },
    },
    schema: {
      operationId: 'updateProject',
      summary: 'Change a project',
      tags,
      params: IdParams,
      body: UpdateProject,
      example: { status: 'active', health: 'at-risk', nextStep: 'Find a date for the photographer' },
      response: { 200: ref(ProjectSchema), 404: ref(ErrorBody) },
    },
    handler: (request) =>
      app.projects.update(request.params.id, request.body, {
        isStrict: isStrict(request),
        by: memberOf(request),
      }),
  })

  app.delete('/api/projects/:id', {
    config: {
      access: 'admin-or-403',
      failure: 'Failed to delete project',
      record: recordOf(ProjectSchema, (id) => app.projects.get(id)),
    },
    schema: {
      operationId: 'deleteProject',
      summary: 'Delete a project with everything that belongs to it',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => app.projects.delete(request.params.id, actorOf(request)),
  })
}

export default projectRoutes
