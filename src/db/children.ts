/** Reads and changes child records of a project or an item, for any table. */
import { type TSchema, Type } from '@sinclair/typebox'
import { and, desc, eq, getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { conflict, invalidField } from '../errors.ts'
import { ref } from '../schemas/common.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import { read, type SharedDatabase } from './client.ts'
import { throwNotFound } from './existence.ts'
import { newId } from './ids.ts'
import { columnName, thingOf } from './kinds.ts'
import { afterLast, inOrder, type OrderedTable, type Place, reorderIn } from './ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from './pages.ts'
import { kanbanItems, projects } from './schema.ts'
import {
  amongIds,
  deleteFrom,
  existsIn,
  given,
  type Identified,
  insertReturning,
  selectAll,
  selectById,
  selectOne,
  updateIn,
} from './statements.ts'
import { bytesOf, readLimit } from './work-limits.ts'

/** A table with a foreign key to projects or items. */
type ChildTable = Identified &
  ({ projectId: SQLiteColumn } | { itemId: SQLiteColumn }) & { updatedAt?: SQLiteColumn }

/** The foreign key column, and the parent's table. */
const parentOf = (table: ChildTable) =>
  'projectId' in table
    ? { field: 'projectId', column: table.projectId, parent: projects }
    : { field: 'itemId', column: table.itemId, parent: kanbanItems }

/** The fields of a child that a client may set: all but ids and timestamps. */
export type ChildInput<Table extends ChildTable> = Partial<
  Omit<Table['$inferInsert'], 'id' | 'projectId' | 'itemId' | 'createdAt' | 'updatedAt'>
>

/** The text columns of a table, as SQL names them. */
const textColumnsOf = (table: SQLiteTable): string[] =>
  Object.values(getTableColumns(table)).flatMap((column) =>
    column.getSQLType() === 'text' ? [`"${columnName(column)}"`] : [],
  )

function statementsOf<Table extends ChildTable>(db: SharedDatabase, table: Table) {
  const { column, parent } = parentOf(table)
  return {
    one: selectById(db, table),
    list: selectAll<Table['$inferSelect']>(db, () =>
      db
        .select()
        .from(table as ChildTable)
        .where(eq(column, given('parentId')))
        .orderBy(...inOrder(table)),
    ),
    limit: readLimit(db, [
      {
        rows: `${getTableName(table)} where ${columnName(column)} = +?`,
        bytes: bytesOf(...textColumnsOf(table)),
      },
    ]),
    parentExists: existsIn(db, parent),
    insert: insertReturning(db, table),
    update: updateIn(db, table),
    remove: deleteFrom(db, table),
  }
}

/** The child records of a table. */
export class Children<Table extends ChildTable> {
  static readonly reads: readonly string[] = ['list', 'get']
  protected readonly db: SharedDatabase
  protected readonly table: Table
  readonly #sql: ReturnType<typeof statementsOf<Table>>
  readonly #toJson: (rows: never) => JsonBytes

  /** @param record the schema of a record, for serialising lists */
  constructor(db: SharedDatabase, table: Table, record: TSchema) {
    this.db = db
    this.table = table
    this.#sql = statementsOf(db, table)
    this.#toJson = createJsonWriter(Type.Array(ref(record)))
  }

  /** The records of a parent, in order, or a page of them. @throws ApiError 404 for an unknown parent; TooMuchWork */
  list(parentId: string, query: PageQuery = {}): JsonPage {
    const rows = read(this.db, () => {
      this.ensureParent(parentId)
      this.#sql.limit(parentId)
      return this.#sql.list({ parentId })
    })
    return pageOfRows(this.shown(rows), query, this.#toJson as never)
  }

  /** One record. @throws ApiError 404 */
  get(id: string): Table['$inferSelect'] {
    return this.#sql.one(id) ?? throwNotFound(this.table)
  }

  /** Creates a record. @throws ApiError 404 for an unknown parent */
  create(parentId: string, input: ChildInput<Table>): Table['$inferSelect'] {
    this.ensureParent(parentId)
    const at = timestamp()
    const { field } = parentOf(this.table)
    return this.#sql.insert({
      ...this.defaults(parentId),
      ...input,
      id: newId(),
      [field]: parentId,
      createdAt: at,
      ...this.#changedAt(at),
    })
  }

  /** Changes a record; an empty change does not even change `updatedAt`. @throws ApiError 404 */
  update(id: string, input: ChildInput<Table>): Table['$inferSelect'] {
    const isEmpty = Object.keys(input).length === 0
    const row = isEmpty
      ? this.#sql.one(id)
      : this.#sql.update(id, { ...input, ...this.#changedAt(timestamp()) })
    return row ?? this.throwUnknown()
  }

  /** Deletes a record and its children. @throws ApiError 404 */
  delete(id: string): void {
    if (!this.#sql.remove(id)) this.throwUnknown()
  }

  /** The defaults of a new record of the parent. */
  protected defaults(_parentId: string): ChildInput<Table> {
    return {}
  }

  /** All records of a parent, in list order. */
  protected shown(rows: Table['$inferSelect'][]): { id: string }[] {
    return rows as never
  }

  /** Throws if a record to change or delete does not exist. */
  protected throwUnknown(): never {
    return throwNotFound(this.table)
  }

  protected ensureParent(parentId: string): void {
    if (!this.#sql.parentExists(parentId)) throwNotFound(parentOf(this.table).parent)
  }

  #changedAt(at: string) {
    return this.table.updatedAt === undefined ? {} : { updatedAt: at }
  }
}

/** Children with a `sortOrder`: by default a new child comes last. */
export class OrderedChildren<Table extends ChildTable & OrderedTable> extends Children<Table> {
  readonly #last: (values: { parentId: string }) => { sortOrder: number } | undefined
  readonly #reorder: (places: readonly Place[], parentId: string) => void

  constructor(db: SharedDatabase, table: Table, record: TSchema) {
    super(db, table, record)
    const { column, parent } = parentOf(table)
    this.#last = selectOne<{ sortOrder: number }>(db, () =>
      db
        .select({ sortOrder: table.sortOrder })
        .from(table as ChildTable)
        .where(eq(column, given('parentId')))
        .orderBy(desc(table.sortOrder))
        .limit(1),
    )
    const [thing, owner] = [thingOf(table), thingOf(parent)].map((name) => name.toLowerCase())
    this.#reorder = reorderIn(db, table, column, (elsewhere) =>
      invalidField(
        'items',
        ...elsewhere.map((index) => `items[${index}].id must be that of a ${thing} of the ${owner}`),
      ),
    )
  }

  /**
   * Reorders children of a parent, all or nothing.
   * @returns them, in the order of the places
   * @throws ApiError 404 for an unknown parent, or with unknown ids; 400 for children of another parent
   */
  reorder(parentId: string, places: readonly Place[]): Table['$inferSelect'][] {
    this.ensureParent(parentId)
    this.#reorder(places, parentId)
    return places.map(({ id }) => this.get(id))
  }

  protected override defaults(parentId: string): ChildInput<Table> {
    return { sortOrder: afterLast(this.#last({ parentId })?.sortOrder) } as ChildInput<Table>
  }
}

/**
 * A prepared query for the children of any number of parents.
 * @returns the query: it takes the parents' ids as a JSON array, and returns the records of each parent, in order
 */
export function childrenOfMany<Table extends ChildTable>(db: SharedDatabase, table: Table) {
  type Row = Table['$inferSelect']
  const { field, column } = parentOf(table)
  const rows = selectAll<Row>(db, () =>
    db
      .select()
      .from(table as ChildTable)
      .where(amongIds(column))
      .orderBy(...inOrder(table)),
  )
  return (ids: string): Map<string, Row[]> =>
    Map.groupBy(rows({ ids }), (row) => (row as Record<string, string>)[field] as string)
}

/** The refusal of a name that another record of its project has. */
export const nameTaken = (table: Identified) => conflict(`${thingOf(table)} name is taken`, 'name_taken')

/** A check that a name is unique in its project. @returns the check; it throws an ApiError 409 */
export function uniqueNameIn(
  db: SharedDatabase,
  table: Identified & { projectId: SQLiteColumn; name: SQLiteColumn },
) {
  const named = selectOne(db, () =>
    db
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.projectId, given('projectId')), eq(table.name, given('name')))),
  )
  return (projectId: string, name: string): void => {
    if (named({ projectId, name })) throw nameTaken(table)
  }
}
