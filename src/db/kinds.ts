/**
 * The kinds of records, each defined in one place: its name, table, parent, visibility, and its behaviour in undos and
 * archives. Code that handles all kinds iterates over this list.
 *
 * The tables define the rest: the fields of a record, its key, and by foreign keys its parent.
 */
import { getTableColumns, getTableName } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './schema.ts'

/** A tracked kind of record: the sequence of changes records its changes. */
export interface Kind {
  /** Its name in changes, e.g. `kanban-item`. */
  kind: string
  /** Its name in errors, e.g. `Kanban item`. */
  thing: string
  table: SQLiteTable
  /** Columns that are never shown and in no archive: credentials. */
  secret?: readonly string[]
  /** Columns that archives contain, but changes do not: data of people that is never shown. */
  untracked?: readonly string[]
  /** Columns whose change alone is not recorded, like `updatedAt`. */
  quiet?: readonly string[]
  /** Fields that are stored for undo, but not shown in the API. */
  internal?: readonly string[]
  /** Ids in a separate table that are a field of the record in the API. */
  list?: { table: SQLiteTable; field: string }
  /** Whether only admins may see it. Otherwise all readers may; for a kind with an `ownerId`, its owner and admins. */
  isForAdmins?: boolean
  /** Whether it cannot be undone: it has its own access rules, which an undo would bypass. */
  isNeverUndone?: boolean
  /** Whether the sequence records only its deletion. */
  onlyDeleted?: boolean
  /** Whether its project's record does not show it; its changes then do not change that record. */
  isApart?: boolean
}

/**
 * All kinds, parents first. Any other table must be listed as untracked (`test/changes/sequence.test.ts`).
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
    untracked: ['email'],
    quiet: ['seenAt'],
  },
  { kind: 'project', thing: 'Project', table: schema.projects },
  { kind: 'kanban-column', thing: 'Kanban column', table: schema.kanbanColumns, isApart: true },
  { kind: 'kanban-label', thing: 'Kanban label', table: schema.kanbanLabels },
  {
    kind: 'kanban-item',
    thing: 'Kanban item',
    table: schema.kanbanItems,
    internal: ['claimedFrom'],
    quiet: ['number'],
  },
  { kind: 'kanban-subtask', thing: 'Kanban subtask', table: schema.kanbanSubtasks },
  { kind: 'kanban-comment', thing: 'Kanban comment', table: schema.kanbanComments, isApart: true },
  {
    kind: 'attachment',
    thing: 'Attachment',
    table: schema.attachments,
    internal: ['thumbnail'],
    quiet: ['thumbnail'],
    isApart: true,
  },
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
  { kind: 'personal-idea', thing: 'Personal idea', table: schema.personalIdeas },
]

export const KIND_NAMES: readonly string[] = KINDS.map(({ kind }) => kind)

const byName = new Map(KINDS.map((kind) => [kind.kind, kind]))
const byTable = new Map(KINDS.map((kind) => [kind.table, kind]))

export const kindNamed = (name: string): Kind | undefined => byName.get(name)

/** The kind of a table's records; undefined for an untracked table. */
export const kindIn = (table: SQLiteTable): Kind | undefined => byTable.get(table)

const casing = new CasingCache('snake_case')

/** A column's name in the file. */
export const columnName = (column: SQLiteColumn): string => casing.getColumnCasing(column)

/** A column of a record: its names in the API and in the file. */
interface Field {
  name: string
  column: string
}

/** The tracked columns of a record. */
export const fieldsOf = ({ table, secret = [], untracked = [] }: Kind): Field[] =>
  Object.entries<SQLiteColumn>(getTableColumns(table))
    .filter(([name]) => !secret.includes(name) && !untracked.includes(name))
    .map(([name, column]) => ({ name, column: columnName(column) }))

/** The names of the tracked fields of a kind. */
export const fieldNamesOf = (kind: Kind): string[] => [
  ...fieldsOf(kind).map(({ name }) => name),
  ...(kind.list ? [kind.list.field] : []),
]

/** A field's name in the API, by its column. */
export const fieldName = (table: SQLiteTable, column: SQLiteColumn): string =>
  Object.entries(getTableColumns(table)).find(([, one]) => one === column)?.[0] as string

/** The names of a row's key fields, in order. */
export type Key = readonly string[]

