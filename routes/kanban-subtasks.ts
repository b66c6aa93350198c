import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { kanbanItems } from '../src/db/schema.ts'
import { prepareExists } from '../src/db/statements.ts'
import { mustExist } from '../src/existence.ts'
import { prepareKanbanSubtaskChanges, prepareKanbanSubtasks } from '../src/kanban-subtasks.ts'
import {
  CreateBody,
  ErrorBody,
  IdParams,
  ref,
  SortOrder,
  Success,
  Title,
  UpdateBody,
} from '../src/schemas/common.ts'
import { KanbanSubtaskSchema } from '../src/schemas/records.ts'

const KanbanSubtaskCreateSchema = CreateBody({
  title: Title,
  completed: Type.Optional(Type.Boolean()),
  sortOrder: Type.Optional(SortOrder),
})
const KanbanSubtaskUpdateSchema = UpdateBody({
  title: Title,
  completed: Type.Boolean(),
  sortOrder: SortOrder,
})

/** Kanban subtasks: what is to be ticked off on an item. */
const kanbanSubtaskRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const subtasks = prepareKanbanSubtasks(app.db)
  const changes = prepareKanbanSubtaskChanges(app.db)
  const itemExists = mustExist('Kanban item', prepareExists(app.db, kanbanItems))
  const tags = ['Kanban subtasks']

  app.get('/api/kanban-items/:id/subtasks', {
    config: { access: 'read', failure: 'Failed to fetch kanban subtasks' },
    schema: {
      operationId: 'listKanbanSubtasks',
      summary: "List an item's subtasks by sortOrder",
      tags,
      params: IdParams,
      response: { 200: Type.Array(ref(KanbanSubtaskSchema)), 404: ref(ErrorBody) },
    },
    preHandler: itemExists,
    handler: async (request) => subtasks.ofItem(request.params.id),
  })

  app.post('/api/kanban-items/:id/subtasks', {
    config: { access: 'write', failure: 'Failed to create kanban subtask' },
    schema: {
      operationId: 'createKanbanSubtask',
      summary: "Create a subtask after the item's last one",
      tags,
      params: IdParams,
      body: KanbanSubtaskCreateSchema,
      response: { 201: ref(KanbanSubtaskSchema), 404: ref(ErrorBody) },
    },
    handler: async (request, reply) =>
      reply
        .code(201)
        .send(await app.write(() => subtasks.get(changes.create(request.params.id, request.body)))),
  })

  app.patch('/api/kanban-subtasks/:id', {
    config: { access: 'write', failure: 'Internal server error' },
    schema: {
      operationId: 'updateKanbanSubtask',
      summary: 'Change a subtask',
      description: 'An unknown id is answered with 500: no existence check is made.',
      tags,
      params: IdParams,
      body: KanbanSubtaskUpdateSchema,
      response: { 200: ref(KanbanSubtaskSchema) },
    },
    handler: async ({ params, body }) =>
      app.write(() => {
        changes.update(params.id, body)
        return subtasks.get(params.id)
      }),
  })

  app.delete('/api/kanban-subtasks/:id', {
    config: { access: 'write', failure: 'Internal server error' },
    schema: {
      operationId: 'deleteKanbanSubtask',
      summary: 'Delete a subtask',
      description: 'An unknown id is answered with 500: no existence check is made.',
      tags,
      params: IdParams,
      response: { 200: ref(Success) },
    },
    handler: async (request) => {
      await app.write(() => changes.delete(request.params.id))
      return { success: true as const }
    },
  })
}

export default kanbanSubtaskRoutes
