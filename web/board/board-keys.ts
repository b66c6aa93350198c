/** The keyboard shortcuts of a board. */
import { useEffect, useRef } from 'preact/hooks'
import { toggleDismissed } from '../common/item-writes.ts'
import { type KeyMap, useKeys } from '../common/keys.ts'
import { mayWriteIn } from '../common/rights.ts'
import { toast } from '../common/toasts.ts'
import { go, paths } from '../router.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { clearFilter, FILTER_FIELD } from './filter-bar.tsx'
import { focusCard } from './focus.ts'
import { PickUp } from './pick-up.ts'
import { type Direction, neighbour } from './steps.ts'

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  k: 'up',
  j: 'down',
  h: 'left',
  l: 'right',
}

/** Keys that open the card with the focus in one of its fields. */
const FIELDS = { e: 'title', a: 'assignee', t: 'labels', p: 'priority', d: 'due' } as const

/** The card that contains the focus. */
const cardAt = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-card]')?.dataset.card : undefined

/** Registers the keys of the board. */
export function useBoardKeys(board: Board): void {
  const pickUp = useRef<PickUp | undefined>(undefined)
  useEffect(() => {
    const takeBack = () => {
      pickUp.current?.takeBack()
      pickUp.current = undefined
    }
    // Using the mouse ends keyboard mode.
    document.addEventListener('pointerdown', takeBack)
    return () => {
      document.removeEventListener('pointerdown', takeBack)
      takeBack()
    }
  }, [])
  // The focus follows the current card one frame later. A key typed before that is for the current card.
  const current = ({ target }: KeyboardEvent) => {
    const focused = cardAt(target)
    return focused && (board.current.peek() ?? focused)
  }

  /** Registers a key for the focused card. Without one, the key is ignored. */
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
    const id = current(event)
    if (id === undefined && event.target !== document.body) return false
    const from = id ?? board.current.peek()
    const next = from === undefined ? firstCard(board) : neighbour(board, from, shown)
    if (next !== undefined) focusCard(board, next)
  }
  const space = (event: KeyboardEvent) => {
    if (pickUp.current) {
      pickUp.current.drop()
      pickUp.current = undefined
      return
    }
    const id = current(event)
    const isOnLink = event.target instanceof HTMLAnchorElement
    if (id === undefined || !isOnLink || !mayWriteOrSay(board)) return false
    pickUp.current = PickUp.of(board, id)
  }
  const giveUp = () => {
    if (pickUp.current) {
      pickUp.current.takeBack()
      pickUp.current = undefined
    } else if (board.query.peek() !== '') clearFilter()
    else return false
  }
  const keys: KeyMap = {
    ...Object.fromEntries(Object.entries(ARROWS).map(([key, direction]) => [key, arrow(direction)])),
    ...Object.fromEntries(
      Object.entries(FIELDS).map(([key, field]) => [key, onCard((id) => openAt(board, id, field))]),
    ),
    ' ': space,
    Escape: giveUp,
    f: () => document.getElementById(FILTER_FIELD)?.focus(),
    n: (event) => (!pickUp.current && mayWriteOrSay(board) ? addHere(board, current(event)) : false),
    m: onCard((id) => {
      board.moving.value = id
    }),
    x: onCard((id) => {
      const next = neighbour(board, id, 'down') ?? neighbour(board, id, 'up')
      toggleDismissed(board.card(id))
      if (next !== undefined && !board.filter.peek().dismissed) focusCard(board, next)
    }),
  }
  useKeys(keys)
}

/** Whether the user may write the board. If not, says so. */
function mayWriteOrSay({ store }: Board): boolean {
  const may = mayWriteIn(store)
  if (!may) toast(texts.readOnly)
  return may
}

const mirrored = (direction: Direction): Direction =>
  direction === 'left' ? 'right' : direction === 'right' ? 'left' : direction

const firstCard = (board: Board) =>
  board.store.columnList.flatMap(({ name }) => board.shownIn(name).slice(0, 1)).at(0)

function openAt(board: Board, id: string, field: string): void {
  const query = board.query.peek()
  go(`${paths.card(board.store.id, id)}${query}${query ? '&' : '?'}edit=${field}`)
}

/** Opens the field for a new card in the column of a card, or in the first column if there is no card. */
function addHere(board: Board, id: string | undefined): void {
  const columns = board.store.columnList
  const name = id === undefined ? undefined : board.store.items.peek(id)?.column
  const column = columns.find((one) => one.name === name) ?? columns[0]
  if (column) board.adding.value = { column: column.id, end: 'bottom' }
}
