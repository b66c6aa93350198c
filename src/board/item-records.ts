/** Kanban items as records, with labels and subtasks: a fixed number of statements for any number of items. */
import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { read, type SharedDatabase } from '../db/client.ts'
import { inPieces } from '../db/json-pieces.ts'
import { inOrder } from '../db/ordering.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels, kanbanSubtasks } from '../db/schema.ts'
import { amongIds, given, selectAll, selectById } from '../db/statements.ts'
import {
  bytesOf,
  isFollowedByWorker,
  isLight,
  ROWS_READ,
  readLimit,
  among as rowsAmong,
  TooMuchWork,
  unlessTooMuch,
} from '../db/work-limits.ts'
import type { KanbanItem } from '../schemas/records.ts'
import { withAssignees } from './assignees.ts'

/** A stored item. Its `assigneeIds` are as stored: `assigneeIdsOf` reads them. */
export type ItemRow = typeof kanbanItems.$inferSelect

/** Most labels, or subtasks, read with many items on the event loop. */
const CHILDREN_READ = 2000

/** Items that are read one by one, which is faster than weighing them first ... */
const FEW = 3
/** ... and the most labels, or subtasks, of each. */
const CHILDREN_OF_FEW = 150

/** Largest label or subtask that the rules allow, in bytes. */
const CHILD_BYTES = 4096

/** Condition: a label or subtask is within that size. It throws TooMuchWork. */
const isShort = (db: SharedDatabase, table: SQLiteTable) => sql.raw(isLight(db, table, CHILD_BYTES))

/**
 * Limits the child records read on the event loop.
 * @param select a query with a limit
 * @returns the query, which throws TooMuchWork
 */
function atMost<Given, Row>(
  db: SharedDatabase,
  most: number,
  select: (limit: number) => (given: Given) => Row[],
): (given: Given) => Row[] {
  if (!isFollowedByWorker(db)) return select(-1)
  const some = select(most + 1)
  return (given) => {
    const rows = some(given)
    if (rows.length > most) throw new TooMuchWork()
    return rows
  }
}

const labelsWhere = (db: SharedDatabase, condition: SQL, most: number) =>
  atMost(db, most, (limit) =>
    selectAll(db, () => {
      // Limited before they are sorted.
      const found = db
        .select({ itemId: kanbanItemLabels.itemId, labelId: kanbanItemLabels.labelId })
        .from(kanbanItemLabels)
        .where(condition)
        .limit(limit)
        .as('found')
      return db
        .select({ itemId: found.itemId, ...getTableColumns(kanbanLabels) })
        .from(found)
        .innerJoin(kanbanLabels, eq(kanbanLabels.id, found.labelId))
        .where(isShort(db, kanbanLabels))
        .orderBy(...inOrder(kanbanLabels))
    }),
  )

const subtasksWhere = (db: SharedDatabase, condition: SQL, most: number) =>
  atMost(db, most, (limit) =>
    selectAll(db, () =>
      db
        .select()
        .from(kanbanSubtasks)
        .where(and(condition, isShort(db, kanbanSubtasks)))
        .orderBy(...inOrder(kanbanSubtasks))
        .limit(limit),
    ),
  )

const itemsAmong = (db: SharedDatabase, column: SQLiteColumn) =>
  selectAll(db, () =>
    db
      .select()
      .from(kanbanItems)
      .where(amongIds(column))
      .orderBy(...inOrder(kanbanItems)),
  )

/** The child records of a single item: its statements cost a fraction of those for many. @param most of each kind */
const childrenOfItem = (db: SharedDatabase, most: number) => ({
  labels: labelsWhere(db, eq(kanbanItemLabels.itemId, given('id')), most),
  subtasks: subtasksWhere(db, eq(kanbanSubtasks.itemId, given('id')), most),
})