/** The primary key of a table: `id`, or two fields for an item's label. */
export function keyIn(table: SQLiteTable): Key {
  const { columns, primaryKeys } = getTableConfig(table)
  const compound = primaryKeys.flatMap((key) => key.columns)
  const key = compound.length > 0 ? compound : columns.filter(({ primary }) => primary)
  return key.map((column) => fieldName(table, column))
}

const keys = new Map(KINDS.map(({ kind, table }) => [kind, keyIn(table)]))

/** The key fields of a kind. */
export const keyOf = (kind: string): Key => keys.get(kind) as Key

export const keyValuesOf = (kind: string, fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(keyOf(kind).map((name) => [name, fields[name]]))

/** A record's id in changes: for an item's label both ids, separated by a colon. */
export const idOf = (kind: string, fields: Record<string, unknown>): string =>
  keyOf(kind)
    .map((name) => fields[name])
    .join(':')

/** A required reference to another record. */
export interface Reference {
  /** The kind that has the field. */
  kind: string
  field: string
  /** The referenced kind. */
  parent: string
  /** Whether the record is deleted with the referenced one. */
  cascades: boolean
}

/** The references of all kinds, by foreign keys. */
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

/** The parent kinds that must be empty before deletion, with the field of their children. */
const HOLDERS: Readonly<Record<string, string>> = { project: 'projectId', 'kanban-item': 'itemId' }

/** Whether records of a kind have children. */
export const isHolder = (kind: string): boolean => kind in HOLDERS

/** The parent of a kind: `project`, or `kanban-item`, whose project is theirs; undefined for none. */
export const holderOf = ({ kind }: Kind): string | undefined =>
  REFERENCES.find((one) => one.kind === kind && one.field === HOLDERS[one.parent])?.parent

/**
 * Children that a deletion deletes first, in this order: items before their columns, and labels of items before labels. The rest
 * follows in the order of {@link KINDS}.
 */
const FIRST_TO_GO: readonly string[] = [
  'kanban-item',
  'kanban-label',
  'kanban-column',
  'kanban-item-label',
  'kanban-comment',
  'kanban-subtask',
  'attachment',
]

const placeToGo = ({ kind }: { kind: string }): number => {
  const place = FIRST_TO_GO.indexOf(kind)
  return place < 0 ? FIRST_TO_GO.length : place
}

/** A child table, and the column that references the parent. */
export interface Child {
  table: string
  column: string
}

/** The children of a kind by foreign keys, in the order of their deletion. */
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

/** The project of a record, or its own id, as SQL; `null` for none. */
export function projectIn(kind: Kind, row: Row): string {
  if (kind.table === schema.projects) return `${row}.id`
  const holder = holderOf(kind)
  if (holder === undefined) return 'null'
  return holder === 'project'
    ? `${row}.project_id`
    : `(select project_id from kanban_items where id = ${row}.item_id)`
}

/** The item of a record, or its own id, as SQL; `null` for none. */
export function itemIn(kind: Kind, row: Row): string {
  if (kind.table === schema.kanbanItems) return `${row}.id`
  return holderOf(kind) === 'kanban-item' ? `${row}.item_id` : 'null'
}

/** Whether records of a kind are private to their owners. */
export const isOwned = ({ table }: Kind): boolean => 'ownerId' in getTableColumns(table)

/** The only member who may see a record, besides admins, as SQL; `null` for none. */
export const ownerIn = (kind: Kind, row: Row): string => (isOwned(kind) ? `${row}.owner_id` : 'null')

/** The names of records of untracked tables. */
const OTHER_THINGS = new Map<SQLiteTable, string>([
  [schema.sessions, 'Session'],
  [schema.apiTokens, 'Token'],
  [schema.memberLinks, 'Link'],
  [schema.shareLinks, 'Share link'],
  [schema.webhooks, 'Webhook'],
  [schema.imports, 'Import'],
])

/** The name of a table's records, e.g. `Kanban item`. @throws Error for a table without one */
export function thingOf(table: SQLiteTable): string {
  const thing = kindIn(table)?.thing ?? OTHER_THINGS.get(table)
  if (thing === undefined) throw new Error(`name the records of ${getTableName(table)} in src/db/kinds.ts`)
  return thing
}
