/**
 * GitHub Projects: the JSON output of `gh project item-list`, alone or merged with that of `gh project view` and `gh project
 * field-list`; and a view exported as TSV.
 */
import { isObject, type JsonObject } from '../../json.ts'
import { timestamp } from '../../time.ts'
import { nameKey } from './column-names.ts'
import { FoundColumns } from './found-columns.ts'
import { uploadsIn } from './github-uploads.ts'
import {
  type BoardReader,
  newCard,
  type SourceBoard,
  type SourceCard,
  type SourceColumn,
  type SourceLabel,
} from './source-board.ts'
import { Dates } from './source-dates.ts'
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
import { baseName, boardOfTable, type TableTool } from './table-board.ts'

/** Reads the items of a project, or a view. */
export const readGitHub: BoardReader = (file, options) =>
  file.kind === 'table'
    ? boardOfTable(file.table, VIEW, options)
    : new Items((file as { value: JsonObject }).value, options.name).read()

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
    return newCard({
      id: text(item.id),
      number: number(content.number),
      title,
      description: text(content.body),
      column: status === '' ? undefined : this.#columns.of(status),
      priority,
      assignees: [...new Set(names(item.assignees))],
      dueDate,
      labels: [...new Set(names(item.labels))].map((name) => this.#labels.of(name)),
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
    })
  }
}

/** The smallest id, of the oldest item: identifies a project without an id. */
const smallest = (ids: string[]): string =>
  ids.reduce(
    (least, id) =>
      least === '' || (id !== '' && (id.length - least.length || (id < least ? -1 : 1)) < 0) ? id : least,
    '',
  )

/** The columns of a view; others depend on it. It has no ids and no bodies of issues. */
const VIEW: TableTool = {
  format: 'github',
  names: {
    id: ['url'],
    title: ['title'],
    column: ['status'],
    priority: ['priority'],
    assignee: ['assignees'],
    due: DUE,
    labels: ['labels'],
    number: ['url'],
  },
  kept: ['id', 'number'],
  order: 'month',
  toPriority: (word) => ({ value: priorityOf(word) ?? '', isKept: priorityOf(word) !== word }),
  lacks: ['an exported view has no descriptions of items: the JSON of gh project item-list has'],
}
