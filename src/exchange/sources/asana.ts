/** Asana's export of a project: a row for each task and subtask. */
import type { BoardReader } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable, partsOf } from './table-board.ts'

/** Reads a project. Parents and dependencies are named by title. */
export const readAsana: BoardReader = (file, options) =>
  boardOfTable(
    (file as { table: Table }).table,
    {
      format: 'asana',
      names: {
        id: ['taskid'],
        title: ['name'],
        description: ['notes'],
        column: ['sectioncolumn'],
        priority: ['priority'],
        assignee: ['assignee'],
        email: ['assigneeemail'],
        due: ['duedate'],
        labels: ['tags'],
        created: ['createdat'],
        updated: ['lastmodified'],
        done: ['completedat'],
        parent: ['parenttask'],
        blockedBy: ['blockedbydependencies'],
        blocks: ['blockingdependencies'],
      },
      kept: ['email'],
      // A title may have commas, and a task has one parent.
      toNames: (cell, field) => (field === 'parent' ? [cell.trim()] : partsOf(cell, /[,\n]/)),
      lacks: ['an export of Asana has no comments and files'],
    },
    options,
  )
