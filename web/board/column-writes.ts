/** Writes of columns with optimistic updates, which are reverted with a message if the service refuses them. */
import { batch } from '@preact/signals'
import type { KanbanColumn, UpdateKanbanColumn } from '../../src/client/api.d.ts'
import { type Answer, sending } from '../common/api.ts'
import { onApplied } from '../common/live.ts'
import {
  accepted,
  added,
  addRecord,
  changeRecord,
  ifThere,
  isUnsaved,
  newId,
  placeRecords,
  removeRecord,
} from '../common/record-writes.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'

const PATH = '/api/kanban-columns/{id}'

/**
 * During the write, shows the cards of a column in another column until the service's changes of them arrive.
 * @param to undefined if they stay
 */
async function withCardsIn(
  { store }: Board,
  from: string,
  to: string | undefined,
  writing: Promise<Answer<unknown>>,
): Promise<void> {
  const ids = to === undefined || to === from ? [] : store.idsOf(from)
  // All at once: what reads a column's cards would otherwise run again for each of them.
  const cards = batch(() =>
    ids.map((id) =>
      store.items.patch(
        id,
        ifThere((card) => (card.column === from && to !== undefined ? { ...card, column: to } : card)),
      ),
    ),
  )
  const end = () =>
    batch(() => {
      for (const card of cards) card.end()
    })
  try {
    const { seq } = await writing
    onApplied(seq, end)
  } catch (error) {
    end()
    throw error
  }
}

/** Changes a column, and the column's name on its cards. @param text for the message with Undo */
export function changeColumn(board: Board, id: string, fields: UpdateKanbanColumn, text: string): void {
  const { columns } = board.store
  const column = columns.peek(id)
  if (column === undefined) return
  const { stage, ...others } = fields
  const shown: Partial<KanbanColumn> = stage ? { ...others, stage } : others
  const writing = changeRecord({
    records: columns,
    message: text,
    id,
    patch: (record) => ({ ...record, ...shown }),
    ...sending('patch', PATH, { path: { id }, body: fields }),
  })
  void accepted(withCardsIn(board, column.name, fields.name, writing))
}

/** Adds a column at the end of the board. @returns whether the service accepted it */
export function addColumn({ store }: Board, name: string): Promise<boolean> {
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
  const path = { id: store.id }
  return accepted(
    addRecord(
      {
        records: store.columns,
        message: added(name),
        ...sending('post', '/api/projects/{id}/kanban-columns', { path, body: { name } }),
      },
      column,
    ),
  )
}

/** Moves a column beside another one. */
export function moveColumn({ store }: Board, id: string, beside: string, side: 'before' | 'after'): void {
  // The service does not know a column that it has not created yet, which stays at the end.
  const before = store.columnList.flatMap((one) => (isUnsaved(one.id) ? [] : one.id))
  const others = before.filter((one) => one !== id)
  const index = others.indexOf(beside)
  const column = store.columns.peek(id)
  if (column === undefined || index === -1) return
  const order = others.toSpliced(side === 'before' ? index : index + 1, 0, id)
  if (order.every((one, at) => one === before[at])) return
  const places = order.map((one, sortOrder) => ({ id: one, sortOrder }))
  const path = { id: store.id }
  const body = { items: places }
  void accepted(
    placeRecords({
      records: store.columns,
      message: texts.moved(column.name),
      places,
      ...sending('post', '/api/projects/{id}/kanban-columns/reorder', { path, body }),
    }),
  )
}

/** Deletes a column. @param moveTo the name of the column that gets its cards; undefined if it has none */
export function deleteColumn(board: Board, id: string, moveTo: string | undefined): void {
  const { columns } = board.store
  const column = columns.peek(id)
  if (column === undefined) return
  const writing = removeRecord({
    records: columns,
    message: texts.deleted(column.name),
    id,
    ...sending('delete', PATH, { path: { id }, query: { moveTo } }),
  })
  void accepted(withCardsIn(board, column.name, moveTo, writing))
}
