/** Reconstructs where and when an item was on one board, from its records. */
import { asText } from '../json.ts'
import { timeOf } from './days.ts'
import type { Renames } from './renames.ts'

/** The fields of an item: current, or at its deletion. */
export interface ItemFacts {
  id: string
  title: string
  column: string
  createdAt: number
  updatedAt: number
  dismissed: boolean
  isImported: boolean
  /** Whether it is on the board, or was at its deletion. */
  isHere: boolean
}

/** A stored or deleted item: another tool may have stored anything. */
export interface StoredItem {
  title: unknown
  column: unknown
  createdAt: unknown
  updatedAt: unknown
  dismissed: unknown
  isImported: unknown
}

/** The facts of an item; without a creation time, which other tools may omit, that of the last change. */
export function factsOf(id: string, row: StoredItem, isHere: boolean): ItemFacts {
  const { title, column } = row
  const updatedAt = timeOf(row.updatedAt) || 0
  const createdAt = timeOf(row.createdAt) || updatedAt
  return {
    id,
    title: asText(title ?? ''),
    column: asText(column ?? ''),
    createdAt,
    updatedAt,
    dismissed: Boolean(row.dismissed),
    isImported: Boolean(row.isImported),
    isHere,
  }
}

/** An entry of an item's activity: it left a column for another one. */
export interface Moved {
  at: number
  from: string
  to: string
}

/** The relevant fields of a change of an item. */
export interface ItemChange {
  seq: number
  at: number
  action: 'created' | 'updated' | 'deleted'
  /** Whether it moved to this board or away from it. */
  crossing?: 'in' | 'out' | undefined
  column?: { from: string; to: string; isOfOther: boolean } | undefined
  /** The column in which it was deleted. */
  deletedIn?: string | undefined
  /** The new value of `dismissed`, and the time of the previous change. */
  dismissal?: { to: boolean; lastChanged: number } | undefined
  /** Whether an item was created, or restored, on this board, and its fields then. */
  made?: { isHere: boolean; column: string; dismissed: boolean; updatedAt: number } | undefined
}

/** A stay in a column. */
export interface Visit {
  /** The current name of the column. */
  column: string
  from: number
  /** Infinity while it lasts. */
  to: number
  /** How it ended: move to another column, to another board, or deletion. */
  end: 'moved' | 'left' | 'deleted' | undefined
}

/** The history of an item on a board. */
export interface ItemHistory {
  id: string
  title: string
  /** In order, with gaps while it was not on the board. */
  visits: Visit[]
  /** The intervals in which it was dismissed. */
  dismissed: { from: number; to: number }[]
}

/** A recorded end of a visit. */
interface Mark {
  at: number
  /** The column until then; undefined if only other marks have it. */
  from: string | undefined
  /** The column from then on; undefined if only other marks have it. */
  to?: string | undefined
  /** Undefined: a move. */
  kind?: 'in' | 'out' | 'deleted' | 'created'
}

/**
 * Moves by other tools in the sequence that are missing in the activity: the item was in another column by then, according
 * to its entries. Entries from before the item was written to the file are imported history; that tool's
 * own moves in the sequence are duplicates of it.
 */
function movesOfOthers(changes: readonly ItemChange[], entries: readonly Moved[], renames: Renames): Moved[] {
  const foreign = changes.filter(
    ({ column }) => column?.isOfOther && !renames.hasOfOther(column.from, column.to),
  )
  if (foreign.length === 0) return []
  const written = changes.find(({ made }) => made)?.at ?? Number.NEGATIVE_INFINITY
  const brought = entries.filter(({ at }) => at < written)
  const moves: Moved[] = []
  for (const { at, column } of foreign) {
    const { from, to } = column as Moved & { isOfOther: boolean }
    const same = brought.findIndex((entry) => entry.from === from && entry.to === to)
    if (same >= 0) brought.splice(same, 1)
    const entry = entries.findLast((one) => one.at <= at)
    const move = moves.at(-1)
    const last = entry && move ? (entry.at < move.at ? move : entry) : (entry ?? move)
    // The name may have been another column's at the time of the entry.
    const isThere = last !== undefined && renames.nameNow(last.to, last.at) === renames.nameNow(to, at)
    if (same < 0 && !isThere) moves.push({ at, from, to })
  }
  return moves
}

/** The marks of an item, by time. Its moves are marks as they are: most items have no others. */
function marksOf(item: ItemFacts, changes: readonly ItemChange[], moves: readonly Moved[]): readonly Mark[] {
  if (changes.length === 0) return moves
  const others = changes.flatMap(({ at, action, crossing, column, deletedIn, made }): Mark[] => {
    if (action === 'deleted') return [{ at, from: deletedIn ?? item.column, kind: 'deleted' }]
    if (action === 'created') return made?.isHere ? [{ at, from: undefined, kind: 'created' }] : []
    return crossing ? [{ at, from: column?.from, to: column?.to, kind: crossing }] : []
  })
  return [...moves, ...others].sort((a, b) => a.at - b.at)
}

const ENDS = { in: 'moved', out: 'left', deleted: 'deleted', created: 'deleted' } as const

/** A name of a column, and when it was its name. */
interface Named {
  name: string
  at: number
}

