/** What clients do to the columns of a board; the items go along. */
import { sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { prepareChildren, prepareRefuseTakenName, prepareReorderOfChildren } from '../db/old-children.ts'
import { prepareChange, prepareRows } from '../db/old-statements.ts'
import { kanbanColumns, kanbanItems } from '../db/schema.ts'
import { rowLimit } from '../db/work-limits.ts'
import { conflict, invalidField } from '../errors.ts'
import type { CurrentMember, KanbanColumn } from '../schemas/records.ts'
import { prepareColumnNamed } from './columns.ts'
import { prepareKanbanItemChanges } from './item-changes.ts'
import { isInColumn } from './places.ts'

/** Fields a client may set. */
export type KanbanColumnInput = Partial<
  Pick<KanbanColumn, 'name' | 'color' | 'sortOrder' | 'wipLimit' | 'wipPolicy'>
>

/**
 * Prepares the statements that read and change columns.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export function prepareKanbanColumns(db: SharedDatabase) {
  const columns = prepareChildren(db, kanbanColumns, { appends: true })
  const items = prepareKanbanItemChanges(db)
  const named = prepareColumnNamed(db)
  const anyItem = prepareRows(
    db,
    db.select({ id: kanbanItems.id }).from(kanbanItems).where(isInColumn).limit(1),
  )
  const renameOnItems = prepareChange(
    db,
    db
      .update(kanbanItems)
      .set({ column: sql`${sql.placeholder('name')}`, updatedAt: sql`${sql.placeholder('updatedAt')}` })
      .where(isInColumn),
  )
  const refuseTaken = prepareRefuseTakenName(db, kanbanColumns)
  const limitItems = rowLimit(db, 'kanban_items where project_id = +? and "column" = +?')

  return {
    ...columns,
    reorder: prepareReorderOfChildren(db, kanbanColumns),

    /**
     * Creates a column, at the end of the board unless it says where.
     * @returns its id
     * @throws ApiError 404 when there is no such project, 409 when the project has a column of that name
     */
    create(projectId: string, input: KanbanColumnInput & { name: string }): string {
      refuseTaken(projectId, input.name)
      return columns.create(projectId, input)
    },

    /**
     * Changes a column. A new name becomes that of the column on its items too, which is no move: it leaves no activity.
     * @throws ApiError 404, or 409 when the project has another column of that name
     */
    update(id: string, input: KanbanColumnInput): void {
      const { projectId, name: column } = columns.get(id)
      const { name = column } = input
      if (name !== column) {
        refuseTaken(projectId, name)
        limitItems(projectId, column)
      }
      columns.update(id, input)
      const { updatedAt } = columns.get(id)
      if (name !== column) renameOnItems({ projectId, column, name, updatedAt })
    },

    /**
     * Deletes a column, its items having gone to the end of another one first.
     * @param moveTo the name of that column
     * @throws ApiError 404; 400 when `moveTo` names no other column of the project; 409 when there are items and no
     * `moveTo`, or when they do not fit there
     */
    delete(id: string, { id: actorId }: CurrentMember, moveTo?: string): void {
      const { projectId, name: column } = columns.get(id)
      if (moveTo !== undefined && (moveTo === column || !named(projectId, moveTo))) {
        throw invalidField('moveTo', 'must be the name of another column of the project')
      }
      if (moveTo !== undefined) items.moveAll({ projectId, column }, moveTo, actorId)
      else if (anyItem.get({ projectId, column })) throw conflict('Kanban column still has items')
      columns.delete(id)
    },
  }
}
