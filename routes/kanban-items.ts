import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { kanbanItems } from '../src/db/schema.ts'
import { mustExist } from '../src/http/existence.ts'
import { memberOf } from '../src/http/identity.ts'
import { PageParameters } from '../src/http/pages.ts'
import { recordOf } from '../src/http/response-shapes.ts'
import {
  AnyObject,
  AnyOf,
  CreateBody,
  Description,
  ErrorBody,
  IdParams,
  JsonText,
  MissingErrorBody,
  Nullable,
  OptionalDate,
  Reference,
  ref,
  SortOrder,
  Success,
  Term,
  Title,
  UniqueBy,
  UpdateBody,
} from '../src/schemas/common.ts'
import { KanbanItemSchema, ProjectSchema } from '../src/schemas/records.ts'

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
const CreateKanbanItem = CreateBody({
  title: Title,
  ...Type.Partial(Type.Object(optionalFields)).properties,
})
const UpdateKanbanItem = UpdateBody({ title: Title, ...optionalFields })

const UpdateKanbanItems = CreateBody({
  ids: Type.Array(Type.String(), { minItems: 1, maxItems: 500, uniqueItems: true }),
  update: UpdateBody({
    column: optionalFields.column,
    assigneeId: optionalFields.assigneeId,
    priority: optionalFields.priority,
    dueDate: optionalFields.dueDate,
    approved: optionalFields.approved,
    dismissed: optionalFields.dismissed,
    isNew: optionalFields.isNew,
  }),
})

const neighbour = Type.String({ description: 'The id of another item in the target column' })
const MoveKanbanItem = Type.Object(
  {
    column: Type.Optional(optionalFields.column),
    projectId: Type.Optional(Type.String({ description: 'The project to move it into' })),
    beforeId: Type.Optional(neighbour),
    afterId: Type.Optional(neighbour),
    position: Type.Optional(
      Type.Unsafe<'top' | 'bottom'>({
        type: 'string',
        enum: ['top', 'bottom'],
        description: 'An end of the column',
      }),
    ),
  },
  {
    additionalProperties: false,
    'x-at-most-one-of': ['beforeId', 'afterId', 'position'],
    description: 'At most one of `beforeId`, `afterId` and `position`; none of them means the bottom',
    examples: [{ column: 'Review', position: 'top' }, { beforeId: '019f0000-0000-7000-8000-000000000000' }],
  },
)

const ReorderKanbanItems = CreateBody({
  items: UniqueBy(
    'id',
    Type.Object(
      { id: Type.String(), column: optionalFields.column, sortOrder: SortOrder },
      { additionalProperties: false },
    ),
  ),
})

const Filter = (description: string) =>
  Type.Optional(Type.String({ description: `${description}; empty does not filter` }))
const FilterByDate = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'timestamp',
      description: `${description}: an ISO 8601 date-time, UTC without an offset, or a plain date (midnight UTC)`,
      examples: ['2026-01-31', '2026-01-31T18:00:00Z'],
    }),
  )
const filters = {
  column: AnyOf('Name of the column'),
  assigneeId: AnyOf('Who it is assigned to'),
  priority: AnyOf('Its priority'),
  label: AnyOf('Id or name of a label that it has'),
  q: Filter('Part of the title or the description, whatever the case'),
  dueAfter: FilterByDate('Due then or later'),
  dueBefore: FilterByDate('Due earlier'),
  dismissed: Type.Optional(
    Type.Unsafe<'false' | 'true' | 'all'>({
      type: 'string',
      enum: ['false', 'true', 'all'],
      default: 'false',
      description: 'Without dismissed items, those only, or all',
    }),
  ),
  ...PageParameters,
}
const ItemsOfProjectQuery = Type.Object(filters)
const ItemsQuery = Type.Object({ projectId: Filter('Id of the project'), ...filters })

const PAGES =
  'Filters combine. Without `limit` and `cursor` all that match are answered; with them a page, whose `Link` header names the next. A page begins after the last place of the one before: every item that keeps its place shows once, whatever is changed meanwhile.'

const aboveLimit =
  'What brings a column above its WIP limit is answered with `warnings`, or refused with 409 where the column blocks.'

