/** A board of another tool as the rows of a new project. */
import { sql } from 'drizzle-orm'
import type { SharedDatabase } from '../../db/client.ts'
import { newId } from '../../db/ids.ts'
import { afterLast } from '../../db/ordering.ts'
import {
  changes,
  kanbanColumns,
  kanbanComments,
  kanbanItemLabels,
  kanbanItems,
  kanbanLabels,
  kanbanSubtasks,
  projects,
} from '../../db/schema.ts'
import { defaultPhaseConfig, firstPhase } from '../../projects/phases.ts'
import { LIMITS } from '../../schemas/common.ts'
import type { SourceBoard, SourceCard, SourceColumn, SourceLabel } from '../sources/source-board.ts'
import { type ImportPlan, rowsOf } from './import-plan.ts'
import { isTrimmed, toMetadata } from './metadata.ts'
import { type ColumnNames, nameColumns, nameLabels, readableName, shorten } from './names.ts'

/** What an import of a board made. */
export interface ImportedBoard {
  projectId: string
  name: string
  columns: number
  items: number
  dismissed: number
  labels: number
  subtasks: number
  comments: number
  dueDates: number
  /** Items (and the project) with more to keep than `metadata` may hold. */
  trimmed: number
}

/** What a summary says beside the counts. */
export type Said = Pick<SourceBoard, 'format' | 'notes' | 'remarks'>

/** The summary of an import, in lines: counts that can be checked against the file. */
export function describeBoard(made: ImportedBoard, { format, notes, remarks = {} }: Said): string[] {
  const line = (name: string, count: number, told: readonly string[] = []) =>
    `${name} ${count}${told.length > 0 ? ` (${told.join(', ')})` : ''}`
  return [
    line('columns', made.columns, remarks.columns),
    line('items', made.items, made.dismissed > 0 ? [`${made.dismissed} dismissed`] : []),
    line('labels', made.labels),
    line('subtasks', made.subtasks, remarks.subtasks),
    line('comments', made.comments),
    line('due dates', made.dueDates),
    ...notes,
    ...trimmedLine(made, format),
  ]
}

const trimmedLine = ({ trimmed }: ImportedBoard, format: string): string[] =>
  trimmed > 0
    ? [`trimmed ${trimmed} (too large for metadata; what is missing: metadata.${format}.omitted)`]
    : []

/** The file knows the creation of everything, but the last change of cards and the board alone. */
const unchangedSince = (createdAt: string) => ({ createdAt, updatedAt: createdAt })

/** For labels without a colour. */
const DEFAULT_COLOR = '#3b82f6'

/** The name as it was, where it had to be changed. */
const originalOf = (name: string, shown: string) => (name === shown ? {} : { name })

/** An archived board is an archived project. */
function toProject(board: SourceBoard) {
  const { format, id, name, description, archived, createdAt, updatedAt } = board
  const phaseConfig = defaultPhaseConfig('technical')
  const shown = shorten(readableName(name), LIMITS.name)
  return {
    id: newId(),
    name: shown,
    description,
    status: archived ? 'archived' : 'backlog',
    phase: firstPhase(phaseConfig),
    phaseConfig,
    metadata: toMetadata(format, { id, ...originalOf(name, shown), ...board.rest }),
    createdAt,
    updatedAt,
  }
}

type ProjectRow = ReturnType<typeof toProject>

const toColumn = (
  column: SourceColumn | undefined,
  { name, sortOrder, project }: { name: string; sortOrder: number; project: ProjectRow },
) => ({
  id: newId(),
  projectId: project.id,
  name,
  color: column?.color ?? '',
  wipLimit: column?.wipLimit ?? 0,
  sortOrder,
  ...unchangedSince(column?.createdAt ?? project.createdAt),
})

const toLabel = ({ color, createdAt }: SourceLabel, name: string, project: ProjectRow) => ({
  id: newId(),
  projectId: project.id,
  name,
  color: color || DEFAULT_COLOR,
  ...unchangedSince(createdAt),
})

interface ItemParts {
  id: string
  format: string
  column: string
  sortOrder: number
  projectId: string
}

function toItem(card: SourceCard, { id, format, column, sortOrder, projectId }: ItemParts) {
  const title = shorten(readableName(card.title), LIMITS.title)
  return {
    id,
    projectId,
    title,
    description: card.description,
    column,
    sortOrder,
    ...(card.priority && { priority: card.priority }),
    assigneeId: card.assigneeId,
    dueDate: card.dueDate,
    source: 'import',
    sourceId: card.id,
    dismissed: card.dismissed,
    metadata: toMetadata(format, { ...originalOf(card.title, title), ...card.rest }),
    createdAt: card.createdAt,
    updatedAt: card.updatedAt,
  }
}

/** The cards' places: those without one follow, each after the one before it. */
function* sortOrders(cards: readonly SourceCard[]): Iterable<number> {
  let last: number | undefined
  for (const { position } of cards) {
    last = position ?? afterLast(last)
    yield last
  }
}

const sum = (cards: readonly SourceCard[], count: (card: SourceCard) => number) =>
  cards.reduce((total, card) => total + count(card), 0)

/**
 * Plans the import of a board as a new project: what has no field of its own is kept in `metadata.<format>`. Names are
 * shortened to what the service takes; comments, descriptions and subtasks are kept at any length. Ids are made in the
 * order of the board.
 * @param again whether to import a board that was imported before, which is refused else
 */
