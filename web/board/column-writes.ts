/** What the user does with columns: shown at once, sent, and taken back with a message where the service refuses. */
import type { CreateKanbanColumn, KanbanColumn, UpdateKanbanColumn } from '../../src/client/api.d.ts'
import { type Answer, api } from '../common/api.ts'
import { onApplied } from '../common/live.ts'
import type { Pending } from '../common/records.ts'
import { done, failed } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { type Board, newId } from './board.ts'

const words = texts.board

const take = ({ store }: Board, { data, seq }: Answer<KanbanColumn>) =>
  store.columns.put(data, seq ?? store.columns.seqOf(data.id))

/** Shows the cards of a column in another one, until the service's own changes of them have come. */
function showCardsIn({ store }: Board, from: string, to: string): readonly Pending[] {
  return store
    .idsOf(from)
    .map((id) =>
      store.items.patch(id, (record) => (record?.column === from ? { ...record, column: to } : record)),
    )
}

const endAll = (pendings: readonly Pending[]) => {
  for (const pending of pendings) pending.end()
}

/** Changes a column; its cards go along with its name. @param text what it did, for the message with Undo */
export function changeColumn(board: Board, id: string, fields: UpdateKanbanColumn, text: string): void {
  const { columns } = board.store
  const column = columns.peek(id)
  if (column === undefined) return
  const { name = column.name } = fields
  const cards = name === column.name ? [] : showCardsIn(board, column.name, name)
  const { stage, ...others } = fields
  const shown: Partial<KanbanColumn> = stage ? { ...others, stage } : others
  write({
    pending: [columns.patch(id, (record) => record && { ...record, ...shown })],
    send: (idempotencyKey) =>
      api.request('patch', '/api/kanban-columns/{id}', { path: { id }, body: fields, idempotencyKey }),
    onDone: (answer) => take(board, answer),
  }).then(
    ({ seq }) => {
      onApplied(seq, () => endAll(cards))
      done(seq, text)
    },
    (error) => {
      endAll(cards)
      failed(error)
    },
  )
}

/** Adds a column at the end of the board. @returns whether the service took it */
export async function addColumn(board: Board, name: string): Promise<boolean> {
  const { store } = board
  const sortOrder = (store.columnList.at(-1)?.sortOrder ?? 0) + 1
  const now = new Date().toISOString()
  const column: KanbanColumn = {
    id: newId(),
    projectId: store.id,
    name,
    color: '',
    sortOrder,
    wipLimit: 0,
    wipPolicy: 'warn',
    stage: 'done',
    createdAt: now,
    updatedAt: now,
  }
  const body: CreateKanbanColumn = { name }
  try {
    const { seq } = await write({
      pending: [store.columns.patch(column.id, () => column)],
      send: (idempotencyKey) =>
        api.request('post', '/api/projects/{id}/kanban-columns', {
          path: { id: store.id },
          body,
          idempotencyKey,
        }),
      onDone: (answer) => take(board, answer),
    })
    done(seq, words.columnAdded(name))
    return true
  } catch (error) {
    failed(error)
    return false
  }
}

/** Puts a column beside another one. */
export function moveColumn(board: Board, id: string, beside: string, side: 'before' | 'after'): void {
  const { store } = board
  const before = store.columnList.map((column) => column.id)
  const others = before.filter((one) => one !== id)
  const index = others.indexOf(beside)
  const column = store.columns.peek(id)
  if (column === undefined || index === -1) return
  const order = others.toSpliced(side === 'before' ? index : index + 1, 0, id)
  if (order.every((one, at) => one === before[at])) return
  const items = order.map((one, sortOrder) => ({ id: one, sortOrder }))
  write({
    pending: items.map(({ id: one, sortOrder }) =>
      store.columns.patch(one, (record) => record && { ...record, sortOrder }),
    ),
    send: (idempotencyKey) =>
      api.request('post', '/api/projects/{id}/kanban-columns/reorder', {
        path: { id: store.id },
        body: { items },
        idempotencyKey,
      }),
    onDone: ({ data, seq }) => {
      for (const one of data) store.columns.put(one, seq ?? store.columns.seqOf(one.id))
    },
  }).then(({ seq }) => done(seq, words.columnMoved(column.name)), failed)
}

/** Deletes a column. @param moveTo the name of the column that its cards go to; undefined where it has none */
export function deleteColumn(board: Board, id: string, moveTo: string | undefined): void {
  const { columns } = board.store
  const column = columns.peek(id)
  if (column === undefined) return
  const cards = moveTo === undefined ? [] : showCardsIn(board, column.name, moveTo)
  write({
    pending: [columns.patch(id, () => undefined)],
    send: (idempotencyKey) =>
      api.request('delete', '/api/kanban-columns/{id}', { path: { id }, query: { moveTo }, idempotencyKey }),
    onDone: ({ seq }) => columns.remove(id, seq ?? columns.seqOf(id)),
  }).then(
    ({ seq }) => {
      onApplied(seq, () => endAll(cards))
      done(seq, words.columnDeleted(column.name))
    },
    (error) => {
      endAll(cards)
      failed(error)
    },
  )
}
