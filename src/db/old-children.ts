/** Records that belong to a project or an item: what reading and changing them has in common, whatever they hold. */
import { and, desc, eq, getTableColumns, getTableName } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { conflict, invalidField } from '../errors.ts'
import { timestamp } from '../time.ts'
import { read, type SharedDatabase } from './client.ts'
import { thingOf, throwNotFound } from './existence.ts'
import { newId } from './ids.ts'
import {
  given,
  type Identified,
  prepareDelete,
  prepareExists,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from './old-statements.ts'
import { afterLast, inOrder, type OrderedTable, type Place, prepareReorder } from './ordering.ts'
import { kanbanItems, projects } from './schema.ts'
import { bytesOf, readLimit } from './work-limits.ts'

/** A table whose rows belong to a project or an item. */
export type ChildTable = Identified &
  ({ projectId: SQLiteColumn } | { itemId: SQLiteColumn }) & {
    sortOrder?: OrderedTable['sortOrder']
    updatedAt?: SQLiteColumn
  }

/** The column that names the parent, and the parent's table. */
const parentOf = (table: ChildTable) =>
  'projectId' in table
    ? { field: 'projectId', column: table.projectId, parent: projects }
    : { field: 'itemId', column: table.itemId, parent: kanbanItems }

/** The fields of a child that a client may set: all but those that say what it is and whose. */
export type ChildInput<Table extends ChildTable> = Partial<
  Omit<Table['$inferInsert'], 'id' | 'projectId' | 'itemId' | 'createdAt' | 'updatedAt'>
>

/** What differs from one kind of child to another. */
export interface ChildOptions {
  /** Whether a new one stands after the last, instead of where the column's default puts it. */
  appends?: boolean
  /** Refuses to change or delete what is not there; the 404 of the table's records, unless given. */
  refuseUnknown?: () => never
}

/** The names of the columns of a table that hold texts, as SQL has them. */
const textColumnsOf = (table: SQLiteTable): string[] =>
  Object.entries(getTableColumns(table)).flatMap(([name, column]) =>
    column.getSQLType() === 'text' ? [`"${toSnakeCase(name)}"`] : [],
  )

/**
 * Prepares reading the records of a table that belong to a parent.
 * @returns the reader: the parent's records, in order. It throws an ApiError: 404 when there is no such parent; and
 * TooMuchWork
 */
export function prepareChildList<Table extends ChildTable>(
  db: SharedDatabase,
  table: Table,
): (parentId: string) => Table['$inferSelect'][] {
  const { field, column, parent } = parentOf(table)
  const parentExists = prepareExists(db, parent)
  const limit = readLimit(db, [
    {
      rows: `${getTableName(table)} where ${toSnakeCase(field)} = +?`,
      bytes: bytesOf(...textColumnsOf(table)),
    },
  ])
  const all = prepareRows<Table['$inferSelect']>(
    db,
    db
      .select()
      .from(table as ChildTable)
      .where(eq(column, given('parentId')))
      .orderBy(...inOrder(table)),
  )
  return (parentId) =>
    read(db, () => {
      if (!parentExists(parentId)) throwNotFound(parent)
      limit(parentId)
      return all.all({ parentId })
    })
}

/**
 * Prepares the statements that read and change the records of a table that belong to a parent.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export function prepareChildren<Table extends ChildTable>(
  db: SharedDatabase,
  table: Table,
  { appends = false, refuseUnknown = () => throwNotFound(table) }: ChildOptions = {},
) {
  type Row = Table['$inferSelect']
  const { field, column, parent } = parentOf(table)
  const ofParent = eq(column, given('parentId'))
  const select = () => db.select().from(table as ChildTable)
  const one = prepareRows<Row>(db, select().where(eq(table.id, given('id'))))
  const list = prepareChildList(db, table)
  const exists = prepareExists(db, table)
  const parentExists = prepareExists(db, parent)
  const insert = prepareInsert(db, table)
  const update = prepareUpdate(db, table)
  const remove = prepareDelete(db, table)
  const isOrdered = (some: ChildTable): some is ChildTable & OrderedTable => some.sortOrder !== undefined
  const last =
    appends && isOrdered(table)
      ? prepareRows<{ sortOrder: number }>(
          db,
          db
            .select({ sortOrder: table.sortOrder })
            .from(table as ChildTable)
            .where(ofParent)
            .orderBy(desc(table.sortOrder))
            .limit(1),
        )
      : undefined
  const changedAt = (at: string) => (table.updatedAt === undefined ? {} : { updatedAt: at })

  return {
    /** One record. @throws ApiError 404 */
    get: (id: string): Row => one.get({ id }) ?? throwNotFound(table),

    /** The records of a parent, in order. @throws ApiError 404 when there is no such parent; TooMuchWork */
    list,

    /**
     * Creates a record.
     * @returns its id
     * @throws ApiError 404 when there is no such parent
     */
    create(parentId: string, input: ChildInput<Table>): string {
      if (!parentExists(parentId)) throwNotFound(parent)
      const id = newId()
      const at = timestamp()
      const place = last && { sortOrder: afterLast(last.get({ parentId })?.sortOrder) }
      insert({ ...place, ...input, id, [field]: parentId, createdAt: at, ...changedAt(at) })
      return id
    },

    /** Changes a record; an empty change leaves it as it is, `updatedAt` included. @throws ApiError 404 */
    update(id: string, input: ChildInput<Table>): void {
      const isEmpty = Object.keys(input).length === 0
      const isThere = isEmpty ? exists(id) : update(id, { ...input, ...changedAt(timestamp()) })
      if (!isThere) refuseUnknown()
    },

    /** Deletes a record with all that belongs to it. @throws ApiError 404 */
    delete(id: string): void {
      if (!remove(id)) refuseUnknown()
    },
  }
}

/**
 * Prepares putting the children of a parent where a client wants them.
 * @returns the change. Call it inside the write that it is part of. It throws an ApiError: 404 when there is no such
 * parent, 400 for children of somebody else
 */
export function prepareReorderOfChildren(db: SharedDatabase, table: ChildTable & OrderedTable) {
  const { column, parent } = parentOf(table)
  const parentExists = prepareExists(db, parent)
  const [thing, owner] = [thingOf(table), thingOf(parent)].map((name) => name.toLowerCase())
  const reorder = prepareReorder(db, table, column, (unknown) =>
    invalidField(
      'items',
      ...unknown.map((index) => `items[${index}].id must be that of a ${thing} of the ${owner}`),
    ),
  )
  return (places: readonly Place[], parentId: string): void => {
    if (!parentExists(parentId)) throwNotFound(parent)
    reorder(places, parentId)
  }
}

/**
 * Prepares refusing a name that a project's records of one kind have already.
 * @returns the check. It throws an ApiError 409
 */
export function prepareRefuseTakenName(
  db: SharedDatabase,
  table: Identified & { projectId: SQLiteColumn; name: SQLiteColumn },
) {
  const named = prepareRows(
    db,
    db
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.projectId, given('projectId')), eq(table.name, given('name')))),
  )
  const refusal = `${thingOf(table)} name is taken`
  return (projectId: string, name: string): void => {
    if (named.get({ projectId, name })) throw conflict(refusal)
  }
}
