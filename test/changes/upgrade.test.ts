/** Upgrades a file of the version before the sequence of changes. All of its records are then in the sequence. */
import { join } from 'node:path'
import type SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { makeOldFile, openTestDatabase } from '../database.ts'
import { type App, build, createItem, createProject, createSubtask, seed, send } from '../helper.ts'
import { holdsSequence, rowsOf, stateOf } from './replay.ts'

/** The number of migrations before the sequence. */
const BEFORE = 5

/** Creates a file like one of the earlier version. */
function makeOld(t: Test, fill: (client: SQLite.Database) => void): string {
  const path = join(t.testdir(), 'board.db')
  const client = makeOldFile(path, BEFORE)
  fill(client)
  client.close()
  return path
}

/** Copies the rows of a service's file into the tables that the old file has too. */
function copyRows(from: SQLite.Database, to: SQLite.Database): void {
  to.pragma('foreign_keys = off')
  const tables = to
    .prepare<[], string>(
      `select name from sqlite_schema where type = 'table' and name not like 'search%' and name not like '\\_\\_%' escape '\\'`,
    )
    .pluck()
    .all()
  const columnsOf = to.prepare<[string], string>('select name from pragma_table_info(?)').pluck()
  for (const table of tables) {
    for (const row of from.prepare<[], Record<string, unknown>>(`select * from ${table}`).all()) {
      const names = columnsOf.all(table)
      to.prepare(
        `insert into ${table} (${names.map((name) => `"${name}"`).join()}) values (${names.map(() => '?').join()})`,
      ).run(...names.map((name) => row[name]))
    }
  }
}

/** A service with records of every kind. */
async function seeded(t: Test): Promise<App> {
  const app = await build(t, { adminPassword: 'correct horse' })
  for (let count = 0; count < 3; count += 1) {
    const { id } = await createProject(app)
    const item = await createItem(app, id)
    await createSubtask(app, item.id)
    seed(app, id, item.id)
  }
  await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' })
  return app
}

t.test(
  'an upgrade records every record as created, parents first, as one group without an actor',
  async (t) => {
    const source = await seeded(t)
    const path = makeOld(t, (client) => {
      copyRows(source.db.$client, client)
      client.exec("insert into teams (id, name) values ('ops', 'Ops')")
      client.exec("insert into team_members values ('ops', 'ada'), ('ops', 'bob')")
      client.exec("update projects set metadata = 'no JSON', next_step = x'00ff'")
    })
    const db = openTestDatabase(t, `file:${path}`)
    const rows = holdsSequence(db.$client)
    t.ok(rows.length > 20)
    t.equal(rows.length, stateOf(db.$client).size, 'one change a record')
    t.strictSame(new Set(rows.map(({ group, actor_id }) => `${group} ${actor_id}`)), new Set(['1 null']))
    t.strictSame(new Set(rows.map(({ action }) => action)), new Set(['created']))
    const first = (kind: string) => rows.findIndex((row) => row.kind === kind)
    const last = (kind: string) => rows.findLastIndex((row) => row.kind === kind)
    t.ok(last('project') < first('kanban-item') && last('kanban-item') < first('kanban-subtask'))
    t.ok(last('kanban-label') < first('kanban-item-label'))
    const team = rows.find(({ id }) => id === 'ops')
    t.match(JSON.parse(String(team?.after)), { memberIds: ['ada', 'bob'] })
    t.notMatch(JSON.stringify(rows), 'argon2', 'no credential')
  },
)

t.test('entries of an older audit log get their actor, without an address', async (t) => {
  const path = makeOld(t, (client) => {
    client.exec(`insert into audit_log (id, action, actor_id, address) values
      ('1', 'member-created', null, null), ('2', 'webhook-deactivated', null, null),
      ('3', 'sign-in-failed', null, '10.0.0.1'), ('4', 'sign-in', 'ada', '10.0.0.1')`)
  })
  const db = openTestDatabase(t, `file:${path}`)
  t.strictSame(db.$client.prepare('select actor from audit_log order by id').pluck().all(), [
    'command line',
    'service',
    null,
    null,
  ])
})

t.test('writes to an upgraded file are recorded as in a new one', async (t) => {
  const source = await seeded(t)
  const path = makeOld(t, (client) => copyRows(source.db.$client, client))
  const app = await build(t, { databaseUrl: `file:${path}`, adminPassword: 'correct horse' })
  const [project] = (await send(app, 'GET', '/api/projects')).body
  const before = rowsOf(app.db.$client).length
  const { status, headers } = await send(app, 'PATCH', `/api/projects/${project.id}`, { nextStep: 'Go' })
  t.equal(status, 200)
  t.equal(headers['phaseboard-seq'], String(before + 1))
  await send(app, 'POST', `/api/projects/${project.id}/kanban-items`, { title: 'New' })
  holdsSequence(app.db.$client)
})
