import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { mustExist } from '../src/existence.ts'
import { prepareKanbanItemRow } from '../src/kanban-items.ts'
import {
  createKanbanSubtask,
  deleteKanbanSubtask,
  prepareKanbanSubtasks,
  updateKanbanSubtask,
} from '../src/kanban-subtasks.ts'
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
  const itemExists = mustExist('Kanban item', prepareKanbanItemRow(app.db))
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
      reply.code(201).send(createKanbanSubtask(app.db, request.params.id, request.body)),
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
    handler: async (request) => updateKanbanSubtask(app.db, request.params.id, request.body),
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
      deleteKanbanSubtask(app.db, request.params.id)
      return { success: true as const }
    },
  })
}

export default kanbanSubtaskRoutes
