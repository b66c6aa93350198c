/** The retention of changes. */
import type { SharedDatabase } from '../db/client.ts'
import { ensureFew } from '../db/work-limits.ts'
import { once } from '../once.ts'
import { timestamp } from '../time.ts'
import { entriesOf } from './subjects.ts'

/** Most changes that one write prunes: some 10 ms. */
const PRUNED_AT_ONCE = 1000

function statementsOf({ $client: client }: SharedDatabase) {
  return {
    /**
     * The last change of the next slice to prune, never the newest change of all. An imported history follows newer changes and
     * waits for these, which must not be pruned early. Times in the future come from a wrong clock.
     */
    lastOlder: once(() =>
      client
        .prepare<[object], number>(
          `with slice as (select seq, at from changes where seq > 0 order by seq limit ${PRUNED_AT_ONCE})
          select max(seq) from slice where at < :before and seq < (select max(seq) from changes)
          and seq < ifnull((select min(seq) from slice where at >= :before and at <= :now), 9e18)`,
        )
        .pluck(),
    ),
    entries: once(() => client.prepare<[object], [string, number]>(entriesOf('seq <= :last')).raw()),
    /** One at a time, by key: for all at once SQLite would read the whole index. */
    pruneEntry: once(() => client.prepare('delete from change_subjects where subject = ? and seq = ?')),
    prune: once(() => client.prepare('delete from changes where seq <= :last')),
  }
}

/** Prunes the sequence from its beginning. The newest change always stays, so that no `seq` is used twice. */
export class Retention {
  static readonly reads: readonly string[] = ['hasOlder']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** Whether there are changes from before a time to prune. @param time milliseconds since 1970 */
  hasOlder(time: number): boolean {
    return this.#lastOlder(time) !== null
  }

  /**
   * Deletes some of the changes from before a time, with their index entries: in the worker thread, if there is
   * one.
   * @param time milliseconds since 1970
   * @returns whether there are more
   */
  prune(time: number): boolean {
    ensureFew(this.#db, PRUNED_AT_ONCE)
    const last = this.#lastOlder(time)
    if (last === null) return false
    for (const entry of this.#sql.entries().all({ last })) this.#sql.pruneEntry().run(...entry)
    this.#sql.prune().run({ last })
    return this.hasOlder(time)
  }

  #lastOlder(time: number): number | null {
    return this.#sql.lastOlder().get({ before: timestamp(time), now: timestamp() }) ?? null
  }
}
