/** The columns of a board, side by side. */
import { untracked, useComputed, useSignalEffect } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { dragByTouch } from '../common/drag-by-touch.ts'
import type { MoveDialogProps } from '../common/move-dialog.tsx'
import { isUnsaved } from '../common/record-writes.ts'
import { mayWriteIn } from '../common/rights.ts'
import { together } from '../common/together.ts'
import { late } from '../common/ui/late.tsx'
import { pointAt } from '../common/ui/place-below.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { cardAt, useBoardKeys } from './board-keys.ts'
import { Column } from './column.tsx'
import { AddColumn } from './column-name.tsx'
import { ColumnTabs } from './column-tabs.tsx'
import type { DoingProps } from './doing.tsx'
import { followDrags, scrollByDrag } from './drag.ts'
import { clearFilter } from './filter-bar.tsx'
import { focusCard } from './focus.ts'

const MoveDialog = late<MoveDialogProps>(() => import('../common/move-dialog.tsx'))
const Doing = late<DoingProps>(
  () => import('./doing.tsx'),
  () => null,
)

/** The delay in milliseconds before the card actions are loaded, so that they do not compete with the board itself. */
const LATER = 2000

/** Loads the card actions once the user interacts with the board, or soon after it is shown. */
function LateDoing({ board, scroller }: { board: Board; scroller: RefObject<HTMLElement | null> }) {
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    const load = () => setLater(true)
    const timer = setTimeout(load, LATER)
    for (const event of TURNS) scroller.current?.addEventListener(event, load, { once: true, passive: true })
    return () => {
      clearTimeout(timer)
      for (const event of TURNS) scroller.current?.removeEventListener(event, load)
    }
  }, [])
  return isLater ? <Doing board={board} /> : null
}

/** The events before any card action. */
const TURNS = ['pointermove', 'pointerdown', 'focusin', 'dragenter'] as const

/** Selects cards by Ctrl and Shift, which would open another tab or window. */
function select(board: Board, event: MouseEvent): void {
  const id = cardAt(event.target)
  const isOnCard = event.target instanceof Element && !event.target.closest('button, input')
  if (id === undefined || !isOnCard || isUnsaved(id)) return
  if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return
  event.preventDefault()
  if (event.shiftKey) board.selectTo(id, board.current.peek())
  else board.toggleSelected(id)
  board.makeCurrent(id)
}

/** Opens the menu of a card on a right click, or by the keyboard's key for it. With Shift, the browser's own opens. */
function openMenu(board: Board, event: MouseEvent): void {
  const id = cardAt(event.target)
  // A long press of a finger begins a drag.
  const isTouch = event instanceof PointerEvent && event.pointerType === 'touch'
  if (id === undefined || event.shiftKey || isTouch || isUnsaved(id)) return
  event.preventDefault()
  board.menu.value = { id, anchor: pointAt(event.clientX, event.clientY) }
}

export function BoardView({ board }: { board: Board }) {
  const scroller = useRef<HTMLDivElement | null>(null)
  useBoardKeys(board)
  useEffect(() => {
    if (!scroller.current) return
    void dragByTouch()
    return together(followDrags(board), scrollByDrag(scroller.current))
  }, [board])
  useSignalEffect(() => {
    // The filter changed: hide the cards that were kept visible for the old one.
    board.query.value
    board.kept.value = new Set()
    untracked(() => {
      const shown = new Set(board.store.columnList.flatMap(({ name }) => board.shownIn(name)))
      board.deselect((id) => shown.has(id))
    })
  })
  const columns = board.store.columnList
  const moving = board.moving.value
  const isHeld = board.held.value !== undefined
  const isSelecting = useComputed(() => board.selected.value.size > 0).value
  const mayWrite = mayWriteIn(board.store)
  return (
    <>
      <ColumnTabs board={board} scroller={scroller} />
      <BoardNote board={board} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and buttons do the same. */}
      <div
        ref={scroller}
        class={`board${isHeld ? ' is-dragging' : ''}${isSelecting ? ' is-selecting' : ''}`}
        onMouseDown={(event) => {
          // Shift selects cards here, not text.
          if (event.shiftKey && cardAt(event.target)) event.preventDefault()
        }}
        onClickCapture={mayWrite ? (event) => select(board, event) : undefined}
        onContextMenu={mayWrite ? (event) => openMenu(board, event) : undefined}
        onPointerMove={(event) => {
          if (event.pointerType === 'mouse') board.isPointed = true
        }}
      >
        {columns.map((column) => (
          <Column key={column.id} board={board} column={column} />
        ))}
        {mayWrite && <AddColumn board={board} />}
      </div>
      {mayWrite && <LateDoing board={board} scroller={scroller} />}
      {moving !== undefined && (
        <MoveDialog
          key={moving}
          target={board.card(moving)}
          shownIn={(column) => board.shownIn(column)}
          onClose={() => {
            board.moving.value = undefined
            focusCard(board, moving)
          }}
        />
      )}
    </>
  )
}

/** The text shown if the board shows no card. */
function BoardNote({ board }: { board: Board }) {
  if (board.shownCount.value > 0) return null
  if (!board.isNarrowed.value) {
    return mayWriteIn(board.store) ? <p class="board-note muted">{texts.board.empty}</p> : null
  }
  return (
    <p class="board-note" role="status">
      {texts.board.noMatch}{' '}
      <button type="button" class="button-link" onClick={clearFilter}>
        {texts.clearFilter}
      </button>
    </p>
  )
}
