/** A service that the browser tests of a process share, one for each mode: a start takes as long as many a test. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import root from 'tap'
import { onPreparedFile, type Service, start } from '../process.ts'

type Row = Record<string, unknown>

/** The service, and what empties its file again. */
export interface SharedService {
  service: Service
  /** Gives the file the rows of the start, as another tool would write them. */
  reset: () => void
}

/** Tables whose rows are no records: of SQLite, of migrations, of the search index, and of the sequence of changes. */
const NO_RECORDS = /^(sqlite_|__|search_|change|consumers|item_times|quiet_)/

function createReset(file: string): () => void {
  const db = new SQLite(file)
  root.teardown(() => db.close())
  db.pragma('foreign_keys = on')
  const tables = db
    .prepare<[], string>("select name from sqlite_master where type = 'table'")
    .pluck()
    .all()
    .filter((name) => !NO_RECORDS.test(name))
  const initial = tables.map((table) => ({
    table,
    rows: db.prepare<[], Row>(`select * from ${table}`).all(),
  }))
  return db.transaction(() => {
    db.pragma('defer_foreign_keys = on')
    for (const table of tables) db.exec(`delete from ${table}`)
    for (const { table, rows } of initial) {
      for (const row of rows) {
        const columns = Object.keys(row).map((name) => `"${name}"`)
        db.prepare(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`).run(
          ...Object.values(row),
        )
      }
    }
    // Its number is never used again, so that the service finds what comes next.
    for (const table of ['changes', 'change_subjects'])
      db.exec(`delete from ${table} where seq < (select max(seq) from changes)`)
  }).immediate
}

const services = new Map<string, Promise<SharedService>>()

async function launch(settings: Record<string, string>): Promise<SharedService> {
  const environment = onPreparedFile(mkdtempSync(join(tmpdir(), 'phaseboard-shared-')))
  const service = await start(root, { ...environment, ...settings })
  return { service, reset: createReset(environment.DATABASE_URL.replace(/^file:/, '')) }
}

/** The shared service with these settings, whose file has no records but those of its start. The first call starts it. */
export async function shareService(settings: Record<string, string>): Promise<SharedService> {
  const key = JSON.stringify(settings)
  const launched = services.get(key) ?? launch(settings)
  services.set(key, launched)
  return launched
}
