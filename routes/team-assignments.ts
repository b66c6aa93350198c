import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { sendJson } from '../src/http/send.ts'
import { prepareTeamAssignments } from '../src/projects/assignments.ts'
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
import { TeamAssignmentSchema } from '../src/schemas/records.ts'

const TeamSchema = CreateBody({
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

/** Team assignments: who works on a project. */
const teamAssignmentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const assignments = prepareTeamAssignments(app.db)
  const tags = ['Team assignments']

  app.get('/api/projects/:id/team-assignments', {
    config: { access: 'read', failure: 'Failed to fetch team assignments' },
    schema: {
      operationId: 'listTeamAssignments',
      summary: 'List the team assignments of a project',
      tags,
      params: IdParams,
      response: { 200: Type.Array(ref(TeamAssignmentSchema)), 404: ref(ErrorBody) },
    },
    handler: async (request) => assignments.list(request.params.id),
  })

  app.put('/api/projects/:id/team-assignments', {
    config: { access: 'write', failure: 'Failed to update team assignments' },
    schema: {
      operationId: 'replaceTeamAssignments',
      summary: 'Say who works on a project',
      description:
        'Who is not named is removed; who stays keeps the assignment. `leadId` says who leads the project, null that nobody does; without it that stays as it is.',
      tags,
      params: IdParams,
      body: TeamSchema,
      response: { 200: Type.Array(ref(TeamAssignmentSchema)), 404: ref(ErrorBody) },
    },
    handler: async ({ params, body }, reply) =>
      sendJson(reply, await app.perform('replaceAssignments', params.id, body)),
  })
}

export default teamAssignmentRoutes
