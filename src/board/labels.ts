/** Kanban labels: the coloured words of a project's board, and which item has which. */
import { and, eq, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { prepareChildren, prepareRefuseTakenName } from '../db/old-children.ts'
import { given, prepareChange, prepareExists, prepareRows } from '../db/old-statements.ts'
import { kanbanItemLabels, kanbanItems, kanbanLabels } from '../db/schema.ts'
import { rowLimit } from '../db/work-limits.ts'
import type { KanbanLabel } from '../schemas/records.ts'

/** Fields a client may set. */
export type KanbanLabelInput = Partial<Pick<KanbanLabel, 'name' | 'color'>>

/**
 * Prepares the statements that read and change labels.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export function prepareKanbanLabels(db: SharedDatabase) {
  const labels = prepareChildren(db, kanbanLabels)
  const refuseTaken = prepareRefuseTakenName(db, kanbanLabels)
  const limitItems = rowLimit(db, 'kanban_item_labels where label_id = +?')

  return {
    ...labels,

    /**
     * Creates a label.
     * @returns its id
     * @throws ApiError 404 when there is no such project, 409 when the project has a label of that name
     */
    create(projectId: string, input: KanbanLabelInput & { name: string }): string {
      refuseTaken(projectId, input.name)
      return labels.create(projectId, input)
    },

    /** Changes a label. @throws ApiError 404, or 409 when the project has another label of that name */
    update(id: string, input: KanbanLabelInput): void {
      const { projectId, name } = labels.get(id)
      if (input.name !== undefined && input.name !== name) refuseTaken(projectId, input.name)
      limitItems(id)
      labels.update(id, input)
    },

    /** Deletes a label; it leaves its items. @throws ApiError 404 */
    delete(id: string): void {
      limitItems(id)
      labels.delete(id)
    },
  }
}

/**
 * Prepares giving labels to items and taking them away, which is no change of the item: it leaves no activity and keeps
 * its `updatedAt`. Doing either again changes nothing.
 * @returns the changes, to be called inside the write that they are part of. They throw an ApiError: 404 for an unknown
 * item, or a label that its project does not have
 */
export function prepareLabelling(db: SharedDatabase) {
  const itemExists = prepareExists(db, kanbanItems)
  const labelOfProject = prepareRows(
    db,
    db
      .select({ id: kanbanLabels.id })
      .from(kanbanLabels)
      .innerJoin(kanbanItems, eq(kanbanItems.projectId, kanbanLabels.projectId))
      .where(and(eq(kanbanLabels.id, given('labelId')), eq(kanbanItems.id, given('itemId')))),
  )
  const attach = prepareChange(
    db,
    db
      .insert(kanbanItemLabels)
      .values({ itemId: sql.placeholder('itemId'), labelId: sql.placeholder('labelId') })
      .onConflictDoNothing(),
  )
  const detach = prepareChange(
    db,
    db
      .delete(kanbanItemLabels)
      .where(
        and(eq(kanbanItemLabels.itemId, given('itemId')), eq(kanbanItemLabels.labelId, given('labelId'))),
      ),
  )
  const labelling = (change: typeof attach) => (itemId: string, labelId: string) => {
    if (!itemExists(itemId)) throwNotFound(kanbanItems)
    if (!labelOfProject.get({ itemId, labelId })) throwNotFound(kanbanLabels)
    change({ itemId, labelId })
  }
  return { attach: labelling(attach), detach: labelling(detach) }
}
