/** Writes of the labels of a card and of its project. */
import { type KanbanItem, type KanbanLabel, sending } from '../common/api.ts'
import { withLabel } from '../common/labels.ts'
import {
  accepted,
  changeRecord,
  ifThere,
  removeRecord,
  take,
  writeWithMessage,
} from '../common/record-writes.ts'
import { failed } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

const words = texts.card
const PATH = '/api/kanban-labels/{id}'

/** A label's name and colour. The service accepts any string for both. */
export type LabelFields = Pick<KanbanLabel, 'name' | 'color'>

/** Adds a label to the card, or removes it. @returns whether the service accepted it */
export function setLabel(card: OpenCard, label: KanbanLabel, isOn: boolean): Promise<boolean> {
  const path = { id: card.id, labelId: label.id }
  const patch = ifThere((item: KanbanItem) => withLabel(item, label, isOn))
  return accepted(
    writeWithMessage(
      { text: label.name, shown: 'nowhere' },
      {
        pending: [card.store.items.patch(card.id, patch)],
        ...sending(isOn ? 'put' : 'delete', '/api/kanban-items/{id}/labels/{labelId}', { path }),
        onDone: (answer) => card.take(answer),
      },
    ),
  )
}

/** Creates a label and adds it to the card. @returns whether the service accepted both */
export async function addLabel(card: OpenCard, body: LabelFields): Promise<boolean> {
  const { store } = card
  const path = { id: store.id }
  try {
    const { data } = await write({
      ...sending('post', '/api/projects/{id}/kanban-labels', { path, body }),
      onDone: (answer) => take(store.labels, answer),
    })
    return await setLabel(card, data, true)
  } catch (error) {
    failed(error)
    return false
  }
}

/** Changes the name or colour of a label of the project. @returns whether the service accepted it */
export const changeLabel = (
  { store: { labels } }: OpenCard,
  id: string,
  body: LabelFields,
): Promise<boolean> =>
  accepted(
    changeRecord({
      records: labels,
      message: words.labelChanged(body.name),
      id,
      patch: (label) => ({ ...label, ...body }),
      ...sending('patch', PATH, { path: { id }, body }),
    }),
  )

/** Deletes a label of the project, and removes it from all cards. */
export const deleteLabel = ({ store: { labels } }: OpenCard, { id, name }: KanbanLabel): Promise<boolean> =>
  accepted(
    removeRecord({
      records: labels,
      message: words.labelDeleted(name),
      id,
      ...sending('delete', PATH, { path: { id } }),
    }),
  )
