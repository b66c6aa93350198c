/** The stored rows of all tracked kinds of records: for writing back former values. */
import { getTableName, SQL } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { SharedDatabase } from '../db/client.ts'
import { fieldName, fieldsOf, type Key, KINDS, type Kind, keyOf } from '../db/kinds.ts'
import { byFields } from '../db/statements.ts'
import { once } from '../once.ts'
import type { Fields } from './api-changes.ts'

/** The unique fields of a kind, besides its key. */
export const UNIQUE: ReadonlyMap<string, Key> = new Map(
  KINDS.flatMap(({ kind, table }) =>
    getTableConfig(table)
      .indexes.filter(
        ({ config }) => config.unique && !config.columns.some((column) => column instanceof SQL),
      )
      .map(({ config }) => [kind, config.columns.map((column) => fieldName(table, column as SQLiteColumn))]),
  ),
)

function statementsOf({ $client: client }: SharedDatabase, kind: Kind) {
  const table = getTableName(kind.table)
  const columns = new Map(fieldsOf(kind).map(({ name, column }) => [name, `"${column}"`]))
  const column = (name: string) => columns.get(name) as string
  const named = (fields: Key) => fields.map((name) => `${column(name)} = +:${name}`).join(' and ')
  const all = [...columns].map(([name, stored]) => `${stored} as "${name}"`).join(', ')
  const key = keyOf(kind.kind)
  const keys = key.map((name) => `${column(name)} as "${name}"`).join(', ')
  return {
    columns,
    one: once(() => client.prepare<[Fields], Fields>(`select ${all} from ${table} where ${named(key)}`)),
    remove: once(() => client.prepare<[Fields]>(`delete from ${table} where ${named(key)}`)),
    insert: byFields((names) =>
      client.prepare<[Fields]>(
        `insert into ${table} (${names.map(column).join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`,
      ),
    ),
    update: byFields((names) => {
      const others = names.filter((name) => !key.includes(name))
      const values = others.map((name) => `${column(name)} = :${name}`).join(', ')
      return client.prepare<[Fields]>(`update ${table} set ${values} where ${named(key)}`)
    }),
    /** The names of records with some values, up to a limit. */
    having: byFields((names) => {
      const fields = names.filter((name) => name !== 'limit')
      return client.prepare<[Fields], Fields>(
        `select ${keys} from ${table} where ${named(fields)} limit +:limit`,
      )
    }),
  }
}

/** Reads and writes rows with stored values, under the names of the API. */
export class StoredRows {
  readonly #sql: ReadonlyMap<string, ReturnType<typeof statementsOf>>

  constructor(db: SharedDatabase) {
    this.#sql = new Map(KINDS.map((kind) => [kind.kind, statementsOf(db, kind)]))
  }

  /** A row, or undefined. @param key the values of the fields of {@link keyOf} */
  one(kind: string, key: Fields): Fields | undefined {
    return this.#of(kind).one().get(key)
  }

  /** The keys of the rows with these values. @param limit of their number */
  having(kind: string, fields: Fields, limit: number): Fields[] {
    const values = { ...fields, limit }
    return this.#of(kind).having(values).all(values)
  }

  /** Inserts a row. Fields that the table no longer has are omitted; newer ones get their defaults. */
  insert(kind: string, fields: Fields): void {
    const { insert, columns } = this.#of(kind)
    const values = Object.fromEntries(Object.entries(fields).filter(([name]) => columns.has(name)))
    insert(values).run(values)
  }

  /** Changes some fields of a row. */
  update(kind: string, key: Fields, fields: Fields): void {
    const { update, columns } = this.#of(kind)
    const known = Object.entries(fields).filter(([name]) => columns.has(name))
    if (known.length === 0) return
    const values = { ...Object.fromEntries(known), ...key }
    update(values).run(values)
  }

  /** Deletes a row and its children. */
  remove(kind: string, key: Fields): void {
    this.#of(kind).remove().run(key)
  }

  #of(kind: string) {
    return this.#sql.get(kind) as ReturnType<typeof statementsOf>
  }
}
