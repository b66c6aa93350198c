/**
 * Boards from tables: a row for each task, below a header. A tool says which of its columns is which field, and how its cells are
 * written; everything else is common. Other columns are stored under their names.
 */
import { createHash } from 'node:crypto'
import { FIELDS, type Field, nameKey } from './column-names.ts'
import { type DraftCard, isDoneColumn, type State, settle } from './draft-cards.ts'
import { FoundColumns } from './found-columns.ts'
import {
  newCard,
  type ReadingOptions,
  type SourceAttachment,
  type SourceBoard,
  type SourceCard,
  type SourceLabel,
  type SourceLink,
  type SourcePerson,
  type SourceSubtask,
  UNKNOWN_AUTHOR,
} from './source-board.ts'
import { Dates } from './source-dates.ts'
import { Cells, type Table } from './source-tables.ts'
import { ByName, emailIn, note, number, oldestFirst, personIn, priorityOf, span } from './source-values.ts'

/** The cell of a row in the column of a field; empty if there is none. */
export type CellOf = (field: Field) => string

/** A comment as a cell has it, with its date as written. */
interface WrittenComment {
  author?: string
  text: string
  date?: string
}

/** What is particular to the tables of a tool. */
export interface TableTool {
  format: string
  /** Names of columns for each field, the best first, as {@link nameKey} has them. */
  names: { readonly [field in Field]?: readonly string[] }
  /** Fields whose original text is stored, too. */
  kept?: readonly Field[]
  /** Fields that several columns tell: the first of a row's non-empty cells counts. The original texts are stored, too. */
  several?: readonly Field[]
  /** Columns that are read in another way, as {@link nameKey} has them. */
  consumed?: readonly string[]
  /** The order of day and month where the table does not tell. By default month first, after semicolons day first. */
  order?: 'day' | 'month'
  /** Whether columns are states of work, so that one with only finished cards is for these. */
  hasStates?: boolean
  /** Whether finished cards are missing: no column is for them by its place. */
  hasOnlyOpen?: boolean
  /** Whether a card may have several rows, e.g. one for each list: they become one, with the people and labels of all. */
  repeatsRows?: boolean
  /** Names of columns that the file has apart from its cards. Reading a row may add those before it. */
  columns?: readonly string[]
  /** Whether ids of people are those of a Phaseboard. */
  hasOwnPeople?: boolean
  /** The text of a cell. */
  toCell?: (cell: string) => string
  /** Several names in a cell: of people, labels, other cards. */
  toNames?: (cell: string, field: Field) => string[]
  toPerson?: (name: string) => SourcePerson
  /** The priorities of the tool's words, in lower case; other words are only stored. */
  priorities?: Readonly<Record<string, string>>
  /** The priority of a word, and whether to store the word, too. */
  toPriority?: (word: string) => { value: string; isKept: boolean }
  /** A date as {@link Dates} reads it. */
  toDate?: (text: string, field: Field) => string
  /** What a cell about the end of a card says; undefined if that depends on whether it is a date. */
  toState?: (cell: string) => State | undefined
  toSubtasks?: (cell: string) => Omit<SourceSubtask, 'createdAt'>[]
  toComments?: (cell: string) => WrittenComment[]
  toAttachments?: (cell: string) => Pick<SourceAttachment, 'name' | 'url' | 'whole'>[]
  /** Completes a card, once its dates are read. It may look at cells of dates and states. */
  finish?: (card: SourceCard, cellOf: CellOf) => void
  /** Lines for the summary about what such a table lacks. */
  lacks?: readonly string[]
}

type Columns = { [field in Field]?: number[] }

const REPEATED = new Set<Field>(['labels', 'comments', 'subtasks'])

/** The columns of each field: those that the user has named, else the best of its names that exists. */
export function columnsOf(
  header: readonly string[],
  { names, several = [] }: TableTool,
  named: ReadingOptions['columns'] = [],
): Columns {
  const places = Map.groupBy(header.keys(), (index) => nameKey(header[index] ?? ''))
  const chosen = new Map<number, string>()
  for (const { from, to } of named) {
    const found = header.indexOf(from) >= 0 ? [header.indexOf(from)] : places.get(nameKey(from))
    if (!found) throw new Error(`no column is named ${JSON.stringify(from)}: ${listOf(header)}`)
    for (const index of found) chosen.set(index, to)
  }
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const own = [...chosen].filter(([, to]) => to === field).map(([index]) => index)
      const free = (names[field] ?? []).map((name) => places.get(name)?.filter((index) => !chosen.has(index)))
      const all = several.includes(field) ? free.flatMap((indexes) => indexes ?? []) : []
      const found = [own, all, ...free].find((indexes) => indexes !== undefined && indexes.length > 0)
      if (!found) return []
      if (all.length > 0 && own.length === 0) return [[field, all]]
      return [[field, REPEATED.has(field) ? found : found.slice(0, 1)]]
    }),
  )
}

