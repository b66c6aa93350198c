import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { prepareKanbanColumns } from '../src/board/kanban-columns.ts'
import { memberOf } from '../src/http/identity.ts'
import { childRoutes, reorderRoute } from '../src/http/old-child-routes.ts'
import { CreateBody, IdParams, LIMITS, SortOrder, UpdateBody } from '../src/schemas/common.ts'
import { KanbanColumnSchema } from '../src/schemas/records.ts'

const optionalFields = {
  color: Type.String({ maxLength: LIMITS.term, examples: ['#3b82f6'] }),
  sortOrder: SortOrder,
  wipLimit: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Items that are not dismissed it should hold at most; 0 is no limit',
  }),
  wipPolicy: Type.Unsafe<'warn' | 'block'>({
    type: 'string',
    enum: ['warn', 'block'],
    description: 'Above the limit: answer with `warnings`, or refuse with 409',
  }),
}
const ColumnName = Type.String({ minLength: 1, maxLength: LIMITS.term, description: 'Unique in its project' })
const KanbanColumnCreateSchema = CreateBody({
  name: ColumnName,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const KanbanColumnUpdateSchema = UpdateBody({ name: ColumnName, ...optionalFields })

const DeleteQuery = Type.Object({
  moveTo: Type.Optional(
    Type.String({ description: 'Where its items go: the name of another column of the project' }),
  ),
})

/** Kanban columns: where the items of a board stand, by name. */
const kanbanColumnRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const rules = prepareKanbanColumns(app.db)
  const routes = childRoutes(app, {
    thing: 'Kanban column',
    parent: 'project',
    record: KanbanColumnSchema,
    create: KanbanColumnCreateSchema,
    update: KanbanColumnUpdateSchema,
    rules,
    notes: {
      create: 'Without a `sortOrder` it stands at the end of the board. A taken name is 409.',
      update:
        'A new name becomes that of the column on its items too, without activity. A taken name is 409.',
      delete:
        'With items in it, dismissed ones too, 409, unless `moveTo` names the column at whose end they are put, with an activity entry each.',
    },
    conflicts: ['create', 'update', 'delete'],
  })

  app.get('/api/projects/:id/kanban-columns', routes.list)
  app.post('/api/projects/:id/kanban-columns', routes.create)
  app.post(
    '/api/projects/:id/kanban-columns/reorder',
    reorderRoute(app, {
      things: 'Kanban columns',
      record: KanbanColumnSchema,
      params: IdParams,
      key: 'kanbanColumns',
    }),
  )
  app.get('/api/kanban-columns/:id', routes.get)
  app.patch('/api/kanban-columns/:id', {
    ...routes.update,
    handler: async ({ params, body }) => app.perform('updateColumn', params.id, body),
  })
  app.delete('/api/kanban-columns/:id', {
    ...routes.delete,
    schema: { ...routes.delete.schema, querystring: DeleteQuery },
    handler: async (request) => {
      const { params, query } = request
      await app.perform('deleteColumn', params.id, memberOf(request), query.moveTo)
      return { success: true as const }
    },
  })
}

export default kanbanColumnRoutes
