/** Adds a card with an optimistic update, which is reverted with a message if the service refuses it. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { api } from '../common/api.ts'
import { sayRefused, takeItem } from '../common/item-writes.ts'
import { onChange } from '../common/live.ts'
import { between } from '../common/order.ts'
import { added, newId } from '../common/record-writes.ts'
import { me } from '../common/session.ts'
import { done } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import type { Board, End } from './board.ts'

/** Adds a card at an end of a column. @param column its name @returns whether the service accepted it */
export async function addCard(board: Board, column: string, end: End, title: string): Promise<boolean> {
  const { items } = board.store
  const ids = board.store.idsOf(column)
  const [first, last] = [items.peek(ids[0] ?? '')?.sortOrder, items.peek(ids.at(-1) ?? '')?.sortOrder]
  const atTop = end === 'top' && first !== undefined
  const sortOrder = atTop ? between(undefined, first) : between(last, undefined)
  const card = unsaved(board, { title, column, sortOrder })
  const pending = items.patch(card.id, () => card)
  board.keep(card.id)
  let stop: (() => void) | undefined
  // The card may arrive by the stream before the response. The first of the two replaces the placeholder.
  const follow = () =>
    onChange(({ kind, action, actorId, id, after }) => {
      if (kind !== 'kanban-item' || action !== 'created' || actorId !== me.peek()?.id) return
      if (after?.title !== title || after.column !== column) return
      board.keep(id)
      pending.end()
      stop?.()
    })
  try {
    const { seq } = await write({
      pending: [pending],
      said: added(title).text,
      send: (idempotencyKey) => {
        stop ??= follow()
        return api.request('post', '/api/projects/{id}/kanban-items', {
          path: { id: board.store.id },
          body: { title, column, ...(atTop && { sortOrder }) },
          idempotencyKey,
        })
      },
      onDone: (answer) => {
        board.keep(answer.data.id)
        takeItem(board.store, answer)
      },
    })
    done(seq, added(title))
    return true
  } catch (error) {
    sayRefused(board.store, error, card)
    return false
  } finally {
    stop?.()
  }
}

/** A placeholder until the service has created the card. */
function unsaved(board: Board, fields: Pick<KanbanItem, 'title' | 'column' | 'sortOrder'>): KanbanItem {
  const now = new Date().toISOString()
  return {
    id: newId(),
    projectId: board.store.id,
    description: '',
    priority: 'medium',
    assigneeId: null,
    dueDate: null,
    source: 'manual',
    sourceId: '',
    isNew: false,
    approved: true,
    dismissed: false,
    metadata: {},
    claimedUntil: null,
    coverId: null,
    createdAt: now,
    updatedAt: now,
    labels: [],
    subtasks: [],
    ...fields,
  }
}
