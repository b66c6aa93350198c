/** Importing a Trello board as a project. */
import { sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Database, type SharedDatabase, write } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { afterLast } from '../db/ordering.ts'
import {
  kanbanColumns,
  kanbanComments,
  kanbanItemLabels,
  kanbanItems,
  kanbanLabels,
  kanbanSubtasks,
  projects,
} from '../db/schema.ts'
import type { JsonObject } from '../json.ts'
import { defaultPhaseConfig, firstPhase } from '../projects/phases.ts'
import { JSON_TEXT_LIMIT, LIMITS } from '../schemas/common.ts'
import {
  isBlank,
  readableName,
  type TrelloBoard,
  type TrelloCard,
  type TrelloLabel,
  type TrelloList,
} from './trello.ts'

/** Rows in one statement: enough to be fast, few enough to show progress. */
const BATCH = 100

/** What an import created, and what it left out. */
export interface ImportedBoard {
  projectId: string
  name: string
  columns: number
  columnsFromClosedLists: number
  /** Made for cards whose list is not in the file: 0 or 1. */
  columnsWithoutList: number
  items: number
  dismissed: number
  labels: number
  subtasks: number
  checklists: number
  comments: number
  dueDates: number
  unreadableDueDates: number
  skippedComments: number
  skippedChecklists: number
  /** Items (and the project) with more to keep than `metadata` may hold. */
  trimmed: number
}

