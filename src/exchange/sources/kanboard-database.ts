/** Kanboard's SQLite database: everything about a project, of any version since 1.0. */
import SQLite from 'better-sqlite3'
import type { JsonObject } from '../../json.ts'
import { priorityOfNumber } from './kanboard-csv.ts'
import {
  type SourceAttachment,
  type SourceBoard,
  type SourceCard,
  type SourceColumn,
  type SourceComment,
  type SourceLabel,
  type SourcePerson,
  type SourceSubtask,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import { TooLarge } from './source-limits.ts'
import {
  distinctBy,
  EMAIL_FIELDS,
  emailIn,
  idsIn,
  isEmpty,
  linkOf,
  note,
  number,
  oldestFirst,
  repeatedCards,
  restrictedNote,
  sortedBy,
  span,
  text,
  unixTime,
  without,
  withoutEmpty,
} from './source-values.ts'

/**
 * Reads the project of a database.
 * @throws Error with one line if it is damaged or another program's, or has several projects in use
 */
export function readProject(bytes: Uint8Array): SourceBoard {
  const tables = readTables(bytes)
  const { projects = [] } = tables
  const inUse = projects.filter(({ is_active }) => number(is_active) !== 0)
  const [project, ...others] = inUse.length > 0 ? inUse : projects
  if (!project) throw new Error('it has no project: is it a Kanboard database?')
  if (others.length > 0) {
    const names = [project, ...others].slice(0, 10).map(({ name }) => text(name))
    throw new Error(
      `it has ${others.length + 1} projects (${names.join(', ').replace(/\s+/g, ' ')}), and one can be imported at a time: ` +
        'export the tasks of each as CSV, or close the others in Kanboard and download it again',
    )
  }
  const skipped = projects.length - 1
  const board = new Project(tables, project).read()
  return { ...board, notes: [...board.notes, ...note(skipped, 'skipped projects', 'closed in Kanboard')] }
}

/** The tables to read. Sessions, passwords, settings and the like are not read. */
const TABLES = [
  'projects',
  'columns',
  'swimlanes',
  'tasks',
  'subtasks',
  'task_has_subtasks',
  'comments',
  'users',
  'tags',
  'task_has_tags',
  'links',
  'task_has_links',
  'task_has_external_links',
  'task_has_files',
  'files',
  'task_has_metadata',
  'project_has_categories',
  'project_has_metadata',
  'project_has_files',
] as const
type Tables = { [name in (typeof TABLES)[number]]?: JsonObject[] }

/** Bytes of values beyond the file's size: defaults of columns that were added later are stored once. */
const DEFAULTS = 1024 * 1024

/** The remaining read budget of a file. */
interface Budget {
  rows: number
  bytes: number
}

/**
 * Reads whole tables of an untrusted file: nothing in it is run (views, triggers, virtual tables and computed columns are not
 * touched), and it reads no more than the file's size plus defaults, since rows can share pages.
 */
function readTables(bytes: Uint8Array): Tables {
  const copy = Buffer.from(bytes)
  // A file in WAL mode cannot be opened from memory; this patches the header.
  copy.fill(1, 18, 20)
  let client: SQLite.Database | undefined
  try {
    client = new SQLite(copy)
    client.pragma('trusted_schema = off')
    client.pragma('query_only = on')
    const budget = { rows: copy.length, bytes: copy.length + DEFAULTS }
    const found: Tables = {}
    for (const table of TABLES) {
      const rows = readTable(client, table, budget)
      if (rows) found[table] = rows
    }
    return found
  } catch (error) {
    if (error instanceof TooLarge) throw error
    const why = error instanceof SQLite.SqliteError ? 'SQLite cannot read it' : (error as Error).message
    throw new Error(`it is a damaged database: ${why}`, { cause: error })
  } finally {
    client?.close()
  }
}

function readTable(client: SQLite.Database, table: string, budget: Budget): JsonObject[] | undefined {
  const definition = client
    .prepare<[string], { type: string; sql: string }>('select type, sql from sqlite_schema where name = ?')
    .get(table)
  if (definition?.type !== 'table' || !/^create\s+table/i.test(definition.sql)) return undefined
  const columns = client
    .prepare<[string], { name: string }>('select name from pragma_table_xinfo(?) where hidden = 0')
    .all(table)
    .filter(({ name }) => !isSecret(table, name))
    .map(({ name }) => `"${name.replaceAll('"', '""')}"`)
  if (columns.length === 0) return undefined
  weigh(client, table, columns, budget)
  // No Kanboard column has bytes, and nothing here can store them.
  const values = columns.map((column) => `iif(typeof(${column}) = 'blob', null, ${column}) as ${column}`)
  return client.prepare<[], JsonObject>(`select ${values.join(', ')} from "${table}" not indexed`).all()
}

/** Columns per expression: SQLite limits the depth. */
const AT_ONCE = 100

/**
 * Charges a table's rows and bytes to the budget before reading them: SQLite knows the size of a value without reading
 * its pages.
 * @throws TooLarge
 */
function weigh(client: SQLite.Database, table: string, columns: readonly string[], budget: Budget): void {
  const sizes = columns.map(
    (column) => `iif(typeof(${column}) in ('text', 'blob'), octet_length(${column}), 0)`,
  )
  const sums = Array.from({ length: Math.ceil(sizes.length / AT_ONCE) }, (_, part) =>
    sizes.slice(part * AT_ONCE, (part + 1) * AT_ONCE).join(' + '),
  )
  const rows = client.prepare<[], number[]>(`select ${sums.join(', ')} from "${table}" not indexed`).raw()
  for (const bytes of rows.iterate()) {
    budget.rows -= 1
    budget.bytes = bytes.reduce((left, some) => left - some, budget.bytes)
    if (budget.rows < 0 || budget.bytes < 0) {
      throw new TooLarge('its contents are larger than possible for its size: it is damaged')
    }
  }
}

/** Only identity columns of users; no access tokens of projects. */
const isSecret = (table: string, column: string) =>
  table === 'users'
    ? !['id', 'username', 'name', 'email'].includes(column)
    : table === 'projects' && column === 'token'

const READ = {
  project: new Set(['id', 'name', 'description', 'is_active', 'last_modified']),
  task: new Set([
    'id',
    'project_id',
    'title',
    'description',
    'column_id',
    'position',
    'owner_id',
    'date_due',
    'is_active',
    'date_creation',
    'date_modification',
    'priority',
    'swimlane_id',
    'category_id',
    'creator_id',
  ]),
  part: new Set(['id', 'task_id', 'project_id']),
  subtask: new Set(['id', 'task_id', 'title', 'position', 'status', 'user_id']),
  comment: new Set([
    'id',
    'task_id',
    'user_id',
    'comment',
    'date',
    'date_creation',
    'date_modification',
    'visibility',
  ]),
}

/** The non-empty fields of a record that were not read; 0 and '' mean empty there. */
const unreadIn = (record: JsonObject, read: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(
    Object.entries(withoutEmpty(without(record, read))).filter(([, value]) => value !== 0 && value !== '0'),
  )

class Project {
  readonly #project: JsonObject
  readonly #tables: Tables
  readonly #columns: ReadonlyMap<unknown, SourceColumn>
  readonly #tags: ReadonlyMap<unknown, SourceLabel>
  readonly #tasks: JsonObject[]
  readonly #repeated: number
  /** The roles that may read each restricted comment. */
  readonly #restricted: string[] = []
  readonly #parts = new Map<string, ReadonlyMap<unknown, JsonObject[]>>()
  readonly #first: string
  readonly #last: string

  constructor(tables: Tables, project: JsonObject) {
    this.#tables = tables
    this.#project = project
    const tasks = distinctBy(this.#own('tasks'), ({ id }) => text(id))
    this.#repeated = this.#own('tasks').length - tasks.length
    const { first, last } = span(
      tasks.flatMap((task) => [unixTime(task.date_creation), unixTime(task.date_modification)]),
    )
    this.#first = first
    this.#last = unixTime(project.last_modified) ?? last
    this.#columns = new Map(
      sortedBy(this.#own('columns'), ({ position }) => number(position)).map((column) => [
        column.id,
        { name: text(column.title), color: '', wipLimit: number(column.task_limit) ?? 0, createdAt: first },
      ]),
    )
    const lanes = new Map(
      sortedBy(this.#own('swimlanes'), ({ position }) => number(position)).map(({ id }, index) => [
        id,
        index,
      ]),
    )
    // Tasks without a lane are in the first one.
    const inPlace = sortedBy(tasks, ({ position }) => number(position))
    this.#tasks = sortedBy(inPlace, ({ swimlane_id }) => lanes.get(swimlane_id) ?? -1)
    const used = new Set((tables.task_has_tags ?? []).map(({ tag_id }) => tag_id))
    // Tags of project 0 are global: only used ones are imported.
    this.#tags = new Map(
      (tables.tags ?? [])
        .filter(({ id, project_id }) => project_id === project.id || (project_id === 0 && used.has(id)))
        .map((tag) => [
          tag.id,
          { name: text(tag.name), color: COLORS.get(text(tag.color_id)) ?? '', createdAt: first },
        ]),
    )
  }

  read(): SourceBoard {
    const project = this.#project
    const cards = this.#tasks.map((task) => this.#toCard(task))
    const labels = new Set(cards.flatMap((card) => card.labels))
    return {
      format: 'kanboard',
      id: text(project.name),
      name: text(project.name),
      description: text(project.description),
      archived: number(project.is_active) === 0,
      createdAt: this.#first,
      updatedAt: this.#last,
      columns: [...this.#columns.values()],
      labels: [...this.#tags.values()].filter((label) => labels.has(label) || label.name !== ''),
      cards,
      people: this.#people(),
      rest: withoutEmpty({
        ...unreadIn(project, READ.project),
        projectId: project.id,
        columns: this.#own('columns').map((column) =>
          unreadIn(column, new Set(['project_id', 'position', 'task_limit'])),
        ),
        swimlanes: this.#own('swimlanes').map((lane) => unreadIn(lane, new Set(['project_id']))),
        categories: this.#own('project_has_categories').map((category) =>
          unreadIn(category, new Set(['project_id'])),
        ),
        metadata: this.#own('project_has_metadata').map((entry) => unreadIn(entry, READ.part)),
        files: this.#own('project_has_files').map((file) => unreadIn(file, READ.part)),
        users: this.#usersNamed().map((user) => without(user, EMAIL_FIELDS)),
      }),
      notes: [...repeatedCards(this.#repeated), ...restrictedNote('comments', this.#restricted, 'Kanboard')],
    }
  }

  /** A table's records of the project. */
  #own = (table: keyof Tables): JsonObject[] =>
    (this.#tables[table] ?? []).filter(({ project_id }) => project_id === this.#project.id)

  /** A table's records of a task. */
  #of(table: keyof Tables, taskId: unknown): JsonObject[] {
    let parts = this.#parts.get(table)
    if (parts === undefined) {
      parts = Map.groupBy(this.#tables[table] ?? [], ({ task_id }) => task_id)
      this.#parts.set(table, parts)
    }
    return isEmpty(taskId) ? [] : (parts.get(taskId) ?? [])
  }

  #byId(table: keyof Tables, id: unknown): JsonObject | undefined {
    let found = this.#ids.get(table)
    if (found === undefined) {
      found = new Map((this.#tables[table] ?? []).map((record) => [record.id, record]))
      this.#ids.set(table, found)
    }
    return found.get(id)
  }
  readonly #ids = new Map<string, ReadonlyMap<unknown, JsonObject>>()
  readonly #named = new Set<unknown>()

  /** A user's login name; the id of a deleted user. */
  #user(id: unknown): string {
    if (isEmpty(id) || number(id) === 0) return ''
    this.#named.add(id)
    return text(this.#byId('users', id)?.username) || text(id)
  }

  /** The users on the board. */
  #usersNamed = () =>
    [...this.#named].map((id) => withoutEmpty(this.#byId('users', id) ?? {})).filter((user) => !isEmpty(user))

  /** Those users by their ids in cards and comments. */
  #people = (): SourcePerson[] =>
    this.#usersNamed().map(({ id, username, name, email }) => ({
      id: text(username) || text(id),
      name: text(name) || text(username),
      email: emailIn(email),
    }))

  #toCard(task: JsonObject): SourceCard {
    const { id } = task
    const createdAt = unixTime(task.date_creation) ?? this.#first
    const level = number(task.priority)
    const links = this.#of('task_has_links', id)
    const tags = this.#of('task_has_tags', id)
    const subtasks = sortedBy(
      [...this.#of('subtasks', id), ...this.#of('task_has_subtasks', id)],
      ({ position }) => number(position),
    )
    const { open: comments = [], restricted = [] } = Object.groupBy(this.#of('comments', id), (comment) =>
      isForAll(comment) ? 'open' : 'restricted',
    )
    for (const { visibility } of restricted) this.#restricted.push(text(visibility))
    const dueDate = unixTime(task.date_due) ?? null
    return {
      id: text(id),
      number: number(id),
      title: text(task.title),
      description: text(task.description),
      column: this.#columns.get(task.column_id),
      position: undefined,
      priority: priorityOfNumber(level),
      assignees: idsIn([this.#user(task.owner_id)]),
      dueDate,
      dismissed: number(task.is_active) === 0,
      links: links.map((link) => ({
        type: linkOf(text(this.#byId('links', link.link_id)?.label)),
        to: text(link.opposite_task_id),
      })),
      labels: [...new Set(tags.flatMap(({ tag_id }) => this.#tags.get(tag_id) ?? []))],
      subtasks: subtasks.map(
        (subtask): SourceSubtask => ({
          title: text(subtask.title),
          completed: number(subtask.status) === DONE,
          createdAt,
        }),
      ),
      comments: this.#comments(comments, createdAt),
      attachments: [
        ...this.#of('task_has_external_links', id).map((link) => this.#toLink(link, createdAt)),
        ...[...this.#of('task_has_files', id), ...this.#of('files', id)].map((file) =>
          toFile(file, createdAt),
        ),
      ],
      rest: withoutEmpty({
        ...unreadIn(task, READ.task),
        ...this.#dates(task),
        date_due: dueDate === null && number(task.date_due) !== 0 ? task.date_due : null,
        priority: task.priority,
        swimlane: this.#byId('swimlanes', task.swimlane_id)?.name,
        category: this.#byId('project_has_categories', task.category_id)?.name,
        creator: this.#user(task.creator_id),
        subtasks: this.#subtaskRest(subtasks),
        comments: comments.map((comment) => unreadIn(comment, READ.comment)).filter((more) => !isEmpty(more)),
        links: links.map((link) => ({
          label: this.#byId('links', link.link_id)?.label,
          task: link.opposite_task_id,
        })),
        metadata: this.#of('task_has_metadata', id).map((entry) => unreadIn(entry, READ.part)),
      }),
      createdAt,
      updatedAt: unixTime(task.date_modification) ?? createdAt,
    }
  }

  /** Other times of a task, as timestamps. */
  #dates = (task: JsonObject): JsonObject =>
    Object.fromEntries(
      ['date_completed', 'date_started', 'date_moved'].map((name) => [
        name,
        unixTime(task[name]) ?? (number(task[name]) === 0 ? null : task[name]),
      ]),
    )

  #comments = (comments: JsonObject[], fallback: string): SourceComment[] =>
    oldestFirst(
      comments.map((comment) => {
        const createdAt = unixTime(comment.date_creation) ?? unixTime(comment.date) ?? fallback
        const editedAt = unixTime(comment.date_modification) ?? null
        return {
          authorId: this.#user(comment.user_id) || UNKNOWN_AUTHOR,
          text: text(comment.comment),
          createdAt,
          editedAt: editedAt === createdAt ? null : editedAt,
        }
      }),
    )

  #toLink(link: JsonObject, fallback: string): SourceAttachment {
    const createdAt = unixTime(link.date_creation)
    const { url: _, title, date_creation, creator_id, ...others } = unreadIn(link, READ.part)
    const changed = others.date_modification === date_creation ? null : others.date_modification
    const rest = withoutEmpty({
      ...others,
      date_creation: createdAt === undefined ? date_creation : null,
      date_modification: changed,
    })
    return {
      name: text(title),
      url: text(link.url),
      creatorId: this.#user(creator_id) || null,
      createdAt: createdAt ?? fallback,
      field: 'externalLinks',
      whole: unreadIn(link, READ.part),
      ...(!isEmpty(rest) && { rest: { title, ...rest } }),
    }
  }

  /** Values without a field in subtasks: assignees, durations, progress. */
  #subtaskRest = (subtasks: JsonObject[]): JsonObject[] =>
    subtasks
      .map((subtask) =>
        withoutEmpty({
          ...unreadIn(subtask, READ.subtask),
          status: number(subtask.status) === IN_PROGRESS ? 'in progress' : null,
          user: this.#user(subtask.user_id),
        }),
      )
      .map((more, index) => (isEmpty(more) ? more : { title: subtasks[index]?.title, ...more }))
      .filter((more) => !isEmpty(more))
}

/** Whether everybody may read a comment; older versions have no others. */
const isForAll = ({ visibility }: JsonObject) => isEmpty(visibility) || visibility === 'app-user'

/** A file: the database holds neither its bytes nor a URL. */
const toFile = (file: JsonObject, createdAt: string): SourceAttachment => ({
  ...{ name: text(file.name), url: '', creatorId: null, createdAt },
  field: 'files',
  whole: unreadIn(file, READ.part),
})

/** States of a subtask: 0 to 2. */
const IN_PROGRESS = 1
const DONE = 2

/** The colours of tags in Kanboard 1.2: those of the borders. */
const COLORS = new Map(
  Object.entries({
    yellow: '#dfe32d',
    blue: '#a8cfff',
    green: '#4ae371',
    purple: '#cd85fe',
    red: '#ff9797',
    orange: '#ffac62',
    grey: '#cccccc',
    brown: '#4e342e',
    deep_orange: '#e64a19',
    dark_grey: '#455a64',
    pink: '#d81b60',
    teal: '#00695c',
    cyan: '#00bcd4',
    lime: '#afb42b',
    light_green: '#689f38',
    amber: '#ffa000',
  }),
)
