/** Completes items, and undoes that. */
import { api, type KanbanItem } from '../common/api.ts'
import { saidMoved } from '../common/item-writes.ts'
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
      said: { ...saidMoved(title, column), of: id },
      id,
      patch: (item) => ({ ...item, column }),
      send: (idempotencyKey) =>
        api.request('post', '/api/kanban-items/{id}/move', {
          path: { id },
          body: { column, position: 'top' },
          idempotencyKey,
        }),
    }),
  )
