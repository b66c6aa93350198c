/** Adds a card with an optimistic update, which is reverted with a message if the service refuses it. */
import { batch } from '@preact/signals'
import type { CreateKanbanItem, KanbanItem, KanbanLabel } from '../../src/client/api.d.ts'
import { api } from '../common/api.ts'
import { showRefusal, takeItem } from '../common/item-writes.ts'
import { onChange } from '../common/live.ts'
import { between } from '../common/order.ts'
import { added as addedMessage, newId } from '../common/record-writes.ts'
import type { Pending } from '../common/records.ts'
import { me } from '../common/session.ts'
import { done } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import type { Board, End } from './board.ts'

/** A card to add. */
export interface NewCard {
  title: string
  labels: readonly KanbanLabel[]
  fields: Pick<CreateKanbanItem, 'assigneeIds' | 'priority' | 'dueDate'>
}

/** A new card until the service has created it. */
interface Shown {
  card: KanbanItem
  pending: Pending
  body: CreateKanbanItem
}

/** Shows new cards at an end of a column, in their order. */
export function showNew(board: Board, column: string, end: End, cards: readonly NewCard[]): Shown[] {
  const { items } = board.store
  const ids = board.store.idsOf(column)
  const [first, last] = [items.peek(ids[0] ?? '')?.sortOrder, items.peek(ids.at(-1) ?? '')?.sortOrder]
  const atTop = end === 'top' && first !== undefined
  return batch(() => {
    const shown = cards.map(({ title, labels, fields }, index) => {
      const sortOrder = atTop ? first - cards.length + index : between(last, undefined) + index
      const card = unsaved(board, { title, column, sortOrder, ...fields, labels } as KanbanItem)
      const pending = items.patch(card.id, () => card)
      return { card, pending, body: { title, column, ...fields, ...(atTop && { sortOrder }) } }
    })
    board.keep(...shown.map(({ card }) => card.id))
    return shown
  })
}

/** Replaces new cards that arrive by the stream before the response. @returns ends that */
export function followCreated(board: Board, shown: readonly Shown[]): () => void {
  const waiting = [...shown]
  return onChange(({ kind, action, actorId, id, after }) => {
    if (kind !== 'kanban-item' || action !== 'created' || actorId !== me.peek()?.id) return
    const at = waiting.findIndex(({ body }) => after?.title === body.title && after?.column === body.column)
    if (at === -1) return
    board.keep(id)
    for (const { pending } of waiting.splice(at, 1)) pending.end()
  })
}

/** Adds a card without labels at an end of a column. @param column its name @returns whether the service accepted it */
export async function addCard(board: Board, column: string, end: End, added: NewCard): Promise<boolean> {
  const [shown] = showNew(board, column, end, [added])
  if (shown === undefined) return false
  const { card, pending, body } = shown
  let stop: (() => void) | undefined
  try {
    const { seq } = await write({
      pending: [pending],
      message: addedMessage(card.title).text,
      send: (idempotencyKey) => {
        stop ??= followCreated(board, [shown])
        return api.request('post', '/api/projects/{id}/kanban-items', {
          path: { id: board.store.id },
          body,
          idempotencyKey,
        })
      },
      onDone: (answer) => {
        board.keep(answer.data.id)
        takeItem(board.store, answer)
      },
    })
    done(seq, addedMessage(card.title))
    return true
  } catch (error) {
    return showRefusal(board.store, error, card)
  } finally {
    stop?.()
  }
}

/** A placeholder until the service has created the card. */
function unsaved(
  board: Board,
  fields: Pick<KanbanItem, 'title' | 'column' | 'sortOrder'> & Partial<KanbanItem>,
): KanbanItem {
  const now = new Date().toISOString()
  return {
    id: newId(),
    projectId: board.store.id,
    number: null,
    description: '',
    priority: 'medium',
    assigneeId: fields.assigneeIds?.[0] ?? null,
    assigneeIds: [],
    dueDate: null,
    source: 'manual',
    sourceId: '',
    isNew: false,
    approved: true,
    dismissed: false,
    metadata: {},
    claimedUntil: null,
    coverId: null,
    reminders: [],
    createdAt: now,
    updatedAt: now,
    labels: [],
    subtasks: [],
    ...fields,
  }
}
