/** The focus follows the current card when it is rendered elsewhere. */
import type { Board } from './board.ts'

/** The element of a card, if it is in the document. */
const rowOf = (id: string) => document.querySelector(`[data-card="${CSS.escape(id)}"]`)

/** How many frames a card may take to be drawn: it may be far from the view. */
const FRAMES = 5

/** Makes a card current, and gives it the focus as soon as it is drawn. */
export function focusCard(board: Board, id: string, frames = FRAMES): void {
  board.makeCurrent(id)
  requestAnimationFrame(() => {
    if (board.current.peek() !== id) return
    const row = rowOf(id)
    const link = row?.querySelector('a')
    if (link) {
      link.focus({ preventScroll: true })
      row?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    } else if (frames > 0) focusCard(board, id, frames - 1)
  })
}
