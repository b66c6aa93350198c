/** What the user does to the labels of a card and of its project. */
import { api, type KanbanLabel } from '../common/api.ts'
import { byId } from '../common/order.ts'
import { done, failed } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

const said = texts.card

/** What a label is called, and its colour: any string that the service takes. */
export type LabelFields = Pick<KanbanLabel, 'name' | 'color'>

/** Gives the card a label, or takes it off. @returns whether it was accepted */
export async function setLabel(card: OpenCard, label: KanbanLabel, isOn: boolean): Promise<boolean> {
  const { items } = card.store
  const path = { id: card.id, labelId: label.id }
  const pending = items.patch(card.id, (item) => {
    if (!item) return undefined
    const others = item.labels.filter(({ id }) => id !== label.id)
    return { ...item, labels: isOn ? [...others, label].sort(byId) : others }
  })
  try {
    const { seq } = await write({
      pending: [pending],
      send: (idempotencyKey) =>
        api.request(isOn ? 'put' : 'delete', '/api/kanban-items/{id}/labels/{labelId}', {
          path,
          idempotencyKey,
        }),
      onDone: (answer) => card.take(answer),
    })
    done(seq, isOn ? said.labelAdded(label.name) : said.labelRemoved(label.name))
    return true
  } catch (error) {
    failed(error)
    return false
  }
}

/** Makes a label and gives it to the card. @returns whether both were accepted */
export async function addLabel(card: OpenCard, fields: LabelFields): Promise<boolean> {
  const { store } = card
  try {
    const { data } = await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/projects/{id}/kanban-labels', {
          path: { id: store.id },
          body: fields,
          idempotencyKey,
        }),
      onDone: (answer) => store.labels.put(answer.data, answer.seq ?? 0),
    })
    return await setLabel(card, data, true)
  } catch (error) {
    failed(error)
    return false
  }
}

/** Renames a label of the project, or gives it another colour. @returns whether it was accepted */
export async function changeLabel({ store }: OpenCard, id: string, fields: LabelFields): Promise<boolean> {
  try {
    const { seq } = await write({
      pending: [store.labels.patch(id, (label) => label && { ...label, ...fields })],
      send: (idempotencyKey) =>
        api.request('patch', '/api/kanban-labels/{id}', { path: { id }, body: fields, idempotencyKey }),
      onDone: (answer) => store.labels.put(answer.data, answer.seq ?? store.labels.seqOf(id)),
    })
    done(seq, said.labelChanged(fields.name))
    return true
  } catch (error) {
    failed(error)
    return false
  }
}

/** Deletes a label of the project, on all its cards. */
export async function deleteLabel({ store }: OpenCard, { id, name }: KanbanLabel): Promise<void> {
  try {
    const { seq } = await write({
      pending: [store.labels.patch(id, () => undefined)],
      send: (idempotencyKey) =>
        api.request('delete', '/api/kanban-labels/{id}', { path: { id }, idempotencyKey }),
      onDone: (answer) => store.labels.remove(id, answer.seq ?? store.labels.seqOf(id)),
    })
    done(seq, said.labelDeleted(name))
  } catch (error) {
    failed(error)
  }
}
