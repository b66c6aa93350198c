/** Checks of stored values: valid JSON and timestamps. */
import { getTableName, is } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'
import { getTableConfig, type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../db/schema.ts'
import { isJsonText } from '../db/statements.ts'
import { type Check, count, has, hasColumn, type Subject, together } from './checks.ts'

interface Stored {
  table: string
  column: string
  /** The first column of the table's key, for naming rows. */
  key: string
}

const TABLES: SQLiteTable[] = Object.values(schema).filter((one) => is(one, SQLiteTable))

/** The matching columns of all tables, by their names in the file. */
function columnsWhere(passes: (column: SQLiteColumn, name: string) => boolean): Stored[] {
  const casing = new CasingCache('snake_case')
  return TABLES.flatMap((table) => {
    const columns = getTableConfig(table).columns.map((column) => ({
      column,
      name: casing.getColumnCasing(column),
    }))
    const [first] = columns
    const key = (columns.find(({ column }) => column.primary) ?? first)?.name ?? ''
    return columns
      .filter(({ column, name }) => passes(column, name))
      .map(({ name }) => ({ table: getTableName(table), column: name, key }))
  })
}

/** JSON columns that are not JSON-text fields of records. */
const OTHER_JSON = ['changes.before', 'changes.after']

/** Timestamp columns whose names do not end in `_at`. */
const OTHER_TIMES = ['date', 'due_date', 'at', 'claimed_until', 'failing_since']

const DIGITS = (count: number) => '[0-9]'.repeat(count)
const TIME = `${DIGITS(4)}-${DIGITS(2)}-${DIGITS(2)}T${DIGITS(2)}:${DIGITS(2)}:${DIGITS(2)}.${DIGITS(3)}Z`

/** Counts invalid values. */
const counting =
  (columns: () => Stored[], isWrong: (column: string) => string) =>
  ({ client }: Subject) =>
    together(
      columns()
        .filter(({ table, column }) => has(client, table) && hasColumn(client, table, column))
        .map(({ table, column, key }) =>
          count(
            client,
            `select "${key}" from "${table}" where "${column}" <> '' and ${isWrong(`"${column}"`)}`,
            (name) => `${name} of ${table}: ${column}`,
          ),
        ),
    )

const json: Check = {
  name: 'json',
  holds: 'stored JSON parses',
  advice: 'another tool has written it; it reads as empty, and the next change of the field replaces it',
  find: counting(
    () =>
      columnsWhere(
        (column, name) => isJsonText(column) || OTHER_JSON.includes(`${getTableName(column.table)}.${name}`),
      ),
    (column) => `not json_valid(${column})`,
  ),
}

const times: Check = {
  name: 'times',
  holds: 'stored times are UTC with milliseconds',
  advice:
    'another tool has written them, such as 2026-01-31 for 2026-01-31T00:00:00.000Z; lists by date misplace such records',
  find: counting(
    () =>
      columnsWhere(
        (column, name) =>
          column.dataType === 'string' && (name.endsWith('_at') || OTHER_TIMES.includes(name)),
      ),
    (column) => `(${column} not glob '${TIME}' or julianday(${column}) is null)`,
  ),
}

/** The checks of values. They repair nothing, since the intended values are unknown. */
export const VALUE_CHECKS: readonly Check[] = [json, times]
