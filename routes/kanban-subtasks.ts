import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { prepareKanbanSubtasks } from '../src/board/subtasks.ts'
import { childRoutes, reorderRoute } from '../src/http/child-routes.ts'
import { CreateBody, IdParams, SortOrder, Title, UpdateBody } from '../src/schemas/common.ts'
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

const noExistenceCheck = 'An unknown id is answered with 500: no existence check is made.'

/** Kanban subtasks: what is to be ticked off on an item. */
const kanbanSubtaskRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const rules = prepareKanbanSubtasks(app.db)
  const routes = childRoutes(app, {
    thing: 'Kanban subtask',
    parent: 'item',
    record: KanbanSubtaskSchema,
    create: KanbanSubtaskCreateSchema,
    update: KanbanSubtaskUpdateSchema,
    rules,
    notes: {
      create: "Without a `sortOrder` it stands after the item's last.",
      update: noExistenceCheck,
      delete: noExistenceCheck,
    },
    failures: { update: 'Internal server error', delete: 'Internal server error' },
  })

  app.get('/api/kanban-items/:id/subtasks', routes.list)
  app.post('/api/kanban-items/:id/subtasks', routes.create)
  app.post(
    '/api/kanban-items/:id/subtasks/reorder',
    reorderRoute(app, {
      things: 'Kanban subtasks',
      record: KanbanSubtaskSchema,
      params: IdParams,
      key: 'kanbanSubtasks',
    }),
  )
  app.get('/api/kanban-subtasks/:id', routes.get)
  app.patch('/api/kanban-subtasks/:id', routes.update)
  app.delete('/api/kanban-subtasks/:id', routes.delete)
}

export default kanbanSubtaskRoutes
