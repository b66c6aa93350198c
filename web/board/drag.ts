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
import { touchDrags } from '../common/drag-by-touch.ts'
import { moveItem } from '../common/item-writes.ts'
import type { Place } from '../common/place.ts'
import { type End, together } from '../common/together.ts'
import type { Board, End as ColumnEnd, Drop } from './board.ts'
import { moveColumn } from './column-writes.ts'
import { type Hold, hold } from './hold.ts'

type Side = 'before' | 'after'

type Data = Record<string | symbol, unknown>
const textOf = (data: Data, name: string) => (typeof data[name] === 'string' ? data[name] : undefined)

/** Makes a card draggable. @param element the card, which is also the drag preview */
export const dragCard = (element: HTMLElement, id: string): End =>
  draggable({ element, getInitialData: () => ({ card: id }) })

/** The parts of a column for drags. */
interface ColumnParts {
  /** The drop target: the column with the room around it, as high as the board. The lanes of a board have no gap between them. */
  lane: HTMLElement
  element: HTMLElement
  head: HTMLElement
  /** Contains the cards, and scrolls; null if the column is collapsed. */
  body: HTMLElement | null
}

/** Makes a column draggable by its head, and its lane a drop target for cards and columns. */
export const dragColumn = ({ lane, element, head, body }: ColumnParts, id: string): End =>
  together(
    draggable({ element, dragHandle: head, getInitialData: () => ({ column: id }) }),
    dropTargetForElements({
      element: lane,
      getData: ({ input }) =>
        attachClosestEdge(
          { column: id, ...placeAt(head, body, input.clientY) },
          { element: lane, input, allowedEdges: ['left', 'right'] },
        ),
    }),
    body === null
      ? () => undefined
      : autoScrollForElements({
          element: body,
          getConfiguration: () => ({ maxScrollSpeed: 'standard' }),
        }),
  )

/** The place of a column at a height: beside a card, or an end. @param y in pixels of the viewport */
function placeAt(
  head: HTMLElement,
  body: HTMLElement | null,
  y: number,
): { card: string; side: Side } | { end: ColumnEnd } {
  if (body === null) return { end: 'bottom' }
  if (y < head.getBoundingClientRect().bottom) return { end: 'top' }
  // Cards below that are scrolled out of the column.
  if (y > body.getBoundingClientRect().bottom) return { end: 'bottom' }
  let end: ColumnEnd = 'top'
  for (const row of body.querySelectorAll<HTMLElement>('[data-card]')) {
    const { top, bottom, height } = row.getBoundingClientRect()
    const card = row.dataset.card
    if (card !== undefined && y >= top && y <= bottom)
      return { card, side: y < top + height / 2 ? 'before' : 'after' }
    if (y > bottom) end = 'bottom'
  }
  return { end: body.querySelector('[data-card]') === null ? 'bottom' : end }
}

/** How near to the edge of the board a finger scrolls it, in pixels. */
const EDGE = 48
/** The pause before the board scrolls to the next column, in milliseconds. */
const STEP = 800

/** The first column that ends beyond an edge of the board, on the right (1) or the left (-1); none behind the last one. */
function nextLane(element: HTMLElement, direction: number): Element | undefined {
  const { left, right } = element.getBoundingClientRect()
  const beyond = [...element.querySelectorAll('.lane')]
    .map((lane) => ({ lane, box: lane.getBoundingClientRect() }))
    .filter(({ box }) => (direction > 0 ? box.right > right + 1 : box.left < left - 1))
    .toSorted((a, b) => direction * (a.box.left - b.box.left))
  return beyond[0]?.lane
}

/**
 * Scrolls the board during a drag near its edge: continuously by mouse, column by column by touch, because a screen may show
 * only one column.
 */
export function scrollByDrag(element: HTMLElement): End {
  let timer: ReturnType<typeof setTimeout> | undefined
  let direction = 0
  const stop = () => {
    clearTimeout(timer)
    direction = 0
  }
  const step = () => {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const behavior = isCalm ? 'auto' : 'smooth'
    nextLane(element, direction)?.scrollIntoView({ inline: 'nearest', block: 'nearest', behavior })
    timer = setTimeout(step, STEP)
  }
  return together(
    autoScrollForElements({
      element,
      canScroll: () => !touchDrags.isRunning,
      getConfiguration: () => ({ maxScrollSpeed: 'standard' }),
    }),
    monitorForElements({
      onDrag: ({ location }) => {
        if (!touchDrags.isRunning) return
        const { clientX } = location.current.input
        const { left, right } = element.getBoundingClientRect()
        const next = clientX < left + EDGE ? -1 : clientX > right - EDGE ? 1 : 0
        if (next === direction) return
        stop()
        direction = next
        if (next !== 0) timer = setTimeout(step, STEP)
      },
      onDrop: stop,
    }),
    stop,
  )
}

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
  const lane = location.current.dropTargets.find(({ data }) => textOf(data, 'column') !== undefined)
  const column = textOf(lane?.data ?? {}, 'column')
  if (lane === undefined || column === undefined) return undefined
  if (textOf(source.data, 'column') !== undefined) {
    const isRightToLeft = getComputedStyle(lane.element).direction === 'rtl'
    const isLeft = extractClosestEdge(lane.data) === 'left'
    return { besideColumn: column, side: isLeft === isRightToLeft ? 'after' : 'before' }
  }
  const card = textOf(lane.data, 'card')
  if (card === undefined) return { column, end: lane.data.end === 'top' ? 'top' : 'bottom' }
  return { column, card, side: lane.data.side === 'before' ? 'before' : 'after' }
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
