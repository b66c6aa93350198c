/** Moves a card by keyboard: pick up, move in steps, drop or cancel. A live region announces each step. */
import { announce } from '@atlaskit/pragmatic-drag-and-drop-live-region'
import { batch, effect, untracked } from '@preact/signals'
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

/** Where a picked-up card is shown: the column and its name, and the index among the other cards shown there. */
interface Spot {
  columnId: string
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
  readonly #onEnd: () => void
  readonly #unfollow: () => void
  #spot: Spot

  private constructor(board: Board, held: Hold, title: string, spot: Spot, onEnd: () => void) {
    this.#board = board
    this.#hold = held
    this.#title = title
    this.#from = spot.column
    this.#spot = spot
    this.#onEnd = onEnd
    this.#unfollow = effect(() => {
      const { columnList } = board.store
      untracked(() => this.#follow(columnList))
    })
  }

  /**
   * Picks up a card.
   * @param onEnd called when it is dropped or taken back
   * @returns undefined if it was deleted, or another one is held
   */
  static of(board: Board, id: string, onEnd: () => void): PickUp | undefined {
    const item = board.store.items.peek(id)
    const columnId = board.store.columnList.find(({ name }) => name === item?.column)?.id
    const held = columnId && hold(board, id)
    if (!item || !held) return undefined
    const { title, column } = item
    const ids = board.shownIn(column)
    const index = ids.indexOf(id)
    announce(words.pickedUp(title, index + 1, ids.length, column))
    return new PickUp(board, held, title, { columnId, column, index }, onEnd)
  }

  /** Moves the card one step, if there is room in that direction. */
  step(direction: Direction): void {
    const next = this.#next(direction)
    if (next === undefined) return
    const { skipped = [], ...spot } = next
    const { column, index } = spot
    const passed = skipped.length > 0 ? `${words.skipped(skipped.join(', '))} ` : ''
    if (column === this.#spot.column && skipped.length > 0) {
      announce(passed)
      return
    }
    this.#show(spot)
    announce(passed + words.nowAt(index + 1, this.#others(column).length + 1, column))
  }

  #show(spot: Spot): void {
    this.#spot = spot
    const { column, index } = spot
    const { store } = this.#board
    const { id } = this.#hold
    const ids = store.idsOf(column)
    const place = placeAt(column, this.#others(column), index)
    this.#hold.show(
      column,
      sortOrderAt(ids, id, place, (one) => store.items.peek(one)?.sortOrder),
    )
    focusCard(this.#board, id)
  }

  /** Goes with a column that somebody renames, and back if somebody deletes it. */
  #follow(columns: readonly KanbanColumn[]): void {
    const name = columns.find(({ id }) => id === this.#spot.columnId)?.name
    if (name === undefined) this.takeBack()
    else if (name !== this.#spot.column) this.#show({ ...this.#spot, column: name })
  }

  #end(): void {
    this.#unfollow()
    this.#hold.end()
    this.#onEnd()
  }

  drop(): void {
    const { id } = this.#hold
    const { column, index } = this.#spot
    const others = this.#others(column)
    const place = placeAt(column, others, Math.min(index, others.length))
    batch(() => {
      const item = this.#board.store.items.base(id)
      this.#end()
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
    this.#end()
    announce(words.notMoved)
    focusCard(this.#board, this.#hold.id)
  }

  /** The other cards that are shown in a column. */
  #others(column: string): readonly string[] {
    return this.#board.shownIn(column).filter((id) => id !== this.#hold.id)
  }

  #next(direction: Direction): Spot | undefined {
    const spot = this.#spot
    const { column, index } = spot
    if (direction === 'up') return index > 0 ? { ...spot, index: index - 1 } : undefined
    if (direction === 'down') {
      return index < this.#others(column).length ? { ...spot, index: index + 1 } : undefined
    }
    const columns = this.#board.store.columnList
    const step = direction === 'right' ? 1 : -1
    const skipped: string[] = []
    for (let at = columns.findIndex(({ name }) => name === column) + step; columns[at]; at += step) {
      const { id, name } = columns[at] as KanbanColumn
      if (!isCollapsed(id))
        return { columnId: id, column: name, index: Math.min(index, this.#others(name).length), skipped }
      skipped.push(name)
    }
    return { ...spot, skipped }
  }
}
