/**
 * The kinds of records, each in one place: what it is called, its table, what it belongs to, who may see it, what an undo does with it
 * and what an archive has of it. Whatever goes through all kinds goes through this list.
 *
 * What the tables say already is read from them: the fields of a record, those that name it, and by foreign keys what it belongs to.
 */
import { getTableColumns, getTableName } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './schema.ts'

/** A kind of record: the sequence of changes tells of its records. */
export interface Kind {
  /** Its name in changes, e.g. `kanban-item`. */
  kind: string
  /** What one is called in errors, e.g. `Kanban item`. */
  thing: string
  table: SQLiteTable
  /** Columns that are shown nowhere and in no archive: credentials. */
  secret?: readonly string[]
  /** Columns that no change tells of, but archives hold: what is kept of people and shown to nobody. */
  untold?: readonly string[]
  /** Columns whose change alone is not told of, as that of `updatedAt` is not. */
  quiet?: readonly string[]
  /** Fields that are kept for an undo and that the API shows nobody. */
  internal?: readonly string[]
  /** Ids that have a table of their own and are a field of the record in the API. */
  list?: { table: SQLiteTable; field: string }
  /** Whether admins alone may see it. Else whoever may read does; of a kind with an `ownerId`, its owner and admins. */
  isForAdmins?: boolean
  /** Whether no undo touches it: it has rules of its own for who may do what, which an undo would get round. */
  isNeverUndone?: boolean
  /** Whether the sequence tells only of its deletion. */
  onlyDeleted?: boolean
  /** Whether it is no part of its project's record: then its changes leave that as it is. */
  isApart?: boolean
  /**
   * Whether a large write hides it by its id until all is written. What belongs to a project is hidden with it; any other kind is
   * written last, and all of it must fit into memory.
   */
  isHiddenById?: boolean
}

/**
 * All kinds, parents first. A table that is not here must be one of those that no change tells of (`test/changes/sequence.test.ts`).
 */
export const KINDS: readonly Kind[] = [
  {
    kind: 'member',
    thing: 'Member',
    table: schema.members,
    secret: ['passwordHash'],
    isForAdmins: true,
    isNeverUndone: true,
  },
  {
    kind: 'team',
    thing: 'Team',
    table: schema.teams,
    list: { table: schema.teamMembers, field: 'memberIds' },
    isForAdmins: true,
    isNeverUndone: true,
  },
  {
    kind: 'person',
    thing: 'Person',
    table: schema.people,
    untold: ['email'],
    quiet: ['seenAt'],
    isHiddenById: true,
  },
  { kind: 'project', thing: 'Project', table: schema.projects },
  { kind: 'kanban-column', thing: 'Kanban column', table: schema.kanbanColumns, isApart: true },
  { kind: 'kanban-label', thing: 'Kanban label', table: schema.kanbanLabels },
  { kind: 'kanban-item', thing: 'Kanban item', table: schema.kanbanItems, internal: ['claimedFrom'] },
  { kind: 'kanban-subtask', thing: 'Kanban subtask', table: schema.kanbanSubtasks },
  { kind: 'kanban-comment', thing: 'Kanban comment', table: schema.kanbanComments, isApart: true },
  { kind: 'kanban-item-label', thing: 'Kanban item label', table: schema.kanbanItemLabels },
  {
    kind: 'kanban-activity',
    thing: 'Kanban activity',
    table: schema.kanbanActivity,
    onlyDeleted: true,
    isApart: true,
  },
  { kind: 'objective', thing: 'Objective', table: schema.objectives },
  { kind: 'metric', thing: 'Metric', table: schema.metrics },
  { kind: 'transcript-summary', thing: 'Transcript summary', table: schema.transcriptSummaries },
  { kind: 'team-assignment', thing: 'Team assignment', table: schema.teamAssignments },
  { kind: 'personal-idea', thing: 'Personal idea', table: schema.personalIdeas, isHiddenById: true },
]

/** The names of all kinds. */
export const KIND_NAMES: readonly string[] = KINDS.map(({ kind }) => kind)

const byName = new Map(KINDS.map((kind) => [kind.kind, kind]))
const byTable = new Map(KINDS.map((kind) => [kind.table, kind]))

/** The kind of a name. */
export const kindNamed = (name: string): Kind | undefined => byName.get(name)

/** The kind whose records a table has; undefined for a table that no change tells of. */
export const kindIn = (table: SQLiteTable): Kind | undefined => byTable.get(table)

const casing = new CasingCache('snake_case')

/** A column's name in the file. */
export const columnName = (column: SQLiteColumn): string => casing.getColumnCasing(column)

/** A column of a record: its name in the API, and in the file. */
export interface Field {
  name: string
  column: string
  /** Whether its values are text, or bytes: SQLite turns numbers into text there. */
  isText: boolean
}

/** The columns of a record that changes tell of. */
export const fieldsOf = ({ table, secret = [], untold = [] }: Kind): Field[] =>
  Object.entries<SQLiteColumn>(getTableColumns(table))
    .filter(([name]) => !secret.includes(name) && !untold.includes(name))
    .map(([name, column]) => ({
      name,
      column: columnName(column),
      isText: column.getSQLType() === 'text',
    }))

/** The names of the fields that a change of a kind may tell. */
export const fieldNamesOf = (kind: Kind): string[] => [
  ...fieldsOf(kind).map(({ name }) => name),
  ...(kind.list ? [kind.list.field] : []),
]

/** A field's name in the API, by its column. */
export const fieldName = (table: SQLiteTable, column: SQLiteColumn): string =>
  Object.entries(getTableColumns(table)).find(([, one]) => one === column)?.[0] as string

/** The names of the fields that name a row, in order. */
export type Key = readonly string[]

