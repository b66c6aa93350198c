/** A database of Notion as CSV: whatever columns it has. */
import { NAMES } from './column-names.ts'
import type { BoardReader } from './source-board.ts'
import type { Table } from './source-tables.ts'
import { boardOfTable, columnsOf, listed, listOf } from './table-board.ts'

/** The address of a page in a relation, after its title. */
const ADDRESS = / \((?:https?:\/\/[^()\s]*|[^()\s]*\.md)\)(?:,\s*|$)/

/** The end of a span is due. If it is on the same day, only its time is there: March 5, 2026 9:00 AM (GMT+1) → 10:00 AM. */
function endOf(text: string): string {
  const [begin = '', end] = text.split(' → ')
  if (end === undefined) return text
  const [, day] = /^(.*\d{4}),? \d{1,2}:\d\d/.exec(begin) ?? []
  return day !== undefined && /^\d{1,2}:\d\d/.test(end) ? `${day} ${end}` : end
}

const RELATIONS = new Set(['parent', 'blockedBy', 'blocks', 'relates', 'duplicates'])

/** The titles of pages in a relation. */
const pagesIn = (cell: string): string[] => {
  const titles = cell.split(ADDRESS)
  return titles.length > 1
    ? titles.map((title) => title.trim()).filter((title) => title !== '')
    : listed(cell)
}

/** Reads a database. The first column is the title, unless another one is named so. */
export const readNotion: BoardReader = (file, options) => {
  const { table } = file as { table: Table }
  const tool = {
    format: 'notion',
    names: {
      ...NAMES,
      id: [],
      assignee: ['assign', ...NAMES.assignee, 'person', 'people'],
      due: [...NAMES.due, 'date', 'datum', 'fecha'],
      labels: [...NAMES.labels, 'multiselect'],
      parent: [...NAMES.parent, 'parentitem'],
      subtasks: [],
    },
    toNames: (cell: string, field: string) => (RELATIONS.has(field) ? pagesIn(cell) : listed(cell)),
    toDate: endOf,
    lacks: [
      'a table of Notion has no texts of pages, comments and files: the texts are in the .md files beside it',
    ],
  }
  const columns = columnsOf(table.header, tool)
  if (!columns.title) throw new Error(`expected a column with titles, but ${listOf(table.header)}`)
  const board = boardOfTable(
    table,
    {
      ...tool,
      finish: (card, cellOf) => {
        if (cellOf('due').includes(' → ')) card.rest.span = cellOf('due')
      },
    },
    options,
    columns,
  )
  return { ...board, name: board.name.replace(/ ?[0-9a-f]{32}(?:_all)?$/i, '') || board.name }
}
