/** The shipped migrations, and those that were applied to a file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type SQLite from 'better-sqlite3'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { StartupError } from '../errors.ts'
import { once } from '../once.ts'
import { packageFile } from '../package-files.ts'
import { makePeopleOpaque } from './opaque-people.ts'
import { indexSearch } from './search-index.ts'
import { endLargeWrites } from './unfinished-writes.ts'

/** The journal of Drizzle's migrator: `created_at` is the `when` of a migration in `drizzle/meta/_journal.json`. */
const JOURNAL = '__drizzle_migrations'

const FOLDER = packageFile('drizzle')

/** The shipped migrations, in order. */
export const shippedMigrations = (): MigrationMeta[] => readMigrationFiles({ migrationsFolder: FOLDER })

/** What migrations do that SQL cannot, by their names without the number: before or after their statements. */
const STEPS: Readonly<Record<string, { before?: Step; after?: Step }>> = {
  'opaque-people': { after: makePeopleOpaque },
  'one-transaction': { before: endLargeWrites },
  'search-words': { after: (client) => indexSearch({ $client: client }) },
}

type Step = (client: SQLite.Database) => unknown

/** The shipped migrations, in order: `when` identifies them. Most starts need no more: reading and hashing the statements takes milliseconds. */
const journal = once((): { when: number; tag: string }[] => {
  return JSON.parse(readFileSync(join(FOLDER, 'meta/_journal.json'), 'utf8')).entries
})

const shippedTimes = (): number[] => journal().map(({ when }) => when)

/** The steps of a migration, if any. */
const stepsOf = (time: number) =>
  STEPS[
    journal()
      .find(({ when }) => when === time)
      ?.tag.replace(/^\d+_/, '') ?? ''
  ] ?? {}

/** The tables of a file, without those of SQLite and Litestream, which may open a new file first. */
export const tableNames = (client: SQLite.Database) =>
  client
    .prepare(
      "select name from sqlite_schema where name not like 'sqlite\\_%' escape '\\' and name not like '\\_litestream\\_%' escape '\\'",
    )
    .pluck()
    .all()

/** The `when` of each migration that was applied to the file. */
const appliedTimes = (client: SQLite.Database): number[] =>
  client.prepare<[], number>(`select created_at from ${JOURNAL}`).pluck().all().map(Number)

/**
 * Checks that the tables of a file are those of this version of Phaseboard, or of an earlier one.
 * @param called the file, for messages
 * @param Refusal the class of errors, for a file that is not the configured one
 * @throws StartupError if there are none, or they are another application's, or of a newer version
 */
export function refuseForeignTables(
  client: SQLite.Database,
  called: string,
  Refusal: new (message: string) => Error = StartupError,
): void {
  const names = tableNames(client)
  if (names.length === 0) throw new Refusal(`${called} is empty`)
  const applied = names.includes(JOURNAL) ? appliedTimes(client) : []
  const shipped = shippedTimes()
  // Other applications of Drizzle keep a journal of that name too, but not of these migrations.
  if (!applied.includes(Math.min(...shipped))) {
    throw new Refusal(`${called} belongs to another application: it has no Phaseboard tables`)
  }
  const newest = Math.max(...shipped)
  if (applied.some((at) => at > newest)) {
    throw new Refusal(
      `${called} was written by a newer version of Phaseboard: start that version, or restore a backup`,
    )
  }
}

/** Whether all migrations were applied to the file. */
function isMigrated(client: SQLite.Database): boolean {
  if (!tableNames(client).includes(JOURNAL)) return false
  const applied = new Set(appliedTimes(client))
  return shippedTimes().every((at) => applied.has(at))
}

/**
 * Applies the missing migrations in one transaction. Drizzle's own migrator reads its journal before it takes
 * the write lock, so two processes starting on one new file would both apply everything; here the lock comes
 * first. Foreign keys are still off, as SQLite's procedure for altering tables requires.
 */
export function migrate(client: SQLite.Database): void {
  const apply = client.transaction(() => {
    client.exec(
      `create table if not exists ${JOURNAL} (id integer primary key, hash text not null, created_at numeric)`,
    )
    const applied = new Set(appliedTimes(client))
    for (const { sql, hash, folderMillis } of shippedMigrations()) {
      if (applied.has(folderMillis)) continue
      const { before, after } = stepsOf(folderMillis)
      before?.(client)
      for (const statement of sql) client.exec(statement)
      after?.(client)
      client.prepare(`insert into ${JOURNAL} (hash, created_at) values (?, ?)`).run(hash, folderMillis)
    }
  })
  client.pragma('foreign_keys = OFF')
  // If nothing is missing, as for the worker thread, it waits for no lock.
  if (!isMigrated(client)) apply.immediate()
}
