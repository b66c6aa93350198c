/** Adds several cards, or a card with labels, in one batch: all or none, and one undo. */
import { type Answer, api, type KanbanItem, type KanbanLabel } from '../common/api.ts'
import { showRefusal, takeItem } from '../common/item-writes.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { added, isUnsaved, take } from '../common/record-writes.ts'
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
  /** The index of its card; undefined for a label. */
  card?: number
}

/** The ids of created labels by those of their placeholders, which cards that were typed before the response have. */
const created = new Map<string, string>()

/** The labels to create, each once: also those that were created and are gone again, e.g. undone. */
export const newLabelsOf = ({ labels }: ProjectStore, cards: readonly NewCard[]): KanbanLabel[] => [
  ...new Map(
    cards
      .flatMap((card) => card.labels)
      .filter(({ id }) => isUnsaved(id) && labels.base(created.get(id) ?? id) === undefined)
      .map((label) => [label.id, label]),
  ).values(),
]

/** The requests that create new labels, and the cards with their labels. The last of each card's answers with the whole card. @param made the new labels */
function requestsFor(
  projectId: string,
  made: readonly KanbanLabel[],
  cards: readonly (NewCard & { body: Record<string, unknown> })[],
): BatchRequest[] {
  const idOf = ({ id }: KanbanLabel) => {
    const index = made.findIndex((label) => label.id === id)
    return index === -1 ? (created.get(id) ?? id) : `{{label${index}.id}}`
  }
  return [
    ...made.map(
      ({ name, color }, index): BatchRequest => ({
        method: 'POST',
        path: `/api/projects/${projectId}/kanban-labels`,
        body: { name, color },
        as: `label${index}`,
      }),
    ),
    ...cards.flatMap(({ body, labels }, card): BatchRequest[] => [
      { method: 'POST', path: `/api/projects/${projectId}/kanban-items`, body, as: `card${card}`, card },
      ...labels.map((label) => ({
        method: 'PUT' as const,
        path: `/api/kanban-items/{{card${card}.id}}/labels/${idOf(label)}`,
        card,
      })),
    ]),
  ]
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
  const bodies = cards.map((card, index) => ({ ...card, body: shown[index]?.body ?? {} }))
  let requests: BatchRequest[] = []
  let labels: KanbanLabel[] = []
  const [first] = cards
  const message = cards.length === 1 && first ? added(first.title) : texts.board.quick.added(cards.length)
  let stop: (() => void) | undefined
  try {
    const answer: Answer<{ results: readonly { body: unknown }[] }> = await write({
      pending: shown.map(({ pending }) => pending),
      message: typeof message === 'string' ? message : message.text,
      send: (idempotencyKey) => {
        stop ??= followCreated(board, shown)
        // When it is sent, earlier writes have created their labels.
        labels = newLabelsOf(store, cards)
        requests = requestsFor(store.id, labels, bodies)
        return api.request('post', '/api/batch', {
          body: { requests: requests.map(({ card: _, ...request }) => request) },
          idempotencyKey,
        })
      },
      onDone: ({ data, seq }) => {
        const answers = data.results.map(({ body }) => body)
        for (const { id } of labels) {
          const label = answers.shift() as KanbanLabel
          created.set(id, label.id)
          take(store.labels, { data: label, seq })
        }
        const saved = new Map(
          requests.slice(labels.length).map(({ card }, index) => [card, answers[index] as KanbanItem]),
        )
        for (const item of saved.values()) {
          board.keep(item.id)
          takeItem(store, { data: item, seq })
        }
      },
    })
    done(answer.seq, message)
    return true
  } catch (error) {
    const [first] = shown
    return first !== undefined && showRefusal(store, error, first.card)
  } finally {
    stop?.()
  }
}
