import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { prepareChildren } from '../src/db/old-children.ts'
import { objectives } from '../src/db/schema.ts'
import { childRoutes } from '../src/http/old-child-routes.ts'
import { CreateBody, Description, SortOrder, Term, Title, UpdateBody } from '../src/schemas/common.ts'
import { ObjectiveSchema } from '../src/schemas/records.ts'

const fields = {
  title: Title,
  description: Type.Optional(Description),
  status: Type.Optional(Term(['not-started', 'in-progress', 'completed'])),
  sortOrder: Type.Optional(SortOrder),
}

/** Objectives: what a project wants to achieve. */
const objectiveRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const routes = childRoutes(app, {
    thing: 'Objective',
    parent: 'project',
    record: ObjectiveSchema,
    create: CreateBody(fields),
    update: UpdateBody(fields),
    rules: prepareChildren(app.db, objectives),
  })

  app.get('/api/projects/:id/objectives', routes.list)
  app.post('/api/projects/:id/objectives', routes.create)
  app.get('/api/objectives/:id', routes.get)
  app.patch('/api/objectives/:id', routes.update)
  app.delete('/api/objectives/:id', routes.delete)
}

export default objectiveRoutes
