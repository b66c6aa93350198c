/** What the user does to a card itself. Each shows at once, and is taken back with a message when it is refused. */
import { type Answer, api, type KanbanItem } from '../common/api.ts'
import { between } from '../common/order.ts'
import type { Patch } from '../common/records.ts'
import type { SavingOutcome } from '../common/text-edit/conflict.ts'
import { writeText } from '../common/text-edit/write-text.ts'
import { done, failed, toast } from '../common/toasts.ts'
import { aboveText, fullText, isFull } from '../common/wip.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

/** The fields that are changed by a choice, which means what it says whatever else has changed. */
export type Choice = Partial<
  Pick<KanbanItem, 'priority' | 'assigneeId' | 'dueDate' | 'approved' | 'dismissed' | 'isNew'>
>

/** Where to put a card. */
export interface Destination {
  projectId?: string
  column: string
  /** Another card of that column; `top` and `bottom` are its ends. */
  place: 'top' | 'bottom' | { afterId: string }
}

interface CardWrite {
  /** What is shown until it is answered. */
  patch: Patch<KanbanItem>
  send: (idempotencyKey: string) => Promise<Answer<KanbanItem>>
  /** What it did. */
  text: string
  /** The column that it puts the card into, which may be full. */
  column: string | undefined
}

/** Sends a write of the card and takes its answer over. @returns whether it was accepted */
async function perform(card: OpenCard, { patch, send, text, column }: CardWrite): Promise<boolean> {
  const { items } = card.store
  const before = items.peek(card.id)
  try {
    const { data, seq } = await write({
      pending: [items.patch(card.id, patch)],
      send,
      onDone: (answer) => card.take(answer),
    })
    done(seq, data.warnings?.length ? `${text} ${aboveIn(card, data)}` : text)
    return true
  } catch (error) {
    if (isFull(error) && before) toast(fullText(card.store, column ?? before.column, before), [], 'alert')
    else failed(error)
    return false
  }
}

/** What is said of the limit of the card's new column; of another project's, what the service says. */
const aboveIn = ({ store }: OpenCard, { projectId, column, warnings = [] }: KanbanItem): string =>
  projectId === store.id ? aboveText(store, column) : warnings.join(' ')

/** Changes fields by a choice. @param text what it did */
export const choose = (card: OpenCard, choice: Choice, text: string): Promise<boolean> =>
  perform(card, {
    patch: (item) => item && { ...item, ...choice },
    send: (idempotencyKey) =>
      api.request('patch', '/api/kanban-items/{id}', {
        path: { id: card.id },
        body: choice,
        idempotencyKey,
      }),
    text,
    column: undefined,
  })

/** Moves the card. @param text what it did @returns whether it was accepted */
export function moveCard(card: OpenCard, destination: Destination, text: string): Promise<boolean> {
  const { projectId, column, place } = destination
  const isHere = projectId === undefined || projectId === card.store.id
  const where = typeof place === 'string' ? { position: place } : place
  const sortOrder = sortOrderAt(card, destination)
  return perform(card, {
    patch: (item) => (isHere ? item && { ...item, column, sortOrder } : undefined),
    send: (idempotencyKey) =>
      api.request('post', '/api/kanban-items/{id}/move', {
        path: { id: card.id },
        body: { ...(isHere ? {} : { projectId }), column, ...where },
        idempotencyKey,
      }),
    text,
    column,
  })
}

/** A place in the order to show until the service has chosen one. */
function sortOrderAt({ id, store }: OpenCard, { column, place }: Destination): number {
  const others = store.idsOf(column).filter((one) => one !== id)
  const orderOf = (index: number) => store.items.peek(others[index] ?? '')?.sortOrder
  if (place === 'top') return between(undefined, orderOf(0))
  if (place === 'bottom') return between(orderOf(others.length - 1), undefined)
  const at = others.indexOf(place.afterId)
  return between(orderOf(at), orderOf(at + 1))
}

/** Deletes the card. */
export async function deleteCard(card: OpenCard): Promise<void> {
  const { items } = card.store
  try {
    const { seq } = await write({
      pending: [items.patch(card.id, () => undefined)],
      send: (idempotencyKey) =>
        api.request('delete', '/api/kanban-items/{id}', { path: { id: card.id }, idempotencyKey }),
      onDone: (answer) => items.remove(card.id, answer.seq ?? items.seqOf(card.id)),
    })
    done(seq, texts.card.deleted)
  } catch (error) {
    failed(error)
  }
}

/**
 * Saves the title or the description, unless somebody else has changed it since `from`.
 * @throws PhaseboardError when the service refuses
 */
export const saveCardText = (
  card: OpenCard,
  field: 'title' | 'description',
  text: string,
  from: string,
): Promise<SavingOutcome> =>
  writeText({
    text,
    from,
    known: () => card.tagged && { value: card.tagged.item[field], etag: card.tagged.etag },
    read: async () => {
      const item = await card.readAgain()
      return { value: item[field], etag: card.tagged?.etag }
    },
    send: (ifMatch, idempotencyKey) =>
      api.request('patch', '/api/kanban-items/{id}', {
        path: { id: card.id },
        body: { [field]: text },
        ifMatch,
        idempotencyKey,
      }),
    pending: [card.store.items.patch(card.id, (item) => item && { ...item, [field]: text })],
    onDone: (answer) => card.take(answer),
    said: texts.card.saved(texts.card[field]),
  })
