/** The tasks of a plan of Microsoft Planner, exported to Excel and saved as CSV. */
import type { BoardReader } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable, partsOf } from './table-board.ts'

/** Reads a plan, of either sheet that exports have: of tasks, or of consolidated data. Everything with several values has semicolons. */
export const readPlanner: BoardReader = (file, options) =>
  boardOfTable(
    (file as { table: Table }).table,
    {
      format: 'planner',
      names: {
        id: ['taskid'],
        title: ['taskname'],
        description: ['description', 'notes'],
        column: ['bucketname', 'bucket'],
        priority: ['priority'],
        assignee: ['assignedto'],
        due: ['duedate'],
        labels: ['labels'],
        subtasks: ['checklistitems'],
        created: ['createddate'],
        done: ['progress', 'status'],
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
        const completed = String(rest['Completed Checklist Items'] ?? '')
        const [, done, all] = /^(\d+)\/(\d+)$/.exec(completed) ?? []
        // With their number, it is not in the file which ones are completed, unless all are. The newer sheet has their titles.
        const titles = new Set(partsOf(completed, ';'))
        for (const entry of subtasks)
          entry.completed = done === undefined ? titles.has(entry.title) : done === all
      },
      lacks: [
        'an export of Planner has no comments and files, and does not say which entries of a checklist are done',
      ],
    },
    options,
  )
