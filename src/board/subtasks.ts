/** Kanban subtasks: what is to be ticked off on an item. */
import { prepareChildren, prepareReorderOfChildren } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanSubtasks } from '../db/schema.ts'
import { SpecifiedFailure } from '../errors.ts'

/** The interface specification makes no existence check for subtasks: an unknown one is an unexpected failure. */
const refuseUnknown = (): never => {
  throw new SpecifiedFailure('there is no such subtask')
}

/**
 * Prepares the statements that read and change subtasks.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export const prepareKanbanSubtasks = (db: SharedDatabase) => ({
  ...prepareChildren(db, kanbanSubtasks, { appends: true, refuseUnknown }),
  reorder: prepareReorderOfChildren(db, kanbanSubtasks),
})
