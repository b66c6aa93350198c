/** The subtasks (checklist) of an item. */
import { OrderedChildren } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { kanbanSubtasks } from '../db/schema.ts'
import { SpecifiedFailure } from '../errors.ts'
import { KanbanSubtaskSchema } from '../schemas/records.ts'

/** The subtasks of items, in order. */
export class Subtasks extends OrderedChildren<typeof kanbanSubtasks> {
  constructor(db: SharedDatabase) {
    super(db, kanbanSubtasks, KanbanSubtaskSchema)
  }

  /** The interface specification has no existence check for subtasks: an unknown one is an unexpected failure. */
  protected override throwUnknown(): never {
    throw new SpecifiedFailure('there is no such subtask', 'not_found')
  }
}
