/** ClickUp's export of tasks. */
import { parseJson } from '../../json.ts'
import type { BoardReader } from './source-board.ts'
import { Dates } from './source-dates.ts'
import { refuseHugeJson } from './source-limits.ts'
import type { Table } from './source-tables.ts'
import { objects, text } from './source-values.ts'
import { boardOfTable, bracketed } from './table-board.ts'

/** What ClickUp writes for nothing. */
const EMPTY = new Set(['null', '[]', '{}', 'undefined', 'NaN'])

/** The JSON in a cell; undefined if it is none. */
function jsonIn(cell: string): unknown {
  if (cell === '') return undefined
  refuseHugeJson(Buffer.from(cell))
  try {
    return parseJson(cell)
  } catch {
    return undefined
  }
}

/** A checklist's entries, which are texts, or have a name and say whether they are done. */
const entriesIn = (list: unknown): { title: string; completed: boolean }[] =>
  (Array.isArray(list) ? list : [list]).map((entry) => ({
    title: text(entry) || text(Object(entry).name),
    completed: Object(entry).resolved === true,
  }))

/** Reads tasks. */
export const readClickUp: BoardReader = (file, options) =>
  boardOfTable(
    (file as { table: Table }).table,
    {
      format: 'clickup',
      names: {
        id: ['taskid'],
        number: ['taskcustomid'],
        title: ['taskname'],
        description: ['taskcontent', 'description'],
        column: ['status'],
        priority: ['priority'],
        assignee: ['assignees', 'assignee'],
        due: ['duedate'],
        labels: ['tags'],
        subtasks: ['checklists'],
        comments: ['comments'],
        created: ['datecreated'],
        updated: ['dateupdated'],
        // Only a view may have them.
        done: ['datedone', 'dateclosed'],
        parent: ['parentid'],
        attachments: ['attachments'],
      },
      consumed: [
        'datecreatedtext',
        'startdatetext',
        'timeestimatedtext',
        'timespenttext',
        'rolleduptimetext',
      ],
      toCell: (cell) => (EMPTY.has(cell) ? '' : cell),
      toNames: bracketed,
      repeatsRows: true,
      hasStates: true,
      priorities: {
        ...{ 1: 'critical', 2: 'high', 3: 'medium', 4: 'low' },
        ...{ urgent: 'critical', high: 'high', normal: 'medium', low: 'low' },
      },
      toDate: (text) => (/^\d{11,14}$/.test(text) ? new Date(Number(text)).toISOString() : text),
      toSubtasks: (cell) => {
        const lists = Object.entries(Object(jsonIn(cell)))
        return lists.flatMap(([name, list]) =>
          entriesIn(list).map((entry) =>
            lists.length > 1 ? { ...entry, title: `${name}: ${entry.title}` } : entry,
          ),
        )
      },
      toComments: (cell) =>
        objects(jsonIn(cell)).map((comment) => ({
          author: text(comment.by),
          text: text(comment.text),
          date: text(comment.date),
        })),
      toAttachments: (cell) =>
        objects(jsonIn(cell)).map((whole) => ({ name: text(whole.title), url: text(whole.url), whole })),
      finish: (card) => {
        // A line break is written as two characters.
        card.description = card.description.replaceAll('\\n', '\n')
        // A date without a time is midnight, or four in the morning, where its member is.
        const [, day] =
          /^(\d{1,2}\/\d{1,2}\/\d{4}), (?:12:00:00|4:00:00)\sAM/i.exec(text(card.rest['Due Date Text'])) ?? []
        if (card.dueDate !== null && day !== undefined)
          card.dueDate = new Dates('month').read(day) ?? card.dueDate
      },
      lacks: ['an export of ClickUp does not say which entries of a checklist are done'],
    },
    options,
  )