/** The column that an item is in after a mark, as far as the mark tells; on this board. */
function entered({ at, from, to, kind }: Mark, before: Named | undefined): Named | undefined {
  if (kind === 'created') return before && { name: before.name, at }
  const name = kind === 'deleted' ? from : kind === 'out' ? undefined : to
  return name === undefined ? undefined : { name, at }
}

/**
 * The visits between marks. A column has the name under which the item left it, or its current name. Who leaves for a column of the
 * same name on another board leaves no name: then it has the name under which the item came.
 * @param original the column in which the item was created, if that is stored
 */
function visitsOf(
  item: ItemFacts,
  marks: readonly Mark[],
  { isHere, original, renames }: { isHere: boolean; original: Named | undefined; renames: Renames },
): Visit[] {
  const names = new Array<string>(marks.length)
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    names[index] = marks[index]?.from ?? names[index + 1] ?? item.column
  }
  const visits: Visit[] = []
  let start = item.createdAt
  let isOnBoard = isHere
  let there = original
  const add = (visit: Visit) => {
    const last = visits.at(-1)
    if (last?.to === visit.from && last.column === visit.column && last.end === 'moved') {
      last.to = visit.to
      last.end = visit.end
    } else visits.push(visit)
  }
  for (const [index, mark] of marks.entries()) {
    const { at, kind } = mark
    const time = Math.max(at, start)
    if (isOnBoard) {
      const known = mark.from === undefined ? there : undefined
      const column = renames.nameNow(known?.name ?? (names[index] as string), known?.at ?? at)
      add({ column, from: start, to: time, end: kind === undefined ? 'moved' : ENDS[kind] })
    }
    if (kind !== undefined) isOnBoard = kind === 'in' || kind === 'created'
    there = entered(mark, there)
    start = time
  }
  if (isOnBoard) add({ column: item.column, from: start, to: Number.POSITIVE_INFINITY, end: undefined })
  return visits
}

/** Most milliseconds between an entry and the change of the same write: each has its own time. */
const SAME_WRITE = 1000

/** The time of a dismissal. If the same write also moved the item, the move came first: who finishes an item and puts it away has finished it. */
function dismissedAt({ at, column }: ItemChange, entries: readonly Moved[]): number {
  if (column === undefined) return at
  const entry = entries.findLast(
    (one) => one.from === column.from && one.to === column.to && Math.abs(one.at - at) < SAME_WRITE,
  )
  return Math.max(at, entry?.at ?? at) + 1
}

/** When an item was dismissed. */
function dismissalsOf({ item, changes, entries }: Recorded): ItemHistory['dismissed'] {
  const made = changes.find((change) => change.made?.dismissed)?.made
  const spans: ItemHistory['dismissed'] = []
  let since: number | undefined
  let isFirst = true
  for (const change of changes) {
    const { at, dismissal } = change
    if (!dismissal) continue
    if (dismissal.to) since ??= dismissedAt(change, entries)
    else {
      // The change that began the first interval may be pruned.
      const from = since ?? (isFirst ? (made?.updatedAt ?? dismissal.lastChanged) : at)
      spans.push({ from, to: at })
      since = undefined
    }
    isFirst = false
  }
  if (since === undefined && item.dismissed) since = made?.updatedAt ?? item.updatedAt
  return since === undefined ? spans : [...spans, { from: since, to: Number.POSITIVE_INFINITY }]
}

/**
 * When an imported item reached its imported column: only the time of its last earlier change is known.
 * @returns undefined if its moves are recorded, or the time was pruned
 */
function arrivalInColumn(
  item: ItemFacts,
  entries: readonly Moved[],
  changes: readonly ItemChange[],
): number | undefined {
  if (!item.isImported) return undefined
  const created = changes.find(({ made }) => made)
  if (created?.made) {
    const { at } = created
    return entries.some((entry) => entry.at < at) ? undefined : created.made.updatedAt
  }
  return entries.length > 0 || changes.length > 0 ? undefined : item.updatedAt
}

/** The records of one item. */
export interface Recorded {
  item: ItemFacts
  /** By time. */
  entries: readonly Moved[]
  /** In sequence order. */
  changes: ItemChange[]
}

/**
 * The history of an item on a board.
 * @param board its renames, and the column in which imported items begin
 */
export function historyOf(
  { item, entries, changes }: Recorded,
  { renames, firstColumn }: { renames: Renames; firstColumn: string | undefined },
): ItemHistory {
  const crossing = changes.find((change) => change.crossing)?.crossing
  const isHere = crossing === undefined ? item.isHere : crossing === 'out'
  const later = changes.filter((change, index) => change.action !== 'created' || index > 0)
  const moves = changes.length === 0 ? entries : [...entries, ...movesOfOthers(changes, entries, renames)]
  const [oldest] = changes
  const original = oldest?.made && { name: oldest.made.column, at: oldest.at }
  const visits = visitsOf(item, marksOf(item, later, moves), { isHere, original, renames })
  const [first] = visits
  const arrival = arrivalInColumn(item, entries, changes)
  if (first && isHere && arrival !== undefined && firstColumn !== undefined && first.column !== firstColumn) {
    const at = Math.min(Math.max(arrival, first.from), first.to)
    if (at > first.from) {
      visits.unshift({ column: firstColumn, from: first.from, to: at, end: 'moved' })
      first.from = at
    }
  }
  return { id: item.id, title: item.title, visits, dismissed: dismissalsOf({ item, entries, changes }) }
}
