/**
 * Statements that are prepared once and run often. Drizzle writes their SQL from the schema; binding their values and
 * reading their rows is done here, because its general mapping costs more than SQLite itself.
 */
import {
  Column,
  type ColumnBaseConfig,
  eq,
  is,
  Param,
  Placeholder,
  type Query,
  type SQL,
  sql,
} from 'drizzle-orm'
import { type SQLiteColumn, SQLiteCustomColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { LRUCache } from 'lru-cache'
import type { SharedDatabase } from './client.ts'

/** What the placeholders of a statement stand for, by name. */
type Values = Record<string, unknown>

/** Makes what binds a statement's parameters: each a placeholder, by name, or a constant. */
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

/** A Drizzle query for plain columns of one or more tables. */
interface ColumnQuery<Row> {
  readonly _: { readonly selectedFields: object; readonly result: Row[] }
  toSQL: () => Query
}

/** A prepared query. The values are those of its `sql.placeholder`s. */
export interface PreparedRows<Row> {
  all: (values?: Values) => Row[]
  /** The first row; undefined when there is none. */
  get: (values?: Values) => Row | undefined
}

/**
 * What a number column reads as where another tool stored something else, which no response could hold. SQLite orders
 * text after all numbers: so what others are ordered by is the largest there is.
 */
const strayNumber = (column: Column) => (column.name === 'sortOrder' ? Number.MAX_VALUE : 0)

/** What makes a stored value the row's; undefined for a column whose values are taken as they are. */
function decoder(column: Column): ((value: unknown) => unknown) | undefined {
  if (column.dataType === 'number') {
    const stray = strayNumber(column)
    return (value) => (typeof value === 'number' || value === null ? value : stray)
  }
  if (column.mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined
  // JSON text is the schema's only type of its own, and reads as empty where nothing is stored.
  if (is(column, SQLiteCustomColumn)) return (value) => column.mapFromDriverValue(value ?? '')
  return (value) => (value === null ? null : column.mapFromDriverValue(value))
}

/**
 * Prepares a query.
 * @param query a Drizzle select of columns, without nested objects or computed fields
 * @returns readers of the same rows that Drizzle itself would return, but for JSON text that is NULL: it reads as empty
 */
export function prepareRows<Row>({ $client }: SharedDatabase, query: ColumnQuery<Row>): PreparedRows<Row> {
  const { sql: text, params } = query.toSQL()
  const statement = $client.prepare<unknown[], unknown[]>(text).raw()
  const bind = binder(params)
  const fields = Object.entries(query._.selectedFields as Record<string, Column>).map(([name, column]) => ({
    name,
    decode: decoder(column),
  }))
  function toRow(values: unknown[]): Row {
    const row: Record<string, unknown> = {}
    let index = 0
    for (const { name, decode } of fields) {
      const value = values[index++]
      row[name] = decode === undefined ? value : decode(value)
    }
    return row as Row
  }
  return {
    all: (values = {}) => statement.all(...bind(values)).map(toRow),
    get: (values = {}) => {
      const row = statement.get(...bind(values))
      return row && toRow(row)
    },
  }
}

/**
 * Prepares a statement that changes rows.
 * @param query a Drizzle insert, update or delete
 * @returns what runs it; it returns the number of rows changed
 */
export function prepareChange(
  { $client }: SharedDatabase,
  query: { toSQL: () => Query },
): (values: Values) => number {
  const { sql: text, params } = query.toSQL()
  const statement = $client.prepare(text)
  const bind = binder(params)
  return (values) => statement.run(...bind(values)).changes
}

/**
 * A value that a statement is given each time it runs, to compare with. For a bare parameter SQLite would plan, and so
 * compile, the statement anew whenever the value changes, hoping for a better plan; the sign says not to.
 */
export const given = (name: string): SQL => sql`+${sql.placeholder(name)}`

/** A number that a `limit` or `offset` is given each time, likewise; Drizzle's types know nothing but a bare placeholder there. */
export const givenNumber = (name: string): Placeholder => given(name) as unknown as Placeholder

/** Condition: the column's value is one of the JSON array bound to the placeholder. One statement serves any number. */
export const amongValues = (column: SQLiteColumn, name: string): SQL =>
  sql`${column} in (select value from json_each(${given(name)}))`

/** Condition: the column's value is one of the JSON array bound to the placeholder `ids`. */
export const amongIds = (column: SQLiteColumn): SQL => amongValues(column, 'ids')

/** What the placeholder of several values is called, of which a filter passes any. */
export const severalOf = (name: string): string => `any ${name}`

/**
 * What a filter with these values binds: one value as it is, which has its index; several as a JSON array under a name of
 * their own; undefined for none.
 */
export const bindAny = (name: string, values: string[]): Record<string, string | undefined> =>
  values.length > 1 ? { [severalOf(name)]: JSON.stringify(values) } : { [name]: values[0] }

/**
 * Prepares the question whether a table has a row.
 * @returns the test, by id
 */
export function prepareExists(db: SharedDatabase, table: Identified) {
  const one = prepareRows(
    db,
    db
      .select({ id: table.id })
      .from(table)
      .where(eq(table.id, given('id'))),
  )
  return (id: string): boolean => one.get({ id }) !== undefined
}

/** Which fields a client names is its choice: so many combinations of each kind are kept prepared. */
const KEPT_COMBINATIONS = 64

/**
 * Prepares, for each combination of fields that occurs, one statement.
 * @param prepare makes it for the fields of these names
 * @returns the statement for the fields that are not undefined
 */
export function byFields<Prepared extends object>(prepare: (names: string[]) => Prepared) {
  const kept = new LRUCache<string, Prepared>({ max: KEPT_COMBINATIONS })
  return (values: Values): Prepared => {
    const names = Object.keys(values).filter((name) => values[name] !== undefined)
    const key = names.join()
    let prepared = kept.get(key)
    if (prepared === undefined) {
      prepared = prepare(names)
      kept.set(key, prepared)
    }
    return prepared
  }
}

const placeholders = (names: string[]): Values =>
  Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]))

/**
 * Prepares inserts into a table.
 * @returns the inserter; absent fields get the column's default
 */
export function prepareInsert<Table extends SQLiteTable>(db: SharedDatabase, table: Table) {
  const insert = byFields((names) =>
    prepareChange(db, db.insert(table).values(placeholders(names) as Table['$inferInsert'])),
  )
  return (row: Table['$inferInsert']): void => {
    insert(row)(row)
  }
}

/** A table whose rows have an id. */
export type Identified = SQLiteTable & {
  id: SQLiteColumn<ColumnBaseConfig<'string', string> & { data: string; notNull: true }>
}

/**
 * Prepares updates of one row of a table.
 * @returns the updater; absent fields keep their value. It returns whether there was such a row
 */
export function prepareUpdate<Table extends Identified>(db: SharedDatabase, table: Table) {
  const update = byFields((names) =>
    prepareChange(
      db,
      db
        .update(table)
        .set(placeholders(names))
        .where(eq(table.id, given('id'))),
    ),
  )
  return (id: string, changes: Partial<Table['$inferInsert']>): boolean =>
    update(changes)({ ...changes, id }) > 0
}

/**
 * Prepares the deletion of one row of a table, with what cascades from it.
 * @returns the deleter; it returns whether there was such a row
 */
export function prepareDelete(db: SharedDatabase, table: Identified) {
  const remove = prepareChange(db, db.delete(table).where(eq(table.id, given('id'))))
  return (id: string): boolean => remove({ id }) > 0
}
