/** Tables of tasks from any source, by usual names of columns, and this service's own CSV. */
import { withoutGuard } from '../../board/csv-guard.ts'
import { NAMES } from './column-names.ts'
import type { BoardReader } from './source-board.ts'
import { isKanboardSubtasks } from './source-formats.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable, columnsOf, listOf, subtasksOnLines, type TableTool } from './table-board.ts'

const ANY: TableTool = { format: 'csv', names: NAMES, kept: ['email'] }

/** The names of this service's own CSV, which guards its cells against formulas. */
const OWN =
  'id,title,description,column,priority,assigneeId,dueDate,labels,subtasks,source,createdAt,updatedAt,dismissed'.split(
    ',',
  )
/** The columns that later versions have added, in that order. */
const ADDED = ['assignee', 'number', 'assignees', 'assigneeIds']

const isOwn = (header: readonly string[]): boolean =>
  header.length >= OWN.length &&
  header.every((name, index) => name === (OWN[index] ?? ADDED[index - OWN.length]))

/** The names of labels in a cell of this service's own CSV: `, ` separates them, and a backslash escapes a comma or backslash. */
const ownLabels = (cell: string): string[] =>
  (cell.match(/(?:\\[\\,]|[^,])+/g) ?? []).map((part, index) =>
    (index === 0 ? part : part.replace(/^ /, '')).replaceAll(/\\([\\,])/g, '$1'),
  )

/** Of this service's own words none stands for another. */
const OWN_TOOL: TableTool = {
  ...ANY,
  names: { ...NAMES, assignee: ['assigneeid'], name: ['assignee'] },
  hasOwnPeople: true,
  toCell: withoutGuard,
  toNames: (cell, field) => (field === 'labels' ? ownLabels(cell) : [cell]),
  toPriority: (word) => ({ value: [...word].length <= 100 ? word : '', isKept: [...word].length > 100 }),
  toSubtasks: subtasksOnLines,
}

/** The same with all people of a card, since there may be several. */
const OWN_TOOL_OF_SEVERAL: TableTool = {
  ...OWN_TOOL,
  names: { ...NAMES, assignee: ['assigneeids'], name: ['assignees'] },
  toNames: (cell, field) =>
    field === 'labels' || field === 'assignee' || field === 'name' ? ownLabels(cell) : [cell],
}

/**
 * Reads a table of tasks.
 * @throws Error with one line if it has no column for titles
 */
export const readCsv: BoardReader = (file, options) => {
  const { table } = file as { table: Table }
  const expected = 'expected a table of tasks with a row of names (title, description, column, ...)'
  const { header } = table
  if (isKanboardSubtasks(header))
    throw new Error(`${expected}, but it looks like Kanboard's export of subtasks`)
  const own = header.includes('assigneeIds') ? OWN_TOOL_OF_SEVERAL : OWN_TOOL
  const tool = isOwn(header) ? own : ANY
  const columns = columnsOf(header, tool, options.columns)
  if (!columns.title)
    throw new Error(`${expected}, but no column is named title, name, summary or task: ${listOf(header)}`)
  return boardOfTable(table, tool, options, columns)
}
