/**
 * Tables of tasks from any source: a row for each task, below a header. Usual column names are recognised, also those of this
 * service's own CSV; other columns are stored under their names.
 */
import { createHash } from 'node:crypto'
import { withoutGuard } from '../../board/csv-guard.ts'
import { FoundColumns } from './found-columns.ts'
import {
  type SourceBoard,
  type SourceCard,
  type SourceComment,
  type SourceLabel,
  type SourcePerson,
  type SourceSubtask,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import { Dates } from './source-dates.ts'
import { openSource } from './source-files.ts'
import { isJiraHeader, isKanboardHeader, isKanboardSubtasks, notOfFormat } from './source-formats.ts'
import { Cells, nameKey, type Table } from './source-tables.ts'
import { ByName, emailIn, note, personIn, priorityOf, span } from './source-values.ts'

/** Names of columns for each field, the best first, as {@link nameKey} has them. */
const NAMES = {
  id: ['id', 'key', 'taskid', 'cardid', 'itemid', 'issueid', 'issuekey', 'nr', 'nummer'],
  title: [
    'title',
    'name',
    'summary',
    'task',
    'taskname',
    'cardname',
    'cardtitle',
    'subject',
    'titel',
    'aufgabe',
    'zusammenfassung',
  ],
  description: [
    'description',
    'desc',
    'body',
    'details',
    'notes',
    'carddescription',
    'beschreibung',
    'notizen',
  ],
  column: [
    'column',
    'list',
    'status',
    'state',
    'stage',
    'columnname',
    'listname',
    'sectioncolumn',
    'section',
    'spalte',
    'liste',
    'stand',
  ],
  priority: ['priority', 'prio', 'prioritat', 'priorität'],
  assignee: [
    'assigneeid',
    'assignee',
    'assignees',
    'assignedto',
    'owner',
    'responsible',
    'members',
    'zugewiesen',
    'zugewiesenan',
    'bearbeiter',
    'verantwortlich',
  ],
  email: ['assigneeemail', 'assigneesemail', 'owneremail', 'responsibleemail'],
  due: [
    'duedate',
    'due',
    'deadline',
    'dueon',
    'dueat',
    'fällig',
    'fälligam',
    'fälligkeit',
    'fälligkeitsdatum',
    'frist',
  ],
  labels: ['labels', 'label', 'tags', 'tag', 'schlagwörter', 'etiketten'],
  subtasks: [
    'subtasks',
    'checklist',
    'checklists',
    'checklistitems',
    'todos',
    'teilaufgaben',
    'unteraufgaben',
  ],
  comments: ['comments', 'comment', 'kommentare', 'kommentar'],
  created: [
    'createdat',
    'created',
    'createddate',
    'creationdate',
    'datecreated',
    'createdon',
    'erstellt',
    'erstelltam',
  ],
  updated: [
    'updatedat',
    'updated',
    'lastupdated',
    'modified',
    'lastmodified',
    'dateupdated',
    'lastactivitydate',
    'geändert',
    'geändertam',
    'aktualisiert',
  ],
  dismissed: ['dismissed', 'archived', 'isarchived', 'closed', 'archiviert'],
} as const

type Field = keyof typeof NAMES

/** Fields whose original values are stored, too. */
const KEPT = new Set<string>(['email'])

/** Fields that may come from several columns with one name. */
const REPEATED = new Set<Field>(['labels', 'comments', 'subtasks'])

/** The names of this service's own CSV, which guards its cells against formulas. */
const OWN =
  'id,title,description,column,priority,assigneeId,dueDate,labels,subtasks,source,createdAt,updatedAt,dismissed'.split(
    ',',
  )
/** The columns that later versions have added: the name of the first assignee, the card's number, and the names and ids of all assignees. */
const LATER = ['assignee', 'number', 'assignees', 'assigneeIds']

/**
 * Reads a table of tasks.
 * @param name of the file, for the name of the board
 * @throws Error with one line if it is no table, or has no column for titles
 */
export function readCsv(bytes: Uint8Array, name: string): SourceBoard {
  const file = openSource(bytes)
  const expected = 'a table of tasks with a row of names (title, description, column, ...)'
  if (file.kind !== 'table') throw notOfFormat(file, 'csv', expected)
  const { header } = file.table
  if (isJiraHeader(header) || isKanboardHeader(header)) throw notOfFormat(file, 'csv', expected)
  if (isKanboardSubtasks(header))
    throw new Error(`expected ${expected}, but it looks like Kanboard's export of subtasks`)
  const columns = columnsOf(header)
  if (!columns.title) {
    const names = header.map((column) => JSON.stringify(column.slice(0, 40).toWellFormed())).slice(0, 12)
    throw new Error(
      `expected ${expected}, but no column is named title, name, summary or task: there are ${names.join(', ')}`,
    )
  }
  return toBoard(file.table, columns, {
    id: createHash('sha256').update(bytes).digest('hex'),
    name: baseName(name),
  })
}

/** The name of a file without its folder and ending. */
export const baseName = (name: string): string =>
  name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    .replace(/\.gz$/i, '')
    .replace(/\.[a-z0-9]{1,6}$/i, '')
    .toWellFormed()

type Columns = { [field in Field]?: number[] }

/** The columns of each field: the best of its names that exists. */
function columnsOf(header: readonly string[]): Columns {
  const places = Map.groupBy(header.keys(), (index) => nameKey(header[index] ?? ''))
  return Object.fromEntries(
    Object.entries(NAMES).flatMap(([field, names]) => {
      const found = names.map((name) => places.get(name)).find((indexes) => indexes !== undefined)
      if (!found) return []
      return [[field, REPEATED.has(field as Field) ? found : found.slice(0, 1)]]
    }),
  )
}

/** A card with unparsed dates: the order of day and month is known once all were seen. */
interface Draft {
  card: SourceCard
  due: string
  created: string
  updated: string
  /** The cell about dismissal, if it is neither yes nor no. */
  since: string
  commentTexts: string[]
}

function toBoard(table: Table, columns: Columns, { id, name }: { id: string; name: string }): SourceBoard {
  const dates = new Dates(table.delimiter === ';' ? 'day' : 'month')
  const rows = new Rows(table, columns)
  const drafts: Draft[] = []
  table.forEachRow((cells, row) => {
    const draft = rows.toDraft(cells, row)
    for (const date of [draft.due, draft.created, draft.updated, draft.since]) dates.see(date)
    drafts.push(draft)
  })
  let unreadable = 0
  let unclear = 0
  for (const draft of drafts) {
    unreadable += withDates(draft, dates, columns, table.header)
    if (draft.since === '') continue
    draft.card.dismissed = dates.read(draft.since) !== undefined
    unclear += Number(!draft.card.dismissed)
  }
  const { first, last } = span(
    drafts.flatMap(({ card }) => [card.createdAt || undefined, card.updatedAt || undefined]),
  )
  for (const draft of drafts) withTimes(draft, first)
  for (const part of [...rows.columns.all, ...rows.labels.all]) part.createdAt = first
  return {
    format: 'csv',
    id,
    name,
    description: '',
    archived: false,
    createdAt: first,
    updatedAt: last,
    columns: rows.columns.all,
    labels: rows.labels.all,
    cards: drafts.map(({ card }) => card),
    people: rows.people,
    hasOwnPeople: rows.isOwn,
    rest: { columns: table.header },
    notes: [
      ...dates.notes,
      ...note(unreadable, 'unreadable dates', 'kept in metadata.csv'),
      ...note(
        unclear,
        'unclear dismissals',
        'neither yes, no nor a date: not dismissed, kept in metadata.csv',
      ),
    ],
  }
}

/** Makes cards of rows. */
class Rows {
  readonly columns = new FoundColumns()
  readonly labels = new ByName<SourceLabel>((name) => ({ name, color: '', createdAt: '' }))
  readonly #places: Columns
  readonly #used: ReadonlySet<number>
  readonly #cells: Cells
  readonly #header: readonly string[]
  /** Whether the table is from a Phaseboard. */
  readonly isOwn: boolean
  /** The places of the columns of {@link LATER} in such a table; -1 for none. */
  readonly #later: { name: number; names: number; ids: number }
  readonly #numberAt: number
  readonly #people = new Map<string, SourcePerson>()

  constructor(table: Table, places: Columns) {
    this.#places = places
    const { header } = table
    const later = header.slice(OWN.length)
    this.isOwn =
      header.slice(0, OWN.length).join() === OWN.join() && later.every((name, at) => name === LATER[at])
    const placeOf = (name: string) => (this.isOwn ? header.indexOf(name) : -1)
    this.#later = { name: placeOf('assignee'), names: placeOf('assignees'), ids: placeOf('assigneeIds') }
    this.#numberAt = placeOf('number')
    const used = Object.entries(places).flatMap(([field, indexes]) => (KEPT.has(field) ? [] : indexes))
    this.#used = new Set([...used, ...Object.values(this.#later), this.#numberAt])
    this.#header = table.header
    this.#cells = new Cells(table.header)
  }

  toDraft(row: readonly string[], number: number): Draft {
    const cells = this.isOwn ? row.map(withoutGuard) : row
    const cell = (field: Field) => cells[this.#places[field]?.[0] ?? -1]?.toWellFormed() ?? ''
    const all = (field: Field) =>
      (this.#places[field] ?? []).map((index) => cells[index]?.toWellFormed() ?? '')
    const rest = this.#cells.rest(cells, this.#used)
    const keep = (field: Field, value: unknown) => {
      rest[this.#header[this.#places[field]?.[0] ?? -1] ?? field] = value
    }
    const priority = priorityFrom(cell('priority'), this.isOwn)
    if (priority.isKept) keep('priority', cell('priority'))
    const word = cell('dismissed').trim().toLowerCase()
    const dismissed = YES.has(word)
    const since = dismissed || NO.has(word) ? '' : cell('dismissed')
    if (since !== '') keep('dismissed', since)
    const [email = '', ...otherEmails] = listed(cell('email'))
    // A name may have a comma: "O'Brien, Sam".
    const isOnePerson = emailIn(email) !== '' && otherEmails.length === 0
    const named = isOnePerson ? [cell('assignee').trim()] : listed(cell('assignee'))
    if (!this.isOwn && named.length > 1) keep('assignee', cell('assignee'))
    const assignees = this.isOwn
      ? this.#ownPeople(cells, cell('assignee'))
      : [...new Set(named.flatMap((name, at) => this.#personOf(name, at === 0 ? emailIn(email) : '') ?? []))]
    const numbered = Number(cells[this.#numberAt] || Number.NaN)
    const commentTexts = all('comments').filter((text) => text.trim() !== '')
    const isCount = commentTexts.length === 1 && /^\d{1,6}$/.test(commentTexts[0]?.trim() ?? '')
    if (isCount) keep('comments', commentTexts[0])
    return {
      card: {
        id: cell('id') || `row ${number}`,
        title: cell('title'),
        description: cell('description'),
        column: cell('column') === '' ? undefined : this.columns.of(cell('column')),
        position: undefined,
        priority: priority.value,
        assignees,
        ...(Number.isSafeInteger(numbered) && { number: numbered }),
        dueDate: null,
        dismissed,
        labels: [...new Set(all('labels').flatMap(this.isOwn ? ownLabels : listed))].map((label) =>
          this.labels.of(label),
        ),
        subtasks: all('subtasks').flatMap(this.isOwn ? ownSubtasks : toSubtasks),
        comments: [],
        attachments: [],
        rest,
        createdAt: '',
        updatedAt: '',
      },
      due: cell('due'),
      created: cell('created'),
      updated: cell('updated'),
      since,
      commentTexts: isCount ? [] : commentTexts,
    }
  }

  /** The people with emails in a separate column. */
  get people(): SourcePerson[] {
    return [...this.#people.values()]
  }

  /** The ids of a card's assignees in this service's own table, whose people it names. */
  #ownPeople(cells: readonly string[], first: string): string[] {
    const at = (place: number) => cells[place]?.toWellFormed() ?? ''
    const listed = ownLabels(at(this.#later.ids))
    const ids = listed[0] === first ? listed : [first]
    const names = ids.length > 1 ? ownLabels(at(this.#later.names)) : [at(this.#later.name)]
    for (const [index, id] of ids.entries()) {
      const name = names.length === ids.length ? (names[index] ?? '') : ''
      // Only a name: even if it looks like an email, it is not matched as one.
      if (id !== '' && name !== '') this.#people.set(id, { id, name, email: '' })
    }
    return [...new Set(ids.filter((id) => id !== ''))]
  }

  /** The id of a card's assignee: the name, unless another person with another email has it; null for none. */
  #personOf(name: string, email: string): string | null {
    if (email === '') return name || null
    const known = this.#people.get(name)
    const isOther = known !== undefined && known.email !== email
    const id = name === '' || isOther ? email : name
    if (!this.#people.has(id)) this.#people.set(id, { ...personIn(name || email), id, email })
    return id
  }
}

const YES = new Set(['true', 'yes', 'y', '1', 'x', 'ja', 'wahr', 'archived', 'closed', 'archiviert'])
const NO = new Set(['', 'false', 'no', 'n', '0', 'nein', 'falsch', 'open', 'active'])

/** The longest text used unchanged as a priority. */
const LONGEST_PRIORITY = 100

/** A priority, and whether to store the original word, too. Of this service's own words none stands for another. */
function priorityFrom(word: string, isOwn: boolean): { value: string; isKept: boolean } {
  const trimmed = word.trim()
  if (isOwn && [...word].length <= LONGEST_PRIORITY) return { value: word, isKept: false }
  const listed = priorityOf(trimmed)
  if (listed !== undefined) return { value: listed, isKept: word !== listed }
  const fits = [...trimmed].length <= LONGEST_PRIORITY
  return { value: fits ? trimmed : '', isKept: !fits || word !== trimmed }
}

/** Several names in one cell. */
export const listed = (cell: string): string[] =>
  cell
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** The names of labels in a cell of this service's own CSV: `, ` separates them, and a backslash escapes a comma or backslash. */
const ownLabels = (cell: string): string[] =>
  (cell.match(/(?:\\[\\,]|[^,])+/g) ?? []).map((part, index) =>
    (index === 0 ? part : part.replace(/^ /, '')).replaceAll(/\\([\\,])/g, '$1'),
  )

/** A subtask; `[x]` marks a done one. */
function toSubtask(line: string): SourceSubtask {
  const [, box, title = ''] = /^(?:[-*] )?\[([ xX✓]?)\] ?(.*)$/su.exec(line) ?? [undefined, undefined, line]
  return { title, completed: box !== undefined && box.trim() !== '', createdAt: '' }
}

/** Subtasks in one cell: one per line, or separated by semicolons. */
const toSubtasks = (cell: string): SourceSubtask[] =>
  cell
    .split(cell.includes('\n') ? /\r?\n/ : ';')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(toSubtask)

/** Those in a cell of this service's own CSV: one per line. */
const ownSubtasks = (cell: string): SourceSubtask[] =>
  cell
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(toSubtask)

/** Sets a card's dates; unreadable ones are stored in its rest. Returns their number. */
function withDates(
  { card, ...texts }: Draft,
  dates: Dates,
  columns: Columns,
  header: readonly string[],
): number {
  let unreadable = 0
  const read = (field: 'due' | 'created' | 'updated') => {
    const at = dates.read(texts[field])
    if (at === undefined && texts[field].trim() !== '') {
      unreadable += 1
      card.rest[header[columns[field]?.[0] ?? -1] ?? field] = texts[field]
    }
    return at
  }
  card.dueDate = read('due') ?? null
  card.createdAt = read('created') ?? ''
  card.updatedAt = read('updated') ?? ''
  return unreadable
}

/** Fills in times missing in the file. */
function withTimes({ card, commentTexts }: Draft, fallback: string): void {
  card.createdAt ||= card.updatedAt || fallback
  card.updatedAt ||= card.createdAt
  for (const subtask of card.subtasks) subtask.createdAt = card.createdAt
  card.comments = commentTexts.map(
    (text): SourceComment => ({ authorId: UNKNOWN_AUTHOR, text, createdAt: card.updatedAt, editedAt: null }),
  )
}