/** Kanban items: the cards of a project's board. */
const kanbanItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { items, itemLists } = app.board
  const item = recordOf(KanbanItemSchema, items.get)
  const tags = ['Kanban items']

  app.get('/api/projects/:id/kanban-items', {
    config: { access: 'read', failure: 'Failed to fetch kanban items' },
    schema: {
      operationId: 'listKanbanItems',
      summary: "List a project's items by sortOrder",
      description: PAGES,
      tags,
      params: IdParams,
      querystring: ItemsOfProjectQuery,
      response: { 200: Type.Array(ref(KanbanItemSchema)), 404: ref(ErrorBody) },
    },
    handler: ({ params, query }) => itemLists.ofProject(params.id, query),
  })

  app.get('/api/kanban-items', {
    config: { access: 'read', failure: 'Failed to fetch kanban items' },
    schema: {
      operationId: 'listAllKanbanItems',
      summary: 'List items of all projects by sortOrder',
      description: PAGES,
      tags,
      querystring: ItemsQuery,
      response: { 200: Type.Array(ref(KanbanItemSchema)) },
    },
    handler: ({ query }) => itemLists.ofAll(query),
  })

  app.post('/api/projects/:id/kanban-items', {
    config: { access: 'write', failure: 'Failed to create kanban item' },
    schema: {
      operationId: 'createKanbanItem',
      summary: 'Create an item at the end of its column',
      description: `A column that the project does not define yet is made, at the end of the board. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: CreateKanbanItem,
      response: { 201: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: ({ params, body }) => items.create(params.id, body),
  })

  app.post('/api/projects/:id/kanban-items/reorder', {
    config: {
      access: 'write',
      failure: 'Failed to reorder kanban items',
      record: recordOf(ProjectSchema, (id) => app.projects.get(id)),
    },
    schema: {
      operationId: 'reorderKanbanItems',
      summary: 'Put items of a project into columns and places',
      description: `All or nothing, with activity as for a change of each. Answers the given items, in the order of the request. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: ReorderKanbanItems,
      response: { 200: Type.Array(ref(KanbanItemSchema)), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => items.reorder(request.params.id, request.body.items, memberOf(request).id),
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
    handler: ({ params }) => items.get(params.id),
  })

  app.patch('/api/kanban-items/:id', {
    config: { access: 'write', failure: 'Internal server error', record: item },
    schema: {
      operationId: 'updateKanbanItem',
      summary: 'Change an item',
      description: `A changed \`column\`, \`assigneeId\` or \`priority\` leaves an activity entry each. Whether the item exists is checked before the body is even read. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: UpdateKanbanItem,
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    onRequest: mustExist(kanbanItems, (id) => app.rules.board.items.exists(id)),
    handler: (request) => items.update(request.params.id, request.body, memberOf(request).id),
  })

  app.patch('/api/kanban-items', {
    config: { access: 'write', failure: 'Failed to update kanban items' },
    schema: {
      operationId: 'updateKanbanItems',
      summary: 'Change several items in the same way',
      description: `All or nothing, with activity as for a change of each. Answers the items in the order of the ids. ${aboveLimit}`,
      tags,
      body: UpdateKanbanItems,
      response: { 200: Type.Array(ref(KanbanItemSchema)), 404: ref(MissingErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => {
      const { ids, update } = request.body
      return items.updateMany(ids, update, memberOf(request).id)
    },
  })

  app.post('/api/kanban-items/:id/move', {
    config: { access: 'write', failure: 'Failed to move kanban item', isBodyOptional: true, record: item },
    schema: {
      operationId: 'moveKanbanItem',
      summary: 'Move an item to a place in its column, in another one or in another project',
      description: `Its subtasks, comments and activity go along; into another project, so do the labels that it has by the same name. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: MoveKanbanItem,
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => items.move(request.params.id, request.body, memberOf(request).id),
  })

  app.delete('/api/kanban-items/:id', {
    config: { access: 'write', failure: 'Internal server error', record: item },
    schema: {
      operationId: 'deleteKanbanItem',
      summary: 'Delete an item with its subtasks, comments and activity',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => items.delete(request.params.id),
  })
}

export default kanbanItemRoutes
