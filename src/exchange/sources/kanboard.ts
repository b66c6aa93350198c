/** Kanboard: its downloaded database (perhaps gzipped), or its CSV export of tasks. */

import { readTasks, TASK_COLUMNS } from './kanboard-csv.ts'
import { readProject } from './kanboard-database.ts'
import type { SourceBoard } from './source-board.ts'
import { openSource } from './source-files.ts'
import { isKanboardHeader, isKanboardSubtasks, notOfFormat } from './source-formats.ts'

/**
 * Reads a project.
 * @throws Error with one line if the file has another format, is damaged, or has several projects in use
 */
export function readKanboard(bytes: Uint8Array): SourceBoard {
  const file = openSource(bytes)
  if (file.kind === 'database') return readProject(file.bytes)
  if (file.kind === 'table') {
    const { header, delimiter } = file.table
    if (isKanboardSubtasks(header)) {
      throw new Error(
        'it is the export of subtasks, without their tasks: download the database, or export the tasks',
      )
    }
    // Column names are in the user's language.
    if (isKanboardHeader(header) || (delimiter === ',' && header.length === TASK_COLUMNS)) {
      return readTasks(file.table)
    }
  }
  throw notOfFormat(file, 'kanboard', "Kanboard's database or its CSV export of tasks")
}