/** The names of columns in an error. */
export const listOf = (header: readonly string[]): string =>
  `there are ${header
    .map((column) => JSON.stringify(column.slice(0, 40).toWellFormed()))
    .slice(0, 12)
    .join(', ')}`

/** The name of a file without its folder and ending. */
export const baseName = (name: string): string =>
  name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    .replace(/\.gz$/i, '')
    .replace(/\.[a-z0-9]{1,6}$/i, '')
    .toWellFormed()

/** The trimmed parts of a cell that are not empty. */
export const partsOf = (cell: string, separator: string | RegExp): string[] =>
  cell
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Several names in one cell, separated by commas, semicolons or lines. */
export const listed = (cell: string): string[] => partsOf(cell, /[,;\n]/)

/** The list in a cell such as `[a,b]`. */
export const bracketed = (cell: string): string[] => listed(cell.trim().replace(/^\[(.*)\]$/s, '$1'))

/** A subtask; `[x]` marks a done one. */
const toSubtask = (line: string) => {
  const [, box, title = ''] = /^(?:[-*] )?\[([ xX✓]?)\] ?(.*)$/su.exec(line) ?? [undefined, undefined, line]
  return { title, completed: box !== undefined && box.trim() !== '' }
}

/** Subtasks in one cell: one per line, or separated by semicolons. */
export const subtasksIn = (cell: string) => partsOf(cell, cell.includes('\n') ? /\r?\n/ : ';').map(toSubtask)

/** Those in a cell that may hold any other character: one per line. */
export const subtasksOnLines = (cell: string) =>
  cell
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map(toSubtask)

const YES = new Set([
  ...['true', 'yes', 'y', '1', 'x', 'ja', 'wahr', 'oui', 'vrai', 'sí', 'si', 'verdadero', '✓', '✔'],
  ...[
    'archived',
    'closed',
    'archiviert',
    'archivé',
    'archivado',
    'done',
    'completed',
    'erledigt',
    'terminé',
    'hecho',
  ],
])
const NO = new Set([
  ...['', 'false', 'no', 'n', '0', 'nein', 'falsch', 'non', 'faux', 'falso', 'open', 'active', 'offen'],
])

/** What a word says: yes, no, or undefined if it is neither. */
function stateOf(cell: string, yes: State): State | undefined {
  const word = cell.trim().toLowerCase().normalize()
  return YES.has(word) ? yes : NO.has(word) ? 'open' : undefined
}

/** A long number as a spreadsheet has rounded it, which is the same for many cards: 1.20936E+15. */
const ROUNDED = /^\d(?:[.,]\d+)?E\+\d+$/i

/** The longest text used unchanged as a priority. */
const LONGEST_PRIORITY = 100

/** A priority, and whether to store the original word, too. */
function priorityFrom(word: string): { value: string; isKept: boolean } {
  const trimmed = word.trim()
  const known = priorityOf(trimmed)
  if (known !== undefined) return { value: known, isKept: word !== known }
  const fits = [...trimmed].length <= LONGEST_PRIORITY
  return { value: fits ? trimmed : '', isKept: !fits || word !== trimmed }
}

/** A card with unparsed dates: the order of day and month is known once all were seen. */
interface Draft extends DraftCard {
  cellOf: CellOf
  comments: WrittenComment[]
  /** Cells about the end of the card that are neither yes nor no, perhaps dates. */
  unclear: ('done' | 'dismissed')[]
}

const DATES = ['due', 'created', 'updated'] as const

/** The cells of a row that are still needed once all rows were seen. */
const LATER = [...DATES, 'done', 'dismissed'] as const
const LINKS = {
  blockedBy: 'blocked_by',
  blocks: 'blocks',
  relates: 'relates',
  duplicates: 'duplicates',
} as const

