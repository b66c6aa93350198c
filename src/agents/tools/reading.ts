/** The tools that read. */
import { Type } from '@sinclair/typebox'
import { type ApiError, invalidField } from '../../errors.ts'
import { Nullable, valuesOfAny } from '../../schemas/common.ts'
import {
  type Attachment,
  AttachmentSchema,
  type KanbanActivity,
  KanbanActivitySchema,
  type KanbanComment,
  KanbanCommentSchema,
  type KanbanItem,
  KanbanItemSchema,
  KanbanSubtaskSchema,
  type Notification as MemberNotification,
  type Person,
  SearchResultSchema,
} from '../../schemas/records.ts'
import { ATTACHMENTS } from '../attachments.ts'
import { type Names, named, namesOf } from '../names.ts'
import { CardSchema, Cutter, cardOf, cardsOf, Notes, severalOf } from '../records.ts'
import { Arguments, fieldsOf, type RouteSchemas, required } from '../schemas.ts'
import { type Answer, pathOf, type Service, withQuery } from '../service.ts'
import { READS, type Tool } from '../tool.ts'

/** Columns of a board that are read at once, at most. */
const COLUMNS_LIMIT = 30

/** Default length of a text, in characters. */
export const TEXT_LIMIT = 4000
const LONGEST_TEXT = 100_000

const ProjectId = Type.String({ minLength: 1, description: 'The id of a project, from list_projects' })
const ItemId = Type.String({ minLength: 1, description: 'The id of a kanban item' })
const NextCursor = Type.Optional(
  Type.String({ description: 'There are more: repeat the call with this as `cursor`' }),
)

const limited = (most: number, preset: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: preset, description }))

const next = ({ next }: Answer) => (next === undefined ? {} : { nextCursor: next })

/** `search`. */
const search = (routes: RouteSchemas): Tool => ({
  name: 'search',
  title: 'Search everything',
  description:
    'Full-text search over projects, kanban items, comments, meeting transcripts and your own ideas. Use it when you know words but not where they are; for items by column, assignee, label or date use find_items. All words must occur, also as parts of words, in any order; "words in quotation marks" next to each other. Returns matches, best first: kind, id, project, title and a snippet.',
  hints: READS,
  input: Arguments({
    ...fieldsOf(routes.query('search'), ['kind', 'projectId'], {
      kind: 'Only these kinds',
      projectId: 'Only this project and what belongs to it',
    }),
    ...required(fieldsOf(routes.query('search'), ['q'])),
    limit: limited(100, 20, 'Matches, at most'),
  }),
  output: Type.Object({ results: Type.Array(SearchResultSchema) }),
  async run({ q, kind, projectId, limit }, { read }) {
    const [answer] = await read(withQuery('/api/search', { q, kind, projectId, limit }))
    return answer?.body
  },
})

const DATE = 'a date or date-time, UTC'

/** Short descriptions of the item filters. */
const FILTERS = {
  projectId: 'Only these projects; all if absent',
  column: 'Names of columns: any of them',
  assigneeId: 'Any of its assignees: ids of people, `me`, or `none` for nobody: any of them',
  priority: 'Any of them',
  label: 'Ids or names, or `none`: any of them',
  q: 'Part of the title or description, ignoring case',
  dueAfter: `Due then or later: ${DATE}`,
  dueBefore: `Due earlier: ${DATE}`,
  due: '`overdue`, `today`, `week` (within seven days, overdue ones too) or `none` (without a due date)',
  updatedAfter: `Changed later: ${DATE}`,
  dismissed: 'Exclude dismissed items, only those, or all',
  sort: 'With `-` descending; empty values come last',
  cursor: 'The `nextCursor` of the page before, with the same other arguments',
}

