/** Kanban subtasks: what is to be ticked off on an item. */
import { asc, desc, eq } from 'drizzle-orm'
import type { SharedDatabase } from './db/client.ts'
import { kanbanItems, kanbanSubtasks } from './db/schema.ts'
import {
  given,
  prepareDelete,
  prepareExists,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from './db/statements.ts'
import { SpecifiedFailure } from './errors.ts'
import { newId } from './ids.ts'
import { noKanbanItem } from './kanban-items.ts'
import { afterLast } from './ordering.ts'
import type { KanbanSubtask } from './schemas/records.ts'
import { timestamp } from './time.ts'

/** Fields a client may set. */
export type KanbanSubtaskInput = Partial<Pick<KanbanSubtask, 'title' | 'completed' | 'sortOrder'>>

/** The interface specification makes no existence check for subtasks: an unknown one is an unexpected failure. */
const noSubtask = (): never => {
  throw new SpecifiedFailure('there is no such subtask')
}

/**
 * Prepares the statements that read subtasks.
 * @returns the readers
 */
export function prepareKanbanSubtasks(db: SharedDatabase) {
  const one = prepareRows(
    db,
    db
      .select()
      .from(kanbanSubtasks)
      .where(eq(kanbanSubtasks.id, given('id'))),
  )
  const ofItem = prepareRows(
    db,
    db
      .select()
      .from(kanbanSubtasks)
      .where(eq(kanbanSubtasks.itemId, given('itemId')))
      .orderBy(asc(kanbanSubtasks.sortOrder), asc(kanbanSubtasks.id)),
  )
  return {
    /** One subtask. @throws SpecifiedFailure when there is none */
    get: (id: string): KanbanSubtask => one.get({ id }) ?? noSubtask(),
    /** The subtasks of an item, by sortOrder. */
    ofItem: (itemId: string): KanbanSubtask[] => ofItem.all({ itemId }),
  }
}

/**
 * Prepares the changes of subtasks. Call them inside the write that they are part of.
 * @returns the changes
 */
export function prepareKanbanSubtaskChanges(db: SharedDatabase) {
  const insert = prepareInsert(db, kanbanSubtasks)
  const update = prepareUpdate(db, kanbanSubtasks)
  const remove = prepareDelete(db, kanbanSubtasks)
  const itemExists = prepareExists(db, kanbanItems)
  const last = prepareRows(
    db,
    db
      .select({ sortOrder: kanbanSubtasks.sortOrder })
      .from(kanbanSubtasks)
      .where(eq(kanbanSubtasks.itemId, given('itemId')))
      .orderBy(desc(kanbanSubtasks.sortOrder))
      .limit(1),
  )

  return {
    /**
     * Creates a subtask after the item's last one.
     * @returns the new subtask's id
     * @throws ApiError 404 when there is no such item
     */
    create(itemId: string, input: KanbanSubtaskInput & { title: string }): string {
      if (!itemExists(itemId)) noKanbanItem()
      const id = newId()
      const at = timestamp()
      const sortOrder = afterLast(last.get({ itemId })?.sortOrder)
      insert({ sortOrder, ...input, id, itemId, createdAt: at, updatedAt: at })
      return id
    },

    /**
     * Changes a subtask; an empty change leaves it as it is, `updatedAt` included.
     * @throws SpecifiedFailure when there is none
     */
    update(id: string, input: KanbanSubtaskInput): void {
      if (Object.keys(input).length === 0) return
      if (!update(id, { ...input, updatedAt: timestamp() })) noSubtask()
    },

    /** Deletes a subtask. @throws SpecifiedFailure when there is none */
    delete(id: string): void {
      if (!remove(id)) noSubtask()
    },
  }
}
