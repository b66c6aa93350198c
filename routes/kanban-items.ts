import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../src/access/caller.ts'
import { callerOf, identityOf, memberOf } from '../src/access/identity.ts'
import { ASSIGNEES_LIMIT } from '../src/board/assignees.ts'
import { type Asking, ITEM_SORTS, type ItemFilter, ME } from '../src/board/item-lists.ts'
import type { WriteOptions } from '../src/board/items.ts'
import { DURATION_PATTERN, REMINDERS_LIMIT } from '../src/board/reminders.ts'
import { kanbanItems } from '../src/db/schema.ts'
import { etagOf } from '../src/etags.ts'
import { accountOf } from '../src/members/identity.ts'
import { mustExist } from '../src/requests/existence.ts'
import { ExpandQuery, expandsPeople, sendWithPeople } from '../src/requests/expand.ts'
import { keepFromCaches } from '../src/requests/own-lists.ts'
import { ListQuery } from '../src/requests/pages.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { isStrict } from '../src/requests/strictness.ts'
import {
  AnyObject,
  AnyOf,
  ColumnName,
  CreateBody,
  DateText,
  Description,
  ErrorBody,
  EXAMPLE_ID,
  FilterByDate,
  FilterByText,
  IdParams,
  JsonText,
  LIMITS,
  MissingErrorBody,
  Nullable,
  OptionalDate,
  PRIORITIES,
  Reference,
  ref,
  SortOrder,
  Success,
  Term,
  Title,
  UniqueBy,
  UpdateBody,
  valuesOfAny,
} from '../src/schemas/common.ts'
import {
  KanbanCountsSchema,
  KanbanItemSchema,
  KanbanItemWithPeopleSchema,
  ProjectSchema,
} from '../src/schemas/records.ts'
import { createJsonWriter } from '../src/schemas/serialization.ts'

const SOURCES = ['manual', 'transcript', 'import']

const Reminder = Type.Object(
  {
    at: Type.Optional(DateText),
    before: Type.Optional(
      Type.String({
        pattern: DURATION_PATTERN,
        description:
          'An ISO 8601 duration before the due date, such as P1D, P2W or PT30M; years and months by the calendar. Before a day (midnight UTC) it counts from 9:00 in the time zone of each watcher',
        examples: ['P1D'],
      }),
    ),
  },
  {
    additionalProperties: false,
    anyOf: [{ required: ['at'] }, { required: ['before'] }],
    'x-at-most-one-of': ['at', 'before'],
  },
)

const optionalFields = {
  description: Description,
  column: ColumnName,
  sortOrder: SortOrder,
  priority: Term(PRIORITIES),
  assigneeId: Nullable({
    ...Reference,
    description: 'A member; `me`: the caller; null: unassigned. It gives no access to the project.',
  }),
  assigneeIds: Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.reference }), {
    maxItems: ASSIGNEES_LIMIT,
    uniqueItems: true,
    description:
      'All assignees, in order; `me`: the caller. The first is `assigneeId`, which alone takes the place of the first one; null: nobody is assigned.',
    examples: [['ada', 'grace']],
  }),
  dueDate: OptionalDate,
  source: Term(SOURCES),
  sourceId: Reference,
  isNew: Type.Boolean(),
  approved: Type.Boolean(),
  dismissed: Type.Boolean(),
  metadata: JsonText(AnyObject),
  reminders: Type.Array(Reminder, {
    maxItems: REMINDERS_LIMIT,
    description: 'When its watchers are reminded of it: at a time, or a duration before the due date',
    examples: [[{ before: 'P1D' }, { at: '2026-01-31T09:00:00Z' }]],
  }),
}
const CreateKanbanItem = CreateBody({
  title: Title,
  ...Type.Partial(Type.Object(optionalFields)).properties,
  coverId: Type.Optional(Type.Null({ description: 'A new item has no images yet' })),
})
const UpdateKanbanItem = UpdateBody({
  title: Title,
  ...optionalFields,
  coverId: Nullable({ ...Reference, description: 'An image attached to the item, or null' }),
})

