/** Kanban subtasks: what is to be ticked off on an item. */
import { asc, eq, max, sql } from 'drizzle-orm'
import { type Database, write } from './db/client.ts'
import { kanbanItems, kanbanSubtasks } from './db/schema.ts'
import { notFound, SpecifiedFailure } from './errors.ts'
import { newId } from './ids.ts'
import { afterLast } from './ordering.ts'
import type { KanbanSubtask } from './schemas/records.ts'
import { timestamp } from './time.ts'

/** Fields a client may set. */
export type KanbanSubtaskInput = Partial<Pick<KanbanSubtask, 'title' | 'completed' | 'sortOrder'>>

/**
 * Prepares the statement that lists the subtasks of an item.
 * @returns the reader: subtasks by sortOrder
 */
export function prepareKanbanSubtasks(db: Database) {
  const ofItem = db
    .select()
    .from(kanbanSubtasks)
    .where(eq(kanbanSubtasks.itemId, sql.placeholder('itemId')))
    .orderBy(asc(kanbanSubtasks.sortOrder), asc(kanbanSubtasks.id))
    .prepare()
  return { ofItem: (itemId: string): KanbanSubtask[] => ofItem.all({ itemId }) }
}

/** Creates a subtask after the item's last one. @throws ApiError 404 when the item is gone */
export function createKanbanSubtask(
  db: Database,
  itemId: string,
  input: KanbanSubtaskInput & { title: string },
): KanbanSubtask {
  return write(db, (tx) => {
    const item = tx.select({ id: kanbanItems.id }).from(kanbanItems).where(eq(kanbanItems.id, itemId)).get()
    if (!item) throw notFound('Kanban item')
    const last = tx
      .select({ sortOrder: max(kanbanSubtasks.sortOrder) })
      .from(kanbanSubtasks)
      .where(eq(kanbanSubtasks.itemId, itemId))
      .get()
    const at = timestamp()
    return tx
      .insert(kanbanSubtasks)
      .values({
        sortOrder: afterLast(last?.sortOrder),
        ...input,
        id: newId(),
        itemId,
        createdAt: at,
        updatedAt: at,
      })
      .returning()
      .get()
  })
}

/** The interface specification makes no existence check for subtasks: an unknown one is an unexpected failure. */
const unknownSubtask = (): never => {
  throw new SpecifiedFailure('there is no such subtask')
}

/**
 * Changes a subtask; an empty change leaves it as it is, `updatedAt` included.
 * @throws SpecifiedFailure when there is none
 */
export function updateKanbanSubtask(db: Database, id: string, input: KanbanSubtaskInput): KanbanSubtask {
  return write(db, (tx) => {
    const changes = Object.keys(input).length === 0 ? { id } : { ...input, updatedAt: timestamp() }
    return (
      tx.update(kanbanSubtasks).set(changes).where(eq(kanbanSubtasks.id, id)).returning().get() ??
      unknownSubtask()
    )
  })
}

/** Deletes a subtask. @throws SpecifiedFailure when there is none */
export function deleteKanbanSubtask(db: Database, id: string): void {
  write(db, (tx) => {
    const { changes } = tx.delete(kanbanSubtasks).where(eq(kanbanSubtasks.id, id)).run()
    if (changes === 0) unknownSubtask()
  })
}
