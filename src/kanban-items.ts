/** Kanban items: reading them whole, creating and changing them. */
import { and, asc, desc, eq, getTableColumns, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { prepareActivity, type Tracked } from './activity.ts'
import { prepareColumns } from './columns.ts'
import { read, type SharedDatabase } from './db/client.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels, kanbanSubtasks, projects } from './db/schema.ts'
import {
  amongIds,
  given,
  prepareDelete,
  prepareExists,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from './db/statements.ts'
import { noSuch } from './existence.ts'
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

const inOrder = [asc(kanbanItems.sortOrder), asc(kanbanItems.id)]

/** The labels of the items that the condition names. */
const labelsWhere = (db: SharedDatabase, condition: SQL) =>
  prepareRows(
    db,
    db
      .select({ itemId: kanbanItemLabels.itemId, ...getTableColumns(kanbanLabels) })
      .from(kanbanItemLabels)
      .innerJoin(kanbanLabels, eq(kanbanLabels.id, kanbanItemLabels.labelId))
      .where(condition)
      .orderBy(asc(kanbanLabels.id)),
  )

/** The subtasks of the items that the condition names. */
const subtasksWhere = (db: SharedDatabase, condition: SQL) =>
  prepareRows(
    db,
    db
      .select()
      .from(kanbanSubtasks)
      .where(condition)
      .orderBy(asc(kanbanSubtasks.sortOrder), asc(kanbanSubtasks.id)),
  )

/** Prepares the two statements that read what belongs to items, however many: labels and subtasks. */
function prepareCompletion(db: SharedDatabase): (items: ItemRow[]) => KanbanItem[] {
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
      .orderBy(...inOrder),
  )
  const complete = prepareCompletion(db)
  return (ids) => complete(items.all({ ids }))
}

/**
 * Prepares the statements that read items with their labels and subtasks: three, however many items. One item has
 * three of its own, which cost a fraction of those for many.
 * @returns readers whose results are complete KanbanItem records
 */
export function prepareKanbanItems(db: SharedDatabase) {
  const ofProject = eq(kanbanItems.projectId, given('projectId'))
  const ofKind = and(ofProject, eq(kanbanItems.dismissed, given('dismissed')))
  const select = () => db.select().from(kanbanItems)
  const one = prepareRows(db, select().where(eq(kanbanItems.id, given('id'))))
  const all = prepareRows(
    db,
    select()
      .where(ofProject)
      .orderBy(...inOrder),
  )
  const kind = prepareRows(
    db,
    select()
      .where(ofKind)
      .orderBy(...inOrder),
  )
  const complete = prepareCompletion(db)
  const labels = labelsWhere(db, eq(kanbanItemLabels.itemId, given('id')))
  const subtasks = subtasksWhere(db, eq(kanbanSubtasks.itemId, given('id')))

  return {
    /** One item. @throws ApiError 404 */
    get: (id: string): KanbanItem =>
      read(db, () => {
        const item = one.get({ id }) ?? noSuch(kanbanItems)
        return { ...item, labels: labels.all({ id }), subtasks: subtasks.all({ id }) }
      }),
    /** The items of one project, by sortOrder; `dismissed` undefined means both kinds. */
    list: (projectId: string, dismissed?: boolean): KanbanItem[] =>
      read(db, () =>
        complete(
          dismissed === undefined
            ? all.all({ projectId })
            : kind.all({ projectId, dismissed: Number(dismissed) }),
        ),
      ),
  }
}

/** A date as the client sent it, for storing: a non-empty one converted, any falsy value as null. */
const toDueDate = (value: string | null | false | 0) => (value ? (parseTimestamp(value) ?? null) : null)

const toRow = ({ dueDate, ...fields }: KanbanItemInput) =>
  dueDate === undefined ? fields : { ...fields, dueDate: toDueDate(dueDate) }

/**
 * Prepares the changes of items. Call them inside the write that they are part of.
 * @returns the changes
 */
export function prepareKanbanItemChanges(db: SharedDatabase) {
  const insert = prepareInsert(db, kanbanItems)
  const update = prepareUpdate(db, kanbanItems)
  const remove = prepareDelete(db, kanbanItems)
  const projectExists = prepareExists(db, projects)
  const ensureColumn = prepareColumns(db)
  const recordActivity = prepareActivity(db)
  const lastOfColumn = prepareRows(
    db,
    db
      .select({ sortOrder: kanbanItems.sortOrder })
      .from(kanbanItems)
      .where(and(eq(kanbanItems.projectId, given('projectId')), eq(kanbanItems.column, given('column'))))
      .orderBy(desc(kanbanItems.sortOrder))
      .limit(1),
  )
  const trackedFields = prepareRows<Tracked & { projectId: string }>(
    db,
    db
      .select({
        projectId: kanbanItems.projectId,
        column: kanbanItems.column,
        assigneeId: kanbanItems.assigneeId,
        priority: kanbanItems.priority,
      })
      .from(kanbanItems)
      .where(eq(kanbanItems.id, given('id'))),
  )

  return {
    /**
     * Creates an item at the end of its column, making the column where the project lacks it.
     * @returns the new item's id
     * @throws ApiError 404 when there is no such project
     */
    create(projectId: string, input: KanbanItemInput & { title: string }): string {
      if (!projectExists(projectId)) noSuch(projects)
      const at = timestamp()
      const column = input.column ?? 'To Do'
      ensureColumn(projectId, column, at)
      const id = newId()
      insert({
        sortOrder: afterLast(lastOfColumn.get({ projectId, column })?.sortOrder),
        ...toRow(input),
        title: input.title,
        id,
        projectId,
        createdAt: at,
        updatedAt: at,
      })
      return id
    },

    /**
     * Changes an item and logs what happened to its tracked fields. An empty change leaves the item as it is,
     * `updatedAt` included.
     * @throws ApiError 404 when there is none
     */
    update(id: string, input: KanbanItemInput, actorId: string | null): void {
      // Read in here: what the request saw before its body arrived may have changed since.
      const before = trackedFields.get({ id }) ?? noSuch(kanbanItems)
      if (Object.keys(input).length === 0) return
      const at = timestamp()
      if (input.column !== undefined) ensureColumn(before.projectId, input.column, at)
      update(id, { ...toRow(input), updatedAt: at })
      recordActivity({ itemId: id, before, after: input, actorId, at })
    },

    /** Deletes an item with all that belongs to it. @throws ApiError 404 when there is none */
    delete(id: string): void {
      if (!remove(id)) noSuch(kanbanItems)
    },
  }
}
