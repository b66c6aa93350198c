/**
 * What is hidden: the records of projects that are being imported, whose own rows come last (see `src/exchange`). Reads that
 * begin at a project find none of it; those that begin elsewhere have these conditions. Mostly there is nothing to hide:
 * then each of them costs a look at an empty table.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { hiddenProjects, kanbanItems } from './schema.ts'

/**
 * Condition: a row's project is not hidden. While nothing is, the row's column is not even read, which an index that serves
 * a list may lack.
 * @param projectId its column of the project's id
 */
export const isShown = (projectId: SQLiteColumn): SQL =>
  sql`(not exists (select 1 from ${hiddenProjects})
    or ${projectId} not in (select ${hiddenProjects.projectId} from ${hiddenProjects}))`

/** Condition: a row's item is in no hidden project. @param itemId its column of the item's id */
const isItemShown = (itemId: SQLiteColumn): SQL =>
  sql`not exists (select 1 from ${hiddenProjects} where ${hiddenProjects.projectId} =
    (select hidden.project_id from ${kanbanItems} as hidden where hidden.id = ${itemId}))`

/** Condition: a row of a table is not hidden; undefined for a table whose rows belong to no project, or need not. */
export function isShownIn(table: SQLiteTable): SQL | undefined {
  const { projectId, itemId } = table as { projectId?: SQLiteColumn; itemId?: SQLiteColumn }
  if (projectId?.notNull) return isShown(projectId)
  return itemId?.notNull ? isItemShown(itemId) : undefined
}
