/** The tools that change items. */
import { type TProperties, Type } from '@sinclair/typebox'
import { KEY_PATTERN } from '../../schemas/common.ts'
import { KanbanCommentSchema, KanbanSubtaskSchema } from '../../schemas/records.ts'
import { named, namesOf } from '../names.ts'
import { CardSchema, cardsOf, Notes } from '../records.ts'
import { Arguments, fieldsOf, type RouteSchemas } from '../schemas.ts'
import { type Answer, type Asked, pathOf, type Service, type Written } from '../service.ts'
import { ADDS, SETS, SETS_AND_ADDS, type Tool, unreadOf, WRITTEN, writtenOf } from '../tool.ts'

/** Subtasks per call, at most. */
const SUBTASKS_LIMIT = 50

const id = (description: string) => Type.String({ minLength: 1, description })
export const ItemId = id('The id of a kanban item, or its number with the key of its project: WEB-12')
const ProjectId = id('The id of a project, from list_projects')

/** An argument of all writing tools. */
export const IdempotencyKey = Type.Optional(
  Type.String({
    pattern: KEY_PATTERN,
    description:
      'Makes the call safe to repeat: a repetition with the same key and arguments within 24 hours does nothing more and returns the same',
  }),
)
const IfMatch = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'The `etag` of the item as you read it: if it has changed since, nothing is done (412)',
  }),
)
const Warnings = Type.Optional(
  Type.Array(Type.String(), { description: 'E.g. the column is above its WIP limit now' }),
)

/** The result for a changed item. */
export const ITEM_WRITTEN: TProperties = {
  item: Type.Optional(CardSchema),
  etag: Type.Optional(Type.String({ description: 'The ETag of the current item, for ifMatch' })),
  warnings: Warnings,
  ...WRITTEN,
  notes: Notes,
}
const ItemWritten = Type.Object(ITEM_WRITTEN)

/** The item in the responses of a write. @param index of the response */
export async function itemWritten(written: Written, service: Service, index = 0): Promise<object> {
  if (written.unread !== undefined) return unreadOf(written)
  const { body, etag } = written.answers.at(index) as Answer
  const [item] = await cardsOf([body], service)
  const warnings = written.answers.flatMap((answer): string[] => answer.body?.warnings ?? [])
  return {
    item,
    ...(etag !== undefined && { etag }),
    ...(warnings.length > 0 && { warnings }),
    ...writtenOf(written),
  }
}

const ASSIGNEE = {
  assigneeId: 'Who works on it: the id of a person, from find_people; `me` for yourself, empty for nobody',
  assigneeIds: 'All who work on it, if they are several: the first is assigneeId',
}
const FIELDS = ['description', 'priority', 'assigneeId', 'assigneeIds', 'dueDate']

const Subtasks = (routes: RouteSchemas, description: string) =>
  Type.Optional(
    Type.Array(fieldsOf(routes.body('createKanbanSubtask'), ['title']).title ?? Type.String(), {
      maxItems: SUBTASKS_LIMIT,
      description,
    }),
  )

/** The requests that add subtasks to an item and read it afterwards. */
const addingSubtasks = (path: string, titles: readonly string[]): Asked[] =>
  titles.length === 0
    ? []
    : [
        ...titles.map((title) => ({ method: 'POST' as const, path: `${path}/subtasks`, body: { title } })),
        { method: 'GET', path },
      ]

/** `create_item`. */
const createItem = (routes: RouteSchemas): Tool => ({
  name: 'create_item',
  title: 'Create a kanban item',
  description:
    'Creates an item at the end of a column, with subtasks if given, all or nothing. Use it for one item; for several, or to make a project first, use batch. Returns the new item as a card, with its id.',
  hints: ADDS,
  input: Arguments({
    projectId: ProjectId,
    ...fieldsOf(routes.body('createKanbanItem'), ['title', 'column', ...FIELDS], {
      ...ASSIGNEE,
      column: 'An existing column of the project, from list_projects or read_board; To Do if absent',
    }),
    subtasks: Subtasks(routes, 'Titles of its subtasks, in order'),
    idempotencyKey: IdempotencyKey,
  }),
  output: ItemWritten,
  async run(args, service) {
    const { projectId, subtasks = [], idempotencyKey, ...body } = args
    const create: Asked = {
      method: 'POST',
      path: pathOf`/api/projects/${projectId}/kanban-items`,
      body,
      as: 'item',
    }
    const requests = [create, ...addingSubtasks('/api/kanban-items/{{item.id}}', subtasks)]
    return await itemWritten(await service.write(requests, { args, idempotencyKey }), service, -1)
  },
})

