/** The tasks of a plan of Microsoft Planner, exported to Excel and saved as CSV. */
import type { BoardReader } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable, partsOf } from './table-board.ts'

/** Reads a plan. Everything with several values has semicolons. */
export const readPlanner: BoardReader = (file, options) =>
  boardOfTable(
    (file as { table: Table }).table,
    {
      format: 'planner',
      names: {
        id: ['taskid'],
        title: ['taskname'],
        description: ['description', 'notes'],
        column: ['bucketname'],
        priority: ['priority'],
        assignee: ['assignedto'],
        due: ['duedate'],
        labels: ['labels'],
        subtasks: ['checklistitems'],
        created: ['createddate'],
        done: ['progress'],
        // How many entries are completed; see `toSubtasks`.
        number: [],
        comments: [],
        updated: ['completeddate'],
      },
      kept: ['updated'],
      toNames: (cell) => partsOf(cell, ';'),
      toState: (cell) =>
        /^(?:completed|abgeschlossen|terminée?|completad[oa])$/i.test(cell.trim()) ? 'done' : 'open',
      toSubtasks: (cell) => partsOf(cell, ';').map((title) => ({ title, completed: false })),
      finish: ({ subtasks, rest }) => {
        // Which ones are completed is not in the file, unless all are.
        const [, done, all] = /^(\d+)\/(\d+)$/.exec(String(rest['Completed Checklist Items'] ?? '')) ?? []
        if (done !== undefined && done === all) for (const entry of subtasks) entry.completed = true
      },
      lacks: [
        'an export of Planner has no comments and files, and does not say which entries of a checklist are done',
      ],
    },
    options,
  )
