/** Records that point at others that do not exist: other tools may write to the file without enforcing foreign keys. */
import type SQLite from 'better-sqlite3'
import { tablesOfProjects } from './relations.ts'

/** The projects that are being imported, whose own rows come last: see `hidden.ts`. */
const COMING = 'select project_id from hidden_projects where project_id not in (select id from projects)'

/** Counts the violations of foreign keys in a file, but for those of records that are being imported. */
export function orphansIn(client: SQLite.Database): number {
  const violations = (client.pragma('foreign_key_check') as unknown[]).length
  const tables = new Set(client.prepare<[], string>('select name from sqlite_schema').pluck().all())
  // An older version has imported nothing in this way.
  if (violations === 0 || !tables.has('hidden_projects')) return violations
  const waiting = tablesOfProjects()
    .filter((table) => tables.has(table))
    .map((table) => `(select count(*) from ${table} where project_id in (${COMING}))`)
  const count =
    client
      .prepare<[], number>(`select ${waiting.join(' + ')}`)
      .pluck()
      .get() ?? 0
  return violations - count
}