/** `find_items`. */
const findItems = (routes: RouteSchemas): Tool => ({
  name: 'find_items',
  title: 'Find kanban items',
  description:
    'Lists kanban items that match all given filters, of one project or of all. Use it for questions such as "what is assigned to me" (assigneeId: ["me"]), "what is overdue" (due: overdue), "what changed since" (updatedAfter). Without projectId it covers all projects. Returns small cards, a page at a time; read_item returns a whole item.',
  hints: READS,
  input: Arguments({
    ...fieldsOf(routes.query('listAllKanbanItems'), Object.keys(FILTERS), FILTERS),
    limit: limited(100, 20, 'Items on a page'),
  }),
  output: Type.Object({ items: Type.Array(CardSchema), nextCursor: NextCursor }),
  async run({ limit = 20, ...filters }, service) {
    const { projectId, ...others } = filters
    const [only, ...more] = valuesOfAny(projectId)
    // A single unknown project is 404.
    const path =
      only !== undefined && more.length === 0
        ? withQuery(pathOf`/api/projects/${only}/kanban-items`, { ...others, limit })
        : withQuery('/api/kanban-items', { ...filters, limit })
    const [answer] = (await service.read(path)) as [Answer]
    return { items: await cardsOf(answer.body, service), ...next(answer) }
  },
})

/** `list_projects`. */
const listProjects = (routes: RouteSchemas): Tool => ({
  name: 'list_projects',
  title: 'List projects',
  description:
    'Lists projects with the number of items in each column. Use it first, to learn project ids and column names. Returns a page at a time: id, name, key (its items are named by it: WEB-12), status, health, phase, next step and the columns in the order of the board.',
  hints: READS,
  input: Arguments({
    ...fieldsOf(routes.query('listProjects'), ['status', 'teamId', 'updatedAfter', 'sort', 'cursor'], {
      status: 'Any of them',
      teamId: 'Any of them',
      updatedAfter: FILTERS.updatedAfter,
      sort: FILTERS.sort,
      cursor: FILTERS.cursor,
    }),
    limit: limited(100, 20, 'Projects on a page'),
  }),
  output: Type.Object({
    projects: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        status: Type.String(),
        key: Nullable(Type.String()),
        health: Type.String(),
        phase: Type.String(),
        nextStep: Type.String(),
        columns: Type.Unsafe<Record<string, number>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'Items by column, dismissed ones too, in the order of the board',
        }),
      }),
    ),
    nextCursor: NextCursor,
    notes: Notes,
  }),
  async run({ limit = 20, ...query }, { read }) {
    const [answer] = (await read(withQuery('/api/projects', { ...query, view: 'summary', limit }))) as [
      Answer,
    ]
    const cutter = new Cutter(500, 'GET /api/projects/{id} has all of it')
    const projects = answer.body.map((project: Record<string, string> & { counts: { columns: object } }) => ({
      id: project.id,
      name: project.name,
      status: project.status,
      key: project.key,
      health: project.health,
      phase: project.phase,
      nextStep: cutter.text(`nextStep of ${project.id}`, project.nextStep as string),
      columns: project.counts.columns,
    }))
    return { projects, ...next(answer), ...cutter.field() }
  },
})

const BoardSchema = Type.Object({
  projectId: Type.String(),
  columns: Type.Array(
    Type.Object({
      name: Type.String(),
      wipLimit: Type.Integer({ description: 'The WIP limit: most items; 0: no limit' }),
      wipPolicy: Type.String({ description: 'Above the limit: `warn`, or `block` (409)' }),
      stage: Type.String({ description: '`todo`, `doing` or `done`' }),
      items: Type.Array(CardSchema, { description: 'From the top' }),
      nextCursor: Type.Optional(
        Type.String({
          description: 'There are more: call read_board with this `column` and this as `cursor`',
        }),
      ),
    }),
    { description: 'In the order of the board' },
  ),
  notes: Notes,
})

interface BoardQuery {
  projectId: string
  column?: string | undefined
  limit?: number
  cursor?: string | undefined
}

