/** The activity log of kanban items: one entry for each tracked field that a change really changed. */
import { desc, eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { given, prepareExists, prepareInsert, prepareRows } from '../db/old-statements.ts'
import { kanbanActivity, kanbanItems } from '../db/schema.ts'
import { bytesOf, readLimit } from '../db/work-limits.ts'

/** The tracked fields of a kanban item. */
export interface Tracked {
  column: string
  assigneeId: string | null
  priority: string
}

const ENTRY_TYPES = {
  column: 'status_change',
  assigneeId: 'assignment',
  priority: 'priority',
} as const satisfies Record<keyof Tracked, string>

/** What happened, to which item, when and by whom. */
export interface Change {
  itemId: string
  /** The tracked fields as they were. */
  before: Tracked
  /** Those the change sets. An absent field produces no entry, nor does one that stays strictly equal. */
  after: { [Field in keyof Tracked]?: Tracked[Field] | undefined }
  /** The member who made the change, or null. */
  actorId: string | null
  at: string
}

/**
 * Prepares the writing of the activity entries of one change (interface specification, section 3).
 * @returns the writer. Call it inside the write of the change itself, so that an item never disagrees with its log
 */
export function prepareActivity(db: SharedDatabase) {
  const insert = prepareInsert(db, kanbanActivity)
  return ({ itemId, before, after, actorId, at }: Change): void => {
    for (const field of Object.keys(ENTRY_TYPES) as (keyof Tracked)[]) {
      const to = after[field]
      if (to === undefined || to === before[field]) continue
      insert({
        id: newId(),
        itemId,
        type: ENTRY_TYPES[field],
        metadata: { from: before[field] ?? '', to: to ?? '' },
        actorId,
        createdAt: at,
      })
    }
  }
}

/**
 * Prepares reading the activity log of an item.
 * @returns the reader: the item's entries, newest first. It throws an ApiError: 404 when there is no such item; and
 * TooMuchWork
 */
export function prepareActivityLog(db: SharedDatabase) {
  const itemExists = prepareExists(db, kanbanItems)
  const limit = readLimit(db, [{ rows: 'kanban_activity where item_id = +?', bytes: bytesOf('metadata') }])
  const entries = prepareRows(
    db,
    db
      .select()
      .from(kanbanActivity)
      .where(eq(kanbanActivity.itemId, given('itemId')))
      .orderBy(desc(kanbanActivity.id)),
  )
  return (itemId: string) =>
    read(db, () => {
      if (!itemExists(itemId)) throwNotFound(kanbanItems)
      limit(itemId)
      return entries.all({ itemId })
    })
}
