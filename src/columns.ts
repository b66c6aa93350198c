/** The columns of a project's board. */
import { and, eq, max } from 'drizzle-orm'
import type { Database } from './db/client.ts'
import { kanbanColumns } from './db/schema.ts'
import { newId } from './ids.ts'
import { afterLast } from './ordering.ts'

const DEFAULT_COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

/** Gives a new project its default columns. Call it inside the transaction that creates the project. */
export function createDefaultColumns(db: Database, projectId: string, at: string): void {
  const columns = DEFAULT_COLUMNS.map((name, position) => ({
    id: newId(),
    projectId,
    name,
    sortOrder: position + 1,
    createdAt: at,
    updatedAt: at,
  }))
  db.insert(kanbanColumns).values(columns).run()
}

/**
 * Makes the column at the end of the board when the project does not define it yet, so that no item is ever
 * off the board. Call it inside the transaction that puts an item there.
 */
export function ensureColumn(db: Database, projectId: string, name: string, at: string): void {
  const ofProject = eq(kanbanColumns.projectId, projectId)
  const existing = db
    .select({ id: kanbanColumns.id })
    .from(kanbanColumns)
    .where(and(ofProject, eq(kanbanColumns.name, name)))
    .get()
  if (existing) return
  const last = db
    .select({ sortOrder: max(kanbanColumns.sortOrder) })
    .from(kanbanColumns)
    .where(ofProject)
    .get()
  db.insert(kanbanColumns)
    .values({
      id: newId(),
      projectId,
      name,
      sortOrder: afterLast(last?.sortOrder),
      createdAt: at,
      updatedAt: at,
    })
    .run()
}
