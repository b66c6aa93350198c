import { openDatabase, type SharedDatabase } from '../src/db/client.ts'

/** Opens a database, and closes it when the test ends. */
export function openTestDatabase(
  t: { teardown: (close: () => void) => void },
  url = ':memory:',
): SharedDatabase {
  const { db, close } = openDatabase(url)
  t.teardown(close)
  return db
}
