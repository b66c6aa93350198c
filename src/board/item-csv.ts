/** A board as a table of comma-separated values (RFC 4180), for spreadsheets and other tools. */
import { and, eq, sql } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { kanbanActivity } from '../db/schema.ts'
import { amongIds, selectAll } from '../db/statements.ts'
import { among, ROWS_SCANNED, rowLimit } from '../db/work-limits.ts'
import { once } from '../once.ts'
import type { KanbanItem } from '../schemas/records.ts'
import { ENTRY_TYPES } from './activity-log.ts'
import { CSV_FORMS, type CsvForm, type CsvFormat, type Facts } from './csv-forms.ts'
import { guarded } from './csv-guard.ts'
import type { ExportedBoards, Named } from './exported-boards.ts'
import { type ItemFile, toFile } from './item-files.ts'

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

function cellsOf(item: KanbanItem, { names }: Facts): string[] {
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
  ]
}

/** This service's own form, which has every field. */
const OWN: CsvForm = { header: HEADER, cellsOf }

const statementsOf = (db: SharedDatabase) => ({
  moved: selectAll<{ itemId: string; at: string }>(db, () =>
    db
      .select({ itemId: kanbanActivity.itemId, at: sql<string>`max(${kanbanActivity.createdAt})` })
      .from(kanbanActivity)
      .where(and(amongIds(kanbanActivity.itemId), eq(kanbanActivity.type, ENTRY_TYPES.column)))
      .groupBy(kanbanActivity.itemId),
  ),
  limitActivity: rowLimit(db, among('kanban_activity', 'item_id'), ROWS_SCANNED),
})

/** Options of a table. */
interface CsvOptions {
  /** People that the host has just returned. */
  hosted?: readonly Named[]
  /** Whether it begins with a byte order mark; by default it does. */
  hasMark?: boolean | undefined
  /** The tool that it is for; by default this service's own form. */
  format?: CsvFormat | undefined
}

/** Boards as CSV. */
export class ItemCsv {
  static readonly reads: readonly string[] = ['ofProject']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #boards: ExportedBoards

  constructor(db: SharedDatabase, boards: ExportedBoards) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#boards = boards
  }

  /**
   * All items of a project, dismissed ones too, by sortOrder: a header and a line each.
   * @returns the table in UTF-8
   * @throws ApiError 404; TooMuchWork
   */
  ofProject(projectId: string, { hosted = [], hasMark = true, format }: CsvOptions = {}): ItemFile {
    const { header, cellsOf } = format === undefined ? OWN : CSV_FORMS[format]
    return read(this.#db, () => {
      const board = this.#boards.open(projectId)
      const stages = new Map(board.columns.map(({ name, stage }) => [name, stage]))
      const parts = [Buffer.from((hasMark ? MARK : '') + lineOf(header))]
      for (const items of this.#boards.itemsOf(board)) {
        const names = this.#boards.names(
          items.flatMap(({ assigneeIds }) => assigneeIds),
          hosted,
        )
        const moved = once(() => this.#movedAt(items))
        const lines = items.map((item) => {
          const stage = stages.get(item.column) ?? 'todo'
          const since = () => moved().get(item.id) ?? item.createdAt
          return lineOf(cellsOf(item, { project: board.project, names, stage, since }).map(guarded))
        })
        parts.push(Buffer.from(lines.join('')))
      }
      return toFile(Buffer.concat(parts))
    })
  }

  /** When items last came into another column, by id. @throws TooMuchWork */
  #movedAt(items: readonly KanbanItem[]): Map<string, string> {
    const ids = JSON.stringify(items.map(({ id }) => id))
    this.#sql.limitActivity(ids)
    return new Map(this.#sql.moved({ ids }).map(({ itemId, at }) => [itemId, at]))
  }
}