/** Reads a board, or one of its columns. @throws ApiError 404, 400 for a cursor without a column, or an unknown column */
export async function readBoard({ projectId, column, limit = 10, cursor }: BoardQuery, service: Service) {
  const { read } = service
  if (cursor !== undefined && column === undefined) throw invalidField('column', 'is required with a cursor')
  const [defined] = (await read(pathOf`/api/projects/${projectId}/kanban-columns`)) as [Answer]
  const all: { name: string; wipLimit: number; wipPolicy: string; stage: string }[] = defined.body
  const named = column === undefined ? all : all.filter(({ name }) => name === column)
  const shown = named.slice(0, COLUMNS_LIMIT)
  const items = pathOf`/api/projects/${projectId}/kanban-items`
  // The route refuses unknown columns.
  const asked = column === undefined ? shown.map(({ name }) => name) : [column]
  const answers = await read(...asked.map((name) => withQuery(items, { column: name, limit, cursor })))
  const found: KanbanItem[] = answers.flatMap(({ body }) => body)
  const names = await namesOf(
    service,
    found.flatMap(({ assigneeIds }) => assigneeIds),
  )
  const cards = (some: KanbanItem[]) => some.map((item) => cardOf(item, names))
  const columns = shown.map(({ name, wipLimit, wipPolicy, stage }, index) => {
    const answer = answers[index] as Answer
    return { name, wipLimit, wipPolicy, stage, items: cards(answer.body), ...next(answer) }
  })
  const rest = named.slice(COLUMNS_LIMIT).map(({ name }) => name)
  const notes = [`${rest.length} more columns are not shown: read each with \`column\``]
  return { projectId, columns, ...(rest.length > 0 && { notes }) }
}

/** `read_board`. */
const board = (routes: RouteSchemas): Tool => ({
  name: 'read_board',
  title: 'Read a board',
  description:
    "Shows a project's board: its columns in order with their WIP limits, and the first items of each. Use it for an overview of the work. Returns small cards; read_item returns a whole item. `cursor` continues in the column named by `column`.",
  hints: READS,
  input: Arguments({
    projectId: ProjectId,
    column: Type.Optional(Type.String({ minLength: 1, description: 'Only this column, by its name' })),
    limit: limited(100, 10, 'Items of each column'),
    ...fieldsOf(routes.query('listKanbanItems'), ['cursor'], {
      cursor: "Where to continue: a column's `nextCursor`, together with `column`",
    }),
  }),
  output: BoardSchema,
  run: readBoard,
})

const {
  labels: _labels,
  subtasks: _subtasks,
  warnings: _warnings,
  metadata,
  ...plainFields
} = KanbanItemSchema.properties

/** An item with all its records; long texts are truncated. */
export const WholeItemSchema = Type.Object({
  ...plainFields,
  assignee: Type.Optional(Type.String()),
  assignees: Type.Optional(Type.Array(Type.String())),
  labels: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  subtasks: Type.Array(Type.Pick(KanbanSubtaskSchema, ['id', 'title', 'completed'])),
  metadata: Type.Optional(metadata),
})

/** Shown subtasks, at most. */
const SUBTASKS_LIMIT = 200

/** An item with its child records; texts are truncated. */
export function wholeItemOf(item: KanbanItem, names: Names, cutter: Cutter, limit: number): object {
  const { labels, subtasks, warnings: _, metadata, ...plain } = item
  const isSmall = JSON.stringify(metadata).length <= limit
  if (!isSmall) cutter.notes.push('metadata is not shown: it is longer than textLimit')
  if (subtasks.length > SUBTASKS_LIMIT)
    cutter.notes.push(`${subtasks.length - SUBTASKS_LIMIT} more subtasks are not shown`)
  return {
    ...plain,
    ...named('assignee', item.assigneeId, names),
    ...severalOf(item, names),
    description: cutter.text('description', item.description),
    labels: labels.map(({ id, name }) => ({ id, name })),
    subtasks: subtasks.slice(0, SUBTASKS_LIMIT).map(({ id, title, completed }) => ({ id, title, completed })),
    ...(isSmall && { metadata }),
  }
}

