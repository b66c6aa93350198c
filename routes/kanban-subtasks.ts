import { Type } from '@sinclair/typebox'
import { childRoutes } from '../src/requests/child-routes.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, SortOrder, Title, UpdateBody } from '../src/schemas/common.ts'
import { KanbanItemSchema, KanbanSubtaskSchema } from '../src/schemas/records.ts'

const CreateKanbanSubtask = CreateBody({
  title: Title,
  completed: Type.Optional(Type.Boolean()),
  sortOrder: Type.Optional(SortOrder),
})
const UpdateKanbanSubtask = UpdateBody({
  title: Title,
  completed: Type.Boolean(),
  sortOrder: SortOrder,
})

const noExistenceCheck = 'An unknown id is 500: there is no existence check.'

/** The subtasks (checklist) of an item. */
const kanbanSubtaskRoutes: Routes = async (app) => {
  const subtasks = childRoutes(app, app.board.subtasks, {
    record: KanbanSubtaskSchema,
    tag: 'Kanban subtasks',
  })

  subtasks.list('/api/kanban-items/:id/subtasks', {
    operationId: 'listKanbanSubtasks',
    summary: 'List the kanban subtasks of an item',
    failure: 'Failed to fetch kanban subtasks',
  })
  subtasks.create('/api/kanban-items/:id/subtasks', {
    operationId: 'createKanbanSubtask',
    summary: 'Create a kanban subtask',
    description: "Without a `sortOrder` it is added after the item's last subtask.",
    failure: 'Failed to create kanban subtask',
    body: CreateKanbanSubtask,
    example: { title: 'Ask the photographer for the raw files' },
  })
  subtasks.reorder('/api/kanban-items/:id/subtasks/reorder', app.board.subtasks.reorder, {
    parent: recordOf(KanbanItemSchema, app.board.items.get),
    operationId: 'reorderKanbanSubtasks',
    summary: 'Reorder kanban subtasks',
    description: 'All or nothing. Returns the given records, in the order of the request.',
    failure: 'Failed to reorder kanban subtasks',
  })
  subtasks.get('/api/kanban-subtasks/:id', {
    operationId: 'getKanbanSubtask',
    summary: 'Get a kanban subtask',
    failure: 'Failed to fetch kanban subtask',
  })
  subtasks.update('/api/kanban-subtasks/:id', {
    operationId: 'updateKanbanSubtask',
    summary: 'Change a kanban subtask',
    description: noExistenceCheck,
    failure: 'Internal server error',
    body: UpdateKanbanSubtask,
    example: { completed: true },
  })
  subtasks.delete('/api/kanban-subtasks/:id', {
    operationId: 'deleteKanbanSubtask',
    summary: 'Delete a kanban subtask',
    description: noExistenceCheck,
    failure: 'Internal server error',
  })
}

export default kanbanSubtaskRoutes
