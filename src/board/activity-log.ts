/** The activity log of kanban items: one entry for each tracked field whose value changed. */
import { Type } from '@sinclair/typebox'
import { desc, eq, sql } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { kanbanActivity, kanbanItems } from '../db/schema.ts'
import { change, existsIn, given, insertInto, selectAll } from '../db/statements.ts'
import { bytesOf, readLimit } from '../db/work-limits.ts'
import { ref } from '../schemas/common.ts'
import { KanbanActivitySchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'

/** The tracked fields of a kanban item. */
export interface Tracked {
  column: string
  assigneeId: string | null
  priority: string
}

/** The types of entries, by field. */
export const ENTRY_TYPES = {
  column: 'status_change',
  assigneeId: 'assignment',
  priority: 'priority',
} as const satisfies Record<keyof Tracked, string>

const TRACKED_FIELDS = Object.keys(ENTRY_TYPES) as (keyof Tracked)[]

/** A change of an item. */
export interface TrackedChange {
  itemId: string
  /** The former values of the tracked fields. */
  before: Tracked
  /** The fields that the change sets. An absent or unchanged (strictly equal) field adds no entry. */
  after: { [Field in keyof Tracked]?: Tracked[Field] | undefined }
  /** The member who made the change, or null. */
  actorId: string | null
  at: string
}

const statementsOf = (db: SharedDatabase) => ({
  itemExists: existsIn(db, kanbanItems),
  entries: selectAll(db, () =>
    db
      .select()
      .from(kanbanActivity)
      .where(eq(kanbanActivity.itemId, given('itemId')))
      .orderBy(desc(kanbanActivity.id)),
  ),
  limit: readLimit(db, [{ rows: 'kanban_activity where item_id = +?', bytes: bytesOf('metadata') }]),
  insert: insertInto(db, kanbanActivity),
  insertAll: change(() =>
    db.insert(kanbanActivity).select(
      sql`select json_each.value ->> 'id', json_each.value ->> 'itemId', json_each.value ->> 'type', '',
        json_each.value ->> 'metadata', json_each.value ->> 'actorId', json_each.value ->> 'createdAt'
        from json_each(${given('entries')})`,
    ),
  ),
})

/** The activity logs of all items. */
export class ActivityLog {
  static readonly reads: readonly string[] = ['list']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(KanbanActivitySchema)))

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** An item's entries, newest first, or a page of them. @throws ApiError 404 for an unknown item; TooMuchWork */
  list(itemId: string, query: PageQuery): JsonPage {
    const entries = read(this.#db, () => {
      if (!this.#sql.itemExists(itemId)) throwNotFound(kanbanItems)
      this.#sql.limit(itemId)
      return this.#sql.entries({ itemId })
    })
    return pageOfRows(entries, query, this.#toJson, true)
  }

  /**
   * Writes the entries of one change (interface specification, section 3). Call it inside the write of the change, so that
   * item and log stay consistent.
   */
  record(change: TrackedChange): void {
    for (const entry of entriesOf(change)) this.#sql.insert(entry)
  }

  /** The same for changes of many items, in one statement: of a whole column, one for each would take longer than its move. */
  recordAll(changes: readonly TrackedChange[]): void {
    const entries = changes.flatMap((change) =>
      entriesOf(change).map((entry) => ({ ...entry, metadata: JSON.stringify(entry.metadata) })),
    )
    if (entries.length > 0) this.#sql.insertAll({ entries: JSON.stringify(entries) })
  }
}

/** The entries of a change. */
const entriesOf = ({ itemId, before, after, actorId, at }: TrackedChange) =>
  TRACKED_FIELDS.flatMap((field) => {
    const to = after[field]
    if (to === undefined || to === before[field]) return []
    const metadata = { from: before[field] ?? '', to: to ?? '' }
    return [{ id: newId(), itemId, type: ENTRY_TYPES[field], metadata, actorId, createdAt: at }]
  })
