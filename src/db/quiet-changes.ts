/**
 * Changes without notifications, because they repeat known events or there are too many: undos, imports, merged people. `src/attention`
 * skips them.
 */

import { timestamp } from '../time.ts'
import type { SharedDatabase } from './client.ts'
import { connectionOf } from './connection.ts'

const prepare = (client: object) =>
  (client as SharedDatabase['$client']).prepare<[object]>(
    `insert or replace into quiet_changes (first, last, at)
    select +:since + 1, max(seq), :at from changes where seq > +:since having max(seq) is not null`,
  )

const statements = new WeakMap<object, ReturnType<typeof prepare>>()

/**
 * Marks the changes of the current write after one: they cause no notifications. Call it inside the write, after its changes.
 * @param since the last change before them
 * @returns whether there are any
 */
export function markQuiet(db: Pick<SharedDatabase, '$client'>, since: number): boolean {
  const connection = connectionOf(db)
  const statement = statements.get(connection) ?? prepare(connection)
  statements.set(connection, statement)
  return statement.run({ since, at: timestamp() }).changes > 0
}
