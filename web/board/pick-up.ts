/** Moves a card by keyboard: pick up, move in steps, drop or cancel. A live region announces each step. */
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region'
import { batch } from '@preact/signals'
import type { KanbanColumn } from '../common/api.ts'
import { moveItem } from '../common/item-writes.ts'
import { placeAt, sortOrderAt } from '../common/place.ts'
import { texts } from '../texts.ts'
import type { Board } from './board.ts'
import { isCollapsed } from './collapsed.ts'
import { focusCard } from './focus.ts'
import { type Hold, hold } from './hold.ts'
import type { Direction } from './steps.ts'

const words = texts.board

/** Where a picked-up card is shown: the name of the column, and the index among the other cards shown there. */
interface Spot {
  column: string
  index: number
  /** The collapsed columns on the way there. */
  skipped?: readonly string[]
}

export class PickUp {
  readonly #board: Board
  readonly #hold: Hold
  readonly #title: string
  readonly #from: string
  #spot: Spot

  private constructor(board: Board, held: Hold, title: string, spot: Spot) {
    this.#board = board
    this.#hold = held
    this.#title = title
    this.#from = spot.column
    this.#spot = spot
  }

  /** Picks up a card. @returns undefined if it was deleted, or another one is held */
  static of(board: Board, id: string): PickUp | undefined {
    const item = board.store.items.peek(id)
    const held = hold(board, id)
    if (item === undefined || held === undefined) return undefined
    const { title, column } = item
    const ids = board.shownIn(column)
    const index = ids.indexOf(id)
    announce(words.pickedUp(title, index + 1, ids.length, column))
    return new PickUp(board, held, title, { column, index })
  }

  /** Moves the card one step, if there is room in that direction. */
  step(direction: Direction): void {
    const next = this.#next(direction)
    if (next === undefined) return
    const { column, index, skipped = [] } = next
    const said = skipped.length > 0 ? `${words.skipped(skipped.join(', '))} ` : ''
    if (column === this.#spot.column && skipped.length > 0) {
      announce(said)
      return
    }
    this.#spot = next
    const { store } = this.#board
    const { id } = this.#hold
    const ids = store.idsOf(column)
    const place = placeAt(column, this.#others(column), index)
    this.#hold.show(
      column,
      sortOrderAt(ids, id, place, (one) => store.items.peek(one)?.sortOrder),
    )
    announce(said + words.nowAt(index + 1, this.#others(column).length + 1, column))
    focusCard(this.#board, id)
  }

  drop(): void {
    const { id } = this.#hold
    const { column, index } = this.#spot
    const others = this.#others(column)
    const place = placeAt(column, others, Math.min(index, others.length))
    batch(() => {
      const item = this.#board.store.items.base(id)
      this.#hold.end()
      const isMoved = item !== undefined && moveItem(this.#board.card(id), place) !== undefined
      announce(
        isMoved
          ? words.dropped(this.#title, this.#from, column, index + 1, others.length + 1)
          : words.notMoved,
      )
    })
    focusCard(this.#board, id)
  }

  /** Cancels the move. */
  takeBack(): void {
    this.#hold.end()
    announce(words.notMoved)
    focusCard(this.#board, this.#hold.id)
  }

  /** The other cards that are shown in a column. */
  #others(column: string): readonly string[] {
    return this.#board.shownIn(column).filter((id) => id !== this.#hold.id)
  }

  #next(direction: Direction): Spot | undefined {
    const { column, index } = this.#spot
    if (direction === 'up') return index > 0 ? { column, index: index - 1 } : undefined
    if (direction === 'down') {
      return index < this.#others(column).length ? { column, index: index + 1 } : undefined
    }
    const columns = this.#board.store.columnList
    const step = direction === 'right' ? 1 : -1
    const skipped: string[] = []
    for (let at = columns.findIndex(({ name }) => name === column) + step; columns[at]; at += step) {
      const { id, name } = columns[at] as KanbanColumn
      if (!isCollapsed(id))
        return { column: name, index: Math.min(index, this.#others(name).length), skipped }
      skipped.push(name)
    }
    return { column, index, skipped }
  }
}
