/** Other tools may store anything in any column. Everything that is readable is still read. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { ARCHIVED } from '../../src/exchange/archives/archive-tables.ts'
import { seeding } from '../batches.ts'
import { failedGets } from '../every-get.ts'
import { ODD_VALUES, oddFields } from '../exchange/archives.ts'
import { signInAs } from '../helper.ts'
import { isThorough } from '../rounds.ts'

const VALUES = [...ODD_VALUES, "'x\"y' || char(10)", "'[['", "'2026-01-31'", "x'7b7d'"]

/** The columns that identify a member are left unchanged: otherwise nobody could sign in. */
const COLUMNS = ARCHIVED.filter(({ table }) => table !== 'members').flatMap((of) =>
  oddFields(of).map(({ column }) => ({ table: of.table, column })),
)

t.test('every stored value of another tool can be read', async (t) => {
  const file = join(t.testdir(), 'board.db')
  const app = await buildApp({ databaseUrl: `file:${file}`, logLevel: 'silent' })
  t.teardown(() => app.close())
  const tool = new SQLite(file)
  t.teardown(() => tool.close())
  const { headers, id } = signInAs(app, 'admin')
  tool.exec(seeding(id))
  tool.exec(
    `insert into kanban_item_labels values ('item', 'label');
     insert into kanban_activity (id, item_id, type) values ('activity', 'item', 'status_change');
     insert into team_members values ('team', 'ada')`,
  )
  // Compiling an update with its triggers takes many times as long as running it, so that the value comes from a table without types.
  tool.exec('create temp table odd (value)')
  const updates = new Map(
    COLUMNS.map((one) => [
      one,
      tool.prepare(`update ${one.table} set "${one.column}" = (select value from temp.odd)`),
    ]),
  )
  const store = (column: (typeof COLUMNS)[number], value: string | undefined) => {
    tool.exec(`delete from temp.odd; insert into temp.odd values (${value})`)
    try {
      updates.get(column)?.run()
    } catch (error) {
      // Columns that must not be NULL, or must be unique.
      if (!(error instanceof SQLite.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT')) throw error
    }
  }
  for (const [round, value] of VALUES.entries()) {
    // Each round has every column and every value. A third of the rounds gives each column a third of the values, and its neighbours, which
    // are read alike, the others.
    if (!isThorough && round % 3 !== 0) continue
    for (const [place, column] of COLUMNS.entries()) store(column, VALUES[(place + round) % VALUES.length])
    t.strictSame(await failedGets(app, tool, headers), [], `mixed, from ${value} on`)
  }
})
