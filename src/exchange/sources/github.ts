/**
 * GitHub Projects: the JSON output of `gh project item-list`, alone or merged with that of `gh project view` and `gh project
 * field-list`; and a view exported as TSV.
 */
import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '../../json.ts'
import { timestamp } from '../../time.ts'
import { baseName, listed } from './csv.ts'
import { FoundColumns } from './found-columns.ts'
import { uploadsIn } from './github-uploads.ts'
import type { SourceBoard, SourceCard, SourceColumn, SourceLabel } from './source-board.ts'
import { Dates } from './source-dates.ts'
import { openSource } from './source-files.ts'
import { isGitHub, isGitHubHeader, notOfFormat } from './source-formats.ts'
import { Cells, nameKey, type Table } from './source-tables.ts'
import {
  ByName,
  isEmpty,
  note,
  number,
  objects,
  priorityOf,
  text,
  without,
  withoutEmpty,
} from './source-values.ts'

/**
 * Reads the items of a project.
 * @param name of the file, as the default name of the board
 * @throws Error with one line for another format
 */
export function readGitHub(bytes: Uint8Array, name: string): SourceBoard {
  const file = openSource(bytes)
  if (file.kind === 'json' && isGitHub(file.value)) return new Items(file.value as JsonObject, name).read()
  if (file.kind === 'table' && isGitHubHeader(file.table.header, file.table.delimiter)) {
    return fromView(file.table, {
      id: createHash('sha256').update(bytes).digest('hex'),
      name: baseName(name),
    })
  }
  throw notOfFormat(file, 'github', 'the JSON of gh project item-list or an exported view (.tsv)')
}

/** Names of due date fields, best first, in the form of {@link nameKey}. */
const DUE = ['duedate', 'due', 'dueon', 'deadline', 'targetdate', 'enddate', 'target']

const ITEM_FIELDS = new Set(['id', 'content', 'title', 'status', 'assignees', 'labels', 'priority'])
const CONTENT_FIELDS = new Set(['title', 'body'])
const PROJECT_FIELDS = new Set(['id', 'title', 'shortDescription', 'closed', 'items'])

const column = (name: string): SourceColumn => ({ name, color: '', wipLimit: 0, createdAt: '' })
const label = (name: string): SourceLabel => ({ name, color: '', createdAt: '' })

/** A list of names, or a single name. */
const names = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .map((entry) => text(isObject(entry) ? (entry.name ?? entry.login) : entry))
    .filter((entry) => entry !== '')

/** Whether a value consists only of names. */
const isNames = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((entry) => text(entry) !== '') : !isObject(value)

class Items {
  readonly #project: JsonObject
  readonly #items: JsonObject[]
  readonly #name: string
  readonly #at = timestamp()
  readonly #dates = new Dates('month')
  readonly #columns: ByName<SourceColumn>
  readonly #labels = new ByName(label)
  readonly #due: string | undefined
  #unreadable = 0