/** Reads a list of an item; if it is too large, returns only a note. */
async function listOf({ read }: Service, path: string, name: string, notes: string[]) {
  try {
    const [answer] = await read(path)
    return answer?.body ?? []
  } catch (error) {
    if ((error as ApiError).statusCode !== 413) throw error
    notes.push(`${name} has too many entries for this result: use GET ${path}`)
    return []
  }
}

const { itemId: _ofComment, ...commentFields } = KanbanCommentSchema.properties
const { itemId: _ofActivity, ...activityFields } = KanbanActivitySchema.properties
const Name = Type.Optional(Type.String())

const idIn = (value: unknown) => (typeof value === 'string' ? value : null)

/** The people in an activity entry, besides its actor. */
function assignedIn({ type, metadata }: Pick<KanbanActivity, 'type' | 'metadata'>) {
  const { from, to } = type === 'assignment' ? metadata : {}
  return { from: idIn(from), to: idIn(to) }
}

const attachmentFields = Type.Pick(AttachmentSchema, [
  'id',
  'name',
  'kind',
  'url',
  'mediaType',
  'size',
]).properties

/** An attachment, with the URI of its resource. */
const attachmentOf = ({ id, name, kind, url, mediaType, size }: Attachment) => ({
  id,
  name,
  kind,
  ...(url !== undefined && { url }),
  mediaType,
  size,
  uri: ATTACHMENTS + encodeURIComponent(id),
})

/** `read_item`. */
const readItem = (_routes: RouteSchemas): Tool => ({
  name: 'read_item',
  title: 'Read a kanban item',
  description:
    'Shows one kanban item with everything that belongs to it: description, subtasks, labels, attachments, the latest comments and activity. Use it before you work on an item or change it. Long texts are truncated, and `notes` says where; pass `etag` as ifMatch to the tools that change the item, to prevent lost updates.',
  hints: READS,
  input: Arguments({
    itemId: ItemId,
    textLimit: limited(LONGEST_TEXT, TEXT_LIMIT, 'Characters of each text that are shown'),
    latest: limited(100, 20, 'Comments and activity entries, each at most, the latest'),
  }),
  output: Type.Object({
    item: WholeItemSchema,
    etag: Type.String(),
    comments: Type.Array(Type.Object({ ...commentFields, author: Name }), {
      description: 'The oldest first',
    }),
    attachments: Type.Optional(
      Type.Array(Type.Object({ ...attachmentFields, uri: Type.String() }), {
        description: 'Files and links; the uri is that of a resource with the content',
      }),
    ),
    activity: Type.Array(Type.Object({ ...activityFields, actor: Name, fromName: Name, toName: Name }), {
      description: 'The newest first',
    }),
    notes: Notes,
  }),
  async run({ itemId, textLimit = TEXT_LIMIT, latest = 20 }, service) {
    const path = pathOf`/api/kanban-items/${itemId}`
    const [answer] = (await service.read(path)) as [Answer]
    const cutter = new Cutter(textLimit, `call read_item with textLimit up to ${LONGEST_TEXT}`)
    const { notes } = cutter
    const all: KanbanComment[] = await listOf(service, `${path}/comments`, 'comments', notes)
    const entries: KanbanActivity[] = await listOf(service, `${path}/activity`, 'activity entries', notes)
    const attached: Attachment[] = await listOf(service, `${path}/attachments`, 'attachments', notes)
    if (all.length > latest) notes.push(`${all.length - latest} earlier comments are not shown: raise latest`)
    if (entries.length > latest)
      notes.push(`${entries.length - latest} earlier activity entries are not shown: raise latest`)
    const comments = all.slice(-latest)
    const activity = entries.slice(0, latest)
    const names = await namesOf(service, [
      ...answer.body.assigneeIds,
      ...comments.map(({ authorId }) => authorId),
      ...activity.flatMap((entry) => [entry.actorId, ...Object.values(assignedIn(entry))]),
    ])
    return {
      item: wholeItemOf(answer.body, names, cutter, textLimit),
      etag: answer.etag,
      comments: comments.map(({ itemId: _, ...comment }) => ({
        ...comment,
        ...named('author', comment.authorId, names),
        content: cutter.text(`comment ${comment.id}`, comment.content),
      })),
      ...(attached.length > 0 && { attachments: attached.map(attachmentOf) }),
      activity: activity.map(({ itemId: _, ...entry }) => ({
        ...entry,
        ...named('actor', entry.actorId, names),
        ...named('fromName', assignedIn(entry).from, names),
        ...named('toName', assignedIn(entry).to, names),
      })),
      ...cutter.field(),
    }
  },
})