export function planBoard(board: SourceBoard, again = false): ImportPlan & { made: () => ImportedBoard } {
  const { format, cards } = board
  const columnNames = nameColumns(board)
  const project = toProject(board)
  const columns = [...columnNames].map(([column, name], index) =>
    toColumn(column, { name, sortOrder: index + 1, project }),
  )
  const labels = new Map(
    [...nameLabels(board)].map(([label, name]) => [label, toLabel(label, name, project)]),
  )
  const itemIds = cards.map(() => newId())
  const labelsOf = (card: SourceCard) => card.labels.flatMap((label) => labels.get(label)?.id ?? [])
  const made: ImportedBoard = {
    projectId: project.id,
    name: project.name,
    columns: columns.length,
    items: cards.length,
    dismissed: sum(cards, ({ dismissed }) => Number(dismissed)),
    labels: labels.size,
    subtasks: sum(cards, ({ subtasks }) => subtasks.length),
    comments: sum(cards, ({ comments }) => comments.length),
    dueDates: sum(cards, ({ dueDate }) => Number(dueDate !== null)),
    trimmed: Number(isTrimmed(project.metadata)),
  }

  function* items() {
    const places = sortOrders(cards)[Symbol.iterator]()
    const parts = { format, projectId: project.id }
    for (const [index, card] of cards.entries()) {
      const column = columnNames.get(card.column) as string
      const sortOrder = places.next().value as number
      const item = toItem(card, { ...parts, id: itemIds[index] as string, column, sortOrder })
      made.trimmed += Number(isTrimmed(item.metadata))
      yield item
    }
  }
  function* itemLabels() {
    for (const [index, card] of cards.entries()) {
      for (const labelId of labelsOf(card)) yield { itemId: itemIds[index] as string, labelId }
    }
  }
  function* subtasks() {
    for (const [index, card] of cards.entries()) {
      for (const [place, { title, completed, createdAt }] of card.subtasks.entries()) {
        const itemId = itemIds[index] as string
        yield { id: newId(), itemId, title, completed, sortOrder: place + 1, ...unchangedSince(createdAt) }
      }
    }
  }
  function* comments() {
    for (const [index, card] of cards.entries()) {
      for (const { authorId, text, createdAt, editedAt } of card.comments) {
        yield {
          id: newId(),
          itemId: itemIds[index] as string,
          authorId,
          content: text,
          createdAt,
          editedAt,
        }
      }
    }
  }
  return {
    projectIds: [project.id],
    projects: [project],
    tables: [
      rowsOf(kanbanColumns, columns.length, () => columns),
      rowsOf(kanbanLabels, labels.size, () => labels.values()),
      rowsOf(kanbanItems, cards.length, items),
      rowsOf(
        kanbanItemLabels,
        sum(cards, (card) => labelsOf(card).length),
        itemLabels,
      ),
      rowsOf(kanbanSubtasks, made.subtasks, subtasks),
      rowsOf(kanbanComments, made.comments, comments),
    ],
    refuse: (db, since) => {
      if (!again) refuseSecondImport(db, board, since)
    },
    made: () => made,
    result: (isDryRun) => {
      const { projectId, name, ...counts } = made
      const said = { ...board, remarks: { ...missingColumn(columnNames), ...board.remarks } }
      return {
        projectId: isDryRun ? null : projectId,
        counts,
        lines: [
          ...(isDryRun
            ? [`would import ${name}`]
            : [`imported ${name}`, `project ${projectId} (/api/projects/${projectId})`]),
          ...describeBoard(made, said),
        ],
        notes: [...board.notes, ...trimmedLine(made, format)],
      }
    },
  }
}

const missingColumn = (names: ColumnNames) =>
  names.has(undefined) ? { columns: ['1 for cards whose column is not in the file'] } : {}

/**
 * @param since look only at projects that have changed after this change
 * @throws Error when the board was imported before
 */
function refuseSecondImport(
  db: SharedDatabase,
  { format, id, cards, hasUniqueCardIds = false }: SourceBoard,
  since: number | undefined,
): void {
  // Other tools may have changed the metadata. Where it names no board any more, the items' source ids do; where it names
  // another board, they do not count: cards can be moved between boards.
  const path = `$."${format}".id`
  const boardOf = sql`case when json_valid(${projects.metadata}) then json_extract(${projects.metadata}, ${path}) end`
  const cardIds = JSON.stringify(cards.map((card) => card.id))
  const isOfBoard = sql`exists (
    select 1 from ${kanbanItems}
    where ${kanbanItems.projectId} = ${projects.id} and ${kanbanItems.source} = 'import'
      and ${kanbanItems.sourceId} in (select value from json_each(${cardIds}))
  )`
  // In the last write only what another import has made meanwhile is new, and that names its board. Its own change of the
  // project is in the table, however large it is.
  const byCards =
    hasUniqueCardIds && since === undefined ? sql` or (${boardOf} is null and ${isOfBoard})` : sql``
  const isNew =
    since === undefined
      ? sql``
      : sql` and ${projects.id} in (select ${changes.id} from ${changes} where ${changes.seq} > ${since} and ${changes.kind} = 'project')`
  const earlier = db
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(sql`(${boardOf} = ${id}${byCards})${isNew}`)
    .limit(1)
    .get()
  if (earlier) {
    throw new Error(
      `this board was imported before, as project ${earlier.id} (${earlier.name}); use --again to import it once more`,
    )
  }
}
