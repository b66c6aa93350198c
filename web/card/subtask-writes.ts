/** What the user does to the subtasks of a card. */
import { type Answer, api, type KanbanItem, type KanbanSubtask } from '../common/api.ts'
import { bySortOrder } from '../common/order.ts'
import { accepted, ifThere, writeAndSay } from '../common/record-writes.ts'
import { read } from '../common/session.ts'
import type { SavingOutcome } from '../common/text-edit/conflict.ts'
import { writeText } from '../common/text-edit/write-text.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

type Subtasks = readonly KanbanSubtask[]
type Change = (subtasks: Subtasks) => Subtasks

const withSubtasks = (item: KanbanItem, change: Change): KanbanItem => ({
  ...item,
  subtasks: [...change(item.subtasks)].sort(bySortOrder),
})

/** With subtasks as the service has answered them, in place of those of the same ids. */
const replaced =
  (answered: Subtasks): Change =>
  (subtasks) => [...subtasks.filter(({ id }) => !answered.some((one) => one.id === id)), ...answered]

interface SubtaskWrite<Data> {
  /** What is shown until it is answered. */
  change?: Change
  send: (idempotencyKey: string) => Promise<Answer<Data>>
  /** What the answer makes of the subtasks. */
  answered: (data: Data) => Change
  /** What it did. */
  text: string
}

/** Takes an answer over. It knows nothing of the rest of the card, whose changes may be on their way: the stream has still to tell this one, too. */
const take = ({ id, store: { items } }: OpenCard, change: Change): boolean =>
  items.merge(id, (item) => withSubtasks(item, change), items.seqOf(id))

/** Writes, and says why where it is refused. @returns whether it was accepted */
const perform = <Data>(
  card: OpenCard,
  { change, send, answered, text }: SubtaskWrite<Data>,
): Promise<boolean> =>
  accepted(
    writeAndSay(text, {
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

/** Adds a subtask at the end. @returns whether it was accepted */
export const addSubtask = (card: OpenCard, title: string): Promise<boolean> =>
  perform(card, {
    send: (idempotencyKey) =>
      api.request('post', '/api/kanban-items/{id}/subtasks', {
        path: { id: card.id },
        body: { title },
        idempotencyKey,
      }),
    answered: (subtask) => replaced([subtask]),
    text: texts.added(title),
  })

/** Ticks a subtask, or unticks it. @returns whether it was accepted */
export const tickSubtask = (
  card: OpenCard,
  { id, title }: KanbanSubtask,
  completed: boolean,
): Promise<boolean> =>
  perform(card, {
    change: (subtasks) => subtasks.map((one) => (one.id === id ? { ...one, completed } : one)),
    send: (idempotencyKey) =>
      api.request('patch', '/api/kanban-subtasks/{id}', {
        path: { id },
        body: { completed },
        idempotencyKey,
      }),
    answered: (subtask) => replaced([subtask]),
    text: completed ? texts.card.ticked(title) : texts.card.unticked(title),
  })

/** Renames a subtask, unless somebody else has since `from`. @throws PhaseboardError when the service refuses */
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
    said: texts.card.subtaskRenamed,
  })

/** Puts the subtasks into an order. @param ids all of them @returns whether it was accepted */
export const orderSubtasks = (card: OpenCard, ids: readonly string[]): Promise<boolean> => {
  const places = ids.map((id, index) => ({ id, sortOrder: index + 1 }))
  return perform(card, {
    change: (subtasks) =>
      subtasks.map((one) => ({ ...one, sortOrder: ids.indexOf(one.id) + 1 || one.sortOrder })),
    send: (idempotencyKey) =>
      api.request('post', '/api/kanban-items/{id}/subtasks/reorder', {
        path: { id: card.id },
        body: { items: places },
        idempotencyKey,
      }),
    answered: replaced,
    text: texts.card.subtaskMoved,
  })
}

/** Deletes a subtask. @returns whether it was accepted */
export const deleteSubtask = (card: OpenCard, { id, title }: KanbanSubtask): Promise<boolean> => {
  const without: Change = (subtasks) => subtasks.filter((one) => one.id !== id)
  return perform(card, {
    change: without,
    send: (idempotencyKey) =>
      api.request('delete', '/api/kanban-subtasks/{id}', { path: { id }, idempotencyKey }),
    answered: () => without,
    text: texts.deleted(title),
  })
}
