/** Writes of a card's texts. */
import { api } from '../common/api.ts'
import { ifThere } from '../common/record-writes.ts'
import type { SavingOutcome } from '../common/text-edit/conflict.ts'
import { writeText } from '../common/text-edit/write-text.ts'
import type { Message } from '../common/toasts.ts'
import { texts } from '../texts.ts'
import type { OpenCard } from './open-card.ts'

/**
 * Saves the title or the description, unless it has changed since `from`.
 * @param shown where the message shows
 * @throws PhaseboardError if the service refuses the write
 */
export const saveCardText = (
  card: OpenCard,
  field: 'title' | 'description',
  text: string,
  from: string,
  shown: Message['shown'] = 'toast',
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
    pending: [
      card.store.items.patch(
        card.id,
        ifThere((item) => ({ ...item, [field]: text })),
      ),
    ],
    onDone: (answer) => card.take(answer),
    message: {
      text: texts.card.saved(
        texts.card[field],
        field === 'title' ? text : (card.store.items.peek(card.id)?.title ?? ''),
      ),
      shown,
    },
  })
