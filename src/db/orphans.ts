/** Records that point at others that do not exist: other tools may write to the file without enforcing foreign keys. */
import type SQLite from 'better-sqlite3'
import { isHiddenById, isHiddenRecord } from './hidden.ts'

/** The projects that are being imported, whose own rows come last: see `hidden.ts`. */
const COMING = 'select project_id from hidden_projects where project_id not in (select id from projects)'

/** Which rows of a table are being imported, as SQL. @param columns the table's */
function comingOf(table: string, columns: ReadonlySet<string>): string {
  if (isHiddenById(table)) return isHiddenRecord(table, `"${table}".id`)
  if (columns.has('project_id')) return `project_id in (${COMING})`
  return columns.has('item_id')
    ? `item_id in (select id from kanban_items where project_id in (${COMING}))`
    : 'false'
}

/** Counts the violations of foreign keys in a file, but for those of records that are being imported. */
export function orphansIn(client: SQLite.Database): number {
  const violations = client.pragma('foreign_key_check') as { table: string }[]
  const tables = client.prepare<[], string>('select name from sqlite_schema').pluck().all()
  // An older version has imported nothing in this way.
  const isOlder = !['hidden_projects', 'hidden_records'].every((name) => tables.includes(name))
  if (violations.length === 0 || isOlder) return violations.length
  const columnsOf = client.prepare<[string], string>('select name from pragma_table_info(?)').pluck()
  let count = violations.length
  for (const table of new Set(violations.map((violation) => violation.table))) {
    const coming = comingOf(table, new Set(columnsOf.all(table)))
    count -=
      client
        .prepare<[string], number>(
          `select count(*) from pragma_foreign_key_check(?) as violation
          join "${table}" as record on record.rowid = violation.rowid where ${coming}`,
        )
        .pluck()
        .get(table) ?? 0
  }
  return count
}
