/**
 * Changes that clients saw and the file has lost: after a takeover from a replica, or a restore of an older backup. Their `seq` must not
 * be used again: readers would miss the new change, and receivers of webhooks would take it for a repetition. So the sequence jumps ahead,
 * and a change of the kind `leap` says so. Clients at a place in the gap get 410 and reload.
 */
import type SQLite from 'better-sqlite3'
import { newId } from './ids.ts'

/** The kind of the change that a jump appends. It is of no record. */
export const JUMP = 'leap'

/** The last place that a sequence may come to by itself: beyond 2 ** 53 numbers are not exact, and below that is room to go on. */
export const LAST_SEQ = 2 ** 53 - 2 ** 32

/** The microseconds of a millisecond. */
const MICROSECONDS = 1000

/** How far ahead of the last change its time has to be for the sequence to go on there: no clocks agree better. */
const MARGIN = 1_000_000

/** How far the sequence jumps where that cannot be: more than is ever lost. */
const FAR = 1_000_000_000

/** A change, as far as it says how up to date a file is. */
export interface LastChange {
  seq: number
  at: string
}

/** Places without a change that no jump accounts for. */
export interface Gap {
  from: number
  to: number
}

/** Tables that tell by `seq` which changes there are, beside the sequence. */
const WITNESSES = ['change_subjects', 'idempotency_keys']

const hasTable = (client: SQLite.Database, name: string): boolean =>
  client.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined

/** Whether a file has a sequence: those of versions before it have none. */
const hasSequence = (client: SQLite.Database): boolean => hasTable(client, 'changes')

/** The newest change of a file; undefined where there is none. */
export function lastChange(client: SQLite.Database): LastChange | undefined {
  if (!hasSequence(client)) return undefined
  return client.prepare<[], LastChange>('select seq, at from changes order by seq desc limit 1').get()
}

/**
 * A change from the oldest that is kept on which is not there, although its index or the answer to a repeated request tell of
 * it: the file is damaged. Undefined for none.
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
 * Places in the sequence of a file, from the oldest change that is kept, without one, for which no jump accounts: changes are
 * missing. In their order.
 * @param count how many, at most
 */
export function gapsIn(client: SQLite.Database, count: number): Gap[] {
  if (!hasSequence(client)) return []
  // They have their places, and are on their way there (see `large-writes.ts`).
  const staged = hasTable(client, 'large_writes')
    ? 'and not exists (select 1 from large_writes where first_seq = previous + 1 and last_seq = place.seq - 1)'
    : ''
  return client
    .prepare<[string, number], Gap>(
      `select previous + 1 as "from", seq - 1 as "to"
      from (select seq, lag(seq) over (order by seq) as previous from changes) as place
      where seq > previous + 1 and not exists (
        select 1 from changes where changes.seq = place.seq and kind = ?
        and json_valid(after) and after ->> 'last' = previous) ${staged}
      order by seq limit ?`,
    )
    .all(JUMP, count)
}

/**
 * Where a sequence goes on: at the time, in microseconds since 1970. So a jump is beyond whatever any copy of the file was told
 * before it, those that have jumped themselves included: none makes a change a microsecond.
 * @param last the newest place that is known
 */
function placeAfter(last: number): number {
  const now = Date.now() * MICROSECONDS
  return now >= last + MARGIN && Number.isSafeInteger(now) ? now : last + FAR
}

/**
 * Lets the sequence of a file jump ahead, so that no change which was lost shares its place with one to come.
 * @param known a place that is known to have a change in another copy of the file
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
    .run({ seq, kind: JUMP, id: newId(), after: JSON.stringify({ last: last.seq, lastAt: last.at }) })
  return seq
}
