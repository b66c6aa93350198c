/** What the user does with cards: shown at once, sent, and taken back with a message where the service refuses. */
import type { KanbanItem, MoveKanbanItem, UpdateKanbanItem } from '../../src/client/api.d.ts'
import { type Answer, api, PhaseboardError } from '../common/api.ts'
import { onChange } from '../common/live.ts'
import { between } from '../common/order.ts'
import { me } from '../common/session.ts'
import { done, failed, toast } from '../common/toasts.ts'
import { aboveText, fullText, isFull } from '../common/wip.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { type Board, type End, isUnsaved, newId } from './board.ts'
import { isThere, type Place, requestsFor, sortOrderAt } from './place.ts'

const words = texts.board

/** Moves a card. @returns whether it goes anywhere; the service may still refuse */
export function moveCard(board: Board, id: string, place: Place): boolean {
  const { store } = board
  const item = store.items.peek(id)
  const ids = store.idsOf(place.column)
  if (item === undefined || isUnsaved(id) || isThere(ids, id, place)) return false
  const sortOrder = sortOrderAt(ids, id, place, (one) => store.items.peek(one)?.sortOrder)
  const saved = ids.filter((one) => !isUnsaved(one))
  const requests = requestsFor(saved, id, place)
  const { column } = place
  const pending = store.items.patch(id, (record) => record && { ...record, column, sortOrder })
  const sending = write({
    pending: [pending],
    send: (key) => sendMove(id, requests, key),
    onDone: (answer) => take(board, answer),
  })
  void sending.then(
    ({ seq, data }) => {
      const moved = item.column === column ? words.movedWithin(column) : words.moved(column)
      const isAbove = (data.warnings ?? []).length > 0
      done(seq, isAbove ? `${moved} ${aboveText(store, column)}` : moved)
    },
    (error) => refused(board, error, item, column),
  )
  return true
}

/** Whether what a request's body named is not there any more, but what it was about is. */
const namesMissing = ({ status, details }: PhaseboardError) => status === 404 && 'missing' in Object(details)

/** Asks for the first place that is still there. */
async function sendMove(
  id: string,
  requests: readonly MoveKanbanItem[],
  key: string,
): Promise<Answer<KanbanItem>> {
  for (const [index, body] of requests.entries()) {
    try {
      // A key of its own each: sent again after a lost answer, each is the same request as before.
      const idempotencyKey = `${key}-${index}`
      return await api.request('post', '/api/kanban-items/{id}/move', { path: { id }, body, idempotencyKey })
    } catch (error) {
      const isNeighbourGone =
        error instanceof PhaseboardError && (error.status === 400 || namesMissing(error))
      if (!isNeighbourGone || index === requests.length - 1) throw error
    }
  }
  throw new Error('no place was asked for')
}

/** Takes over what the service answered. */
function take({ store }: Board, { data, seq }: Answer<KanbanItem>): void {
  const { warnings: _, ...item } = data
  store.items.put(item, seq ?? store.items.seqOf(item.id))
}

function refused({ store }: Board, error: unknown, item: KanbanItem, column: string): void {
  const isMissing = error instanceof PhaseboardError && error.status === 404
  if (isFull(error)) toast(fullText(store, column, item), [], 'alert')
  else if (isMissing) toast(words.wasDeleted(item.title), [], 'alert')
  else failed(error)
}

/** Changes fields of a card. @param text what it did, for the message with Undo */
export function changeCard(board: Board, id: string, fields: UpdateKanbanItem, text: string): void {
  const { items } = board.store
  const item = items.peek(id)
  if (item === undefined || isUnsaved(id)) return
  const shown = fields as Partial<KanbanItem>
  write({
    pending: [items.patch(id, (record) => record && { ...record, ...shown })],
    send: (idempotencyKey) =>
      api.request('patch', '/api/kanban-items/{id}', { path: { id }, body: fields, idempotencyKey }),
    onDone: (answer) => take(board, answer),
  }).then(
    ({ seq }) => done(seq, text),
    (error) => refused(board, error, item, item.column),
  )
}

/** Dismisses a card, or brings it back. */
export function toggleDismissed(board: Board, id: string): void {
  const item = board.store.items.peek(id)
  if (item === undefined) return
  if (item.dismissed) changeCard(board, id, { dismissed: false }, words.restored(item.title))
  else changeCard(board, id, { dismissed: true, isNew: false }, words.dismissed(item.title))
}

/** Accepts a card that a transcript or an import has brought. */
export function approve(board: Board, id: string): void {
  const item = board.store.items.peek(id)
  if (item) changeCard(board, id, { approved: true, isNew: false }, words.approved(item.title))
}

/** Whether a card waits to be approved or dismissed. */
export const isWaiting = ({ isNew, approved, dismissed }: KanbanItem): boolean =>
  !dismissed && (isNew || !approved)

/** Adds a card at an end of a column. @param column its name @returns whether the service took it */
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
  // The stream may bring it before the answer comes: whichever is first takes its place.
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
        take(board, answer)
      },
    })
    done(seq, words.added(title))
    return true
  } catch (error) {
    refused(board, error, card, column)
    return false
  } finally {
    stop?.()
  }
}

/** A card as it is shown until the service has made it. */
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
    createdAt: now,
    updatedAt: now,
    labels: [],
    subtasks: [],
    ...fields,
  }
}
