/**
 * Writes a migration that recreates the triggers and views of the sequence of changes: run it after `npm run migration` if
 * a tracked table in `src/db/schema.ts` has changed.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { changeTriggers } from '../src/db/change-triggers.ts'
import { openDatabase } from '../src/db/client.ts'

const { db, close } = openDatabase(':memory:')
const before = new Map(
  db.$client
    .prepare<[], [string, string]>(
      "select name, sql from sqlite_schema where type in ('trigger', 'view') and name like 'changes\\_%' escape '\\'",
    )
    .raw()
    .all(),
)
close()
const now = changeTriggers()
const isStale = ([name, sql]: [string, string]) => now.get(name) !== sql
const isNew = ([name, sql]: [string, string]) => before.get(name) !== sql
const statements = [
  ...[...before]
    .filter(isStale)
    .map(([name, sql]) => `drop ${sql.startsWith('CREATE VIEW') ? 'view' : 'trigger'} ${name};`),
  ...[...now].filter(isNew).map(([, sql]) => `${sql};`),
]
if (statements.length === 0) console.log('the triggers are current')
else {
  execFileSync(process.execPath, ['scripts/migration.ts', '--custom', '--name', 'change-triggers'], {
    stdio: 'pipe',
  })
  const file = `drizzle/${readdirSync('drizzle')
    .filter((name) => name.endsWith('_change-triggers.sql'))
    .sort()
    .at(-1)}`
  writeFileSync(file, `${statements.join('\n--> statement-breakpoint\n')}\n`)
  console.log(file)
}
