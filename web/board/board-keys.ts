/** The keyboard shortcuts of a board. */
import { useEffect, useRef } from 'preact/hooks'
import { toggleDismissed } from '../common/item-writes.ts'
import { type KeyMap, useKeys } from '../common/keys.ts'
import { mayWriteIn } from '../common/rights.ts'
import { toast } from '../common/toasts.ts'
import { texts } from '../texts.ts'
import type { Board, PickedField } from './board.ts'
import { copyCardLink, editTitle, pick } from './card-acts.ts'
import { clearFilter, openFilter } from './filter-bar.tsx'
import { focusCard } from './focus.ts'
import { PickUp } from './pick-up.ts'
import { type Direction, firstCard, neighbour } from './steps.ts'

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  k: 'up',
  j: 'down',
}

/** Keys that open the small picker of a field. */
const FIELDS: Readonly<Record<string, PickedField>> = { a: 'assignee', l: 'labels', p: 'priority', d: 'due' }

/** The id of the card that contains an element. */
export const cardAt = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-card]')?.dataset.card : undefined

/** Registers the keys of the board. */
export function useBoardKeys(board: Board): void {
  const pickUp = useRef<PickUp | undefined>(undefined)
  useEffect(() => {
    const takeBack = () => pickUp.current?.takeBack()
    // Using the mouse ends keyboard mode.
    document.addEventListener('pointerdown', takeBack)
    return () => {
      document.removeEventListener('pointerdown', takeBack)
      takeBack()
    }
  }, [])
  // The focus follows the current card one frame later. A key typed before that is for the current card. The card under
  // the mouse comes first if the mouse was moved after the focus, but arrows and Space are about the focus.
  const focused = ({ target }: KeyboardEvent) => {
    const id = cardAt(target)
    return id && (board.current.peek() ?? id)
  }
  // Scrolling puts other cards under the mouse without moving it.
  const current = (event: KeyboardEvent) =>
    (board.isPointed && cardAt(document.querySelector('[data-card]:hover'))) || focused(event)

  /** Registers a key for the current card. Without one, the key is ignored. */
  const onCard =
    (act: (id: string) => void, isWrite = true) =>
    (event: KeyboardEvent) => {
      const id = current(event)
      if (id === undefined || pickUp.current || (isWrite && !mayWriteOrSay(board))) return false
      act(id)
    }
  const arrow = (direction: Direction) => (event: KeyboardEvent) => {
    const shown =
      getComputedStyle(document.documentElement).direction === 'rtl' ? mirrored(direction) : direction
    if (pickUp.current) {
      pickUp.current.step(shown)
      return
    }
    const id = focused(event)
    // The heading has the focus after a navigation.
    if (id === undefined && !(event.target as Element).matches('body, h1')) return false
    const from = id ?? board.current.peek()
    const next = from === undefined ? firstCard(board) : neighbour(board, from, shown)
    if (next === undefined) return
    if (event.shiftKey && mayWriteIn(board.store)) board.selectTo(next, from)
    focusCard(board, next)
  }
  const space = (event: KeyboardEvent) => {
    if (pickUp.current) {
      pickUp.current.drop()
      return
    }
    const id = focused(event)
    const isOnLink = event.target instanceof HTMLAnchorElement
    if (id === undefined || !isOnLink || !mayWriteOrSay(board)) return false
    pickUp.current = PickUp.of(board, id, () => {
      pickUp.current = undefined
    })
  }
  const giveUp = () => {
    if (pickUp.current) pickUp.current.takeBack()
    else if (board.selected.peek().size > 0) board.deselect()
    else if (board.query.peek() !== '') clearFilter()
    else return false
  }
  const keys: KeyMap = {
    ...Object.fromEntries(Object.entries(ARROWS).map(([key, direction]) => [key, arrow(direction)])),
    ...Object.fromEntries(
      Object.entries(FIELDS).map(([key, field]) => [key, onCard((id) => pick(board, field, id))]),
    ),
    ' ': space,
    Escape: giveUp,
    f: openFilter,
    n: (event) => (!pickUp.current && mayWriteOrSay(board) ? addHere(board, current(event)) : false),
    e: onCard((id) => editTitle(board, id)),
    c: onCard((id) => copyCardLink(board, id), false),
    s: onCard((id) => board.toggleSelected(id)),
    m: onCard((id) => {
      if (board.targetsOf(id).length > 1) pick(board, 'column', id)
      else board.moving.value = id
    }),
    x: onCard((id) => {
      const ids = board.targetsOf(id)
      const next = ids.length > 1 ? undefined : (neighbour(board, id, 'down') ?? neighbour(board, id, 'up'))
      void archive(board, ids)
      if (next !== undefined && !board.filter.peek().dismissed) focusCard(board, next)
    }),
  }
  useKeys(keys)
}

/** Whether the user may write the board. If not, shows a message. */
function mayWriteOrSay({ store }: Board): boolean {
  const may = mayWriteIn(store)
  if (!may) toast(texts.readOnly)
  return may
}

const mirrored = (direction: Direction): Direction =>
  direction === 'left' ? 'right' : direction === 'right' ? 'left' : direction

/** Archives cards, or restores them. For several ones, it uses the script that is loaded later. */
async function archive(board: Board, ids: readonly string[]): Promise<void> {
  const [id = ''] = ids
  if (ids.length === 1) {
    toggleDismissed(board.card(id))
    return
  }
  const { archiveCards } = await import('./many-writes.ts')
  archiveCards(board, ids)
  board.deselect()
}

/** Opens the field for a new card in the column of a card, or in the first open column if there is no card. */
function addHere(board: Board, id: string | undefined): void {
  const columns = board.openColumns
  const name = id === undefined ? undefined : board.store.items.peek(id)?.column
  const column = columns.find((one) => one.name === name) ?? columns[0]
  if (column) board.adding.value = { column: column.id, end: 'bottom' }
}
