/** TickTick's backup of all lists. */
import { isTimeZone } from '../../time-zones.ts'
import { dayIn } from './days.ts'
import type { BoardReader } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable } from './table-board.ts'

/** A checklist's entry in the text: a white square, or a black one if it is done. */
const ENTRY = /^([▫▪])(.*)$/gmu

/** The numbers of the status, as the file's beginning explains them; -1: it will not be done. */
const STATES = new Map([
  ['1', 'done'],
  ['2', 'archived'],
  ['-1', 'archived'],
] as const)

/** The table with a column for where a task is: the column of a board, else the list. */
function withPlaces(table: Table): Table {
  const [column, list] = ['Column Name', 'List Name'].map((name) => table.header.indexOf(name)) as [
    number,
    number,
  ]
  return {
    ...table,
    header: [...table.header, 'place'],
    forEachRow: (onRow) =>
      table.forEachRow((row, number) => {
        const cells = table.header.map((_, index) => row[index] ?? '')
        onRow([...cells, cells[column] || cells[list] || ''], number)
      }),
  }
}

/** Reads a backup. All-day dates are midnight in the task's time zone. */
export const readTickTick: BoardReader = (file, options) => {
  const { table } = file as { table: Table }
  const board = boardOfTable(
    withPlaces(table),
    {
      format: 'ticktick',
      names: {
        id: ['taskid'],
        title: ['title'],
        description: ['content'],
        column: ['place'],
        priority: ['priority'],
        due: ['duedate'],
        labels: ['tags'],
        subtasks: ['content'],
        created: ['createdtime'],
        updated: ['completedtime'],
        done: ['status'],
        parent: ['parentid'],
      },
      kept: ['updated'],
      consumed: ['columnname'],
      priorities: { 0: '', 1: 'low', 3: 'medium', 5: 'high' },
      toState: (cell) => STATES.get(cell.trim() as '1') ?? 'open',
      toSubtasks: (cell) =>
        [...cell.matchAll(ENTRY)].map(([, box, title = '']) => ({
          title: title.trim(),
          completed: box === '▪',
        })),
      finish: (card) => {
        if (card.subtasks.length > 0) card.description = card.description.replace(ENTRY, '').trim()
        const { Timezone: zone, 'Is All Day': isAllDay } = card.rest
        if (card.dueDate && String(isAllDay).toLowerCase() === 'true' && isTimeZone(String(zone)))
          card.dueDate = dayIn(card.dueDate, String(zone), true)
      },
      lacks: ['a backup of TickTick has no comments, files and people'],
    },
    options,
  )
  return { ...board, rest: { columns: table.header } }
}
