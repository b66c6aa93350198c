import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { actorOf } from '../src/http/identity.ts'
import { sendJson } from '../src/http/send.ts'
import { prepareTeams } from '../src/members/teams.ts'
import {
  CreateBody,
  Description,
  ENTRIES_LIMIT,
  ErrorBody,
  IdParams,
  LIMITS,
  Name,
  ref,
  Success,
  UpdateBody,
} from '../src/schemas/common.ts'
import { TeamSchema } from '../src/schemas/records.ts'

const optionalFields = {
  description: Description,
  memberIds: Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.reference }), {
    maxItems: ENTRIES_LIMIT,
    uniqueItems: true,
    description: 'Who is in the team, of whatever system keeps the members. Replaces who was',
  }),
}
const TeamCreateSchema = CreateBody({
  name: Name,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const TeamUpdateSchema = UpdateBody({ name: Name, ...optionalFields })

/** Teams: everybody may see them, admins run them. */
const teamRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const teams = prepareTeams(app.db)
  const tags = ['Teams']

  app.get('/api/teams', {
    config: { access: 'read', failure: 'Failed to fetch teams' },
    schema: {
      operationId: 'listTeams',
      summary: 'List the teams by id',
      tags,
      response: { 200: Type.Array(ref(TeamSchema)) },
    },
    handler: async (_request, reply) => sendJson(reply, await app.perform('teams')),
  })

  app.post('/api/teams', {
    config: { access: 'admin', failure: 'Failed to create team' },
    schema: {
      operationId: 'createTeam',
      summary: 'Create a team',
      tags,
      body: TeamCreateSchema,
      response: { 201: ref(TeamSchema) },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await app.write(() => teams.get(teams.create(request.body, actorOf(request))))),
  })

  app.get('/api/teams/:id', {
    config: { access: 'read', failure: 'Failed to fetch team' },
    schema: {
      operationId: 'getTeam',
      summary: 'Get a team',
      tags,
      params: IdParams,
      response: { 200: ref(TeamSchema), 404: ref(ErrorBody) },
    },
    handler: async ({ params }) => teams.get(params.id),
  })

  app.patch('/api/teams/:id', {
    config: { access: 'admin', failure: 'Failed to update team' },
    schema: {
      operationId: 'updateTeam',
      summary: 'Change a team',
      tags,
      params: IdParams,
      body: TeamUpdateSchema,
      response: { 200: ref(TeamSchema), 404: ref(ErrorBody) },
    },
    handler: async (request) => {
      const { id } = request.params
      return app.write(() => {
        teams.update(id, request.body, actorOf(request))
        return teams.get(id)
      })
    },
  })

  app.delete('/api/teams/:id', {
    config: { access: 'admin', failure: 'Failed to delete team' },
    schema: {
      operationId: 'deleteTeam',
      summary: 'Delete a team',
      description: 'Its projects keep its id.',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: async (request) => {
      await app.write(() => teams.delete(request.params.id, actorOf(request)))
      return { success: true as const }
    },
  })
}

export default teamRoutes
