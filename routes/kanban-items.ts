import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { kanbanItems, projects } from '../src/db/schema.ts'
import { mustExist } from '../src/existence.ts'
import { memberOf } from '../src/identity.ts'
import { prepareKanbanItemChanges, prepareKanbanItems } from '../src/kanban-items.ts'
import {
  AnyObject,
  CreateBody,
  Description,
  ErrorBody,
  IdParams,
  JsonText,
  Nullable,
  OptionalDate,
  Reference,
  ref,
  SortOrder,
  Success,
  Term,
  Title,
  UpdateBody,
} from '../src/schemas/common.ts'
import { KanbanItemSchema } from '../src/schemas/records.ts'

const optionalFields = {
  description: Description,
  column: Term(['To Do', 'In Progress', 'Review', 'Done']),
  sortOrder: SortOrder,
  priority: Term(['low', 'medium', 'high', 'critical']),
  assigneeId: Nullable(Reference),
  dueDate: OptionalDate,
  source: Term(['manual', 'transcript', 'import']),
  sourceId: Reference,
  isNew: Type.Boolean(),
  approved: Type.Boolean(),
  dismissed: Type.Boolean(),
  metadata: JsonText(AnyObject),
}
const KanbanItemCreateSchema = CreateBody({
  title: Title,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const KanbanItemUpdateSchema = UpdateBody({ title: Title, ...optionalFields })

const KanbanItemFilterSchema = Type.Object({
  dismissed: Type.Optional(
    Type.Unsafe<'false' | 'true' | 'all'>({
      type: 'string',
      enum: ['false', 'true', 'all'],
      default: 'false',
      description: 'Without dismissed items, those only, or all',
    }),
  ),
})
const dismissedFilter = { false: false, true: true, all: undefined }

/** Kanban items: the cards of a project's board. */
const kanbanItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const items = prepareKanbanItems(app.db)
  const changes = prepareKanbanItemChanges(app.db)
  const itemExists = mustExist(app.db, kanbanItems)
  const projectExists = mustExist(app.db, projects)
  const tags = ['Kanban items']

  app.get('/api/projects/:id/kanban-items', {
    config: { access: 'read', failure: 'Failed to fetch kanban items' },
    schema: {
      operationId: 'listKanbanItems',
      summary: "List a project's items by sortOrder",
      tags,
      params: IdParams,
      querystring: KanbanItemFilterSchema,
      response: { 200: Type.Array(ref(KanbanItemSchema)), 404: ref(ErrorBody) },
    },
    preHandler: projectExists,
    handler: async (request) =>
      items.list(request.params.id, dismissedFilter[request.query.dismissed ?? 'false']),
  })

  app.post('/api/projects/:id/kanban-items', {
    config: { access: 'write', failure: 'Failed to create kanban item' },
    schema: {
      operationId: 'createKanbanItem',
      summary: 'Create an item at the end of its column',
      description: 'A column that the project does not define yet is made, at the end of the board.',
      tags,
      params: IdParams,
      body: KanbanItemCreateSchema,
      response: { 201: ref(KanbanItemSchema), 404: ref(ErrorBody) },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await app.write(() => items.get(changes.create(request.params.id, request.body)))),
  })

  app.get('/api/kanban-items/:id', {
    config: { access: 'read', failure: 'Failed to fetch kanban item' },
    schema: {
      operationId: 'getKanbanItem',
      summary: 'Get an item',
      tags,
      params: IdParams,
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody) },
    },
    handler: async (request) => items.get(request.params.id),
  })

  app.patch('/api/kanban-items/:id', {
    config: { access: 'write', failure: 'Internal server error' },
    schema: {
      operationId: 'updateKanbanItem',
      summary: 'Change an item',
      description:
        'A changed `column`, `assigneeId` or `priority` leaves an activity entry each. Whether the item exists is checked before the body is even read.',
      tags,
      params: IdParams,
      body: KanbanItemUpdateSchema,
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody) },
    },
    onRequest: itemExists,
    handler: async (request) =>
      app.write(() => {
        changes.update(request.params.id, request.body, memberOf(request).id)
        return items.get(request.params.id)
      }),
  })

  app.delete('/api/kanban-items/:id', {
    config: { access: 'write', failure: 'Internal server error' },
    schema: {
      operationId: 'deleteKanbanItem',
      summary: 'Delete an item with its subtasks, comments and activity',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: async (request) => {
      await app.write(() => changes.delete(request.params.id))
      return { success: true as const }
    },
  })
}

export default kanbanItemRoutes
