/** The moves of items from column to column, as activity records them. */
import { timeOf } from './days.ts'
import type { Moved } from './item-history.ts'

/** The columns from and to. */
type Way = Pick<Moved, 'from' | 'to'>

const isText = (value: unknown): value is string => typeof value === 'string'

/** The way in an entry's metadata; undefined for what another tool has written in another form. */
export function wayOf(metadata: unknown): Way | undefined {
  try {
    const { from, to } = JSON.parse(String(metadata))
    return isText(from) && isText(to) && from !== '' ? { from, to } : undefined
  } catch {
    return undefined
  }
}

/** A move as it is recorded; undefined for what another tool has written in another form. @param at its time, maybe NaN */
export const movedOf = (at: number, way: Way | undefined): Moved | undefined =>
  way === undefined || Number.isNaN(at) ? undefined : { at, from: way.from, to: way.to }

/** The order of moves. */
export const byTime = (a: Moved, b: Moved): number => a.at - b.at

/** Between moves in one text, and between the parts of a move: what is JSON has neither. */
const SEPARATOR = '\u001e'
const PART = '\u001f'

/** Ways that are remembered, at most: items of a board go the same ways. */
const REMEMBERED = 1000

/**
 * The moves of many items, in one text: each item's row, the time and the entry's metadata. Only where they stand is kept: moves are
 * read item by item, and what so many would take does not have to be collected as garbage.
 */
export class Moves {
  readonly #text: string
  /** Where each move stands in the text, and the number of the same row's one before it, or -1. */
  readonly #starts: number[] = []
  readonly #before: number[] = []
  /** The number of the last move of each row. */
  readonly #last = new Map<number, number>()
  readonly #ways = new Map<string, Way | undefined>()

  /** @param text as SQL's `group_concat` makes it of many */
  constructor(text: string) {
    this.#text = text
    let start = 0
    while (start < text.length) {
      const part = text.indexOf(PART, start)
      // What another tool has written may hold a separator: the rest of it is no move.
      if (part < 0) break
      const row = Number(text.slice(start, part))
      this.#before.push(this.#last.get(row) ?? -1)
      this.#last.set(row, this.#starts.push(part + 1) - 1)
      const end = text.indexOf(SEPARATOR, part)
      start = end < 0 ? text.length : end + 1
    }
  }

  /** The moves of an item by its row, in order of time. */
  of(row: number): Moved[] {
    const moves: Moved[] = []
    for (let index = this.#last.get(row) ?? -1; index >= 0; index = this.#before[index] as number) {
      const moved = this.#moveAt(this.#starts[index] as number)
      if (moved) moves.push(moved)
    }
    return moves.length > 1 ? moves.reverse().sort(byTime) : moves
  }

  #moveAt(start: number): Moved | undefined {
    const part = this.#text.indexOf(PART, start)
    const end = this.#text.indexOf(SEPARATOR, part)
    const metadata = this.#text.slice(part + 1, end < 0 ? undefined : end)
    let way = this.#ways.get(metadata)
    if (way === undefined) {
      way = wayOf(metadata)
      if (this.#ways.size < REMEMBERED) this.#ways.set(metadata, way)
    }
    return movedOf(timeOf(this.#text, start, part), way)
  }
}
