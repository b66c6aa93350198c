/** Deletes a project's records in slices, without its own row: children first, so that no statement deletes many. */

import type { Chunk } from './chunked-writer.ts'
import type { SharedDatabase } from './client.ts'
import { type Child, childrenOf } from './kinds.ts'

/** Rows deleted at a time, and items. */
const ROWS = 100
const ITEMS = 20

const ITEMS_TABLE = 'kanban_items'

/**
 * Prepares deleting a project's records, in the order of an ordinary deletion.
 * @returns a function that deletes some of them inside a slice, and returns whether there are more
 */
export function clearProject(
  { $client: client }: SharedDatabase,
  projectId: string,
): (write: Chunk) => boolean {
  const some = ({ table, column }: Child) =>
    client.prepare<[string]>(
      `delete from ${table} where rowid in (select rowid from ${table} where ${column} = +? limit ${ROWS})`,
    )
  const items = client
    .prepare<[string], string>(`select id from ${ITEMS_TABLE} where project_id = +? limit ${ITEMS}`)
    .pluck()
  const removeItem = client.prepare<[string]>(`delete from ${ITEMS_TABLE} where id = +?`)
  const ofItem = childrenOf('kanban-item').map(some)
  const ofProject = childrenOf('project')
    .filter(({ table }) => table !== ITEMS_TABLE)
    .map(some)

  return ({ isLong }) => {
    for (let ids = items.all(projectId); ids.length > 0; ids = items.all(projectId)) {
      for (const id of ids) {
        for (const remove of ofItem) while (remove.run(id).changes === ROWS) if (isLong()) return true
        removeItem.run(id)
        if (isLong()) return true
      }
    }
    for (const remove of ofProject) while (remove.run(projectId).changes > 0) if (isLong()) return true
    return false
  }
}