/** `find_people`. */
const findPeople = (routes: RouteSchemas): Tool => ({
  name: 'find_people',
  title: 'Find people',
  description:
    'Finds people by a part of their name. Use it before you assign an item or filter by a person; or, with `ids`, to look up an assigneeId, authorId or actorId. Returns ids, names and kinds; unknown ids are omitted.',
  hints: READS,
  input: Arguments({
    ...fieldsOf(routes.query('listPeople'), ['q', 'ids', 'cursor'], {
      q: 'Part of the name, ignoring case',
      ids: 'Look up these ids instead of searching',
      cursor: 'The `nextCursor` of the page before, with the same other arguments',
    }),
    limit: limited(100, 20, 'People on a page'),
  }),
  output: Type.Object({
    people: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), kind: Type.String() })),
    nextCursor: NextCursor,
  }),
  async run({ limit = 20, ...query }, { readPeople }) {
    const answer = await readPeople({ ...query, limit })
    const people = answer.body.map(({ id, name, kind }: Person) => ({ id, name, kind }))
    return { people, ...next(answer) }
  },
})

/** The tools that read. */
/** `notifications`. */
const notifications = (routes: RouteSchemas): Tool => ({
  name: 'notifications',
  title: 'List your notifications',
  description:
    'Lists your notifications: assignments, mentions, comments on and moves of watched items, reminders, ended leases. Use it to find out what needs your attention. Returns a page at a time, newest first, unread ones unless `unread` is false.',
  hints: READS,
  input: Arguments({
    ...fieldsOf(routes.query('listNotifications'), ['kind', 'cursor'], {
      kind: 'Any of them',
      cursor: FILTERS.cursor,
    }),
    unread: Type.Optional(Type.Boolean({ default: true, description: 'Whether to list only unread ones' })),
    limit: limited(100, 20, 'Notifications on a page'),
  }),
  output: Type.Object({
    notifications: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: Type.String(),
        itemId: Nullable(Type.String()),
        projectId: Nullable(Type.String()),
        actorId: Nullable(Type.String()),
        actor: Type.Optional(Type.String()),
        title: Type.String(),
        text: Type.String(),
        count: Type.Integer(),
        createdAt: Type.String(),
        readAt: Nullable(Type.String()),
      }),
    ),
    nextCursor: NextCursor,
  }),
  async run({ unread = true, limit = 20, ...query }, service) {
    const path = withQuery('/api/notifications', { ...query, unread: String(unread), limit })
    const [answer] = (await service.read(path)) as [Answer]
    const listed = answer.body as MemberNotification[]
    const names = await namesOf(
      service,
      listed.map(({ actorId }) => actorId),
    )
    return {
      notifications: listed.map(({ seq: _, ...one }) => ({ ...one, ...named('actor', one.actorId, names) })),
      ...next(answer),
    }
  },
})

export const readingTools = [search, findItems, listProjects, board, readItem, findPeople, notifications]
