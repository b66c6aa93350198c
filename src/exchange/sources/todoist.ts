/** Todoist's export of a project: rows of several types, in which what belongs to a task follows it. */

import { parseJson } from '../../json.ts'
import { nameKey } from './column-names.ts'
import type { BoardReader } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable } from './table-board.ts'

/** A label in the text of a task. */
const LABEL = /(?:^|\s)@([\p{L}\p{N}_-]+)/gu

/** Columns for what rows say together. */
const TOLD = ['row id', 'row parent', 'row section', 'row notes', 'row labels']

/** A person with an id: Ann Smith (12345). */
const PERSON = /^(.*) \((\d+)\)$/

/** A row for each task, with its section, parent, notes and labels. */
function tasksOf(table: Table, onNote: (text: string) => void): Table {
  const keys = table.header.map(nameKey)
  const place = (name: string) => keys.indexOf(name)
  const [type, content, indent, author] = [place('type'), place('content'), place('indent'), place('author')]
  return {
    ...table,
    header: [...table.header, ...TOLD],
    forEachRow: (onRow) => {
      let section = ''
      let task:
        | { row: number; cells: string[]; notes: { text: string; author: string }[]; parent: string }
        | undefined
      /** The row ids of the latest task at each level. */
      const levels: string[] = []
      const end = () => {
        if (!task) return
        const { row, cells, notes, parent } = task
        const text = cells[content] ?? ''
        const labels = [...text.matchAll(LABEL)].map(([, label = '']) => label)
        cells[content] = text.replace(LABEL, '').trim()
        onRow([...cells, `row ${row}`, parent, section, JSON.stringify(notes), labels.join(',')], row)
        task = undefined
      }
      table.forEachRow((row, rowNumber) => {
        const kind = row[type]?.trim().toLowerCase()
        const text = row[content] ?? ''
        if (kind === 'note')
          return void (task ? task.notes.push({ text, author: row[author] ?? '' }) : onNote(text))
        end()
        if (kind === 'section') section = text
        if (kind !== 'task') return
        const level = Math.min(Math.max(Number(row[indent]) || 1, 1), levels.length + 1)
        levels.length = level - 1
        const cells = table.header.map((_, index) => row[index] ?? '')
        task = { row: rowNumber, cells, notes: [], parent: levels.at(-1) ?? '' }
        levels.push(`row ${rowNumber}`)
      })
      end()
    },
  }
}

/** Reads a project. */
export const readTodoist: BoardReader = (file, options) => {
  const { table } = file as { table: Table }
  /** Those before any task. */
  const notes: string[] = []
  const board = boardOfTable(
    tasksOf(table, (text) => notes.push(text)),
    {
      format: 'todoist',
      names: {
        id: ['rowid'],
        title: ['content'],
        description: ['description'],
        column: ['rowsection'],
        priority: ['priority'],
        assignee: ['responsible'],
        due: ['deadline', 'date'],
        labels: ['rowlabels'],
        comments: ['rownotes'],
        done: ['status', 'completed'],
        parent: ['rowparent'],
      },
      several: ['due'],
      consumed: ['type', 'indent'],
      toPerson: (text) => {
        const [, name = text, id = text] = PERSON.exec(text) ?? []
        return { id, name, email: '' }
      },
      toNames: (cell, field) => (field === 'labels' ? cell.split(',') : [cell.trim()]),
      priorities: { 1: 'critical', 2: 'high', 3: 'medium', 4: '' },
      toComments: (cell) => parseJson(cell) as { text: string; author: string }[],
      lacks: ['an export of Todoist has no completed tasks, and no times of creation'],
    },
    options,
  )
  return { ...board, description: notes.join('\n\n'), rest: { columns: table.header } }
}