const statementsOf = (db: SharedDatabase) => ({
  one: selectById(db, kanbanItems),
  ofOne: childrenOfItem(db, ROWS_READ),
  ofFew: childrenOfItem(db, CHILDREN_OF_FEW),
  labels: labelsWhere(db, amongIds(kanbanItemLabels.itemId), CHILDREN_READ),
  subtasks: subtasksWhere(db, amongIds(kanbanSubtasks.itemId), CHILDREN_READ),
  amongIds: itemsAmong(db, kanbanItems.id),
  amongProjects: itemsAmong(db, kanbanItems.projectId),
  idsOfProject: selectAll(db, () =>
    db
      .select({ id: kanbanItems.id })
      .from(kanbanItems)
      .where(eq(kanbanItems.projectId, given('projectId')))
      .orderBy(...inOrder(kanbanItems)),
  ),
  limit: readLimit(db, [
    { rows: rowsAmong('kanban_items', 'id'), bytes: bytesOf('description', 'metadata') },
    { rows: rowsAmong('kanban_subtasks', 'item_id'), bytes: '0' },
  ]),
})

/** Reads items with their labels and subtasks. */
export class ItemRecords {
  static readonly reads: readonly string[] = [
    'row',
    'one',
    'ensureFew',
    'many',
    'some',
    'ofProjects',
    'inPieces',
    'completeOne',
    'complete',
  ]
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** A stored item, or undefined. @throws TooMuchWork */
  row(id: string): ItemRow | undefined {
    return this.#sql.one(id)
  }

  /** One item, or undefined. @throws TooMuchWork */
  one(id: string): KanbanItem | undefined {
    return read(this.#db, () => {
      const row = this.row(id)
      return row && this.completeOne(row)
    })
  }

  /** Refuses to read more items, or longer texts, than the event loop may. @throws TooMuchWork */
  ensureFew(ids: readonly string[]): void {
    this.#sql.limit(JSON.stringify(ids))
  }

  /** The existing items of these ids, in that order. @throws TooMuchWork */
  many(ids: readonly string[]): KanbanItem[] {
    const named = JSON.stringify(ids)
    const items = read(this.#db, () => {
      this.#sql.limit(named)
      return this.complete(this.#sql.amongIds({ ids: named }))
    })
    const found = new Map(items.map((item) => [item.id, item]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  /** The same as {@link many}, faster for up to {@link FEW}. @throws TooMuchWork */
  some(ids: readonly string[]): KanbanItem[] {
    const few = ids.length <= FEW ? unlessTooMuch(() => this.#few(ids)) : undefined
    return few ?? this.many(ids)
  }

  /** @throws TooMuchWork if one of these items has too many labels or subtasks for that */
  #few(ids: readonly string[]): KanbanItem[] {
    return read(this.#db, () =>
      ids.flatMap((id) => {
        const row = this.row(id)
        return row ? [this.#withChildren(row, this.#sql.ofFew)] : []
      }),
    )
  }

  #withChildren(row: ItemRow, { labels, subtasks }: ReturnType<typeof childrenOfItem>): KanbanItem {
    const { id } = row
    return { ...withAssignees(row), labels: labels({ id }), subtasks: subtasks({ id }) }
  }

  /** All items of projects, by sortOrder. Call it inside a transaction. @param ids the projects' ids as a JSON array */
  ofProjects(ids: string): KanbanItem[] {
    return this.complete(this.#sql.amongProjects({ ids }))
  }

  /** All items of a project, by sortOrder, in pieces. Call it inside a transaction. */
  *inPieces(projectId: string): Generator<KanbanItem[]> {
    const ids = this.#sql.idsOfProject({ projectId }).map(({ id }) => id)
    for (const piece of inPieces(this.#db, ids)) yield this.many(piece)
  }

  /** Adds labels and subtasks to an item. Call it inside the transaction that read the row. @throws TooMuchWork */
  completeOne(row: ItemRow): KanbanItem {
    return this.#withChildren(row, this.#sql.ofOne)
  }

  /** Adds labels and subtasks to items, in the order given. Call it inside the transaction that read the rows. @throws TooMuchWork */
  complete(rows: readonly ItemRow[]): KanbanItem[] {
    const ids = JSON.stringify(rows.map(({ id }) => id))
    const labelsOf = Map.groupBy(this.#sql.labels({ ids }), ({ itemId }) => itemId)
    const subtasksOf = Map.groupBy(this.#sql.subtasks({ ids }), ({ itemId }) => itemId)
    return rows.map((row) => ({
      ...withAssignees(row),
      labels: labelsOf.get(row.id) ?? [],
      subtasks: subtasksOf.get(row.id) ?? [],
    }))
  }
}
