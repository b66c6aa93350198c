import { Type } from '@sinclair/typebox'
import { memberOf } from '../src/access/identity.ts'
import { STAGES, type Stage } from '../src/board/stages.ts'
import { childRoutes } from '../src/requests/child-routes.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  CreateBody,
  ErrorBody,
  IdParams,
  LIMITS,
  ref,
  SortOrder,
  Success,
  UpdateBody,
} from '../src/schemas/common.ts'
import { KanbanColumnSchema, ProjectSchema } from '../src/schemas/records.ts'

const optionalFields = {
  color: Type.String({ maxLength: LIMITS.term, examples: ['#3b82f6'] }),
  sortOrder: SortOrder,
  wipLimit: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Maximum number of items that are not dismissed; 0 is no limit',
  }),
  wipPolicy: Type.Unsafe<'warn' | 'block'>({
    type: 'string',
    enum: ['warn', 'block'],
    description: 'Above the limit: respond with `warnings`, or refuse with 409',
  }),
  stage: Type.Unsafe<Stage | null>({
    type: ['string', 'null'],
    enum: [...STAGES, null],
    description:
      'The stage of work of its items. null, the default, derives it from name and position: a column named like `done` (or `closed`, `completed`, `erledigt`, ...) is `done`; of the others the first is `todo`, the last `done`, the rest `doing`; a single one is `todo`',
  }),
}
const ColumnName = Type.String({ minLength: 1, maxLength: LIMITS.term, description: 'Unique in its project' })
const CreateKanbanColumn = CreateBody({
  name: ColumnName,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const UpdateKanbanColumn = UpdateBody({ name: ColumnName, ...optionalFields })

const DeleteQuery = Type.Object({
  moveTo: Type.Optional(
    Type.String({ description: 'The name of another column of the project, which gets its items' }),
  ),
})

/** The columns of a board. Items refer to them by name. */
const kanbanColumnRoutes: Routes = async (app) => {
  const columns = childRoutes(app, app.board.columns, { record: KanbanColumnSchema, tag: 'Kanban columns' })

  columns.list('/api/projects/:id/kanban-columns', {
    operationId: 'listKanbanColumns',
    summary: 'List the kanban columns of a project',
    failure: 'Failed to fetch kanban columns',
  })
  columns.create('/api/projects/:id/kanban-columns', {
    operationId: 'createKanbanColumn',
    summary: 'Create a kanban column',
    description: 'Without a `sortOrder` it is added at the end of the board. A taken name is 409.',
    failure: 'Failed to create kanban column',
    conflicts: true,
    body: CreateKanbanColumn,
    example: { name: 'Waiting', color: '#f59e0b', wipLimit: 5 },
  })
  columns.reorder('/api/projects/:id/kanban-columns/reorder', app.board.columns.reorder, {
    parent: recordOf(ProjectSchema, (id) => app.projects.get(id)),
    operationId: 'reorderKanbanColumns',
    summary: 'Reorder kanban columns',
    description: 'All or nothing. Returns the given records, in the order of the request.',
    failure: 'Failed to reorder kanban columns',
  })
  columns.get('/api/kanban-columns/:id', {
    operationId: 'getKanbanColumn',
    summary: 'Get a kanban column',
    failure: 'Failed to fetch kanban column',
  })
  columns.update('/api/kanban-columns/:id', {
    operationId: 'updateKanbanColumn',
    summary: 'Change a kanban column',
    description: 'A new name is also written to its items, without activity. A taken name is 409.',
    failure: 'Failed to update kanban column',
    conflicts: true,
    body: UpdateKanbanColumn,
    example: { wipLimit: 3, wipPolicy: 'block', stage: 'doing' },
  })

  app.delete('/api/kanban-columns/:id', {
    config: {
      access: 'write',
      failure: 'Failed to delete kanban column',
      record: recordOf(KanbanColumnSchema, app.board.columns.get),
    },
    schema: {
      operationId: 'deleteKanbanColumn',
      summary: 'Delete a kanban column',
      description:
        '409 if it has items, dismissed ones too, unless `moveTo` names the column to whose end they are moved, with an activity entry each.',
      tags: ['Kanban columns'],
      params: IdParams,
      querystring: DeleteQuery,
      response: { 200: ref(Success), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) =>
      app.board.columns.delete(request.params.id, memberOf(request), request.query.moveTo),
  })
}

export default kanbanColumnRoutes
