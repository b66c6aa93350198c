/** Kanboard's CSV export of tasks. Its column names are in the user's language, but their positions are fixed. */
import { nameKey } from './column-names.ts'
import type { ReadingOptions, SourceBoard } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { number, sortedBy, text } from './source-values.ts'
import { boardOfTable, type TableTool } from './table-board.ts'

/** The columns in order: names here, and English names in the form of {@link nameKey}. */
const PLACES = {
  id: 'taskid',
  reference: 'reference',
  project: 'project',
  status: 'status',
  category: 'category',
  swimlane: 'swimlane',
  column: 'column',
  position: 'position',
  color: 'color',
  due: 'duedate',
  creator: 'creator',
  creatorName: 'creatorname',
  assignee: 'assigneeusername',
  assigneeName: 'assigneename',
  score: 'complexity',
  title: 'title',
  created: 'creationdate',
  modified: 'modificationdate',
  completed: 'completiondate',
  started: 'startdate',
  timeEstimated: 'timeestimated',
  timeSpent: 'timespent',
  priority: 'priority',
  tags: 'tags',
}

/** Kanboard's priorities are numbers, 0 to 3 unless a project has others. */
const PRIORITIES = ['low', 'medium', 'high', 'critical']

/** The priority of a number; empty for other scales. */
export const priorityOfNumber = (value: number | undefined): string => PRIORITIES[value ?? -1] ?? ''

/** Reads the tasks of a project. */
export const readTasks = (table: Table, options: ReadingOptions): SourceBoard => {
  const header = headerOf(table.header)
  const projects = new Set<string>()
  const at = header.indexOf('project')
  const board = boardOfTable(
    {
      ...table,
      header,
      forEachRow: (onRow) =>
        table.forEachRow((row, number) => {
          projects.add(row[at]?.toWellFormed() ?? '')
          onRow(row, number)
        }),
    },
    TOOL,
    options,
  )
  if (projects.size > 1) throw new Error(`it has tasks of ${projects.size} projects: export one at a time`)
  /** The places of swimlanes, in the order of first use. */
  const lanes = new Map<string, number>()
  for (const { rest } of board.cards)
    if (!lanes.has(text(rest.swimlane))) lanes.set(text(rest.swimlane), lanes.size)
  const [name = ''] = projects
  return {
    ...board,
    ...{ id: name, name },
    cards: sortedBy(
      sortedBy(board.cards, ({ rest }) => number(rest.position)),
      ({ rest }) => lanes.get(text(rest.swimlane)),
    ),
    rest: { columns: table.header },
  }
}

const TOOL: TableTool = {
  format: 'kanboard',
  names: {
    id: ['id'],
    number: ['id'],
    title: ['title'],
    column: ['column'],
    priority: ['priority'],
    assignee: ['assignee'],
    name: ['assigneename'],
    due: ['due'],
    labels: ['tags'],
    created: ['created'],
    updated: ['modified'],
    dismissed: ['status'],
  },
  kept: ['name', 'dismissed', 'priority'],
  consumed: ['project'],
  order: 'month',
  toNames: (cell, field) => (field === 'labels' ? cell.split(', ').filter((tag) => tag !== '') : [cell]),
  toPriority: (word) => ({ value: priorityOfNumber(number(word)), isKept: false }),
  finish: (card, cellOf) => {
    // In other languages the word is unknown, but only closed tasks have a completion date.
    const status = cellOf('dismissed')
    if (card.priority !== '') card.rest.priority = Number(card.rest.priority)
    card.dismissed = status === 'Closed' || (status !== 'Open' && card.rest.completed !== undefined)
  },
  lacks: ['the CSV export has no descriptions, subtasks and comments: the database has'],
}

/** The names of the columns: by English name, or else by position. Columns with a field get the same names in any language. */
function headerOf(header: readonly string[]): string[] {
  const keys = header.map(nameKey)
  const isEnglish = keys.includes('taskid') && keys.includes('swimlane')
  const names = [...header]
  for (const [place, [name, key]] of Object.entries(PLACES).entries()) {
    const index = isEnglish ? keys.indexOf(key) : place
    if (index >= 0) names[index] = name
  }
  return names
}
