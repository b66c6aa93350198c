/** Ticking an item off, and taking that back. */
import { api, type KanbanItem } from '../common/api.ts'
import type { Records } from '../common/records.ts'
import { done, failed } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'

/** Moves an item to the top of a column. @returns whether the service did so; else it has been said why not */
export async function moveTo(
  { id }: KanbanItem,
  column: string,
  records: Records<KanbanItem>,
): Promise<boolean> {
  try {
    const answer = await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/kanban-items/{id}/move', {
          path: { id },
          body: { column, position: 'top' },
          idempotencyKey,
        }),
      pending: [records.patch(id, (one) => one && { ...one, column })],
      onDone: ({ data, seq }) => records.put(data, seq ?? records.seqOf(id)),
    })
    done(answer.seq, texts.minePage.moved(column))
    return true
  } catch (error) {
    failed(error)
    return false
  }
}