/**
 * Reads a table.
 * @param places the columns of its fields: see {@link columnsOf}
 */
export function boardOfTable(
  table: Table,
  tool: TableTool,
  { name, bytes }: ReadingOptions,
  places = columnsOf(table.header, tool),
): SourceBoard {
  const dates = new Dates(tool.order ?? (table.delimiter === ';' ? 'day' : 'month'))
  const rows = new Rows(table, tool, places, dates)
  table.forEachRow((cells, row) => rows.add(cells, row))
  return {
    format: tool.format,
    id: createHash('sha256').update(bytes).digest('hex'),
    name: baseName(name),
    description: '',
    archived: false,
    ...rows.finish(),
    ...(tool.hasOwnPeople && { hasOwnPeople: true }),
    rest: { columns: table.header },
  }
}

/** The first row of each card, with the people and labels of the others. */
function mergedRows(drafts: readonly Draft[]): Draft[] {
  const firsts = new Map<string, Draft>()
  for (const draft of drafts) {
    const first = firsts.get(draft.card.id)?.card
    if (first === undefined) firsts.set(draft.card.id, draft)
    else {
      first.assignees = [...new Set([...first.assignees, ...draft.card.assignees])]
      first.labels = [...new Set([...first.labels, ...draft.card.labels])]
    }
  }
  return [...firsts.values()]
}

/** Makes cards of rows. */
class Rows {
  readonly #tool: TableTool
  readonly #places: Columns
  readonly #header: readonly string[]
  readonly #kept: ReadonlySet<Field>
  readonly #used: ReadonlySet<number>
  readonly #cells: Cells
  readonly #dates: Dates
  readonly #columns = new FoundColumns()
  readonly #labels = new ByName<SourceLabel>((name) => ({ name, color: '', createdAt: '' }))
  readonly #people = new Map<string, SourcePerson>()
  readonly #drafts: Draft[] = []
  readonly #links: readonly (keyof typeof LINKS)[]
  #unreadable = 0
  #unclear = 0

  constructor({ header }: Table, tool: TableTool, places: Columns, dates: Dates) {
    this.#tool = tool
    this.#places = places
    this.#header = header
    this.#dates = dates
    this.#links = (Object.keys(LINKS) as (keyof typeof LINKS)[]).filter((field) => field in places)
    this.#kept = new Set([...(tool.kept ?? []), ...(tool.several ?? [])])
    const consumed = [...header.keys()].filter((index) =>
      tool.consumed?.includes(nameKey(header[index] ?? '')),
    )
    const used = Object.entries(places).flatMap(([field, indexes]) =>
      this.#kept.has(field as Field) ? [] : indexes,
    )
    this.#used = new Set([...used, ...consumed])
    this.#cells = new Cells(header, [...Object.values(places).flat(), ...consumed])
  }

