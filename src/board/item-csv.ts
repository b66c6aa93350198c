/** A board as a table of comma-separated values (RFC 4180), for spreadsheets and other tools. */
import { asc, eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { kanbanItems, projects } from '../db/schema.ts'
import { existsIn, given, givenLimit, selectAll } from '../db/statements.ts'
import { isLimited, ROWS_READ, TooMuchWork } from '../db/work-limits.ts'
import type { KanbanItem } from '../schemas/records.ts'
import { guarded } from './csv-guard.ts'
import { type ItemFile, toFile } from './item-files.ts'
import type { ItemRecords } from './item-records.ts'

/** Items read at a time, so that the whole list is not in memory twice. */
const AT_ONCE = 500

/** More items than any project has. */
const ALL = 1e9

/** The byte order mark of UTF-8, by which Excel knows it. */
const MARK = '\ufeff'

const HEADER = [
  'id',
  'title',
  'description',
  'column',
  'priority',
  'assigneeId',
  'dueDate',
  'labels',
  'subtasks',
  'source',
  'createdAt',
  'updatedAt',
  'dismissed',
  'assignee',
  'number',
  'assignees',
  'assigneeIds',
]

const cell = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const lineOf = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`

/** Names in one cell, separated by `, `; commas and backslashes in names are escaped with a backslash. */
const inOneCell = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll(/[\\,]/g, '\\$&')).join(', ')

const onOneLine = (text: string): string => text.replaceAll(/\r\n|\r|\n/g, ' ')

function cellsOf(item: KanbanItem, names: ReadonlyMap<string, string>): string[] {
  const { id, title, description, column, priority, assigneeId, labels, subtasks } = item
  const steps = subtasks.map(({ completed, title }) => `[${completed ? 'x' : ' '}] ${onOneLine(title)}`)
  return [
    id,
    title,
    description,
    column,
    priority,
    assigneeId ?? '',
    item.dueDate ?? '',
    inOneCell(labels.map(({ name }) => name)),
    steps.join('\n'),
    item.source,
    item.createdAt,
    item.updatedAt,
    String(item.dismissed),
    names.get(assigneeId ?? '') ?? '',
    String(item.number ?? ''),
    inOneCell(item.assigneeIds.map((one) => names.get(one) ?? '')),
    inOneCell(item.assigneeIds),
  ].map(guarded)
}

const statementsOf = (db: SharedDatabase) => ({
  projectExists: existsIn(db, projects),
  ids: selectAll<{ id: string }>(db, () =>
    db
      .select({ id: kanbanItems.id })
      .from(kanbanItems)
      .where(eq(kanbanItems.projectId, given('projectId')))
      .orderBy(asc(kanbanItems.sortOrder), asc(kanbanItems.id))
      .limit(givenLimit('count')),
  ),
})

/** A person with a name. */
interface Named {
  id: string
  name: string
}

/** Provides the names of people. */
export interface KnownPeople {
  /** The known people with these ids. @param hosted people that the host has just returned */
  named: (ids: readonly string[], hosted: readonly Named[]) => Named[]
}

/** Boards as CSV. */
export class ItemCsv {
  static readonly reads: readonly string[] = ['ofProject']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #records: ItemRecords
  readonly #people: KnownPeople

  constructor(db: SharedDatabase, records: ItemRecords, people: KnownPeople) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#records = records
    this.#people = people
  }

  /**
   * All items of a project, dismissed ones too, by sortOrder: a header and a line each.
   * @param hosted people that the host has just returned
   * @param hasMark whether it begins with a byte order mark
   * @returns the table in UTF-8
   * @throws ApiError 404; TooMuchWork
   */
  ofProject(projectId: string, hosted: readonly Named[] = [], hasMark = true): ItemFile {
    return read(this.#db, () => {
      if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
      const isShort = isLimited(this.#db)
      const ids = this.#sql.ids({ projectId, count: isShort ? ROWS_READ + 1 : ALL }).map(({ id }) => id)
      if (isShort) {
        if (ids.length > ROWS_READ) throw new TooMuchWork()
        this.#records.ensureFew(ids)
      }
      const parts = [Buffer.from((hasMark ? MARK : '') + lineOf(HEADER))]
      for (let start = 0; start < ids.length; start += AT_ONCE) {
        const items = this.#records.many(ids.slice(start, start + AT_ONCE))
        const assignees = new Set(items.flatMap(({ assigneeIds }) => assigneeIds))
        const people = this.#people.named([...assignees], hosted)
        const names = new Map(people.map(({ id, name }) => [id, name]))
        parts.push(Buffer.from(items.map((item) => lineOf(cellsOf(item, names))).join('')))
      }
      return toFile(Buffer.concat(parts))
    })
  }
}
