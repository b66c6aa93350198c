/** Keeps the focus on the current card when it is rendered elsewhere. */
import type { Board } from './board.ts'

/** The element of a card, if it is in the document. */
export const cardElement = (id: string) =>
  document.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`)

/** The number of frames within which a card must be rendered: it may be far from the viewport. */
const FRAMES = 5

/** Makes a card the current one, and focuses it once it is rendered. */
export function focusCard(board: Board, id: string, frames = FRAMES): void {
  board.makeCurrent(id)
  requestAnimationFrame(() => {
    if (board.current.peek() !== id) return
    const row = cardElement(id)
    const link = row?.querySelector('a')
    if (link) {
      link.focus({ preventScroll: true })
      row?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    } else if (frames > 0) focusCard(board, id, frames - 1)
  })
}