/** Options of an import. */
export interface ImportOptions {
  /** Import the board although it was imported before. */
  again?: boolean | undefined
  /** Called before the first record and after each batch, with the number of records inserted and to insert. */
  onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Imports a board as a new project, all or nothing: lists become columns, cards items, checklist entries
 * subtasks. Archived cards are dismissed items. What has no field of its own is kept in `metadata.trello`. Names
 * are shortened to what the service takes; comments, descriptions and subtasks are kept at any length.
 * @throws Error when the board was imported before and `again` is not set
 */
export function importTrelloBoard(
  db: SharedDatabase,
  board: TrelloBoard,
  { again = false, onProgress }: ImportOptions = {},
): ImportedBoard {
  const { tables, made } = toRecords(board)
  const total = tables.reduce((sum, { rows }) => sum + rows.length, 0)
  write(db, () => {
    if (!again) refuseSecondImport(db, board)
    let done = 0
    onProgress?.(done, total)
    for (const { table, rows } of tables) {
      for (let from = 0; from < rows.length; from += BATCH) {
        const batch = rows.slice(from, from + BATCH)
        db.insert(table).values(batch).run()
        done += batch.length
        onProgress?.(done, total)
      }
    }
  })
  return made
}

/** The summary of an import, in lines: counts that can be checked against the file. */
export function describeImport(made: ImportedBoard): string[] {
  const checklists = made.checklists === 1 ? '1 checklist' : `${made.checklists} checklists`
  const line = (name: string, count: number, ...notes: (string | false)[]) => {
    const told = notes.filter((note) => note !== false).join(', ')
    return `${name} ${count}${told && ` (${told})`}`
  }
  const optional = (name: string, count: number, note: string) => (count > 0 ? [line(name, count, note)] : [])
  return [
    `imported ${made.name}`,
    `project ${made.projectId} (/api/projects/${made.projectId})`,
    line(
      'columns',
      made.columns,
      made.columnsFromClosedLists > 0 && `${made.columnsFromClosedLists} from closed lists`,
      made.columnsWithoutList > 0 && `${made.columnsWithoutList} for cards whose list is not in the file`,
    ),
    line('items', made.items, made.dismissed > 0 && `${made.dismissed} dismissed`),
    line('labels', made.labels),
    line('subtasks', made.subtasks, made.checklists > 0 && `from ${checklists}`),
    line('comments', made.comments),
    line('due dates', made.dueDates),
    ...optional('unreadable due dates', made.unreadableDueDates, 'kept in metadata.trello.due'),
    ...optional(
      'skipped comments',
      made.skippedComments,
      'on cards that are not in the file, or without text',
    ),
    ...optional('skipped checklists', made.skippedChecklists, 'of cards that are not in the file'),
    ...optional('trimmed', made.trimmed, 'too large for metadata; what is missing: metadata.trello.omitted'),
  ]
}

/** @throws Error when the board was imported before */
function refuseSecondImport(db: Database, { id, cards }: TrelloBoard): void {
  // Other tools may have changed the metadata. Where it names no board any more, the items' source ids do; where it names
  // another board, they do not count: cards can be moved between boards.
  const boardOf = sql`case when json_valid(${projects.metadata}) then json_extract(${projects.metadata}, '$.trello.id') end`
  const cardIds = JSON.stringify(cards.map((card) => card.id))
  const isOfBoard = sql`exists (
    select 1 from ${kanbanItems}
    where ${kanbanItems.projectId} = ${projects.id} and ${kanbanItems.source} = 'import'
      and ${kanbanItems.sourceId} in (select value from json_each(${cardIds}))
  )`
  const earlier = db
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(sql`${boardOf} = ${id} or (${boardOf} is null and ${isOfBoard})`)
    .limit(1)
    .get()
  if (earlier) {
    throw new Error(
      `this board was imported before, as project ${earlier.id} (${earlier.name}); use --again to import it once more`,
    )
  }
}

// --- the board as records ---

interface TableRows {
  table: SQLiteTable
  rows: object[]
}

/** Rows that fit their table. */
const rowsOf = <T extends SQLiteTable>(table: T, rows: T['$inferInsert'][]): TableRows => ({ table, rows })

/** Everything that an import inserts, in this order, and its summary. Ids are made in the order of the board. */
function toRecords(board: TrelloBoard): { tables: TableRows[]; made: ImportedBoard } {
  const columnNames = nameColumns(board)
  const project = toProject(board, columnNames)
  const columns = [...columnNames].map(([list, name], index) =>
    toColumn(list, { name, sortOrder: index + 1, project }),
  )
  const labels = new Map(
    [...nameLabels(board)].map(([label, name]) => [label, toLabel(label, name, project)]),
  )
  const cards = withSortOrder(board.cards).map(({ card, sortOrder }) => ({
    card,
    item: toItem(card, { column: columnNames.get(card.list) ?? NO_LIST, sortOrder, project }),
  }))
  const itemLabels = cards.flatMap(({ card, item }) =>
    card.labels
      .flatMap((label) => labels.get(label) ?? [])
      .map((label) => ({ itemId: item.id, labelId: label.id })),
  )
  const subtasks = cards.flatMap(({ card, item }) =>
    card.entries.map((entry, index) => ({
      id: newId(),
      itemId: item.id,
      title: entry.title,
      completed: entry.completed,
      sortOrder: index + 1,
      ...unchangedSince(entry.createdAt),
    })),
  )
  const comments = cards.flatMap(({ card, item }) =>
    card.comments.map(({ authorId, text, createdAt, editedAt }) => ({
      id: newId(),
      itemId: item.id,
      authorId,
      content: text,
      createdAt,
      editedAt,
    })),
  )
  const items = cards.map(({ item }) => item)
  return {
    tables: [
      rowsOf(projects, [project]),
      rowsOf(kanbanColumns, columns),
      rowsOf(kanbanLabels, [...labels.values()]),
      rowsOf(kanbanItems, items),
      rowsOf(kanbanItemLabels, itemLabels),
      rowsOf(kanbanSubtasks, subtasks),
      rowsOf(kanbanComments, comments),
    ],
    made: {
      projectId: project.id,
      name: project.name,
      columns: columns.length,
      columnsFromClosedLists: board.lists.filter(({ closed }) => closed).length,
      columnsWithoutList: columnNames.has(undefined) ? 1 : 0,
      items: items.length,
      dismissed: items.filter(({ dismissed }) => dismissed).length,
      labels: labels.size,
      subtasks: subtasks.length,
      checklists: board.checklistCount,
      comments: comments.length,
      dueDates: items.filter(({ dueDate }) => dueDate !== null).length,
      unreadableDueDates: board.unreadableDueDates,
      skippedComments: board.skipped.comments,
      skippedChecklists: board.skipped.checklists,
      trimmed: [project, ...items].filter(({ metadata }) => 'omitted' in metadata.trello).length,
    },
  }
}

/** The file knows the creation of everything, but the last change of cards and the board alone. */
const unchangedSince = (createdAt: string) => ({ createdAt, updatedAt: createdAt })

/** A closed board is an archived project. */
function toProject(board: TrelloBoard, columnNames: ColumnNames) {
  const { id, name, description, closed, url, shortLink, members, createdAt, updatedAt } = board
  const phaseConfig = defaultPhaseConfig('technical')
  const shown = shorten(readableName(name), LIMITS.name)
  return {
    id: newId(),
    name: shown,
    description,
    status: closed ? 'archived' : 'backlog',
    phase: firstPhase(phaseConfig),
    phaseConfig,
    metadata: toMetadata({
      id,
      ...originalOf(name, shown),
      url,
      shortLink,
      closed,
      lists: board.lists.map((list) => ({
        id: list.id,
        name: list.name,
        closed: list.closed,
        column: columnNames.get(list),
      })),
      labels: board.labels.map((label) => ({
        ...(label.id && { id: label.id }),
        name: label.name,
        color: label.color,
      })),
      members,
    }),
    createdAt,
    updatedAt,
  }
}

type ProjectRow = ReturnType<typeof toProject>

const toColumn = (
  list: TrelloList | undefined,
  { name, sortOrder, project }: { name: string; sortOrder: number; project: ProjectRow },
) => ({
  id: newId(),
  projectId: project.id,
  name,
  color: COLORS.get(list?.color ?? '') ?? '',
  wipLimit: list?.softLimit ?? 0,
  sortOrder,
  ...unchangedSince(list?.createdAt ?? project.createdAt),
})

const toLabel = ({ color, createdAt }: TrelloLabel, name: string, project: ProjectRow) => ({
  id: newId(),
  projectId: project.id,
  name,
  color: COLORS.get(color) ?? DEFAULT_COLOR,
  ...unchangedSince(createdAt),
})

function toItem(
  card: TrelloCard,
  { column, sortOrder, project }: { column: string; sortOrder: number; project: ProjectRow },
) {
  const title = shorten(readableName(card.name), LIMITS.title)
  return {
    id: newId(),
    projectId: project.id,
    title,
    description: card.description,
    column,
    sortOrder,
    assigneeId: card.memberId,
    dueDate: card.dueDate,
    source: 'import',
    sourceId: card.id,
    dismissed: card.closed,
    metadata: toMetadata({ ...originalOf(card.name, title), ...card.rest }),
    createdAt: card.createdAt,
    updatedAt: card.updatedAt,
  }
}

/** Cards come ordered by position; those without one follow, each after the one before it. */
function withSortOrder(cards: TrelloCard[]) {
  let last: number | undefined
  return cards.map((card) => {
    last = card.position ?? afterLast(last)
    return { card, sortOrder: last }
  })
}

/** The name as it was, where it had to be changed. */
const originalOf = (name: string, shown: string) => (name === shown ? {} : { name })

/** Bytes reserved for the names of omitted fields: twenty of at most fifty characters. */
const ROOM_FOR_OMITTED = 8192

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/**
 * Trello's data without a field in Phaseboard, as metadata. It stays within the limit for clients, so that one which
 * reads an item and writes it back is not rejected: the largest fields are omitted, and named.
 */
function toMetadata(trello: JsonObject): { trello: JsonObject } {
  if (bytes({ trello }) <= JSON_TEXT_LIMIT) return { trello }
  const fields = Object.entries(trello).map(([name, value]) => ({ name, size: bytes({ [name]: value }) }))
  let room = JSON_TEXT_LIMIT - ROOM_FOR_OMITTED
  const omitted: string[] = []
  const kept: [string, unknown][] = []
  for (const { name, size } of fields.toSorted((a, b) => a.size - b.size)) {
    room -= size
    if (room >= 0) kept.push([name, trello[name]])
    else omitted.push(shorten(name, 50))
  }
  return { trello: { ...Object.fromEntries(kept), omitted: omitted.slice(0, 20) } }
}

// --- names and colours ---

const NO_LIST = 'No list'

/** Cards whose list is not in the file get a column too; its key is undefined. */
type ColumnNames = ReadonlyMap<TrelloList | undefined, string>

function nameColumns({ lists, cards }: TrelloBoard): ColumnNames {
  const isListMissing = cards.some(({ list }) => list === undefined)
  return distinctNames(
    [...lists, ...(isListMissing ? [undefined] : [])],
    (list) => (list ? readableName(list.name) : NO_LIST),
    LIMITS.term,
  )
}

/** Unnamed labels are known by their colour. */
const nameLabels = ({ labels }: TrelloBoard): ReadonlyMap<TrelloLabel, string> =>
  distinctNames(labels, ({ name, color }) => readableName(isBlank(name) ? color : name), LIMITS.label)

/**
 * Gives each thing a unique name within the limit: the first of a name keeps it, the others become `Name (2)`,
 * `Name (3)`, ... Names are compared after shortening.
 */
function distinctNames<T>(things: readonly T[], nameOf: (thing: T) => string, limit: number): Map<T, string> {
  const wanted = things.map((thing) => ({ thing, name: shorten(nameOf(thing), limit) }))
  const taken = new Set(wanted.map(({ name }) => name))
  const counts = new Map<string, number>()
  const distinct = (name: string): string => {
    let count = counts.get(name) ?? 0
    let shown: string
    do {
      count += 1
      const suffix = ` (${count})`
      shown = count === 1 ? name : shorten(name, limit - suffix.length) + suffix
    } while (count > 1 && taken.has(shown))
    counts.set(name, count)
    taken.add(shown)
    return shown
  }
  return new Map(wanted.map(({ thing, name }) => [thing, distinct(name)]))
}

/** A text of at most `limit` characters (code points, as the API counts them), cut ones ending with an ellipsis. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const characters = [...text]
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
}

/** Trello's label colours, each light, plain and dark, as its boards have shown them since 2023. */
const COLORS = new Map(
  Object.entries({
    green: ['#baf3db', '#4bce97', '#1f845a'],
    yellow: ['#f8e6a0', '#f5cd47', '#946f00'],
    orange: ['#fedec8', '#fea362', '#c25100'],
    red: ['#ffd5d2', '#f87168', '#c9372c'],
    purple: ['#dfd8fd', '#9f8fef', '#6e5dc6'],
    blue: ['#cce0ff', '#579dff', '#0c66e4'],
    sky: ['#c6edfb', '#6cc3e0', '#227d9b'],
    lime: ['#d3f1a7', '#94c748', '#5b7f24'],
    pink: ['#fdd0ec', '#e774bb', '#ae4787'],
    black: ['#dcdfe4', '#8590a2', '#626f86'],
  }).flatMap(([name, [light, plain, dark]]) => [
    [`${name}_light`, light],
    [name, plain],
    [`${name}_dark`, dark],
  ]),
)

/** For labels without a colour, and for unknown colours. */
const DEFAULT_COLOR = '#3b82f6'
