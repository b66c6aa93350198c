/**
 * Changes that clients saw and the file has lost: after a takeover from a replica, or a restore of an older backup. Their `seq` must not
 * be used again: readers would miss the new change, and receivers of webhooks would drop it as a repetition. So the sequence jumps ahead,
 * recorded by a change of the kind `leap`. Clients at a place in the gap get 410 and reload.
 */
import type SQLite from 'better-sqlite3'
import { newId } from './ids.ts'

/** The kind of the change that a jump appends. It belongs to no record. */
export const LEAP = 'leap'

/** The last place before which a sequence may jump: numbers beyond 2 ** 53 are not exact, and there must be room for more changes. */
export const LAST_SEQ = 2 ** 53 - 2 ** 32

/** The microseconds of a millisecond. */
const MICROSECONDS = 1000

/** The current time must be this far ahead of the last change to jump there: clocks do not agree better. */
const MARGIN = 1_000_000

/** The jump if the clock is behind: more than is ever lost. */
const FAR = 1_000_000_000

/** A change, for comparing how up to date files are. */
export interface LastChange {
  seq: number
  at: string
}

/** Places without a change that no jump accounts for. */
export interface Gap {
  from: number
  to: number
}

/** Other tables that refer to changes by `seq`. */
const WITNESSES = ['change_subjects', 'idempotency_keys']

const hasTable = (client: SQLite.Database, name: string): boolean =>
  client.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined

/** Whether a file has a sequence: files of older versions have none. */
const hasSequence = (client: SQLite.Database): boolean => hasTable(client, 'changes')

/** The newest change of a file, or undefined. */
export function lastChange(client: SQLite.Database): LastChange | undefined {
  if (!hasSequence(client)) return undefined
  return client.prepare<[], LastChange>('select seq, at from changes order by seq desc limit 1').get()
}

/**
 * A missing change after the oldest stored one, to which the index or a stored response refers:
 * the file is damaged. Undefined for none.
 */
export function missingChange(client: SQLite.Database): number | undefined {
  if (!hasSequence(client)) return undefined
  for (const table of WITNESSES.filter((name) => hasTable(client, name))) {
    const missing = client
      .prepare<[], number>(
        `select seq from ${table} where seq >= (select min(seq) from changes) and seq > 0
        and not exists (select 1 from changes where changes.seq = ${table}.seq) limit 1`,
      )
      .pluck()
      .get()
    if (missing !== undefined) return missing
  }
  return undefined
}

/**
 * Gaps in the sequence of a file after the oldest stored change that no jump accounts for: missing changes. In
 * order.
 * @param count maximum number
 */
export function gapsIn(client: SQLite.Database, count: number): Gap[] {
  if (!hasSequence(client)) return []
  return client
    .prepare<[string, number], Gap>(
      `select previous + 1 as "from", seq - 1 as "to"
      from (select seq, lag(seq) over (order by seq) as previous from changes) as place
      where seq > previous + 1 and not exists (
        select 1 from changes where changes.seq = place.seq and kind = ?
        and json_valid(after) and after ->> 'last' = previous)
      order by seq limit ?`,
    )
    .all(LEAP, count)
}

/**
 * The target of a jump: the current time, in microseconds since 1970. It is beyond every `seq` in any copy of the file,
 * even copies that have jumped themselves: none makes a change every microsecond.
 * @param last the newest known place
 */
function placeAfter(last: number): number {
  const now = Date.now() * MICROSECONDS
  return now >= last + MARGIN && Number.isSafeInteger(now) ? now : last + FAR
}

/**
 * Makes the sequence of a file jump ahead, so that no future change gets the `seq` of a lost one.
 * @param known the place of a change in another copy of the file
 * @returns the place of that change; undefined for a file without changes
 */
export function jump(client: SQLite.Database, known = 0): number | undefined {
  const last = lastChange(client)
  if (last === undefined) return undefined
  const seq = placeAfter(Math.max(last.seq, known))
  client
    .prepare(
      `insert into changes (seq, "group", kind, id, action, after) values (:seq, :seq, :kind, :id, 'created', json(:after))`,
    )
    .run({ seq, kind: LEAP, id: newId(), after: JSON.stringify({ last: last.seq, lastAt: last.at }) })
  return seq
}
