/** Kanboard: its downloaded database (perhaps gzipped), or its CSV export of tasks. */
import { readTasks } from './kanboard-csv.ts'
import { readProject } from './kanboard-database.ts'
import type { BoardReader } from './source-board.ts'
import { isKanboardSubtasks } from './source-formats.ts'
import type { Table } from './source-tables.ts'

/** Reads a project. @throws Error with one line if the file is damaged, or has several projects in use */
export const readKanboard: BoardReader = (file, options) => {
  if (file.kind === 'database') return readProject(file.bytes)
  const { table } = file as { table: Table }
  if (isKanboardSubtasks(table.header))
    throw new Error(
      'it is the export of subtasks, without their tasks: download the database, or export the tasks',
    )
  return readTasks(table, options)
}