/** The primary key of a table: `id`, but of an item's label two fields. */
export function keyIn(table: SQLiteTable): Key {
  const { columns, primaryKeys } = getTableConfig(table)
  const compound = primaryKeys.flatMap((key) => key.columns)
  const key = compound.length > 0 ? compound : columns.filter(({ primary }) => primary)
  return key.map((column) => fieldName(table, column))
}

const keys = new Map(KINDS.map(({ kind, table }) => [kind, keyIn(table)]))

/** The fields that name a record of a kind. */
export const keyOf = (kind: string): Key => keys.get(kind) as Key

/** The values of the fields that name a record. */
export const keyValuesOf = (kind: string, fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(keyOf(kind).map((name) => [name, fields[name]]))

/** A record's id in changes: of an item's label both ids, with a colon between them. */
export const idOf = (kind: string, fields: Record<string, unknown>): string =>
  keyOf(kind)
    .map((name) => fields[name])
    .join(':')

/** A field that names another record, without which this one cannot be. */
export interface Reference {
  /** The kind that has the field. */
  kind: string
  field: string
  /** The kind that it names. */
  parent: string
  /** Whether the record goes with the one it names. */
  cascades: boolean
}

/** The fields of all records that name others, by foreign keys. */
export const REFERENCES: readonly Reference[] = KINDS.flatMap(({ kind, table }) =>
  getTableConfig(table).foreignKeys.map((key) => {
    const { columns, foreignTable } = key.reference()
    return {
      kind,
      field: fieldName(table, columns[0] as SQLiteColumn),
      parent: kindIn(foreignTable)?.kind as string,
      cascades: key.onDelete === 'cascade',
    }
  }),
)

/** The kinds that hold records of others, which may have to leave before they go: by which field a record belongs to one. */
const HOLDERS: Readonly<Record<string, string>> = { project: 'projectId', 'kanban-item': 'itemId' }

/** Whether records of a kind hold others. */
export const isHolder = (kind: string): boolean => kind in HOLDERS

/** What records of a kind belong to: `project`, or `kanban-item`, whose project is theirs; undefined for those that stand alone. */
export const holderOf = ({ kind }: Kind): string | undefined =>
  REFERENCES.find((one) => one.kind === kind && one.field === HOLDERS[one.parent])?.parent

/** The kinds of what belongs to a project or an item. */
export const BELONGINGS: readonly Kind[] = KINDS.filter((kind) => holderOf(kind) !== undefined)

/**
 * What a deletion takes along first, in this order: items before the columns they are in, and labels of items before labels. The rest
 * follows in the order of {@link KINDS}.
 */
const FIRST_TO_GO: readonly string[] = [
  'kanban-item',
  'kanban-label',
  'kanban-column',
  'kanban-item-label',
  'kanban-comment',
  'kanban-subtask',
]

const placeToGo = ({ kind }: { kind: string }): number => {
  const place = FIRST_TO_GO.indexOf(kind)
  return place < 0 ? FIRST_TO_GO.length : place
}

/** A table of what belongs to records of another, and the column that names them. */
export interface Child {
  table: string
  column: string
}

/** What goes with a record of a kind, by foreign keys: in the order in which a deletion takes it along. */
export const childrenOf = (kind: string): readonly Child[] =>
  REFERENCES.filter(({ parent, cascades }) => parent === kind && cascades)
    .toSorted((one, other) => placeToGo(one) - placeToGo(other))
    .map(({ kind: child, field }) => {
      const { table } = kindNamed(child) as Kind
      return { table: getTableName(table), column: columnName(getTableColumns(table)[field] as SQLiteColumn) }
    })

/** A row in SQL: `old` or `new` in a trigger, or the name of the table in a statement that reads it. */
type Row = string

/** A record's id in changes, as SQL. */
export const idIn = ({ table }: Kind, row: Row): string =>
  keyIn(table)
    .map((name) => `${row}.${columnName(getTableColumns(table)[name] as SQLiteColumn)}`)
    .join(" || ':' || ")

/** The project that a record belongs to, or is, as SQL; `null` for none. */
export function projectIn(kind: Kind, row: Row): string {
  if (kind.table === schema.projects) return `${row}.id`
  const holder = holderOf(kind)
  if (holder === undefined) return 'null'
  return holder === 'project'
    ? `${row}.project_id`
    : `(select project_id from kanban_items where id = ${row}.item_id)`
}

/** The item that a record belongs to, or is, as SQL; `null` for none. */
export function itemIn(kind: Kind, row: Row): string {
  if (kind.table === schema.kanbanItems) return `${row}.id`
  return holderOf(kind) === 'kanban-item' ? `${row}.item_id` : 'null'
}

/** Whether records of a kind are their owners' alone. */
export const isOwned = ({ table }: Kind): boolean => 'ownerId' in getTableColumns(table)

/** The only member who may see a record, besides admins, as SQL; `null` for none. */
export const ownerIn = (kind: Kind, row: Row): string => (isOwned(kind) ? `${row}.owner_id` : 'null')

/** What the records of other tables are called: no change tells of them. */
const OTHER_THINGS = new Map<SQLiteTable, string>([
  [schema.sessions, 'Session'],
  [schema.apiTokens, 'Token'],
  [schema.memberLinks, 'Link'],
  [schema.webhooks, 'Webhook'],
  [schema.imports, 'Import'],
])

/** What a record of a table is called, e.g. `Kanban item`. @throws Error for a table whose records have no name */
export function thingOf(table: SQLiteTable): string {
  const thing = kindIn(table)?.thing ?? OTHER_THINGS.get(table)
  if (thing === undefined) throw new Error(`name the records of ${getTableName(table)} in src/db/kinds.ts`)
  return thing
}