  constructor(project: JsonObject, name: string) {
    this.#project = project
    this.#items = objects(project.items)
    this.#name = name
    const keys = new Set(this.#items.flatMap((item) => Object.keys(item)))
    this.#due = DUE.flatMap((due) => [...keys].filter((key) => nameKey(key) === due))[0]
    const options = this.#statusOptions()
    this.#columns = options.length > 0 ? new ByName(column) : new FoundColumns()
    for (const option of options) this.#columns.of(option)
  }

  read(): SourceBoard {
    const cards = this.#items.map((item) => this.#toCard(item))
    for (const part of [...this.#columns.all, ...this.#labels.all]) part.createdAt = this.#at
    const total = number(this.#project.totalCount) ?? 0
    return {
      format: 'github',
      id: text(this.#project.id) || smallest(cards.map(({ id }) => id)),
      name: text(this.#project.title) || baseName(this.#name),
      description: text(this.#project.shortDescription),
      archived: this.#project.closed === true,
      createdAt: this.#at,
      updatedAt: this.#at,
      columns: this.#columns.all,
      labels: this.#labels.all,
      cards,
      people: [],
      rest: withoutEmpty(without(this.#project, PROJECT_FIELDS)),
      hasUniqueCardIds: true,
      keepsCards: true,
      notes: [
        ...note(this.#unreadable, 'unreadable due dates', 'kept in metadata.github'),
        ...(total > cards.length
          ? [`the file has ${cards.length} of the project's ${total} items (gh lists 30 unless told --limit)`]
          : []),
      ],
    }
  }

  /** The options of the field Status, in order, if the file has the project's fields. */
  #statusOptions = (): string[] =>
    objects(this.#project.fields)
      .filter(({ name }) => nameKey(text(name)) === 'status')
      .flatMap(({ options }) => names(options))

  #toCard(item: JsonObject): SourceCard {
    const content = isObject(item.content) ? item.content : {}
    const title = text(content.title) || text(item.title)
    const [status = '', ...otherStatus] = names(item.status)
    const priority = priorityOf(text(item.priority)) ?? ''
    const due = this.#due === undefined ? undefined : item[this.#due]
    const dueDate = this.#dates.read(text(due)) ?? null
    if (dueDate === null && !isEmpty(due)) this.#unreadable += 1
    return {
      id: text(item.id),
      title,
      description: text(content.body),
      column: status === '' ? undefined : this.#columns.of(status),
      position: undefined,
      priority,
      assignees: [...new Set(names(item.assignees))],
      dueDate,
      dismissed: false,
      labels: [...new Set(names(item.labels))].map((name) => this.#labels.of(name)),
      subtasks: [],
      comments: [],
      attachments: uploadsIn(text(content.body)).map((upload) => ({
        ...upload,
        ...{ creatorId: null, createdAt: this.#at },
        field: 'attachments',
        // The text, which stays, names it.
        whole: undefined,
      })),
      rest: withoutEmpty({
        ...without(
          item,
          new Set([...ITEM_FIELDS, ...(this.#due === undefined || dueDate === null ? [] : [this.#due])]),
        ),
        content: withoutEmpty(without(content, CONTENT_FIELDS)),
        title: text(item.title) === title ? null : item.title,
        priority: priority === item.priority ? null : item.priority,
        assignees: isNames(item.assignees) ? null : item.assignees,
        status: isNames(item.status) ? otherStatus : item.status,
        labels: isNames(item.labels) ? null : item.labels,
      }),
      createdAt: this.#at,
      updatedAt: this.#at,
    }
  }
}

/** The smallest id, of the oldest item: identifies a project without an id. */
const smallest = (ids: string[]): string =>
  ids.reduce(
    (least, id) =>
      least === '' || (id !== '' && (id.length - least.length || (id < least ? -1 : 1)) < 0) ? id : least,
    '',
  )

/** Columns of a view with a field here; others depend on the view. */
const VIEW_FIELDS = ['title', 'url', 'assignees', 'status', 'labels', 'priority']

/** The cards of a view, in order. It has no ids and no bodies of issues. */
function fromView(table: Table, { id, name }: { id: string; name: string }): SourceBoard {
  const keys = table.header.map(nameKey)
  const place = new Map(VIEW_FIELDS.map((field) => [field, keys.indexOf(field)]))
  const due = DUE.map((field) => keys.indexOf(field)).find((index) => index >= 0) ?? -1
  const used = new Set([...[...place].filter(([field]) => field !== 'url').map(([, index]) => index), due])
  const [columns, labels] = [new FoundColumns(), new ByName(label)]
  const cells = new Cells(table.header)
  const dates = new Dates('month')
  const at = timestamp()
  const drafts: { card: SourceCard; due: string }[] = []
  table.forEachRow((row, rowNumber) => {
    const cell = (field: string) => row[place.get(field) ?? -1]?.toWellFormed() ?? ''
    const priority = priorityOf(cell('priority')) ?? ''
    dates.see(row[due] ?? '')
    drafts.push({
      due: row[due] ?? '',
      card: {
        id: cell('url') || `row ${rowNumber}`,
        title: cell('title'),
        description: '',
        column: cell('status') === '' ? undefined : columns.of(cell('status')),
        position: undefined,
        priority,
        assignees: [...new Set(listed(cell('assignees')))],
        dueDate: null,
        dismissed: false,
        labels: [...new Set(listed(cell('labels')))].map((name) => labels.of(name)),
        subtasks: [],
        comments: [],
        attachments: [],
        rest: {
          ...cells.rest(row, used),
          ...withoutEmpty({
            Priority: priority === cell('priority') ? null : cell('priority'),
          }),
        },
        createdAt: at,
        updatedAt: at,
      },
    })
  })
  let unreadable = 0
  for (const { card, due: dueText } of drafts) {
    card.dueDate = dates.read(dueText) ?? null
    if (card.dueDate !== null || dueText.trim() === '') continue
    unreadable += 1
    card.rest[table.header[due] ?? 'due'] = dueText
  }
  for (const part of [...columns.all, ...labels.all]) part.createdAt = at
  return {
    format: 'github',
    id,
    name,
    description: '',
    archived: false,
    createdAt: at,
    updatedAt: at,
    columns: columns.all,
    labels: labels.all,
    cards: drafts.map(({ card }) => card),
    people: [],
    rest: { columns: table.header },
    notes: [
      ...dates.notes,
      ...note(unreadable, 'unreadable due dates', 'kept in metadata.github'),
      'an exported view has no descriptions of items: the JSON of gh project item-list has',
    ],
  }
}