  add(row: readonly string[], rowNumber: number): void {
    const tool = this.#tool
    const cells = tool.toCell ? row.map(tool.toCell) : row
    const all = (field: Field) =>
      (this.#places[field] ?? []).map((index) => cells[index]?.toWellFormed() ?? '')
    const cellOf: CellOf = (field) => all(field).find((cell) => cell !== '') ?? ''
    // Other cards name titles without spaces around them. Those of a Phaseboard are as they are.
    const trimmed = (field: Field) => (tool.hasOwnPeople ? cellOf(field) : cellOf(field).trim())
    const names = (field: Field) =>
      all(field).flatMap((cell) => (cell === '' ? [] : (tool.toNames ?? listed)(cell, field)))
    const texts = LATER.map((field) => cellOf(field))
    for (const field of LATER) this.#dates.see(this.#dateIn(field, cellOf))
    const rest = this.#cells.rest(cells, this.#used)
    this.#addColumns()
    const card = newCard({
      id: (ROUNDED.test(cellOf('id')) ? '' : cellOf('id')) || `row ${rowNumber}`,
      title: trimmed('title'),
      description: cellOf('description'),
      column: cellOf('column').trim() === '' ? undefined : this.#columns.of(trimmed('column')),
      assignees: this.#assignees(names, cellOf),
      labels: [...new Set(names('labels'))].map((label) => this.#labels.of(label)),
      subtasks: all('subtasks').flatMap((cell) =>
        (tool.toSubtasks ?? subtasksIn)(cell).map((subtask) => ({ ...subtask, createdAt: '' })),
      ),
      attachments: all('attachments').flatMap((cell) =>
        (tool.toAttachments?.(cell) ?? []).map((attachment) => ({
          ...attachment,
          ...{ creatorId: null, createdAt: '', field: 'attachments' },
        })),
      ),
      rest,
      createdAt: '',
    })
    const links = this.#links.flatMap((field) =>
      names(field).map((to): SourceLink => ({ type: LINKS[field], to })),
    )
    if (links.length > 0) card.links = links
    const numbered = number(/\d{1,16}$/.exec(cellOf('number').trim().slice(-20))?.[0])
    if (numbered !== undefined && numbered > 0 && Number.isSafeInteger(numbered)) card.number = numbered
    const draft: Draft = {
      ...{ card, comments: this.#commentsIn(all('comments'), card), state: 'open', unclear: [] },
      cellOf: (field) => texts[LATER.indexOf(field as 'due')] ?? '',
      parent: names('parent')[0] ?? '',
    }
    // Perhaps it is one name with a comma.
    if (!tool.toNames && card.assignees.length > 1) this.#keep(card, 'assignee', cellOf('assignee'))
    const priority = this.#priorityOf(cellOf('priority'))
    card.priority = priority.value
    if (priority.isKept && cellOf('priority') !== '') this.#keep(card, 'priority', cellOf('priority'))
    this.#setState(draft)
    this.#drafts.push(draft)
  }

  /** Creates the columns that the file has apart from its cards, as far as it is read. */
  #addColumns(): void {
    const { columns = [] } = this.#tool
    for (; this.#named < columns.length; this.#named++) this.#columns.of(columns[this.#named] ?? '')
  }
  #named = 0

  #priorityOf(word: string): { value: string; isKept: boolean } {
    const { priorities, toPriority = priorityFrom } = this.#tool
    if (!priorities) return toPriority(word)
    const key = word.trim().toLowerCase()
    return Object.hasOwn(priorities, key)
      ? { value: priorities[key] ?? '', isKept: false }
      : { value: '', isKept: word !== '' }
  }

  /** Stores the text of a field in the rest of its card, under the name of its column. */
  #keep(card: SourceCard, field: Field, value: unknown): void {
    if (this.#kept.has(field)) return
    card.rest[this.#header[this.#places[field]?.[0] ?? -1] ?? field] = value
  }

  #dateIn(field: Field, cellOf: CellOf): string {
    return this.#tool.toDate?.(cellOf(field), field) ?? cellOf(field)
  }

  /** The ids of a card's people: their names, unless another person with another email has it. */
  #assignees(names: (field: Field) => string[], cellOf: CellOf): string[] {
    const emails = this.#tool.hasOwnPeople ? [] : listed(cellOf('email'))
    // A name may have a comma: "O'Brien, Sam".
    const isOne = emails.length === 1 && emailIn(emails[0]) !== ''
    const people = isOne ? [cellOf('assignee').trim()] : names('assignee')
    const isPaired = emails.length === people.length
    const own = people.map((name, index) =>
      this.#personOf(name, isPaired || index === 0 ? emailIn(emails[index]) : ''),
    )
    const called = own.length > 1 ? names('name') : [cellOf('name')]
    for (const [index, id] of called.length === own.length ? own.entries() : []) {
      const name = called[index] ?? ''
      // Only a name: even if it looks like an email, nobody is matched by it.
      if (id !== '' && name !== '') this.#people.set(id, { id, name, email: '' })
    }
    return [...new Set(own.filter((id) => id !== ''))]
  }

  #personOf(name: string, email: string): string {
    const person = name === '' ? undefined : this.#tool.toPerson?.(name)
    if (person) this.#people.set(person.id, person)
    if (person || email === '') return person?.id ?? name
    const known = this.#people.get(name)
    const isOther = known !== undefined && known.email !== email
    const id = name === '' || isOther ? email : name
    if (!this.#people.has(id)) this.#people.set(id, { ...personIn(name || email), id, email })
    return id
  }

