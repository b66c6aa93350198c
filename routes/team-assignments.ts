import { Type } from '@sinclair/typebox'
import { childRoutes } from '../src/requests/child-routes.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
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
  UpdateBody,
} from '../src/schemas/common.ts'
import { ProjectSchema, TeamAssignmentSchema } from '../src/schemas/records.ts'

const MemberId = Type.String({ minLength: 1, maxLength: LIMITS.reference })
const Role = Term(['member', 'lead', 'viewer'])
const fields = { memberId: MemberId, role: Type.Optional(Role) }
const CreateTeamAssignment = CreateBody(fields)
const UpdateTeamAssignment = UpdateBody({ role: Role })

const ReplaceTeamAssignments = CreateBody({
  members: UniqueBy('memberId', Type.Object(fields, { additionalProperties: false })),
  leadId: Type.Optional(Nullable(Reference)),
})

/** The members who work on a project. */
const teamAssignmentRoutes: Routes = async (app) => {
  const tags = ['Team assignments']
  const assignments = childRoutes(app, app.projects.assignments, {
    record: TeamAssignmentSchema,
    tag: 'Team assignments',
  })

  assignments.list('/api/projects/:id/team-assignments', {
    operationId: 'listTeamAssignments',
    summary: 'List the team assignments of a project',
    failure: 'Failed to fetch team assignments',
  })
  assignments.create('/api/projects/:id/team-assignments', {
    operationId: 'createTeamAssignment',
    summary: 'Assign a member to a project',
    description: "Assigning a member twice is 409. The project's lead does not change.",
    failure: 'Failed to create team assignment',
    body: CreateTeamAssignment,
    example: { memberId: 'ada', role: 'member' },
    conflicts: true,
  })
  assignments.get('/api/team-assignments/:id', {
    operationId: 'getTeamAssignment',
    summary: 'Get a team assignment',
    failure: 'Failed to fetch team assignment',
  })
  assignments.update('/api/team-assignments/:id', {
    operationId: 'updateTeamAssignment',
    summary: 'Change the role of a team assignment',
    failure: 'Failed to update team assignment',
    body: UpdateTeamAssignment,
    example: { role: 'lead' },
  })
  assignments.delete('/api/team-assignments/:id', {
    operationId: 'deleteTeamAssignment',
    summary: 'Delete a team assignment',
    description: "The member stays, and so does the project's lead.",
    failure: 'Failed to delete team assignment',
  })

  app.put('/api/projects/:id/team-assignments', {
    config: {
      access: 'write',
      failure: 'Failed to update team assignments',
      record: recordOf(ProjectSchema, (id) => app.projects.get(id)),
    },
    schema: {
      operationId: 'replaceTeamAssignments',
      summary: 'Set the members of a project',
      description:
        "Other members are removed; those who stay keep their assignments. `leadId` sets the project's lead, null removes it; without it the lead does not change.",
      tags,
      params: IdParams,
      body: ReplaceTeamAssignments,
      example: {
        members: [{ memberId: 'ada', role: 'lead' }, { memberId: 'bob' }],
        leadId: 'ada',
      },
      response: { 200: Type.Array(ref(TeamAssignmentSchema)), 404: ref(ErrorBody) },
    },
    handler: ({ params, body }) => app.projects.assignments.replace(params.id, body),
  })
}

export default teamAssignmentRoutes
