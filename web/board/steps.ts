/** Arrow keys on the board: they move the focus between cards, and move a card. */

import { moveItem } from '../common/item-writes.ts'
import { placeAt } from '../common/place.ts'
import type { Board } from './board.ts'

/** Moves a card one place up or down in its column, among the shown cards. */
export function moveBy(board: Board, id: string, step: 1 | -1): void {
  const column = board.store.items.peek(id)?.column
  if (column === undefined) return
  const ids = board.shownIn(column)
  const index = ids.indexOf(id) + step
  if (index < 0 || index >= ids.length) return
  const others = ids.filter((one) => one !== id)
  void moveItem(board.card(id), placeAt(column, others, index))
}

/** The first card that can be seen. */
export const firstCard = (board: Board): string | undefined =>
  board.openColumns.flatMap(({ name }) => board.shownIn(name).slice(0, 1))[0]

/** The next card in the direction of an arrow, or undefined. From a card in a collapsed column, it is the first one. */
export function neighbour(board: Board, id: string, key: Direction): string | undefined {
  const column = board.store.items.peek(id)?.column
  if (column === undefined) return undefined
  const columns = board.openColumns
  const from = columns.findIndex(({ name }) => name === column)
  if (from === -1) return firstCard(board)
  const ids = board.shownIn(column)
  const index = ids.indexOf(id)
  if (key === 'up') return index > 0 ? ids[index - 1] : undefined
  if (key === 'down') return ids[index + 1]
  const step = key === 'right' ? 1 : -1
  for (let at = from + step; at >= 0 && at < columns.length; at += step) {
    const next = board.shownIn(columns[at]?.name ?? '')
    if (next.length > 0) return next[Math.min(index, next.length - 1)]
  }
  return undefined
}

/** `right` means towards the end of the board. */
export type Direction = 'up' | 'down' | 'left' | 'right'
