/**
 * Prepared statements, each prepared lazily on its first run, and cached with the connection. Drizzle builds
 * their SQL from the schema; our own code maps rows, in a third of Drizzle's time
 * (docs/decisions/012-prepared-statements.md).
 */
import {
  and,
  Column,
  type ColumnBaseConfig,
  eq,
  getTableColumns,
  getTableName,
  is,
  Param,
  Placeholder,
  type Query,
  type SQL,
  sql,
} from 'drizzle-orm'
import { type SQLiteColumn, SQLiteCustomColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { createCache } from '../cache.ts'
import { once } from '../once.ts'
import type { SharedDatabase } from './client.ts'
import { isInScopeOf, updateCheckOf } from './row-security.ts'
import { isLight } from './work-limits.ts'

/** The values of a statement's placeholders, by name. */
type Values = Record<string, unknown>

/** A Drizzle select of columns, without nested objects or computed fields. */
interface Select<Row> {
  readonly _: { readonly selectedFields: object; readonly result: Row[] }
  toSQL: () => Query
}

/** A Drizzle insert, update or delete that returns nothing. */
interface Change {
  prepare: () => unknown
}

/** A change prepared by Drizzle. */
interface Prepared {
  run: (values: Values) => { changes: number }
}

/** The selected columns, by the names of the row's fields. */
const fieldsOf = (query: Select<unknown>) => query._.selectedFields as Record<string, Column>

/**
 * The value of a number column in which another tool stored something else, which no response could represent: text, or an
 * infinite number. SQLite sorts text after all numbers, so a `sortOrder` reads as the largest number.
 */
function readerOfStrays(column: Column): (value: unknown) => number {
  if (column.getSQLType() === 'integer') return () => 0
  const other = column.name === 'sortOrder' ? Number.MAX_VALUE : 0
  return (value) => (typeof value === 'number' ? Math.sign(value) * Number.MAX_VALUE : other)
}

/** The value of a text column in which another tool stored bytes, which no response could represent as a date. */
const toText = (value: unknown) => (typeof value === 'object' && value !== null ? String(value) : value)

export const isJsonText = (column: Column): boolean => is(column, SQLiteCustomColumn)

/** Creates the function that binds a statement's parameters: each a named placeholder or a constant. */
function binder(params: unknown[]): (values: Values) => unknown[] {
  const binders = params.map((param): ((values: Values) => unknown) => {
    const { value, encode } = is(param, Param)
      ? { value: param.value, encode: (plain: unknown) => param.encoder.mapToDriverValue(plain) }
      : { value: param, encode: (plain: unknown) => plain }
    if (!is(value, Placeholder)) return () => encode(value)
    const { name } = value
    return (values) => {
      const plain = values[name]
      if (plain === undefined) throw new Error(`No value for placeholder "${name}"`)
      return plain === null ? null : encode(plain)
    }
  })
  return (values) => binders.map((bind) => bind(values))
}

/** The decoder of a column's stored values; undefined if they need none, like those of expressions. */
export function decoder(column: Column): ((value: unknown) => unknown) | undefined {
  if (!is(column, Column)) return undefined
  if (column.dataType === 'number') {
    const readStray = readerOfStrays(column)
    return (value) => (Number.isFinite(value) || value === null ? value : readStray(value))
  }
  if (column.dataType === 'string') return toText
  if (column.mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined
  if (isJsonText(column)) return (value) => column.mapFromDriverValue(value ?? '')
  return (value) => (value === null ? null : column.mapFromDriverValue(value))
}

/**
 * Creates the function that makes a row from the values of its columns, in order. It is compiled: V8 creates an object literal at once, but
 * looks up each field that a loop adds by name.
 */
function rowMaker<Row>(columns: Record<string, Column>): (values: unknown[]) => Row {
  const decoders = Object.values(columns).map(decoder)
  const fields = Object.keys(columns).map((name, index) => {
    const value = decoders[index] === undefined ? `values[${index}]` : `decoders[${index}](values[${index}])`
    return `${JSON.stringify(name)}: ${value}`
  })
  const make = new Function('decoders', 'values', `return { ${fields.join(', ')} }`)
  return (values) => make(decoders, values)
}

/**
 * Prepares a query with Drizzle's SQL, without its mapping.
 * @param fields the columns that it returns, by the names of the row's fields
 */
function prepareRows<Row>(
  { $client }: SharedDatabase,
  query: { toSQL: () => Query },
  fields: Record<string, Column>,
) {
  const { sql: text, params } = query.toSQL()
  // As in `given`: a bare parameter would recompile the statement each time.
  const statement = $client.prepare<unknown[], unknown[]>(text.replaceAll(/\blimit \?/g, 'limit +?')).raw()
  const bind = binder(params)
  const toRow = rowMaker<Row>(fields)
  return {
    one: (values: Values): Row | undefined => {
      const found = statement.get(...bind(values))
      return found && toRow(found)
    },
    all: (values: Values): Row[] => statement.all(...bind(values)).map(toRow),
  }
}

/**
 * A prepared select of one row.
 * @param db the connection that the query was built with
 * @returns the query: the first row, or undefined
 */
export function selectOne<Row>(
  db: SharedDatabase,
  query: () => Select<Row>,
): (values?: Values) => Row | undefined {
  const reader = once(() => {
    const select = query()
    return prepareRows<Row>(db, select, fieldsOf(select)).one
  })
  return (values = {}) => reader()(values)
}

/** The same for any number of rows. @returns the query: all rows */
export function selectAll<Row>(db: SharedDatabase, query: () => Select<Row>): (values?: Values) => Row[] {
  const reader = once(() => {
    const select = query()
    return prepareRows<Row>(db, select, fieldsOf(select)).all
  })
  return (values = {}) => reader()(values)
}

/** A prepared insert, update or delete. @returns the statement: the number of rows changed */
export function change(query: () => Change): (values?: Values) => number {
  const prepared = once(() => query().prepare() as Prepared)
  return (values = {}) => prepared().run(values).changes
}

/**
 * A named placeholder to compare with. For a bare parameter SQLite would recompile the statement whenever the value
 * changes, for a better query plan; the unary plus prevents that.
 */
export const given = (name: string): SQL => sql`+${sql.placeholder(name)}`

/** The same for a `limit` or `offset`, for which Drizzle's types allow only a bare placeholder. */
export const givenLimit = (name: string): Placeholder => given(name) as unknown as Placeholder

/** Condition: the value is in the JSON array bound to the placeholder. One statement serves any number. */
export const amongValues = (column: SQLiteColumn | SQL, name: string): SQL =>
  sql`${column} in (select value from json_each(${given(name)}))`

/** Condition: the column's value is in the JSON array bound to the placeholder `ids`. */
export const amongIds = (column: SQLiteColumn): SQL => amongValues(column, 'ids')

/** The name of a filter's placeholder for several values, as a JSON array. */
export const listPlaceholder = (name: string): string => `any ${name}`

/**
 * The bound value of a filter: a single value, which can use an index; several as a JSON array, under
 * {@link listPlaceholder}; undefined for none.
 */
export const bindAny = (name: string, values: string[]): Record<string, string | undefined> =>
  values.length > 1 ? { [listPlaceholder(name)]: JSON.stringify(values) } : { [name]: values[0] }

/** A table whose rows have an id. */
export type Identified = SQLiteTable & {
  id: SQLiteColumn<ColumnBaseConfig<'string', string> & { data: string; notNull: true }>
}

/** Condition: the row with the id bound to the placeholder. */
const isIt = (table: Identified): SQL => eq(table.id, given('id'))

/** The same for a row that is read or written as a whole: it throws TooMuchWork for a too large row. */
const isItAndLight = (db: SharedDatabase, table: Identified): SQL | undefined =>
  and(isIt(table), sql.raw(isLight(db, table)))

/** The same for a row that is written; for a secure handle, it must be in scope. */
const isWritable = (db: SharedDatabase, table: Identified): SQL | undefined =>
  and(isInScopeOf(db, table), isItAndLight(db, table))

/** A prepared select of a row by id. @returns the query, which throws TooMuchWork */
export function selectById<Table extends Identified>(
  db: SharedDatabase,
  table: Table,
): (id: string) => Table['$inferSelect'] | undefined {
  const one = selectOne<Table['$inferSelect']>(db, () =>
    db
      .select()
      .from(table as Identified)
      .where(isItAndLight(db, table)),
  )
  return (id) => one({ id })
}

/** A prepared existence check. @returns whether there is a row with this id */
export function existsIn(db: SharedDatabase, table: Identified): (id: string) => boolean {
  const one = selectOne(db, () => db.select({ id: table.id }).from(table).where(isIt(table)))
  return (id) => one({ id }) !== undefined
}

/** Size of the cache of statements per kind, one per combination of fields, which clients choose. */
const KEPT_COMBINATIONS = 64

/**
 * A cache of statements by combination of fields; the least recently used are dropped.
 * @param prepare prepares it for the fields of these names, and a variant of it
 * @returns the statement for the fields that are not undefined
 */
export function byFields<T extends object>(
  prepare: (names: string[], variant: string) => T,
): (values: Values, variant?: string) => T {
  // Created with the first statement: many kinds are never used.
  let kept: ReturnType<typeof createCache<string, T>> | undefined
  return (values, variant = '') => {
    const names = Object.keys(values).filter((name) => values[name] !== undefined)
    const key = `${variant} ${names.join()}`
    kept ??= createCache(KEPT_COMBINATIONS)
    let prepared = kept.get(key)
    if (prepared === undefined) {
      prepared = prepare(names, variant)
      kept.set(key, prepared)
    }
    return prepared
  }
}

const placeholders = (names: string[]): Values =>
  Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]))

