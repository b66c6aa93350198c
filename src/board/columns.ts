/** The columns of a project's board as its items need them: there, by name. What clients do to columns is in `kanban-columns.ts`. */
import { and, desc, eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { given, prepareInsert, prepareRows } from '../db/old-statements.ts'
import { afterLast } from '../db/ordering.ts'
import { kanbanColumns } from '../db/schema.ts'

const DEFAULT_COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

/**
 * Prepares giving a new project its default columns.
 * @returns the maker. Call it inside the write that creates the project
 */
export function prepareDefaultColumns(db: SharedDatabase) {
  const insert = prepareInsert(db, kanbanColumns)
  return (projectId: string, at: string): void => {
    for (const [position, name] of DEFAULT_COLUMNS.entries()) {
      insert({ id: newId(), projectId, name, sortOrder: position + 1, createdAt: at, updatedAt: at })
    }
  }
}

/** How many items a column should hold, 0 for any number, and what happens above that. */
export interface ColumnLimit {
  wipLimit: number
  wipPolicy: string
}

const NO_LIMIT: ColumnLimit = { wipLimit: 0, wipPolicy: 'warn' }

/**
 * Prepares looking for a column by its name.
 * @returns the reader: the column's limit, or undefined when the project defines none of that name
 */
export function prepareColumnNamed(db: SharedDatabase) {
  const named = prepareRows(
    db,
    db
      .select({ wipLimit: kanbanColumns.wipLimit, wipPolicy: kanbanColumns.wipPolicy })
      .from(kanbanColumns)
      .where(and(eq(kanbanColumns.projectId, given('projectId')), eq(kanbanColumns.name, given('name')))),
  )
  return (projectId: string, name: string) => named.get({ projectId, name })
}

/**
 * Prepares making a column at the end of the board when the project does not define it yet, so that no item is ever
 * off the board.
 * @returns the maker, which returns the column's limit. Call it inside the write that puts an item there
 */
export function prepareColumns(db: SharedDatabase) {
  const insert = prepareInsert(db, kanbanColumns)
  const named = prepareColumnNamed(db)
  const last = prepareRows(
    db,
    db
      .select({ sortOrder: kanbanColumns.sortOrder })
      .from(kanbanColumns)
      .where(eq(kanbanColumns.projectId, given('projectId')))
      .orderBy(desc(kanbanColumns.sortOrder))
      .limit(1),
  )
  return (projectId: string, name: string, at: string): ColumnLimit => {
    const found = named(projectId, name)
    if (found) return found
    const sortOrder = afterLast(last.get({ projectId })?.sortOrder)
    insert({ id: newId(), projectId, name, sortOrder, createdAt: at, updatedAt: at })
    return NO_LIMIT
  }
}
