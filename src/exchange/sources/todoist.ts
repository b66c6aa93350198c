/** Todoist's export of a project: rows of several types, in which what belongs to a task follows it. */

import { isObject, type JsonObject, parseJson } from '../../json.ts'
import { timestamp } from '../../time.ts'
import { isTimeZone, timeOfWall } from '../../time-zones.ts'
import { nameKey } from './column-names.ts'
import type { BoardReader, SourceCard } from './source-board.ts'
import { refuseHugeJson } from './source-limits.ts'
import type { Table } from './source-tables.ts'
import { note, objects, text as textOf } from './source-values.ts'
import { boardOfTable } from './table-board.ts'

/** A label in the text of a task: any characters, but no punctuation that ends a sentence. */
const LABEL = /(?:^|\s)@([^\s@"()|&!,]*[^\s@"()|&!,.:;?])/gu

/** A day of the year in which the file was written: 6 Apr, Apr 6 17:15. */
const WITHOUT_YEAR =
  /^(?:(?<day>\d{1,2})\.? (?<month>\p{L}{3,12})\.?|(?<name>\p{L}{3,12})\.? (?<number>\d{1,2}),?)(?<time> \d{1,2}:\d\d(?: ?[ap]m)?)?$/iu

/** A time of day without a time zone, after a day. */
const LOCAL_TIME = /\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?$/i

/** Columns for what rows say together. */
const TOLD = ['row id', 'row parent', 'row section', 'row notes', 'row labels', 'row files']

/** A person with an id: Ann Smith (12345). */
const PERSON = /^(.*) \((\d+)\)$/

/** The file in the JSON of a note; undefined if it is none. */
function fileIn(json: string): JsonObject | undefined {
  refuseHugeJson(Buffer.from(json))
  try {
    const file = parseJson(json)
    return isObject(file) ? file : undefined
  } catch {
    return undefined
  }
}

/** The files in a note, `[[file {...}]]`; the text is what remains of it. */
function filesIn(note: string): { text: string; files: JsonObject[] } {
  const files: JsonObject[] = []
  let text = ''
  let at = 0
  for (;;) {
    const begin = note.indexOf('[[file {', at)
    const end = begin < 0 ? -1 : note.indexOf('}]]', begin)
    if (end < 0) break
    const file = fileIn(note.slice(begin + '[[file '.length, end + 1))
    const next = end + '}]]'.length
    text += note.slice(at, file ? begin : next)
    if (file) files.push(file)
    at = next
  }
  text += note.slice(at)
  return { text: files.length > 0 ? text.trim() : text, files }
}

/** A date of the file, with the current year if it has none. */
function withYear(text: string): string {
  const { day, month, name, number, time = '' } = WITHOUT_YEAR.exec(text.trim())?.groups ?? {}
  if (day === undefined && number === undefined) return text
  return `${day ?? number} ${month ?? name} ${timestamp().slice(0, 4)}${time}`
}

/** Reads the time of day of a card's date in the time zone of its row. */
function settleTime(card: SourceCard, text: string): void {
  const zone = String(card.rest.TIMEZONE ?? '')
  if (card.dueDate !== null && LOCAL_TIME.test(text.trim()) && isTimeZone(zone))
    card.dueDate = timestamp(timeOfWall(Date.parse(card.dueDate), zone))
}

/** A row for each task, with its section, parent, notes, labels and files. */
function tasksOf(table: Table, onNote: (text: string) => void, onSection: (name: string) => void): Table {
  const keys = table.header.map(nameKey)
  const place = (name: string) => keys.indexOf(name)
  const [type, content, indent, author] = [place('type'), place('content'), place('indent'), place('author')]
  return {
    ...table,
    header: [...table.header, ...TOLD],
    forEachRow: (onRow) => {
      let section = ''
      let task:
        | {
            row: number
            cells: string[]
            notes: { text: string; author: string }[]
            files: JsonObject[]
            parent: string
          }
        | undefined
      /** The row ids of the latest task at each level. */
      const levels: string[] = []
      const end = () => {
        if (!task) return
        const { row, cells, notes, files, parent } = task
        const text = cells[content] ?? ''
        const labels = [...text.matchAll(LABEL)].map(([, label = '']) => label)
        cells[content] = text.replace(LABEL, '').trim()
        const told = [`row ${row}`, parent, section, JSON.stringify(notes), labels.join(',')]
        onRow([...cells, ...told, JSON.stringify(files)], row)
        task = undefined
      }
      table.forEachRow((row, rowNumber) => {
        const kind = row[type]?.trim().toLowerCase()
        const text = row[content] ?? ''
        if (kind === 'note') {
          if (!task) return onNote(text)
          const found = filesIn(text)
          task.files.push(...found.files)
          if (found.text !== '') task.notes.push({ text: found.text, author: row[author] ?? '' })
          return
        }
        end()
        if (kind === 'section') {
          section = text
          if (text.trim() !== '') onSection(text)
        }
        if (kind !== 'task') return
        const level = Math.min(Math.max(Number(row[indent]) || 1, 1), levels.length + 1)
        levels.length = level - 1
        const cells = table.header.map((_, index) => row[index] ?? '')
        task = { row: rowNumber, cells, notes: [], files: [], parent: levels.at(-1) ?? '' }
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
  const sections: string[] = []
  let yearless = 0
  const board = boardOfTable(
    tasksOf(
      table,
      (text) => notes.push(text),
      (name) => sections.push(name),
    ),
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
        attachments: ['rowfiles'],
      },
      columns: sections,
      hasOnlyOpen: true,
      several: ['due'],
      consumed: ['type', 'indent'],
      toPerson: (text) => {
        const [, name = text, id = text] = PERSON.exec(text) ?? []
        return { id, name, email: '' }
      },
      toNames: (cell, field) => (field === 'labels' ? cell.split(',') : [cell.trim()]),
      priorities: { 1: 'critical', 2: 'high', 3: 'medium', 4: '' },
      toDate: withYear,
      toComments: (cell) => parseJson(cell) as { text: string; author: string }[],
      toAttachments: (cell) =>
        objects(parseJson(cell)).map((whole) => ({
          ...{ name: textOf(whole.file_name), url: textOf(whole.file_url), whole },
        })),
      finish: (card, cellOf) => {
        const text = cellOf('due')
        settleTime(card, text)
        if (card.dueDate !== null && WITHOUT_YEAR.test(text.trim())) yearless += 1
      },
      lacks: ['an export of Todoist has no completed tasks, and no times of creation'],
    },
    options,
  )
  const year = timestamp().slice(0, 4)
  return {
    ...board,
    description: notes.join('\n\n'),
    rest: { columns: table.header },
    notes: [...note(yearless, 'dates without a year', `read as of ${year}`), ...board.notes],
  }
}