/** A prepared insert of a row; absent fields get the column's default. */
export function insertInto<Table extends SQLiteTable>(
  db: SharedDatabase,
  table: Table,
): (row: Table['$inferInsert']) => void {
  const insert = byFields((names) => {
    const row = placeholders(names) as Table['$inferInsert']
    const { sql: text, params } = db.insert(table).values(row).toSQL()
    const statement = db.$client.prepare<unknown[]>(text)
    const bind = binder(params)
    return (values: Values) => statement.run(...bind(values))
  })
  return (row) => {
    insert(row)(row)
  }
}

/** A prepared insert of a row that returns the row as stored, defaults included. */
export function insertReturning<Table extends SQLiteTable>(
  db: SharedDatabase,
  table: Table,
): (row: Table['$inferInsert']) => Table['$inferSelect'] {
  const insert = byFields(
    (names) =>
      prepareRows<Table['$inferSelect']>(
        db,
        db
          .insert(table)
          .values(placeholders(names) as Table['$inferInsert'])
          .returning(),
        getTableColumns(table),
      ).one,
  )
  return (row) => {
    const stored = insert(row)(row)
    // Another tool's trigger may have ignored it.
    if (stored === undefined) throw new Error(`nothing was inserted into ${getTableName(table)}`)
    return stored
  }
}