/** `change_item`. */
const changeItem = (routes: RouteSchemas): Tool => ({
  name: 'change_item',
  title: 'Change a kanban item',
  description:
    'Changes the given fields of an item and leaves the others; adds subtasks. Use it to correct or complete an item; use move_item for its column, claim to take work, comment for messages. `dismissed: true` removes it from the board without deleting it. Returns the item as a card.',
  hints: SETS_AND_ADDS,
  input: Arguments({
    itemId: ItemId,
    ...fieldsOf(routes.body('updateKanbanItem'), ['title', ...FIELDS, 'approved', 'dismissed'], ASSIGNEE),
    addSubtasks: Subtasks(routes, 'Titles of subtasks to add at the end'),
    ifMatch: IfMatch,
    idempotencyKey: IdempotencyKey,
  }),
  output: ItemWritten,
  async run(args, service) {
    const { itemId, addSubtasks = [], ifMatch, idempotencyKey, ...body } = args
    const path = pathOf`/api/kanban-items/${itemId}`
    const change: Asked = { method: 'PATCH', path, body, ifMatch }
    const requests = [change, ...addingSubtasks(path, addSubtasks)]
    return await itemWritten(await service.write(requests, { args, idempotencyKey }), service, -1)
  },
})

/** `move_item`. */
const moveItem = (routes: RouteSchemas): Tool => ({
  name: 'move_item',
  title: 'Move a kanban item',
  description:
    'Moves an item within its column, to another column or to another project. Use it to sort a board or hand over work; use finish when the work is done. At most one of beforeId, afterId and position; the default is the bottom. A full column that blocks is refused with 409. Returns the item as a card, with warnings if the column is above its WIP limit.',
  hints: SETS,
  input: Arguments({
    itemId: ItemId,
    ...fieldsOf(routes.body('moveKanbanItem'), ['column', 'projectId', 'beforeId', 'afterId', 'position'], {
      column: 'An existing column, from list_projects or read_board; its own if absent',
    }),
    ifMatch: IfMatch,
    idempotencyKey: IdempotencyKey,
  }),
  output: ItemWritten,
  async run(args, service) {
    const { itemId, ifMatch, idempotencyKey, ...body } = args
    const path = pathOf`/api/kanban-items/${itemId}/move`
    const move: Asked = { method: 'POST', path, body, ifMatch }
    return await itemWritten(await service.write([move], { args, idempotencyKey }), service)
  },
})

/** `comment`. */
const comment = (routes: RouteSchemas): Tool => ({
  name: 'comment',
  title: 'Comment on a kanban item',
  description:
    'Adds a comment to an item, in your name. Use it for questions, findings and progress that people should read; finish accepts a final comment itself. Returns the id of the comment.',
  hints: ADDS,
  input: Arguments({
    itemId: ItemId,
    ...fieldsOf(routes.body('createKanbanComment'), ['content']),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object({
    comment: Type.Object({
      ...Type.Pick(KanbanCommentSchema, ['id', 'itemId', 'authorId', 'createdAt']).properties,
      author: Type.Optional(Type.String()),
    }),
    ...WRITTEN,
  }),
  async run(args, service) {
    const { itemId, content, idempotencyKey } = args
    const path = pathOf`/api/kanban-items/${itemId}/comments`
    const requests: Asked[] = [{ method: 'POST', path, body: { content } }]
    const written = await service.write(requests, { args, idempotencyKey })
    const { id, authorId, createdAt } = written.answers[0]?.body ?? {}
    const names = await namesOf(service, [authorId])
    const made = { id, itemId, authorId, ...named('author', authorId, names), createdAt }
    return { comment: made, ...writtenOf(written) }
  },
})

/** `tick_subtask`. */
const tickSubtask = (_routes: RouteSchemas): Tool => ({
  name: 'tick_subtask',
  title: 'Tick off a subtask',
  description:
    'Completes a subtask of an item, or reopens it with completed: false. Use it after each step of your work; read_item returns the ids of subtasks. Returns the subtask, and its item as a card with the number of completed ones.',
  hints: SETS,
  input: Arguments({
    subtaskId: id('The id of a subtask, from read_item'),
    completed: Type.Optional(Type.Boolean({ default: true, description: 'Whether it is done' })),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object({
    subtask: Type.Optional(Type.Pick(KanbanSubtaskSchema, ['id', 'itemId', 'title', 'completed'])),
    ...ITEM_WRITTEN,
  }),
  async run(args, service) {
    const { subtaskId, completed = true, idempotencyKey } = args
    const path = pathOf`/api/kanban-subtasks/${subtaskId}`
    const requests: Asked[] = [
      // Changing an unknown subtask would fail without a reason.
      { method: 'GET', path, as: 'subtask' },
      { method: 'PATCH', path, body: { completed } },
      { method: 'GET', path: '/api/kanban-items/{{subtask.itemId}}' },
    ]
    const written = await service.write(requests, { args, idempotencyKey })
    if (written.unread !== undefined) return await itemWritten(written, service)
    const { id, itemId, title, completed: isDone } = written.answers[1]?.body ?? {}
    const item = await itemWritten(written, service, -1)
    return { subtask: { id, itemId, title, completed: isDone }, ...item }
  },
})

export const writingTools = [createItem, changeItem, moveItem, comment, tickSubtask]
