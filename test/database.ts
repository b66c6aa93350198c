import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { openDatabase, type SharedDatabase } from '../src/db/client.ts'
import { shippedMigrations } from '../src/db/migrations.ts'

/** Opens a database, and closes it when the test ends. */
export function openTestDatabase(
  t: { teardown: (close: () => void) => void },
  url = ':memory:',
): SharedDatabase {
  const { db, close } = openDatabase(url)
  t.teardown(close)
  return db
}

/** Creates a file of an earlier version: of the first migrations, or without the last ones if negative. The caller closes it. */
export function makeOldFile(path: string, migrations: number): SQLite.Database {
  const client = new SQLite(path)
  client.exec(
    'create table __drizzle_migrations (id integer primary key, hash text not null, created_at numeric)',
  )
  for (const { sql, hash, folderMillis } of shippedMigrations().slice(0, migrations)) {
    for (const statement of sql) client.exec(statement)
    client
      .prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)')
      .run(hash, folderMillis)
  }
  return client
}

/** Waits until another connection or process holds the write lock of a file. */
export async function locked(file: string): Promise<void> {
  const tool = new SQLite(file, { timeout: 0 })
  try {
    for (;;) {
      tool.exec('begin immediate; rollback')
      await sleep(2)
    }
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error
  } finally {
    tool.close()
  }
}