  #commentsIn(cells: readonly string[], card: SourceCard): WrittenComment[] {
    const { toComments } = this.#tool
    if (toComments) return cells.flatMap(toComments)
    const texts = cells.filter((text) => text.trim() !== '')
    // Some tables only have their number.
    const isCount = texts.length === 1 && /^\d{1,6}$/.test(texts[0]?.trim() ?? '')
    if (isCount) this.#keep(card, 'comments', texts[0])
    return isCount ? [] : texts.map((text) => ({ text }))
  }

  #setState(draft: Draft): void {
    const { card, cellOf } = draft
    for (const [field, yes] of [
      ['done', 'done'],
      ['dismissed', 'archived'],
    ] as const) {
      const cell = cellOf(field)
      const state = (field === 'done' ? this.#tool.toState?.(cell) : undefined) ?? stateOf(cell, yes)
      if (state === undefined) draft.unclear.push(field)
      else if (state !== 'open') draft.state = state
      const isPlain = cell.trim() === '' || stateOf(cell, yes) !== undefined
      if (!isPlain) this.#keep(card, field, cell)
    }
  }

  /** The board's parts, once all rows are known. */
  finish() {
    this.#addColumns()
    for (const draft of this.#drafts) this.#readDates(draft)
    const { first, last } = span(
      this.#drafts.flatMap(({ card }) => [card.createdAt || undefined, card.updatedAt || undefined]),
    )
    for (const draft of this.#drafts) this.#fillTimes(draft, first)
    this.#setStages()
    const { format, lacks = [] } = this.#tool
    const drafts = this.#tool.repeatsRows ? mergedRows(this.#drafts) : this.#drafts
    const settled = settle(drafts, {
      format,
      columns: this.#columns.all,
      keepColumn: (card, name) => this.#keep(card, 'column', name),
    })
    for (const part of [...this.#columns.all, ...this.#labels.all]) part.createdAt = first
    return {
      createdAt: first,
      updatedAt: last,
      columns: this.#columns.all,
      labels: this.#labels.all,
      cards: settled.cards,
      people: [...this.#people.values()],
      remarks: settled.remarks,
      notes: [
        ...this.#dates.notes,
        ...note(this.#unreadable, 'unreadable dates', `kept in metadata.${format}`),
        ...note(
          this.#unclear,
          'unclear dismissals',
          `neither yes, no nor a date: not dismissed, kept in metadata.${format}`,
        ),
        ...note(this.#drafts.length - drafts.length, 'repeated rows', 'with the id of another one: merged'),
        ...settled.notes,
        ...this.#cells.note(format),
        ...lacks,
      ],
    }
  }

  #readDates(draft: Draft): void {
    const { card, cellOf } = draft
    const read = (field: Field): string | undefined => {
      const text = this.#dateIn(field, cellOf)
      const at = this.#dates.read(text)
      if (at === undefined && text.trim() !== '') {
        this.#unreadable += 1
        this.#keep(card, field, cellOf(field))
      }
      return at
    }
    card.dueDate = read('due') ?? null
    card.createdAt = read('created') ?? ''
    card.updatedAt = read('updated') ?? ''
    for (const field of draft.unclear) {
      if (this.#dates.read(this.#dateIn(field, cellOf)) === undefined) this.#unclear += 1
      else draft.state = field === 'done' ? 'done' : 'archived'
    }
  }

  /** Fills in times missing in the file. */
  #fillTimes({ card, comments, cellOf }: Draft, fallback: string): void {
    card.createdAt ||= card.updatedAt || fallback
    card.updatedAt ||= card.createdAt
    for (const part of [...card.subtasks, ...card.attachments]) part.createdAt = card.createdAt
    card.comments = oldestFirst(
      comments.map(({ author = '', text, date }) => ({
        authorId: this.#personOf(author, '') || UNKNOWN_AUTHOR,
        text,
        createdAt: (date && this.#dates.read(date)) || card.updatedAt,
        editedAt: null,
      })),
    )
    this.#tool.finish?.(card, cellOf)
  }

  /** A tool that says which cards are done needs no column for them: its last one is none by its place. */
  #setStages(): void {
    const columns = this.#columns.all
    if (this.#places.done === undefined && !this.#tool.hasOnlyOpen) return
    if (this.#tool.hasStates) {
      const open = new Set(this.#drafts.flatMap(({ state, card }) => (state === 'open' ? [card.column] : [])))
      for (const column of columns) if (!open.has(column)) column.stage = 'done'
    }
    const last = columns.at(-1)
    if (last && columns.length > 1 && !isDoneColumn(last)) last.stage ??= 'doing'
  }
}
