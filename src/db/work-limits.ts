/**
 * Limits on the work of a request on the event loop, which it blocks meanwhile. Larger work is rejected before it begins, with
 * {@link TooMuchWork}, and done by the worker thread (see `offload.ts`).
 */
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { once } from '../once.ts'
import type { SharedDatabase } from './client.ts'
import { connectionOf } from './connection.ts'
import { columnName } from './kinds.ts'
import { TooMuchWork } from './too-much-work.ts'

export { TooMuchWork } from './too-much-work.ts'

/** Database files up to this size, in bytes, have no limits. */
const SMALL_FILE = 2 * 1024 * 1024

/** Rows that a request may write on the event loop, cascades included: some 10 ms, and 30 soon after a start. */
export const ROWS_WRITTEN = 100

/** Rows, and bytes of their texts, that a request may read on the event loop: some 20 ms. */
export const ROWS_READ = 1000
export const BYTES_READ = 2 * 1024 * 1024

/** Rows that a request may scan, and sort, on the event loop: some 10 ms. */
export const ROWS_SCANNED = 5000

/** The result of `make`; undefined if it is too much work for the event loop. */
export function unlessTooMuch<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined
    throw error
  }
}

/** Connections with limited work, each with the check whether its file is large. */
const limited = new WeakMap<object, () => boolean>()

/** A call, as SQL, that ends a statement of a connection with limited work: it throws TooMuchWork. */
const TOO_MUCH = 'too_much()'

/** Limits the work of a connection: that of the event loop, if there is a worker thread. */
export function limitWork(db: SharedDatabase): void {
  const { $client: client } = db
  client.function('too_much', () => {
    throw new TooMuchWork()
  })
  const pageSize = Number(client.pragma('page_size', { simple: true }))
  const pages = client.prepare<[], number>('pragma page_count').pluck()
  limited.set(connectionOf(db), () => Number(pages.get()) * pageSize > SMALL_FILE)
}

/** Whether the worker thread takes over too large work of this connection, whatever the size of its file. */
export const isFollowedByWorker = (db: Pick<SharedDatabase, '$client'>): boolean =>
  limited.has(connectionOf(db))

/** Whether this connection's work is limited now. */
export const isLimited = (db: SharedDatabase): boolean => limited.get(connectionOf(db))?.() ?? false

/** The multiples of {@link ROWS_WRITTEN} that connections may write at once, if limited. */
const factors = new WeakMap<object, number>()

/**
 * Runs work in which no rule may write many more rows at once than on the event loop, since it could not be interrupted.
 * @param factor multiple of the rows
 */
export function withinWork<T>(db: SharedDatabase, factor: number, work: () => T): T {
  factors.set(connectionOf(db), factor)
  try {
    return work()
  } finally {
    factors.delete(connectionOf(db))
  }
}

/** The number of rows that this connection may write (or read, or scan) now. @param most the limit on the event loop */
function mostOf(db: SharedDatabase, most: number): number {
  if (isLimited(db)) return most
  return most === ROWS_WRITTEN
    ? most * (factors.get(connectionOf(db)) ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY
}

/** Checks a number of rows against a limit. @throws TooMuchWork */
export function ensureFew(db: SharedDatabase, rows: number, most = ROWS_WRITTEN): void {
  if (rows > most && rows > mostOf(db, most)) throw new TooMuchWork()
}

/**
 * A limit on the rows that a request writes or scans.
 * @param rows as SQL: `<table> where ...`; counted no further than the limit
 * @returns the check, which takes the statement's parameters. It throws TooMuchWork
 */
export function rowLimit(
  db: SharedDatabase,
  rows: string,
  most = ROWS_WRITTEN,
): (...parameters: string[]) => void {
  const count = once(() =>
    db.$client
      .prepare<(string | number)[], number>(`select count(*) from (select 1 from ${rows} limit ?)`)
      .pluck(),
  )
  return (...parameters) => {
    const allowed = mostOf(db, most)
    if (allowed === Number.POSITIVE_INFINITY) return
    if (Number(count().get(...parameters, allowed + 1)) > allowed) throw new TooMuchWork()
  }
}

/**
 * A limit on the rows that a request reads, and the size of their texts.
 * @param sources the rows and the bytes of each, as SQL; each takes the parameter, if there is one
 * @returns the check, which takes the parameter. It throws TooMuchWork
 */
export function readLimit(
  db: SharedDatabase,
  sources: readonly { rows: string; bytes: string }[],
): (parameter?: string) => void {
  const parts = sources.map(
    ({ rows, bytes }) => `select count(*) as rows, coalesce(sum(size), 0) as bytes
      from (select ${bytes} as size from ${rows} limit ${ROWS_READ + 1})`,
  )
  const weigh = once(() =>
    db.$client.prepare<string[], { rows: number; bytes: number }>(
      `select sum(rows) as rows, sum(bytes) as bytes from (${parts.join(' union all ')})`,
    ),
  )
  return (parameter) => {
    if (!isLimited(db)) return
    const { rows = 0, bytes = 0 } =
      weigh().get(...(parameter === undefined ? [] : sources.map(() => parameter))) ?? {}
    if (rows > ROWS_READ || bytes > BYTES_READ) throw new TooMuchWork()
  }
}

/** The rows of a table whose column is in the JSON array of the parameter, as SQL. */
export const among = (table: string, column: string): string =>
  `${table} where ${column} in (select value from json_each(+?))`

/**
 * Condition, as SQL: the row of a table has no more bytes of text than the event loop may read. It throws TooMuchWork, so put it
 * after the condition that finds the row. True without a worker thread.
 */
export function isLight(db: SharedDatabase, table: SQLiteTable, most = BYTES_READ): string {
  if (!isFollowedByWorker(db)) return 'true'
  const name = getTableName(table)
  const texts = Object.values(getTableColumns(table))
    .filter((column) => column.getSQLType() === 'text')
    .map((column) => `"${name}"."${columnName(column)}"`)
  return `(${bytesOf(...texts)} <= ${most} or ${TOO_MUCH})`
}

/** The bytes of some columns of a row, as SQL, without reading long values. */
export const bytesOf = (...columns: string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
