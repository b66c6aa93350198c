/** Writes of several cards at once: one request, all or nothing, and one undo. */
import { batch } from '@preact/signals'
import { type Answer, type KanbanItem, type KanbanLabel, sending } from '../common/api.ts'
import { assigned, withAssignee } from '../common/assignees.ts'
import { changeItem, takeItem, toggleDismissed } from '../common/item-writes.ts'
import { nextColor, withLabel } from '../common/labels.ts'
import { accepted, ifThere, isUnsaved, take, writeWithMessage } from '../common/record-writes.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { focusCard } from './focus.ts'

const words = texts.board.many

/** The fields that several cards can be given at once. */
type Fields = Partial<
  Pick<KanbanItem, 'column' | 'assigneeId' | 'assigneeIds' | 'priority' | 'dueDate' | 'dismissed' | 'isNew'>
>

/** A request of a batch. */
interface Request {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  body?: Record<string, unknown>
  as?: string
}

interface ManyWrite {
  ids: readonly string[]
  /** The optimistic update of a card. @param index its place among the cards */
  patch: (item: KanbanItem, index: number) => KanbanItem
  requests: Request[]
  /** The text of the message. */
  message: string
}

/** Sends one batch. @returns whether the service accepted it */
function writeMany({ store }: Board, { ids, patch, requests, message }: ManyWrite): Promise<boolean> {
  return accepted(
    writeWithMessage(message, {
      pending: batch(() =>
        ids.map((id, index) =>
          store.items.patch(
            id,
            ifThere((item) => patch(item, index)),
          ),
        ),
      ),
      ...sending('post', '/api/batch', { body: { requests } }),
      onDone: ({ data, seq }) => {
        for (const item of data.results.flatMap(({ body }) => body as KanbanItem | KanbanItem[])) {
          takeItem(store, { data: item } as Answer<KanbanItem>, seq)
        }
      },
    }),
  )
}

/** The cards among these that the service has created. */
const saved = (board: Board, ids: readonly string[]) =>
  ids.filter((id) => !isUnsaved(id) && board.store.items.peek(id) !== undefined)

/** Changes fields of cards. @param messageFor the message for a single card */
export function changeCards(
  board: Board,
  all: readonly string[],
  update: Fields,
  messageFor: (title: string) => string,
): void {
  const ids = saved(board, all)
  const [only] = ids
  if (only === undefined) return
  if (ids.length === 1) {
    void changeItem(board.card(only), update, messageFor(board.store.items.peek(only)?.title ?? ''))
    return
  }
  void writeMany(board, {
    ids,
    patch: (item) => ({ ...item, ...assigned(item, update) }),
    requests: [{ method: 'PATCH', path: '/api/kanban-items', body: { ids, update } }],
    message: words.changed(ids.length),
  })
}

/** Adds an assignee to cards, after those they have, or removes one. @param message its text for a single card */
export function setAssigneeOf(
  board: Board,
  all: readonly string[],
  person: string,
  isOn: boolean,
  message: (title: string) => string,
): void {
  const { items } = board.store
  const ids = saved(board, all).filter((id) => isOn !== items.peek(id)?.assigneeIds.includes(person))
  const lists = ids.map((id) => withAssignee(items.peek(id) as KanbanItem, person, isOn))
  const [only] = ids
  if (only === undefined) return
  void writeMany(board, {
    ids,
    patch: (item) => ({ ...item, ...assigned(item, { assigneeIds: withAssignee(item, person, isOn) }) }),
    requests: ids.map((id, index) => ({
      method: 'PATCH',
      path: `/api/kanban-items/${id}`,
      body: { assigneeIds: lists[index] },
    })),
    message: ids.length === 1 ? message(items.peek(only)?.title ?? '') : words.changed(ids.length),
  })
}

