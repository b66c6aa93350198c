/** Adds several cards, or a card with labels, in one batch: all or none, and one undo. */
import { type Answer, api, type KanbanItem } from '../common/api.ts'
import { sayRefused, takeItem } from '../common/item-writes.ts'
import { added } from '../common/record-writes.ts'
import { done } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import type { Board, End } from './board.ts'
import { followCreated, type NewCard, showNew } from './card-writes.ts'

interface BatchRequest {
  method: 'POST' | 'PUT'
  path: string
  body?: Record<string, unknown>
  as?: string
}

/** The requests that create the cards with their labels. The last of each card's answers with the whole card. */
function requestsFor(projectId: string, cards: readonly (NewCard & { body: Record<string, unknown> })[]) {
  return cards.flatMap(({ body, labels }, index): (BatchRequest & { card: number })[] => [
    {
      method: 'POST',
      path: `/api/projects/${projectId}/kanban-items`,
      body,
      as: `card${index}`,
      card: index,
    },
    ...labels.map(({ id }) => ({
      method: 'PUT' as const,
      path: `/api/kanban-items/{{card${index}.id}}/labels/${id}`,
      card: index,
    })),
  ])
}

/** Adds cards at an end of a column, in their order. @returns whether the service accepted them */
export async function addCards(
  board: Board,
  column: string,
  end: End,
  cards: readonly NewCard[],
): Promise<boolean> {
  const { store } = board
  const shown = showNew(board, column, end, cards)
  const requests = requestsFor(
    store.id,
    cards.map((card, index) => ({ ...card, body: shown[index]?.body ?? {} })),
  )
  const [first] = cards
  const said = cards.length === 1 && first ? added(first.title) : texts.board.quick.added(cards.length)
  let stop: (() => void) | undefined
  try {
    const answer: Answer<{ results: readonly { body: unknown }[] }> = await write({
      pending: shown.map(({ pending }) => pending),
      said: typeof said === 'string' ? said : said.text,
      send: (idempotencyKey) => {
        stop ??= followCreated(board, shown)
        return api.request('post', '/api/batch', {
          body: { requests: requests.map(({ card: _, ...request }) => request) },
          idempotencyKey,
        })
      },
      onDone: ({ data, seq }) => {
        const saved = new Map(
          requests.map(({ card }, index) => [card, data.results[index]?.body as KanbanItem]),
        )
        for (const item of saved.values()) {
          board.keep(item.id)
          takeItem(store, { data: item, seq })
        }
      },
    })
    done(answer.seq, said)
    return true
  } catch (error) {
    const [first] = shown
    if (first) sayRefused(store, error, first.card)
    return false
  } finally {
    stop?.()
  }
}
