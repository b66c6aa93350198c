/**
 * Hidden records: those of projects during an import, whose own rows come last (see `src/exchange`), and records of an
 * archive without a project. Reads that begin at a project do not find them; other reads use these
 * conditions. Usually nothing is hidden, and each costs a lookup in an empty table.
 */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { KINDS, kindIn } from './kinds.ts'
import { auditLog, hiddenProjects, kanbanItems } from './schema.ts'
import type { Identified } from './statements.ts'

/**
 * Condition: a row's project is not hidden. While nothing is hidden, it does not read the row's column, which an index
 * of a list may lack.
 * @param projectId the column of the project's id
 */
export const isShown = (projectId: SQLiteColumn): SQL =>
  sql`(not exists (select 1 from ${hiddenProjects})
    or ${projectId} not in (select ${hiddenProjects.projectId} from ${hiddenProjects}))`

/** Condition: a row's item is in no hidden project. @param itemId the column of the item's id */
const isItemShown = (itemId: SQLiteColumn): SQL =>
  sql`not exists (select 1 from ${hiddenProjects} where ${hiddenProjects.projectId} =
    (select hidden.project_id from ${kanbanItems} as hidden where hidden.id = ${itemId}))`

/** The tables of records without a project that may be hidden, by name. */
const ALONE: readonly string[] = [
  ...KINDS.filter(({ isHiddenById }) => isHiddenById).map(({ table }) => table),
  auditLog,
].map(getTableName)

/** Whether records of a table are hidden by their own ids. @param table its name */
export const isHiddenById = (table: string): boolean => ALONE.includes(table)

/**
 * Condition, as SQL: a row of a table is hidden, since it belongs to an unpublished large write.
 * @param table its name
 * @param id its id, as SQL
 */
export const isHiddenRecord = (table: string, id: string): string =>
  `exists (select 1 from hidden_records as hidden cross join large_writes as write on write.number = hidden.write
    where hidden.record_table = '${table}' and hidden.id = ${id} and write.first_seq is null)`

/** The projects of running imports, as SQL: their own rows come last. */
const COMING = 'select project_id from hidden_projects where project_id not in (select id from projects)'

/**
 * Condition, as SQL: a row of a table belongs to a hidden project, or is hidden by its id.
 * @param columns of the table
 * @param options `row`: its name in the statement; `projects`: the hidden projects, by default those of running imports
 */
export function isHiddenRow(
  table: string,
  columns: readonly string[],
  { row = `"${table}"`, projects = COMING }: { row?: string; projects?: string } = {},
): string {
  if (isHiddenById(table)) return isHiddenRecord(table, `${row}.id`)
  const conditions = [
    ['project_id', projects],
    ['item_id', `select id from kanban_items where project_id in (${projects})`],
  ].filter(([column]) => columns.includes(String(column)))
  return (
    conditions.map(([column, hidden]) => `ifnull(${row}.${column}, '') in (${hidden})`).join(' or ') ||
    'false'
  )
}

/** Condition: a row of a table whose records may be hidden by id is not hidden. @param id the column of the id */
export const isRecordShown = (id: SQLiteColumn): SQL =>
  sql`not ${sql.raw(isHiddenRecord(getTableName(id.table), `"${getTableName(id.table)}"."${id.name}"`))}`

/** Condition: a row of a table is not hidden; undefined for a table whose rows never or not always belong to a project. */
export function isShownIn(table: SQLiteTable): SQL | undefined {
  if (kindIn(table)?.isHiddenById) return isRecordShown((table as Identified).id)
  const { projectId, itemId } = table as { projectId?: SQLiteColumn; itemId?: SQLiteColumn }
  if (projectId?.notNull) return isShown(projectId)
  return itemId?.notNull ? isItemShown(itemId) : undefined
}