/**
 * A prepared update of a row by id; absent fields keep their values.
 * @returns the update: the updated row, or undefined. It throws TooMuchWork; ApiError 403 for a row that the caller may only read
 */
export function updateIn<Table extends Identified>(
  db: SharedDatabase,
  table: Table,
): (id: string, changes: Partial<Table['$inferInsert']>) => Table['$inferSelect'] | undefined {
  const update = byFields(
    (names) =>
      prepareRows<Table['$inferSelect']>(
        db,
        db
          .update(table as Identified)
          .set(placeholders(names))
          .where(isWritable(db, table))
          .returning(),
        getTableColumns(table),
      ).one,
  )
  const check = updateCheckOf(db, table)
  return (id, changes) => {
    check?.(id)
    return update(changes)({ ...changes, id })
  }
}

/**
 * A prepared update of a row that was read in the same transaction: it returns only the written columns; the rest is as read.
 * @returns the update: the updated row, or undefined. It throws ApiError 403 for a row that the caller may only read
 */
export function updateRead<Table extends Identified>(
  db: SharedDatabase,
  table: Table,
): (
  before: Table['$inferSelect'],
  changes: Partial<Table['$inferInsert']>,
) => Table['$inferSelect'] | undefined {
  const columns = getTableColumns(table)
  const update = byFields((names) => {
    const written = Object.fromEntries(names.map((name) => [name, columns[name] as SQLiteColumn]))
    return prepareRows<Partial<Table['$inferSelect']>>(
      db,
      db
        .update(table as Identified)
        .set(placeholders(names))
        .where(eq(table.id, given('id')))
        .returning(written),
      written,
    ).one
  })
  const check = updateCheckOf(db, table)
  return (before, changes) => {
    check?.(before.id)
    const written = update(changes)({ ...changes, id: before.id })
    return written && { ...before, ...written }
  }
}

/** A prepared delete of a row by id, cascades included. @returns the delete: whether there was one. It throws TooMuchWork */
export function deleteFrom(db: SharedDatabase, table: Identified): (id: string) => boolean {
  const remove = change(() => db.delete(table).where(isWritable(db, table)))
  return (id) => remove({ id }) > 0
}