const Ids = Type.Array(Type.String(), { minItems: 1, maxItems: 500, uniqueItems: true })
const UpdateKanbanItems = CreateBody({
  ids: Ids,
  update: UpdateBody({
    column: optionalFields.column,
    assigneeId: optionalFields.assigneeId,
    assigneeIds: optionalFields.assigneeIds,
    priority: optionalFields.priority,
    dueDate: optionalFields.dueDate,
    approved: optionalFields.approved,
    dismissed: optionalFields.dismissed,
    isNew: optionalFields.isNew,
  }),
})

const DeleteKanbanItems = CreateBody({ ids: Ids })

const neighbour = Type.String({ description: 'The id of another item in the target column' })
const MoveKanbanItem = Type.Object(
  {
    column: Type.Optional(optionalFields.column),
    projectId: Type.Optional(Type.String({ description: 'The project to move it to' })),
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
    description: 'At most one of `beforeId`, `afterId` and `position`; the default is the bottom',
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

const filters = {
  column: AnyOf('Name of the column'),
  assigneeId: AnyOf('One of its assignees; `me`: the caller; `none`: unassigned'),
  priority: AnyOf('Its priority', PRIORITIES),
  label: AnyOf('Id or name of a label; `none`: without a label'),
  q: FilterByText('Part of the title or description'),
  dueAfter: FilterByDate('Due at that time or later'),
  dueBefore: FilterByDate('Due earlier'),
  due: Type.Optional(
    Type.Unsafe<'none' | 'overdue' | 'today' | 'week'>({
      type: 'string',
      enum: ['none', 'overdue', 'today', 'week'],
      description:
        '`none`: without a due date. `overdue`: its day has ended, or its instant has passed, and it is in no done column. `today`. `week`: within seven days from today, overdue ones too. A due date at midnight UTC is a day, the same in every time zone',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 100,
      format: 'time-zone',
      description:
        'The IANA time zone of `due`; the default is that of the preferences of the caller, else UTC',
      examples: ['Europe/Berlin'],
    }),
  ),
  dismissed: Type.Optional(
    Type.Unsafe<'false' | 'true' | 'all'>({
      type: 'string',
      enum: ['false', 'true', 'all'],
      default: 'false',
      description: 'Exclude dismissed items, only those, or all',
    }),
  ),
  approved: Type.Optional(
    Type.Unsafe<'false' | 'true'>({
      type: 'string',
      enum: ['false', 'true'],
      description: 'Only approved items, or only others',
    }),
  ),
  source: AnyOf('Source of the item', SOURCES),
  ready: Type.Optional(
    Type.Unsafe<'true'>({
      type: 'string',
      enum: ['true'],
      description:
        'Only items that the caller could start: approved, not dismissed, in a column of the stage `todo`, and not claimed by another member',
    }),
  ),
}
const ItemsOfProjectQuery = ListQuery(filters, ITEM_SORTS)
const ItemsQuery = ListQuery(
  {
    projectId: AnyOf('Id of the project'),
    ...filters,
  },
  ITEM_SORTS,
)

const PAGES =
  'All filters must match. Without `limit` and `cursor` all matching items are returned; with them a page, whose `Link` header names the next. A page begins after the last position of the previous one: every item that keeps its position shows exactly once, whatever else changes.'

const aboveLimit =
  'If a column exceeds its WIP limit, the response has `warnings`, or the request is refused with 409 if the column blocks.'

const CountsQuery = Type.Object({ itemId: AnyOf('Only this item') })

/** Replaces the assignee `me` of a body by the caller. */
function assigned<Body extends { assigneeId?: string | null; assigneeIds?: string[] }>(
  body: Body,
  request: FastifyRequest,
): Body {
  const { assigneeId, assigneeIds } = body
  if (assigneeId !== ME && !assigneeIds?.includes(ME)) return body
  const me = memberOf(request).id
  return {
    ...body,
    ...(assigneeId === ME && { assigneeId: me }),
    ...(assigneeIds && { assigneeIds: assigneeIds.map((id) => (id === ME ? me : id)) }),
  }
}

const writing = (request: FastifyRequest): WriteOptions => ({ isStrict: isStrict(request) })

/** Kanban items: the cards of a project's board. */
const kanbanItemRoutes: Routes = async (app) => {
  const { items, itemCounts, itemLists } = app.board

  const asking = (request: FastifyRequest): Asking => {
    const { due, timeZone } = request.query as ItemFilter
    const isRelative = due !== undefined && due !== 'none' && !timeZone
    return {
      memberId: memberOf(request).id,
      isStrict: isStrict(request),
      ...(isRelative && {
        timeZone: app.rules.mail.preferences.get(accountOf(identityOf(request)), false).timeZone,
      }),
    }
  }

  const item = recordOf(KanbanItemSchema, items.get)
  const tags = ['Kanban items']

  app.get('/api/projects/:id/kanban-items', {
    config: { access: 'read', failure: 'Failed to fetch kanban items' },
    schema: {
      operationId: 'listKanbanItems',
      summary: "List a project's items, by sortOrder or the given sort",
      description: PAGES,
      tags,
      params: IdParams,
      querystring: ItemsOfProjectQuery,
      response: { 200: Type.Array(ref(KanbanItemSchema)), 404: ref(ErrorBody) },
    },
    handler: (request, reply) => {
      const { params, query } = request
      keepFromCaches(reply, query)
      return itemLists.ofProject(params.id, query, asking(request))
    },
  })

  app.get('/api/projects/:id/kanban-counts', {
    config: { access: 'read', failure: 'Failed to fetch kanban counts' },
    schema: {
      operationId: 'getKanbanCounts',
      summary: "Count the comments and attachments of a project's items",
      description:
        'For all items, including dismissed ones, by id; items without either are absent. Records of items do not contain these numbers.',
      tags,
      params: IdParams,
      querystring: CountsQuery,
      response: { 200: ref(KanbanCountsSchema), 404: ref(ErrorBody) },
    },
    handler: ({ params, query }) => itemCounts.ofProject(params.id, valuesOfAny(query.itemId)),
  })

  app.get('/api/kanban-items', {
    config: { access: 'read', failure: 'Failed to fetch kanban items' },
    schema: {
      operationId: 'listAllKanbanItems',
      summary: 'List items of all projects, by sortOrder or the given sort',
      description: PAGES,
      tags,
      querystring: ItemsQuery,
      response: { 200: Type.Array(ref(KanbanItemSchema)) },
    },
    handler: (request, reply) => {
      keepFromCaches(reply, request.query)
      return itemLists.ofAll(request.query, asking(request))
    },
  })

  app.post('/api/projects/:id/kanban-items', {
    config: { access: 'write', failure: 'Failed to create kanban item' },
    schema: {
      operationId: 'createKanbanItem',
      summary: 'Create an item at the end of its column',
      description: `A column that the project does not have yet is created before the done columns at the end of the board. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: CreateKanbanItem,
      example: {
        title: 'Rewrite the product pages',
        description: 'Bread, rolls and cakes.',
        priority: 'high',
        assigneeId: 'ada',
        dueDate: '2027-03-01',
      },
      response: { 201: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => items.create(request.params.id, assigned(request.body, request), writing(request)),
  })

  app.post('/api/projects/:id/kanban-items/reorder', {
    config: {
      access: 'write',
      failure: 'Failed to reorder kanban items',
      record: recordOf(ProjectSchema, (id) => app.projects.get(id)),
    },
    schema: {
      operationId: 'reorderKanbanItems',
      summary: 'Put items of a project into columns and positions',
      description: `All or nothing, with activity for each. Returns the given items in the order of the request. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: ReorderKanbanItems,
      example: { items: [{ id: EXAMPLE_ID, column: 'Review', sortOrder: 1 }] },
      response: { 200: Type.Array(ref(KanbanItemSchema)), 404: ref(MissingErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) =>
      items.reorder(request.params.id, request.body.items, memberOf(request).id, writing(request)),
  })

  app.get('/api/kanban-items/:id', {
    config: {
      access: 'read',
      failure: 'Failed to fetch kanban item',
      inBatch: ({ params }) => items.get((params as Static<typeof IdParams>).id),
    },
    schema: {
      operationId: 'getKanbanItem',
      summary: 'Get an item',
      tags,
      params: IdParams,
      querystring: ExpandQuery,
      response: { 200: ref(KanbanItemWithPeopleSchema), 404: ref(ErrorBody) },
    },
    handler: (request, reply) => {
      const { id } = request.params
      if (!expandsPeople(request.query)) return items.get(id)
      return sendWithPeople(app, reply, id, snapshotOf(id, callerOf(request)))
    },
  })

  const toJson = createJsonWriter(KanbanItemSchema)

  async function snapshotOf(id: string, caller: Caller) {
    const body = Buffer.from(toJson(await app.read(items.get(id), caller)))
    return { body, etag: etagOf(body) }
  }

  app.patch('/api/kanban-items/:id', {
    config: { access: 'write', failure: 'Internal server error', record: item },
    schema: {
      operationId: 'updateKanbanItem',
      summary: 'Change an item',
      description: `A changed \`column\`, \`assigneeId\` or \`priority\` adds an activity entry each. An unknown item is 404, whatever the body. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: UpdateKanbanItem,
      example: { column: 'In Progress', assigneeId: 'ada' },
      response: { 200: ref(KanbanItemSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    onRequest: mustExist(kanbanItems, (id, request) =>
      app.scoped.read(callerOf(request).principal, ({ board }) => board.items.exists(id)),
    ),
    handler: (request) =>
      items.update(
        request.params.id,
        assigned(request.body, request),
        memberOf(request).id,
        writing(request),
      ),
  })

  app.patch('/api/kanban-items', {
    config: { access: 'write', failure: 'Failed to update kanban items' },
    schema: {
      operationId: 'updateKanbanItems',
      summary: 'Apply the same change to several items',
      description: `All or nothing, with activity for each. Returns the items in the order of the ids. ${aboveLimit}`,
      tags,
      body: UpdateKanbanItems,
      example: { ids: [EXAMPLE_ID], update: { priority: 'high', dueDate: '2027-03-01' } },
      response: { 200: Type.Array(ref(KanbanItemSchema)), 404: ref(MissingErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => {
      const { ids, update } = request.body
      return items.updateMany(ids, assigned(update, request), memberOf(request).id, writing(request))
    },
  })

  app.delete('/api/kanban-items', {
    config: { access: 'write', failure: 'Failed to delete kanban items' },
    schema: {
      operationId: 'deleteKanbanItems',
      summary: 'Delete several items with their subtasks, comments and activity',
      description: 'All or nothing. They move to the trash, and one undo restores them all.',
      tags,
      body: DeleteKanbanItems,
      example: { ids: [EXAMPLE_ID] },
      response: { 200: ref(Success), 404: ref(MissingErrorBody) },
    },
    handler: (request) => items.deleteMany(request.body.ids),
  })

  app.post('/api/kanban-items/:id/move', {
    config: { access: 'write', failure: 'Failed to move kanban item', isBodyOptional: true, record: item },
    schema: {
      operationId: 'moveKanbanItem',
      summary: 'Move an item within its column, to another column or to another project',
      description: `Its subtasks, comments and activity move with it; in another project it gets the labels with the same names. ${aboveLimit}`,
      tags,
      params: IdParams,
      body: MoveKanbanItem,
      example: { column: 'Review', position: 'top' },
      response: { 200: ref(KanbanItemSchema), 404: ref(MissingErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => items.move(request.params.id, request.body, memberOf(request).id, writing(request)),
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
