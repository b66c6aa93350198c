/** Operations that could not get a lock in time. */
import SQLite from 'better-sqlite3'
import t from 'tap'
import { isBusy } from '../../src/db/busy.ts'
import { toApiError } from '../../src/requests/api-errors.ts'

t.test('a lock held by another process is 503, also as the cause of another error', (t) => {
  const busy = new SQLite.SqliteError('database is locked', 'SQLITE_BUSY_SNAPSHOT')
  for (const error of [busy, new Error('Failed query', { cause: busy })]) {
    t.equal(isBusy(error), true)
    t.match(toApiError(error), {
      statusCode: 503,
      message: 'The database is busy',
      code: 'database_busy',
      headers: { 'retry-after': '1' },
    })
  }
  const full = new SQLite.SqliteError('database or disk is full', 'SQLITE_FULL')
  for (const error of [full, new Error('busy'), 'SQLITE_BUSY', undefined]) t.equal(isBusy(error), false)
  t.equal(toApiError(full), undefined)
  t.end()
})
