/** Kinds of records: none is missing, and the records of a project are deleted and restored with it. */
import { getTableName } from 'drizzle-orm'
import t from 'tap'
import { changeTriggers } from '../../src/db/change-triggers.ts'
import { holderOf, KINDS, thingOf } from '../../src/db/kinds.ts'
import * as schema from '../../src/db/schema.ts'
import { openTestDatabase } from '../database.ts'
import { type App, build, send, signInAs } from '../helper.ts'
import { insertion, KIND_EXAMPLES, rowOf, TABLES_OF_A_PROJECT } from '../kinds.ts'
import { ALL_TABLES, TABLES_OF_THE_SERVICE } from '../tables.ts'

t.test('the file has the triggers that its tables need', async (t) => {
  const db = openTestDatabase(t)
  const there = db.$client
    .prepare<[], [string, string]>(
      `select name, sql from sqlite_schema
       where type in ('trigger', 'view') and name like 'changes\\_%' escape '\\'`,
    )
    .raw()
    .all()
  t.strictSame(
    Object.fromEntries(there),
    Object.fromEntries(changeTriggers()),
    'after a change of a table: npm run migration:triggers',
  )
})

/** Tables that are not in the sequence: the service's own, a team's members (which are in `memberIds`), logs, and the sequence itself. */
const UNTRACKED = [...TABLES_OF_THE_SERVICE, 'audit_log', 'changes', 'team_members']

t.test('each table is tracked, or listed as untracked', async (t) => {
  const tracked = KINDS.map(({ table }) => getTableName(table))
  t.strictSame([...tracked, ...UNTRACKED].toSorted(), ALL_TABLES)
})

t.test('each kind has an example, with the parents that its foreign keys name', async (t) => {
  t.strictSame(
    KIND_EXAMPLES.map(({ kind, table, of }) => [kind, table, of === 'item' ? 'kanban-item' : of]),
    KINDS.map((kind) => [kind.kind, getTableName(kind.table), holderOf(kind)]),
    'test/kinds.ts has the kinds of src/db/kinds.ts, in their order',
  )
})

t.test('a table without names for its records is reported', async (t) => {
  t.equal(thingOf(schema.kanbanItems), 'Kanban item')
  t.equal(thingOf(schema.webhooks), 'Webhook')
  t.throws(() => thingOf(schema.changes), { message: 'name the records of changes in src/db/kinds.ts' })
})

/** All rows of a project and its child records, regardless of their rowids. */
const everything = ({ db: { $client: client } }: App) =>
  Object.fromEntries(
    ['projects', ...TABLES_OF_A_PROJECT].map((table) => [
      table,
      client
        .prepare(`select * from ${table}`)
        .all()
        .map((row) => JSON.stringify(row))
        .toSorted(),
    ]),
  )

t.test('a project is deleted with all its records, and an undo restores them all', async (t) => {
  const app = await build(t)
  const { id, headers } = signInAs(app, 'admin')
  for (const example of KIND_EXAMPLES) {
    app.db.$client.exec(insertion(example.table, rowOf(example, { owner: id })))
  }
  const before = everything(app)
  for (const [table, rows] of Object.entries(before)) t.equal(rows.length, 1, `${table} has the example`)
  const deleted = await send(app, 'DELETE', '/api/projects/project', undefined, headers)
  t.equal(deleted.status, 200)
  for (const [table, rows] of Object.entries(everything(app))) t.strictSame(rows, [], `${table} is empty`)
  const seq = deleted.headers['phaseboard-seq']
  const undone = await send(app, 'POST', `/api/changes/${seq}/undo`, undefined, headers)
  t.equal(undone.status, 200)
  t.strictSame(everything(app), before)
})
