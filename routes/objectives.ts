import { Type } from '@sinclair/typebox'
import { childRoutes } from '../src/requests/child-routes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, Description, SortOrder, Term, Title, UpdateBody } from '../src/schemas/common.ts'
import { ObjectiveSchema } from '../src/schemas/records.ts'

const fields = {
  title: Title,
  description: Type.Optional(Description),
  status: Type.Optional(Term(['not-started', 'in-progress', 'completed'])),
  sortOrder: Type.Optional(SortOrder),
}
const CreateObjective = CreateBody(fields)
const UpdateObjective = UpdateBody(fields)

/** The objectives of a project. */
const objectiveRoutes: Routes = async (app) => {
  const objectives = childRoutes(app, app.projects.objectives, {
    record: ObjectiveSchema,
    tag: 'Objectives',
  })

  objectives.list('/api/projects/:id/objectives', {
    operationId: 'listObjectives',
    summary: 'List the objectives of a project',
    failure: 'Failed to fetch objectives',
  })
  objectives.create('/api/projects/:id/objectives', {
    operationId: 'createObjective',
    summary: 'Create an objective',
    failure: 'Failed to create objective',
    body: CreateObjective,
    example: { title: 'Twice as many orders over the web', status: 'in-progress' },
  })
  objectives.get('/api/objectives/:id', {
    operationId: 'getObjective',
    summary: 'Get an objective',
    failure: 'Failed to fetch objective',
  })
  objectives.update('/api/objectives/:id', {
    operationId: 'updateObjective',
    summary: 'Change an objective',
    failure: 'Failed to update objective',
    body: UpdateObjective,
    example: { status: 'completed' },
  })
  objectives.delete('/api/objectives/:id', {
    operationId: 'deleteObjective',
    summary: 'Delete an objective',
    failure: 'Failed to delete objective',
  })
}

export default objectiveRoutes
