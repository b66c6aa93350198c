/** Which tables hold what belongs to a project or an item: those whose rows go with it. */
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './schema.ts'

/** The names of the tables with a foreign key on a column of this name, to this table. */
const tablesWith = (column: string, parent: SQLiteTable): string[] =>
  Object.values<unknown>(schema).flatMap((table) => {
    if (!is(table, SQLiteTable)) return []
    const keys = getTableConfig(table).foreignKeys.map((key) => key.reference())
    const has = keys.some(
      ({ columns, foreignTable }) => foreignTable === parent && columns[0]?.name === column,
    )
    return has ? [getTableName(table)] : []
  })

/** The tables of what belongs to items, by their `item_id`. */
export const tablesOfItems = (): string[] => tablesWith('itemId', schema.kanbanItems)

/** The tables of what belongs to projects themselves, by their `project_id`: their items are one of them. */
export const tablesOfProjects = (): string[] => tablesWith('projectId', schema.projects)
