/** Drag and drop of cards and columns, by mouse and touch. Only this module uses the library. */

import {
  draggable,
  dropTargetForElements,
  type ElementEventBasePayload,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { autoScrollForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { attachClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge/attach-closest-edge'
import { extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge/extract-closest-edge'
import { batch } from '@preact/signals'
import { moveItem } from '../common/item-writes.ts'
import type { Place } from '../common/place.ts'
import type { Board, Drop } from './board.ts'
import { moveColumn } from './column-writes.ts'
import { type Hold, hold } from './hold.ts'

/** A cleanup function. */
type End = () => void

/** Combines cleanup functions. */
export const together =
  (...ends: readonly End[]): End =>
  () => {
    for (const end of ends) end()
  }

type Data = Record<string | symbol, unknown>
const textOf = (data: Data, name: string) => (typeof data[name] === 'string' ? data[name] : undefined)

/** Makes a card draggable. @param element the card, which is also the drag preview */
export const dragCard = (element: HTMLElement, id: string): End =>
  draggable({ element, getInitialData: () => ({ card: id }) })

/** Makes a card a drop target. @param element the card with the gap around it, so that the targets touch */
export const dropByCard = (element: HTMLElement, id: string): End =>
  dropTargetForElements({
    element,
    canDrop: ({ source }) => textOf(source.data, 'card') !== undefined,
    getData: ({ input }) =>
      attachClosestEdge({ card: id }, { element, input, allowedEdges: ['top', 'bottom'] }),
  })

/** Makes a column draggable by its head, and a drop target. */
export const dragColumn = (element: HTMLElement, handle: Element, id: string): End =>
  together(
    draggable({ element, dragHandle: handle, getInitialData: () => ({ column: id }) }),
    dropTargetForElements({
      element,
      getData: ({ input }) =>
        attachClosestEdge(
          { column: id, end: input.clientY < handle.getBoundingClientRect().bottom ? 'top' : 'bottom' },
          { element, input, allowedEdges: ['left', 'right'] },
        ),
    }),
  )

/** Scrolls a column or the board during a drag near its edge. */
export const scrollByDrag = (element: HTMLElement): End =>
  autoScrollForElements({ element, getConfiguration: () => ({ maxScrollSpeed: 'standard' }) })

/** Monitors drags on a board, and moves the dropped cards and columns. Cancels the drag if the board is removed. */
export function followDrags(board: Board): End {
  let held: Hold | undefined
  const end = monitorForElements({
    onDragStart: ({ source }) => {
      const id = textOf(source.data, 'card')
      if (id === undefined) return
      board.makeCurrent(id)
      held = hold(board, id)
    },
    onDrag: (payload) => showDrop(board, dropOf(payload)),
    onDropTargetChange: (payload) => showDrop(board, dropOf(payload)),
    onDrop: (payload) =>
      batch(() => {
        const drop = dropOf(payload)
        board.drop.value = undefined
        if (drop !== undefined) settle(board, payload.source.data, drop)
        held?.end()
        held = undefined
      }),
  })
  return together(end, () => held?.end())
}

function showDrop(board: Board, drop: Drop | undefined): void {
  if (JSON.stringify(drop) !== JSON.stringify(board.drop.peek())) board.drop.value = drop
}

/** The drop position under the pointer. */
function dropOf({ source, location }: ElementEventBasePayload): Drop | undefined {
  const targets = location.current.dropTargets
  const column = targets.find(({ data }) => textOf(data, 'column') !== undefined)
  const columnId = textOf(column?.data ?? {}, 'column')
  if (column === undefined || columnId === undefined) return undefined
  if (textOf(source.data, 'column') !== undefined) {
    const isRightToLeft = getComputedStyle(column.element).direction === 'rtl'
    const isLeft = extractClosestEdge(column.data) === 'left'
    return { besideColumn: columnId, side: isLeft === isRightToLeft ? 'after' : 'before' }
  }
  const card = targets.find(({ data }) => textOf(data, 'card') !== undefined)
  const id = textOf(card?.data ?? {}, 'card')
  if (card === undefined || id === undefined) {
    return { column: columnId, end: column.data.end === 'top' ? 'top' : 'bottom' }
  }
  return {
    column: columnId,
    card: id,
    side: extractClosestEdge(card.data) === 'top' ? 'before' : 'after',
  }
}

function settle(board: Board, source: Data, drop: Drop): void {
  const [card, column] = [textOf(source, 'card'), textOf(source, 'column')]
  if ('besideColumn' in drop) {
    if (column !== undefined) moveColumn(board, column, drop.besideColumn, drop.side)
    return
  }
  const name = board.store.columns.peek(drop.column)?.name
  if (card === undefined || name === undefined || ('card' in drop && drop.card === card)) return
  const at: Place['at'] =
    'end' in drop ? drop.end : drop.side === 'before' ? { before: drop.card } : { after: drop.card }
  void moveItem(board.card(card), { column: name, at })
}
