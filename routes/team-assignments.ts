import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { PagesQuery } from '../src/http/pages.ts'
import { recordOf } from '../src/http/response-shapes.ts'
import {
  CreateBody,
  ErrorBody,
  IdParams,
  LIMITS,
  Nullable,
  Reference,
  ref,
  Term,
  UniqueBy,
} from '../src/schemas/common.ts'
import { ProjectSchema, TeamAssignmentSchema } from '../src/schemas/records.ts'

const ReplaceTeamAssignments = CreateBody({
  members: UniqueBy(
    'memberId',
    Type.Object(
      {
        memberId: Type.String({ minLength: 1, maxLength: LIMITS.reference }),
        role: Type.Optional(Term(['member', 'lead'])),
      },
      { additionalProperties: false },
    ),
  ),
  leadId: Type.Optional(Nullable(Reference)),
})

/** Team assignments: the members who work on a project. */
const teamAssignmentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const tags = ['Team assignments']

  app.get('/api/projects/:id/team-assignments', {
    config: { access: 'read', failure: 'Failed to fetch team assignments' },
    schema: {
      operationId: 'listTeamAssignments',
      summary: 'List the team assignments of a project',
      tags,
      params: IdParams,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(TeamAssignmentSchema)), 404: ref(ErrorBody) },
    },
    handler: (request) => app.projects.assignments.list(request.params.id, request.query),
  })

  app.put('/api/projects/:id/team-assignments', {
    config: {
      access: 'write',
      failure: 'Failed to update team assignments',
      record: recordOf(ProjectSchema, (id) => app.projects.get(id)),
    },
    schema: {
      operationId: 'replaceTeamAssignments',
      summary: 'Say who works on a project',
      description:
        'Who is not named is removed; who stays keeps the assignment. `leadId` says who leads the project, null that nobody does; without it that stays as it is.',
      tags,
      params: IdParams,
      body: ReplaceTeamAssignments,
      response: { 200: Type.Array(ref(TeamAssignmentSchema)), 404: ref(ErrorBody) },
    },
    handler: ({ params, body }) => app.projects.assignments.replace(params.id, body),
  })
}

export default teamAssignmentRoutes
