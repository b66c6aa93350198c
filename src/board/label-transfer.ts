/** What becomes of an item's labels when it goes to another project: labels are the projects' own. */
import { and, eq, inArray } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { given, prepareChange, prepareInsert, prepareRows } from '../db/old-statements.ts'
import { kanbanItemLabels, kanbanLabels } from '../db/schema.ts'

/**
 * Prepares giving an item the labels of another project that have the same names as its own.
 * @returns the change. Call it inside the write that moves the item
 */
export function prepareLabelTransfer(db: SharedDatabase) {
  const ofItem = eq(kanbanItemLabels.itemId, given('itemId'))
  const namesakes = prepareRows(
    db,
    db
      .select({ labelId: kanbanLabels.id })
      .from(kanbanLabels)
      .where(
        and(
          eq(kanbanLabels.projectId, given('projectId')),
          inArray(
            kanbanLabels.name,
            db
              .select({ name: kanbanLabels.name })
              .from(kanbanItemLabels)
              .innerJoin(kanbanLabels, eq(kanbanLabels.id, kanbanItemLabels.labelId))
              .where(ofItem),
          ),
        ),
      ),
  )
  const removeAll = prepareChange(db, db.delete(kanbanItemLabels).where(ofItem))
  const insert = prepareInsert(db, kanbanItemLabels)
  return (itemId: string, projectId: string): void => {
    const labels = namesakes.all({ itemId, projectId })
    removeAll({ itemId })
    for (const { labelId } of labels) insert({ itemId, labelId })
  }
}