/** Moves cards to the end of a column, in the order of the board. */
export function moveCards(board: Board, all: readonly string[], column: string): void {
  const { items } = board.store
  const place = new Map(
    board.store.columnList.flatMap(({ name }) => board.store.idsOf(name)).map((id, index) => [id, index]),
  )
  const ids = saved(board, all)
    .filter((id) => items.peek(id)?.column !== column)
    .sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))
  if (ids.length === 0) return
  const last = items.peek(board.store.idsOf(column).at(-1) ?? '')?.sortOrder ?? 0
  void writeMany(board, {
    ids,
    patch: (item, index) => ({ ...item, column, sortOrder: last + 1 + index }),
    requests: ids.map((id) => ({
      method: 'POST',
      path: `/api/kanban-items/${id}/move`,
      body: { column, position: 'bottom' },
    })),
    message: words.moved(ids.length, column),
  })
}

/** The card that is next to cards which are about to disappear: below the current one of them in its column, else above it. */
function nextTo(board: Board, ids: readonly string[]): string | undefined {
  const current = board.current.peek()
  const from = current !== undefined && ids.includes(current) ? current : (ids.at(-1) ?? '')
  const shown = board.shownIn(board.store.items.peek(from)?.column ?? '')
  const at = shown.indexOf(from)
  const stays = (id: string) => !ids.includes(id)
  return shown.slice(at).find(stays) ?? shown.slice(0, Math.max(at, 0)).findLast(stays)
}

/** Focuses the card next to cards that are being archived. */
function leave(board: Board, ids: readonly string[]): void {
  if (board.filter.peek().dismissed || ids.some((id) => board.store.items.peek(id)?.dismissed)) return
  const next = nextTo(board, ids)
  if (next !== undefined) focusCard(board, next)
  else document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
}

/** Archives cards, or restores them if all are archived. */
export function archiveCards(board: Board, all: readonly string[]): void {
  const ids = saved(board, all)
  leave(board, ids)
  const [only] = ids
  if (only !== undefined && ids.length === 1) {
    toggleDismissed(board.card(only))
    return
  }
  if (ids.length === 0) return
  const isRestored = ids.every((id) => board.store.items.peek(id)?.dismissed)
  const update = isRestored ? { dismissed: false } : { dismissed: true, isNew: false }
  void writeMany(board, {
    ids,
    patch: (item) => ({ ...item, ...update }),
    requests: [{ method: 'PATCH', path: '/api/kanban-items', body: { ids, update } }],
    message: isRestored ? texts.item.many.restored(ids.length) : texts.item.many.dismissed(ids.length),
  })
}

const pathOf = (id: string, labelId: string) => `/api/kanban-items/${id}/labels/${labelId}`

/** Adds a label to cards, or removes it from them. */
export function setLabelOf(board: Board, all: readonly string[], label: KanbanLabel, isOn: boolean): void {
  const { items } = board.store
  const ids = saved(board, all).filter(
    (id) => isOn !== items.peek(id)?.labels.some((one) => one.id === label.id),
  )
  if (ids.length === 0) return
  const message = isOn ? words.labelAdded(label.name) : words.labelRemoved(label.name)
  void writeMany(board, {
    ids,
    patch: (item) => withLabel(item, label, isOn),
    requests: ids.map((id) => ({ method: isOn ? 'PUT' : 'DELETE', path: pathOf(id, label.id) }) as const),
    message: ids.length === 1 ? message : `${message} ${words.changed(ids.length)}`,
  })
}

/** Creates a label and adds it to cards. */
export async function addLabelTo(board: Board, all: readonly string[], name: string): Promise<void> {
  const { store } = board
  const ids = saved(board, all)
  if (ids.length === 0) return
  const requests: Request[] = [
    {
      method: 'POST',
      path: `/api/projects/${store.id}/kanban-labels`,
      body: { name, color: nextColor(store.labelList) },
      as: 'label',
    },
    ...ids.map((id) => ({ method: 'PUT', path: pathOf(id, '{{label.id}}') }) as const),
  ]
  await accepted(
    writeWithMessage(words.labelAdded(name), {
      ...sending('post', '/api/batch', { body: { requests } }),
      onDone: ({ data: { results }, seq }) => {
        const [label, ...items] = results.map(({ body }) => body)
        take(store.labels, { data: label as KanbanLabel, seq })
        for (const item of items) takeItem(store, { data: item } as Answer<KanbanItem>, seq)
      },
    }),
  )
}
