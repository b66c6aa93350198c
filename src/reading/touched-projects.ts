/** Reports the projects that a write touches, by triggers, so that no rule has to. */
import { getTableName } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { itemIn, KINDS, type Kind, projectIn } from '../db/kinds.ts'
import { kanbanLabels } from '../db/schema.ts'

/** The kinds of records in a project's record, including itself. */
const SHOWN: readonly Kind[] = KINDS.filter((kind) => !kind.isApart && projectIn(kind, '') !== 'null')

/** Another tool may have moved an item, labels included, to another project: there the label shows too. */
const OF_ITEMS = `select touched(project_id, id) from main.kanban_items
  where id in (select item_id from main.kanban_item_labels where label_id = new.id);`

/**
 * Calls `touched` for every written row, cascades included, that is part of a project's record:
 * with the project's id and, if the row is an item or part of one, the item's; else with null. It is called while the
 * statement runs: the write may still be rolled back.
 *
 * The triggers are temporary: they belong only to this connection, and other tools never see them. A row deleted by
 * cascade with its item has no project any more, but the item was reported. A row deleted by `insert or replace`
 * fires no trigger: the service has no such statement.
 */
export function watchProjects(
  { $client: client }: SharedDatabase,
  touched: (projectId: string, itemId: string | null) => void,
): void {
  client.function('touched', (projectId: string | null, itemId: string | null) => {
    if (projectId !== null) touched(projectId, itemId)
    return null
  })
  for (const kind of SHOWN) {
    const name = getTableName(kind.table)
    const touch = (row: 'old' | 'new') => `select touched(${projectIn(kind, row)}, ${itemIn(kind, row)});`
    const old = touch('old')
    const now = `${touch('new')} ${kind.table === kanbanLabels ? OF_ITEMS : ''}`
    client.exec(`
      create temp trigger touched_by_insert_${name} after insert on main.${name} begin ${now} end;
      create temp trigger touched_by_update_${name} after update on main.${name} begin ${old} ${now} end;
      create temp trigger touched_by_delete_${name} after delete on main.${name} begin ${old} end;
    `)
  }
}
