/** The 404 of a table's records. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { notFound } from '../errors.ts'
import { thingOf } from './kinds.ts'

/** Throws the 404 of a table's records. */
export function throwNotFound(table: SQLiteTable): never {
  throw notFound(thingOf(table))
}
