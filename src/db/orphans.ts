/** Orphaned records: other tools may write to the file without enforcing foreign keys. */
import type SQLite from 'better-sqlite3'
import { isHiddenRow } from './hidden.ts'

/** Counts the foreign key violations in a file, without those of running imports. */
export function orphansIn(client: SQLite.Database): number {
  const violations = client.pragma('foreign_key_check') as { table: string }[]
  const tables = client.prepare<[], string>('select name from sqlite_schema').pluck().all()
  // Older versions did not import like this.
  const isOlder = !['hidden_projects', 'hidden_records'].every((name) => tables.includes(name))
  if (violations.length === 0 || isOlder) return violations.length
  const columnsOf = client.prepare<[string], string>('select name from pragma_table_info(?)').pluck()
  let count = violations.length
  for (const table of new Set(violations.map((violation) => violation.table))) {
    const coming = isHiddenRow(table, columnsOf.all(table), { row: 'record' })
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
