/**
 * Statements: each is made when it is first run, and then kept for as long as the connection. Drizzle writes their SQL from
 * the schema and runs them; only long lists are read by a reader of our own, which takes a third of Drizzle's time
 * (docs/decisions/012-prepared-statements.md).
 */
import {
  Column,
  type ColumnBaseConfig,
  eq,
  getTableColumns,
  is,
  Param,
  Placeholder,
  type Query,
  type SQL,
  sql,
} from 'drizzle-orm'
import { type SQLiteColumn, SQLiteCustomColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { LRUCache } from 'lru-cache'
import { once } from '../once.ts'
import type { SharedDatabase } from './client.ts'

/** What the placeholders of a statement stand for, by name. */
type Values = Record<string, unknown>

/** A Drizzle select of columns, without nested objects or computed fields. */
interface Select<Row> {
  readonly _: { readonly selectedFields: object; readonly result: Row[] }
  toSQL: () => Query
  prepare: () => unknown
}

/** A Drizzle insert, update or delete that returns nothing. */
interface Change {
  prepare: () => unknown
}

/** What Drizzle prepares: with `get` for the first row, with `run` for a change. */
interface Prepared {
  get: (values: Values) => Values | undefined
  run: (values: Values) => { changes: number }
}

/** The columns that a select names, by the names of the row's fields. */
const fieldsOf = (query: Select<unknown>) => query._.selectedFields as Record<string, Column>

/**
 * What a number column reads as where another tool stored something else, which no response could hold. SQLite orders
 * text after all numbers: so what others are ordered by is the largest there is.
 */
const strayNumber = (column: Column) => (column.name === 'sortOrder' ? Number.MAX_VALUE : 0)

const isJsonText = (column: Column) => is(column, SQLiteCustomColumn)

/**
 * Makes what mends a row that Drizzle has read where other tools wrote: JSON text that is NULL reads as empty, and what
 * is no number as one.
 */
function mender(fields: Record<string, Column>): (row: Values) => void {
  const numbers = Object.entries(fields).filter(([, column]) => column.dataType === 'number')
  const jsonTexts = Object.entries(fields).filter(([, column]) => isJsonText(column))
  return (row) => {
    for (const [name, column] of numbers) {
      const value = row[name]
      if (typeof value !== 'number' && value !== null) row[name] = strayNumber(column)
    }
    for (const [name, column] of jsonTexts) row[name] ??= column.mapFromDriverValue('')
  }
}

/** Makes what reads the one row of a prepared statement. */
function rowReader<Row>(query: { prepare: () => unknown }, fields: Record<string, Column>) {
  const prepared = query.prepare() as Prepared
  const mend = mender(fields)
  return (values: Values): Row | undefined => {
    const row = prepared.get(values)
    if (row !== undefined) mend(row)
    return row as Row | undefined
  }
}

/** A select of one row. @returns what reads the first row; undefined where there is none */
export function selectOne<Row>(query: () => Select<Row>): (values?: Values) => Row | undefined {
  const reader = once(() => {
    const select = query()
    return rowReader<Row>(select, fieldsOf(select))
  })
  return (values = {}) => reader()(values)
}

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

/** What makes a stored value the row's; undefined for a column whose values are taken as they are. */
function decoder(column: Column): ((value: unknown) => unknown) | undefined {
  if (column.dataType === 'number') {
    const stray = strayNumber(column)
    return (value) => (typeof value === 'number' || value === null ? value : stray)
  }
  if (column.mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined
  if (isJsonText(column)) return (value) => column.mapFromDriverValue(value ?? '')
  return (value) => (value === null ? null : column.mapFromDriverValue(value))
}

/**
 * A select of any number of rows, read without Drizzle's mapping.
 * @param db the connection that the query was made with
 * @returns what reads them all
 */
export function selectAll<Row>(
  { $client }: SharedDatabase,
  query: () => Select<Row>,
): (values?: Values) => Row[] {
  const reader = once(() => {
    const select = query()
    const { sql: text, params } = select.toSQL()
    const statement = $client.prepare<unknown[], unknown[]>(text).raw()
    const bind = binder(params)
    const fields = Object.entries(fieldsOf(select)).map(([name, column]) => ({
      name,
      decode: decoder(column),
    }))
    const toRow = (values: unknown[]): Row => {
      const row: Values = {}
      let index = 0
      for (const { name, decode } of fields) {
        const value = values[index++]
        row[name] = decode === undefined ? value : decode(value)
      }
      return row as Row
    }
    return (values: Values) => statement.all(...bind(values)).map(toRow)
  })
  return (values = {}) => reader()(values)
}

/** An insert, update or delete. @returns what runs it, which returns the number of rows changed */
export function change(query: () => Change): (values?: Values) => number {
  const prepared = once(() => query().prepare() as Prepared)
  return (values = {}) => prepared().run(values).changes
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

/** The name of the placeholder for several values, of which a filter passes any. */
export const severalOf = (name: string): string => `any ${name}`

/**
 * What a filter with these values binds: one value as it is, which has its index; several as a JSON array under a name of
 * their own; undefined for none.
 */
export const bindAny = (name: string, values: string[]): Record<string, string | undefined> =>
  values.length > 1 ? { [severalOf(name)]: JSON.stringify(values) } : { [name]: values[0] }

/** A table whose rows have an id. */
export type Identified = SQLiteTable & {
  id: SQLiteColumn<ColumnBaseConfig<'string', string> & { data: string; notNull: true }>
}

/** The row of a table with an id. @returns what reads it */
export function selectById<Table extends Identified>(
  db: SharedDatabase,
  table: Table,
): (id: string) => Table['$inferSelect'] | undefined {
  const one = selectOne<Table['$inferSelect']>(() =>
    db
      .select()
      .from(table as Identified)
      .where(eq(table.id, given('id'))),
  )
  return (id) => one({ id })
}

/** Whether a table has a row. @returns the test, by id */
export function existsIn(db: SharedDatabase, table: Identified): (id: string) => boolean {
  const one = selectOne(() =>
    db
      .select({ id: table.id })
      .from(table)
      .where(eq(table.id, given('id'))),
  )
  return (id) => one({ id }) !== undefined
}

/** Which fields a client names is its choice: so many combinations of each kind are kept prepared. */
const KEPT_COMBINATIONS = 64

/**
 * A statement for each combination of fields that occurs.
 * @param prepare makes it for the fields of these names
 * @returns the statement for the fields that are not undefined
 */
export function byFields<T extends object>(prepare: (names: string[]) => T): (values: Values) => T {
  const kept = new LRUCache<string, T>({ max: KEPT_COMBINATIONS })
  return (values) => {
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

/** Inserts into a table. @returns the insert of a row; absent fields get the column's default */
export function insertInto<Table extends SQLiteTable>(
  db: SharedDatabase,
  table: Table,
): (row: Table['$inferInsert']) => void {
  const insert = byFields((names) =>
    change(() => db.insert(table).values(placeholders(names) as Table['$inferInsert'])),
  )
  return (row) => {
    insert(row)(row)
  }
}

/** Inserts into a table. @returns the insert of a row, which returns the row as it was stored, defaults included */
export function insertReturning<Table extends SQLiteTable>(
  db: SharedDatabase,
  table: Table,
): (row: Table['$inferInsert']) => Table['$inferSelect'] {
  const insert = byFields((names) =>
    rowReader<Table['$inferSelect']>(
      db
        .insert(table)
        .values(placeholders(names) as Table['$inferInsert'])
        .returning(),
      getTableColumns(table),
    ),
  )
  return (row) => insert(row)(row) as Table['$inferSelect']
}

/**
 * Updates of one row of a table.
 * @returns the update of the row with an id; absent fields keep their value. It returns the row as it is then, or undefined
 * where there is none
 */
export function updateIn<Table extends Identified>(
  db: SharedDatabase,
  table: Table,
): (id: string, changes: Partial<Table['$inferInsert']>) => Table['$inferSelect'] | undefined {
  const update = byFields((names) =>
    rowReader<Table['$inferSelect']>(
      db
        .update(table as Identified)
        .set(placeholders(names))
        .where(eq(table.id, given('id')))
        .returning(),
      getTableColumns(table),
    ),
  )
  return (id, changes) => update(changes)({ ...changes, id })
}

/** Deletes from a table. @returns the deletion of the row with an id, with what cascades; it returns whether there was one */
export function deleteFrom(db: SharedDatabase, table: Identified): (id: string) => boolean {
  const remove = change(() => db.delete(table).where(eq(table.id, given('id'))))
  return (id) => remove({ id }) > 0
}
