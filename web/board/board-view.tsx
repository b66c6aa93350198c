/** The columns of a board, side by side. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { dragByTouch } from '../common/drag-by-touch.ts'
import type { MoveDialogProps } from '../common/move-dialog.tsx'
import { mayWriteIn } from '../common/rights.ts'
import { late } from '../common/ui/late.tsx'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { useBoardKeys } from './board-keys.ts'
import { Column } from './column.tsx'
import { AddColumn } from './column-name.tsx'
import { ColumnTabs } from './column-tabs.tsx'
import { followDrags, scrollByDrag, together } from './drag.ts'
import { clearFilter } from './filter-bar.tsx'
import { focusCard } from './focus.ts'

const MoveDialog = late<MoveDialogProps>(() => import('../common/move-dialog.tsx'))

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
  })
  const columns = board.store.columnList
  const moving = board.moving.value
  const isHeld = board.held.value !== undefined
  return (
    <>
      <ColumnTabs board={board} scroller={scroller} />
      <BoardNote board={board} />
      <div ref={scroller} class={isHeld ? 'board is-dragging' : 'board'}>
        {columns.map((column) => (
          <Column key={column.id} board={board} column={column} />
        ))}
        {mayWriteIn(board.store) && <AddColumn board={board} />}
      </div>
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
  if (!board.isEmpty.value) return null
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
