/** Writes of the subtasks of a card. */
import { type Answer, api, type KanbanItem, type KanbanSubtask, sending } from '../common/api.ts'
import { bySortOrder } from '../common/order.ts'
import { accepted, added, ifThere, isUnsaved, newId, writeWithMessage } from '../common/record-writes.ts'
import { read } from '../common/session.ts'
import type { SavingOutcome } from '../common/text-edit/conflict.ts'
import { writeText } from '../common/text-edit/write-text.ts'
import type { Message } from '../common/toasts.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

type Subtasks = readonly KanbanSubtask[]
type Change = (subtasks: Subtasks) => Subtasks

const withSubtasks = (item: KanbanItem, change: Change): KanbanItem => ({
  ...item,
  subtasks: [...change(item.subtasks)].sort(bySortOrder),
})

/** Replaces subtasks by those of a response with the same ids. */
const replaced =
  (answered: Subtasks): Change =>
  (subtasks) => [...subtasks.filter(({ id }) => !answered.some((one) => one.id === id)), ...answered]

interface SubtaskWrite<Data> {
  /** The optimistic update of the subtasks. */
  change?: Change
  send: (idempotencyKey: string) => Promise<Answer<Data>>
  /** Applies the response to the subtasks. */
  answered: (data: Data) => Change
  message: string | Message
}

/**
 * Stores a response. It has nothing of the rest of the card, whose changes may be on their way, so the stream must still
 * deliver this change too.
 */
const take = ({ id, store: { items } }: OpenCard, change: Change): boolean =>
  items.merge(id, (item) => withSubtasks(item, change), items.seqOf(id))

/** Writes, and shows a message if the service refuses. @returns whether it accepted */
const perform = <Data>(
  card: OpenCard,
  { change, send, answered, message }: SubtaskWrite<Data>,
): Promise<boolean> =>
  accepted(
    writeWithMessage(message, {
      pending: change
        ? [
            card.store.items.patch(
              card.id,
              ifThere((item) => withSubtasks(item, change)),
            ),
          ]
        : [],
      send,
      onDone: ({ data }) => take(card, answered(data)),
    }),
  )

/** Shows a new subtask at the end, until the stream or the response has it. */
function showNew(card: OpenCard, title: string): Change {
  const known = new Set(card.store.items.peek(card.id)?.subtasks.map(({ id }) => id))
  const now = new Date().toISOString()
  const shown = { id: newId(), itemId: card.id, title, completed: false, createdAt: now, updatedAt: now }
  return (subtasks) => {
    if (subtasks.some((one) => one.title === title && !known.has(one.id))) return subtasks
    const last = Math.max(0, ...subtasks.map(({ sortOrder }) => sortOrder))
    return [...subtasks, { ...shown, sortOrder: last + 1 }]
  }
}

/** Adds a subtask at the end. @returns whether the service accepted it */
export const addSubtask = (card: OpenCard, title: string): Promise<boolean> =>
  perform(card, {
    change: showNew(card, title),
    ...sending('post', '/api/kanban-items/{id}/subtasks', { path: { id: card.id }, body: { title } }),
    answered: (subtask) => replaced([subtask]),
    message: added(title),
  })

/** Marks a subtask as done or not done. @returns whether the service accepted it */
export const tickSubtask = (
  card: OpenCard,
  { id, title }: KanbanSubtask,
  completed: boolean,
): Promise<boolean> =>
  perform(card, {
    change: (subtasks) => subtasks.map((one) => (one.id === id ? { ...one, completed } : one)),
    ...sending('patch', '/api/kanban-subtasks/{id}', { path: { id }, body: { completed } }),
    answered: (subtask) => replaced([subtask]),
    message: { text: title, shown: 'nowhere' },
  })

/** Renames a subtask, unless somebody else has since `from`. @throws PhaseboardError if the service refuses the write */
export const renameSubtask = (
  card: OpenCard,
  id: string,
  text: string,
  from: string,
): Promise<SavingOutcome> =>
  writeText({
    text,
    from,
    read: async () => {
      const { data, etag } = await read(() =>
        api.request('get', '/api/kanban-subtasks/{id}', { path: { id } }),
      )
      return { value: data.title, etag }
    },
    send: (ifMatch, idempotencyKey) =>
      api.request('patch', '/api/kanban-subtasks/{id}', {
        path: { id },
        body: { title: text },
        ifMatch,
        idempotencyKey,
      }),
    onDone: ({ data }) => take(card, replaced([data])),
    message: texts.card.subtaskRenamed,
  })

/** Reorders the subtasks. @param all their ids @returns whether the service accepted it */
export const orderSubtasks = (card: OpenCard, all: readonly string[]): Promise<boolean> => {
  const ids = all.filter((id) => !isUnsaved(id))
  const places = ids.map((id, index) => ({ id, sortOrder: index + 1 }))
  return perform(card, {
    change: (subtasks) =>
      subtasks.map((one) => ({ ...one, sortOrder: ids.indexOf(one.id) + 1 || one.sortOrder })),
    ...sending('post', '/api/kanban-items/{id}/subtasks/reorder', {
      path: { id: card.id },
      body: { items: places },
    }),
    answered: replaced,
    message: texts.card.subtaskMoved,
  })
}

/** Deletes a subtask. @returns whether the service accepted it */
export const deleteSubtask = (card: OpenCard, { id, title }: KanbanSubtask): Promise<boolean> => {
  const without: Change = (subtasks) => subtasks.filter((one) => one.id !== id)
  return perform(card, {
    change: without,
    ...sending('delete', '/api/kanban-subtasks/{id}', { path: { id } }),
    answered: () => without,
    message: texts.deleted(title),
  })
}
