/** Holds a card while it is dragged or picked up. Changes by others do not move or remove it in the meantime. */
import { batch } from '@preact/signals'
import { onChange } from '../common/live.ts'
import type { Pending } from '../common/records.ts'
import type { Board } from './board.ts'

/** A held card. */
export interface Hold {
  id: string
  /** Shows the card at another place while it is held. */
  show: (column: string, sortOrder: number) => void
  /** Releases the card, which then shows at its current place. */
  end: () => void
}

/** Holds a card. @returns undefined if it was deleted, or another one is held */
export function hold(board: Board, id: string): Hold | undefined {
  const { items } = board.store
  const item = items.peek(id)
  if (item === undefined || board.held.peek() !== undefined) return undefined
  const { dismissed } = item
  const showAt = (column: string, sortOrder: number): Pending =>
    items.patch(id, (record) => ({ ...(record ?? item), column, sortOrder, dismissed }))
  let pending = showAt(item.column, item.sortOrder)
  board.held.value = id
  const stop = onChange((change) => {
    if (change.id === id && change.action !== 'updated') board.isHeldGone.value = change.action === 'deleted'
  })
  return {
    id,
    show: (column, sortOrder) =>
      batch(() => {
        const before = pending
        pending = showAt(column, sortOrder)
        before.end()
      }),
    end: () =>
      batch(() => {
        stop()
        pending.end()
        board.held.value = undefined
        board.isHeldGone.value = false
      }),
  }
}
