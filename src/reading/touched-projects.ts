/** Which projects a write touches, by triggers, so that no rule has to report it. */
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { SharedDatabase } from '../db/client.ts'
import * as schema from '../db/schema.ts'

/** Tables with a project or item, but not part of a project's record. */
const NOT_SHOWN: readonly SQLiteTable[] = [
  schema.kanbanActivity,
  schema.kanbanComments,
  schema.kanbanColumns,
  schema.changes,
  schema.changesPending,
  schema.webhooks,
  schema.imports,
  schema.hiddenProjects,
  schema.largeWrites,
  schema.stagedChanges,
]

/** The project and item of a table's row, as SQL; undefined for a table whose rows belong to no project. */
function touchedBy(table: SQLiteTable): ((row: 'old' | 'new') => string) | undefined {
  const columns = getTableColumns(table)
  if (table === schema.projects) return (row) => `${row}.id, null`
  if (table === schema.kanbanItems) return (row) => `${row}.project_id, ${row}.id`
  if ('projectId' in columns) return (row) => `${row}.project_id, null`
  if ('itemId' in columns) {
    return (row) => `(select project_id from main.kanban_items where id = ${row}.item_id), ${row}.item_id`
  }
  return undefined
}

/** Another tool may have moved an item, labels included, to another project: there the label shows too. */
const OF_ITEMS = `select touched(project_id, id) from main.kanban_items
  where id in (select item_id from main.kanban_item_labels where label_id = new.id);`

/**
 * Calls `touched` for every row that this connection writes, cascades included, and that is part of a project's record:
 * with the project's id and, where the row is an item or part of one, the item's; else with null. It is called while the
 * statement runs: the write may still be rolled back.
 *
 * The triggers are temporary: they belong to this connection alone, and other tools never see them. For a row deleted by
 * cascade with its item there is no project to be found, but the item was reported. For a row that `insert or replace`
 * deletes no trigger fires: the service has no such statement.
 */
export function watchProjects(
  { $client: client }: SharedDatabase,
  touched: (projectId: string, itemId: string | null) => void,
): void {
  client.function('touched', (projectId: string | null, itemId: string | null) => {
    if (projectId !== null) touched(projectId, itemId)
    return null
  })
  for (const table of Object.values(schema)) {
    const row = is(table, SQLiteTable) && !NOT_SHOWN.includes(table) ? touchedBy(table) : undefined
    if (!row) continue
    const name = getTableName(table)
    const old = `select touched(${row('old')});`
    const now = `select touched(${row('new')}); ${table === schema.kanbanLabels ? OF_ITEMS : ''}`
    client.exec(`
      create temp trigger touched_by_insert_${name} after insert on main.${name} begin ${now} end;
      create temp trigger touched_by_update_${name} after update on main.${name} begin ${old} ${now} end;
      create temp trigger touched_by_delete_${name} after delete on main.${name} begin ${old} end;
    `)
  }
}
