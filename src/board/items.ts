/** Kanban items: reading them whole. What changes them is in `kanban-item-changes.ts`. */
import { eq, getTableColumns, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { amongIds, given, prepareRows } from '../db/old-statements.ts'
import { inOrder } from '../db/ordering.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels, kanbanSubtasks } from '../db/schema.ts'
import { bytesOf, readLimit, among as rowsAmong } from '../db/work-limits.ts'
import type { KanbanItem } from '../schemas/records.ts'

type ItemRow = typeof kanbanItems.$inferSelect
/** The labels of the items that the condition names. */
const labelsWhere = (db: SharedDatabase, condition: SQL) =>
  prepareRows(
    db,
    db
      .select({ itemId: kanbanItemLabels.itemId, ...getTableColumns(kanbanLabels) })
      .from(kanbanItemLabels)
      .innerJoin(kanbanLabels, eq(kanbanLabels.id, kanbanItemLabels.labelId))
      .where(condition)
      .orderBy(...inOrder(kanbanLabels)),
  )

/** The subtasks of the items that the condition names. */
const subtasksWhere = (db: SharedDatabase, condition: SQL) =>
  prepareRows(
    db,
    db
      .select()
      .from(kanbanSubtasks)
      .where(condition)
      .orderBy(...inOrder(kanbanSubtasks)),
  )

/**
 * Prepares the two statements that read what belongs to items, however many: labels and subtasks. Call it inside the
 * transaction that the items were read in.
 * @returns what completes items, in the order given
 */
export function prepareCompletion(db: SharedDatabase): (items: ItemRow[]) => KanbanItem[] {
  const labels = labelsWhere(db, amongIds(kanbanItemLabels.itemId))
  const subtasks = subtasksWhere(db, amongIds(kanbanSubtasks.itemId))
  return (items) => {
    const ids = JSON.stringify(items.map(({ id }) => id))
    const labelsOf = Map.groupBy(labels.all({ ids }), ({ itemId }) => itemId)
    const subtasksOf = Map.groupBy(subtasks.all({ ids }), ({ itemId }) => itemId)
    return items.map((item) => ({
      ...item,
      labels: labelsOf.get(item.id) ?? [],
      subtasks: subtasksOf.get(item.id) ?? [],
    }))
  }
}

/**
 * Prepares the statements that read items by what a column of theirs holds: three, however many. Call it inside a
 * transaction.
 * @param column `kanbanItems.projectId` for all items of projects, `kanbanItems.id` for some items
 * @returns the reader: items by sortOrder; it takes the ids to look for as a JSON array
 */
export function prepareItemsAmong(db: SharedDatabase, column: SQLiteColumn): (ids: string) => KanbanItem[] {
  const items = prepareRows(
    db,
    db
      .select()
      .from(kanbanItems)
      .where(amongIds(column))
      .orderBy(...inOrder(kanbanItems)),
  )
  const complete = prepareCompletion(db)
  return (ids) => complete(items.all({ ids }))
}

/**
 * Prepares the statements that read items by their ids: three, however many items. One item has three of its own, which
 * cost a fraction of those for many.
 * @returns readers whose results are complete KanbanItem records
 */
export function prepareKanbanItems(db: SharedDatabase) {
  const one = prepareRows(
    db,
    db
      .select()
      .from(kanbanItems)
      .where(eq(kanbanItems.id, given('id'))),
  )
  const labels = labelsWhere(db, eq(kanbanItemLabels.itemId, given('id')))
  const subtasks = subtasksWhere(db, eq(kanbanSubtasks.itemId, given('id')))
  const among = prepareItemsAmong(db, kanbanItems.id)
  const limit = readLimit(db, [
    { rows: rowsAmong('kanban_items', 'id'), bytes: bytesOf('description', 'metadata') },
    { rows: rowsAmong('kanban_subtasks', 'item_id'), bytes: '0' },
  ])

  return {
    /** Items by their ids, in that order; those that exist. @throws TooMuchWork */
    getMany(ids: string[]): KanbanItem[] {
      const named = JSON.stringify(ids)
      const items = read(db, () => {
        limit(named)
        return among(named)
      })
      const found = new Map(items.map((item) => [item.id, item]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    /** One item. @throws ApiError 404 */
    get: (id: string): KanbanItem =>
      read(db, () => {
        const item = one.get({ id }) ?? throwNotFound(kanbanItems)
        return { ...item, labels: labels.all({ id }), subtasks: subtasks.all({ id }) }
      }),
  }
}
