import { Type } from '@sinclair/typebox'
import { actorOf } from '../src/access/identity.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
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
    description: 'Members of the team, by ids of any system. Replaces all former ones',
  }),
}
const CreateTeam = CreateBody({
  name: Name,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const UpdateTeam = UpdateBody({ name: Name, ...optionalFields })

/** Teams: every member may read them, admins manage them. */
const teamRoutes: Routes = async (app) => {
  const { teams } = app.members
  const tags = ['Teams']

  app.get('/api/teams', {
    config: { access: 'read', failure: 'Failed to fetch teams' },
    schema: {
      operationId: 'listTeams',
      summary: 'List the teams by id',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(TeamSchema)) },
    },
    handler: ({ query }) => teams.list(query),
  })

  app.post('/api/teams', {
    config: { access: 'admin', failure: 'Failed to create team' },
    schema: {
      operationId: 'createTeam',
      summary: 'Create a team',
      tags,
      body: CreateTeam,
      example: { name: 'Web', description: 'Everything that has an address', memberIds: ['ada', 'bob'] },
      response: { 201: ref(TeamSchema) },
    },
    handler: (request) => teams.create(request.body, actorOf(request)),
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
    handler: ({ params }) => teams.get(params.id),
  })

  app.patch('/api/teams/:id', {
    config: {
      access: 'admin',
      failure: 'Failed to update team',
      record: recordOf(TeamSchema, app.members.teams.get),
    },
    schema: {
      operationId: 'updateTeam',
      summary: 'Change a team',
      tags,
      params: IdParams,
      body: UpdateTeam,
      example: { memberIds: ['ada', 'bob', 'cleo'] },
      response: { 200: ref(TeamSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => teams.update(request.params.id, request.body, actorOf(request)),
  })

  app.delete('/api/teams/:id', {
    config: {
      access: 'admin',
      failure: 'Failed to delete team',
      record: recordOf(TeamSchema, app.members.teams.get),
    },
    schema: {
      operationId: 'deleteTeam',
      summary: 'Delete a team',
      description: 'Its projects keep its id.',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => teams.delete(request.params.id, actorOf(request)),
  })
}

export default teamRoutes
