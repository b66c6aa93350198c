/** Completes items, and undoes that. */
import { type KanbanItem, sending } from '../common/api.ts'
import { movedMessage } from '../common/item-writes.ts'
import { accepted, changeRecord } from '../common/record-writes.ts'
import type { Records } from '../common/records.ts'

/** Moves an item to the top of a column. @returns whether the service accepted it; if not, a message has been shown */
export const moveTo = (
  { id, title }: KanbanItem,
  column: string,
  records: Records<KanbanItem>,
): Promise<boolean> =>
  accepted(
    changeRecord({
      records,
      message: { ...movedMessage(title, column), of: id },
      id,
      patch: (item) => ({ ...item, column }),
      ...sending('post', '/api/kanban-items/{id}/move', { path: { id }, body: { column, position: 'top' } }),
    }),
  )
