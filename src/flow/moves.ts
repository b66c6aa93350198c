/** Moves of items between columns, from activity entries. */
import type { SharedDatabase } from '../db/client.ts'
import { once } from '../once.ts'
import { timeOf } from './days.ts'
import type { Moved } from './item-history.ts'

/** The columns from and to. */
type Way = Pick<Moved, 'from' | 'to'>

const isText = (value: unknown): value is string => typeof value === 'string'

/** The columns in an entry's metadata; undefined for another tool's unusual entry. */
export function wayOf(metadata: unknown): Way | undefined {
  try {
    const { from, to } = JSON.parse(String(metadata))
    return isText(from) && isText(to) && from !== '' ? { from, to } : undefined
  } catch {
    return undefined
  }
}

/** A recorded move; undefined for another tool's unusual entry. @param at its time, maybe NaN */
export const movedOf = (at: number, way: Way | undefined): Moved | undefined =>
  way === undefined || Number.isNaN(at) ? undefined : { at, from: way.from, to: way.to }

/** The order of moves. */
export const byTime = (a: Moved, b: Moved): number => a.at - b.at

/** Cache size: items of a board make the same moves. */
const REMEMBERED = 1000

/** Activity entries as JSON arrays: the row of the item, the time, and the metadata of each. */
interface Entries {
  rows: string
  times: string
  metadata: string
}

/**
 * Move entries of the items that match a condition, as SQL: one row of arrays is read in half the time of separate rows.
 * Entries are read in file order.
 */
const entriesWhere = (condition: string): string =>
  `select json_group_array(found."row") as rows, json_group_array(cast(entry.created_at as text)) as times,
    json_group_array(cast(entry.metadata as text)) as metadata
  from (
    select "its".rowid as "row", entry.rowid as "place" from kanban_items as "its"
    cross join kanban_activity as entry on entry.item_id = "its".id
    where ${condition} order by "place"
  ) as found
  cross join kanban_activity as entry on entry.rowid = found."place"
  where entry.type = 'status_change'`

/** The moves of each item, in order of time, by the row of the item. */
export type Moves = ReadonlyMap<number, readonly Moved[]>

/** The moves in activity entries. */
export function movesOf(entries: Entries): Moves {
  const [rows, times, metadata] = [entries.rows, entries.times, entries.metadata].map((text) =>
    JSON.parse(text),
  )
  const ways = new Map<string, Way | undefined>()
  const moves = new Map<number, Moved[]>()
  for (const [index, row] of rows.entries()) {
    const text = metadata[index]
    const way = ways.get(text) ?? wayOf(text)
    if (ways.size < REMEMBERED) ways.set(text, way)
    const moved = movedOf(timeOf(times[index]), way)
    if (!moved) continue
    const known = moves.get(row)
    if (known) known.push(moved)
    else moves.set(row, [moved])
  }
  for (const ofItem of moves.values()) ofItem.sort(byTime)
  return moves
}

/** Prepares reading the moves of the items of a project, or of items by a JSON array of their ids. */
export function movesIn({ $client: client }: SharedDatabase) {
  const reading = (condition: string) => {
    const entries = once(() => client.prepare<[string], Entries>(entriesWhere(condition)))
    return (value: string): Moves => movesOf(entries().get(value) as Entries)
  }
  return {
    ofProject: reading('"its".project_id = +?'),
    ofItems: reading('"its".id in (select value from json_each(+?))'),
  }
}
