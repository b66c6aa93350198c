/** Kanban items: reading them whole, creating and changing them. */
import { and, asc, eq, getTableColumns, max, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { recordActivity, type Tracked } from './activity.ts'
import { ensureColumn } from './columns.ts'
import { type Database, read, write } from './db/client.ts'
import { orEmptyObject } from './db/json-text.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels, kanbanSubtasks, projects } from './db/schema.ts'
import { notFound } from './errors.ts'
import { newId } from './ids.ts'
import { afterLast } from './ordering.ts'
import type { KanbanItem } from './schemas/records.ts'
import { parseTimestamp, timestamp } from './time.ts'

type ItemRow = typeof kanbanItems.$inferSelect
type NewItem = typeof kanbanItems.$inferInsert

/** Fields a client may set. `dueDate` is what the client sent: a date string, or a falsy value for none. */
export type KanbanItemInput = Partial<
  Omit<NewItem, 'id' | 'projectId' | 'dueDate' | 'createdAt' | 'updatedAt'> & {
    dueDate: string | null | false | 0
  }
>

/** Condition: the column's value is one of the JSON array bound to the placeholder `ids`. One statement serves any number. */
export const amongIds = (column: SQLiteColumn): SQL =>
  sql`${column} in (select value from json_each(${sql.placeholder('ids')}))`

/**
 * Prepares the statement that reads an item's own row: enough to know that it exists.
 * @returns the reader: undefined when there is none
 */
export function prepareKanbanItemRow(db: Database) {
  const one = db
    .select()
    .from(kanbanItems)
    .where(eq(kanbanItems.id, sql.placeholder('id')))
    .prepare()
  return (id: string): ItemRow | undefined => one.get({ id })
}

/**
 * Prepares the statements that read items with their labels and subtasks: three, however many items.
 * @returns readers whose results are complete KanbanItem records
 */
export function prepareKanbanItems(db: Database) {
  const rows = () => db.select().from(kanbanItems).$dynamic()
  const inOrder = [asc(kanbanItems.sortOrder), asc(kanbanItems.id)]
  const row = prepareKanbanItemRow(db)
  const ofProjects = rows()
    .where(amongIds(kanbanItems.projectId))
    .orderBy(...inOrder)
    .prepare()
  const labels = db
    .select({ itemId: kanbanItemLabels.itemId, label: getTableColumns(kanbanLabels) })
    .from(kanbanItemLabels)
    .innerJoin(kanbanLabels, eq(kanbanLabels.id, kanbanItemLabels.labelId))
    .where(amongIds(kanbanItemLabels.itemId))
    .orderBy(asc(kanbanLabels.id))
    .prepare()
  const subtasks = db
    .select()
    .from(kanbanSubtasks)
    .where(amongIds(kanbanSubtasks.itemId))
    .orderBy(asc(kanbanSubtasks.sortOrder), asc(kanbanSubtasks.id))
    .prepare()

  function complete(items: ItemRow[]): KanbanItem[] {
    const ids = JSON.stringify(items.map(({ id }) => id))
    const labelsOf = Map.groupBy(labels.all({ ids }), ({ itemId }) => itemId)
    const subtasksOf = Map.groupBy(subtasks.all({ ids }), ({ itemId }) => itemId)
    return items.map((item) => ({
      ...item,
      metadata: orEmptyObject(item.metadata),
      labels: (labelsOf.get(item.id) ?? []).map(({ label }) => label),
      subtasks: subtasksOf.get(item.id) ?? [],
    }))
  }

  return {
    row,
    /** One item. @throws ApiError 404 */
    get: (id: string): KanbanItem =>
      read(db, () => {
        const [item] = complete([row(id) ?? missing()])
        return item ?? missing()
      }),
    /** All items of the given projects, by sortOrder; `ids` is a JSON array. Call it inside a transaction. */
    ofProjects: (ids: string): KanbanItem[] => complete(ofProjects.all({ ids })),
    /** The items of one project, by sortOrder; `dismissed` undefined means both kinds. */
    list: (projectId: string, dismissed?: boolean): KanbanItem[] =>
      read(db, () =>
        complete(
          rows()
            .where(
              and(
                eq(kanbanItems.projectId, projectId),
                dismissed === undefined ? undefined : eq(kanbanItems.dismissed, dismissed),
              ),
            )
            .orderBy(...inOrder)
            .all(),
        ),
      ),
  }
}

const missing = (): never => {
  throw notFound('Kanban item')
}

/** A date as the client sent it, for storing: a non-empty one converted, any falsy value as null. */
const toDueDate = (value: string | null | false | 0) => (value ? (parseTimestamp(value) ?? null) : null)

const toRow = ({ dueDate, ...fields }: KanbanItemInput) =>
  dueDate === undefined ? fields : { ...fields, dueDate: toDueDate(dueDate) }

/**
 * Creates an item at the end of its column, making the column where the project lacks it.
 * @returns the new item's id
 * @throws ApiError 404 when the project is gone
 */
export function createKanbanItem(
  db: Database,
  projectId: string,
  input: KanbanItemInput & { title: string },
): string {
  return write(db, (tx) => {
    const project = tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).get()
    if (!project) throw notFound('Project')
    const at = timestamp()
    const column = input.column ?? 'To Do'
    ensureColumn(tx, projectId, column, at)
    const last = tx
      .select({ sortOrder: max(kanbanItems.sortOrder) })
      .from(kanbanItems)
      .where(and(eq(kanbanItems.projectId, projectId), eq(kanbanItems.column, column)))
      .get()
    const id = newId()
    tx.insert(kanbanItems)
      .values({
        sortOrder: afterLast(last?.sortOrder),
        ...toRow(input),
        title: input.title,
        id,
        projectId,
        createdAt: at,
        updatedAt: at,
      })
      .run()
    return id
  })
}

/**
 * Changes an item and logs what happened to its tracked fields, in one transaction. An empty change leaves
 * the item as it is, `updatedAt` included.
 * @throws ApiError 404 when the item is gone
 */
export function updateKanbanItem(
  db: Database,
  id: string,
  input: KanbanItemInput,
  actorId: string | null,
): void {
  if (Object.keys(input).length === 0) return
  write(db, (tx) => {
    // Read inside the transaction: what the request saw before its body arrived may have changed since.
    const before: (Tracked & { projectId: string }) | undefined = tx
      .select({
        projectId: kanbanItems.projectId,
        column: kanbanItems.column,
        assigneeId: kanbanItems.assigneeId,
        priority: kanbanItems.priority,
      })
      .from(kanbanItems)
      .where(eq(kanbanItems.id, id))
      .get()
    if (!before) return missing()
    const at = timestamp()
    if (input.column !== undefined) ensureColumn(tx, before.projectId, input.column, at)
    tx.update(kanbanItems)
      .set({ ...toRow(input), updatedAt: at })
      .where(eq(kanbanItems.id, id))
      .run()
    recordActivity(tx, { itemId: id, before, after: input, actorId, at })
  })
}

/** Deletes an item with all that belongs to it. @throws ApiError 404 when there is none. */
export function deleteKanbanItem(db: Database, id: string): void {
  write(db, (tx) => {
    const { changes } = tx.delete(kanbanItems).where(eq(kanbanItems.id, id)).run()
    if (changes === 0) missing()
  })
}
