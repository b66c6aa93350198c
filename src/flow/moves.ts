/** The moves of items from column to column, as activity records them. */
import type { SharedDatabase } from '../db/client.ts'
import { once } from '../once.ts'
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

/** Ways that are remembered, at most: items of a board go the same ways. */
const REMEMBERED = 1000

/** Entries of activity as JSON arrays: of each, the row of its item, its time, and its metadata. */
interface Entries {
  rows: string
  times: string
  metadata: string
}

/**
 * Entries about moves of the items that pass a condition, as SQL: one row of arrays is read in half the time that a row for each takes.
 * Entries are read in the order in which they lie in the file.
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

/** The moves in entries of activity. */
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
