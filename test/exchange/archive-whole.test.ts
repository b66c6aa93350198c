/** Archives imported beside other people's records: whole or absent for others. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { importArchive } from '../../src/exchange/archives/import-archive.ts'
import { holdsGroups, holdsSequence, rowsOf } from '../changes/replay.ts'
import { build, count, createProject, send, signInAs } from '../helper.ts'
import { quiet } from './archives.ts'

const CARDS = 300

/** A service with a board, and its archive. */
async function prepare(t: Test, folder: string) {
  const source = await build(t, { databaseUrl: `file:${join(folder, 'source.db')}` })
  const { headers } = signInAs(source, 'admin', { id: 'ada' })
  const project = await createProject(source, { name: 'Apollo', leadId: 'ada' }, headers)
  source.db.$client.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CARDS})
      insert into kanban_items (id, project_id, title, description)
      select 'card ' || i, '${project.id}', 'Card ' || i, hex(zeroblob(200)) from n;
    insert into kanban_comments (id, item_id, author_id, content)
      select 'comment ' || id, id, 'ada', 'Hm' from kanban_items;
    insert into personal_ideas (id, owner_id, title) select 'idea ' || id, 'ada', title from kanban_items limit 500;
    insert into audit_log (id, action, subject_id) select 'entry ' || id, 'sign-in', 'ada' from kanban_items;
    insert into teams (id, name) values ('crew', 'Crew');
    insert into team_members (team_id, member_id) values ('crew', 'ada')`)
  const archive = join(folder, 'archive')
  await exportArchive(source.db.$client, archive, quiet)
  return { source, project, headers, archive }
}

const prepared = await prepare(t, t.testdir())

/** A service with its own board, and an archive of another one. */
async function setUp(t: Test, theirs = prepared) {
  const folder = t.testdir()
  const app = await build(t, {
    databaseUrl: `file:${join(folder, 'target.db')}`,
    adminEmail: 'root@localhost',
    adminPassword: 'correct horse battery',
  })
  await createProject(app, { name: 'Gemini' })
  const file = app.db.$client.name
  const tool = openDatabase(file)
  t.teardown(tool.close)
  /** Every table except those of the import itself. */
  const dump = () =>
    [
      'projects',
      'kanban_items',
      'kanban_comments',
      'personal_ideas',
      'audit_log',
      'members',
      'teams',
      'changes',
    ].map((table) => app.db.$client.prepare(`select * from ${table}`).all())
  return { ...theirs, folder, app, tool, file, dump }
}

t.test('others see nothing of an archive, and cannot write, until its end', async (t) => {
  const { app, source, project, headers, archive, tool, dump } = await setUp(t)
  app.db.$client.pragma('busy_timeout = 0')
  const add = () => app.db.$client.exec("insert into teams (id, name) values ('mine', 'Mine')")
  const before = dump()
  const earlier = rowsOf(app.db.$client)
  let looks = 0
  const whenWritten = () => {
    looks++
    t.strictSame(dump(), before)
    t.throws(add, { code: 'SQLITE_BUSY' })
  }
  await importArchive(tool.db, archive, { ...quiet, actorId: 'ada', whenWritten })
  t.equal(looks, 1)
  add()
  const rows = holdsSequence(app.db.$client)
  holdsGroups(rows)
  const theirs = rowsOf(source.db.$client)
  const withoutPlace = ({ seq: _, group: __, ...row }: (typeof rows)[number]) => row
  const from = rows.findIndex(({ id }) => id === theirs[0]?.id)
  t.strictSame(rows.slice(from, from + theirs.length).map(withoutPlace), theirs.map(withoutPlace))
  t.strictSame(rows.slice(0, earlier.length), earlier)
  const url = `/api/projects/${project.id}`
  t.strictSame((await send(app, 'GET', url)).body, (await send(source, 'GET', url, undefined, headers)).body)
  for (const table of ['personal_ideas', 'audit_log', 'team_members', 'kanban_comments'])
    t.equal(count(app, table), count(source, table), table)
  t.equal(app.db.$client.prepare('select * from pragma_foreign_key_check').all().length, 0)
  t.equal(tool.db.$client.pragma('foreign_keys', { simple: true }), 1)
})

t.test('a record that somebody creates after the check fails the import as a whole', async (t) => {
  const { app, archive, tool, dump, project } = await setUp(t)
  const { $client: client } = app.db
  for (const [what, act, undo, message] of [
    [
      'a card of the same id',
      "insert into kanban_items (id, project_id, title) select 'card 77', id, 'Mine' from projects",
      "delete from kanban_items where id = 'card 77'",
      /^kanban-items.jsonl, line \d+: it conflicts with the records here: UNIQUE constraint failed: kanban_items.id$/,
    ],
    [
      'an idea of the same id',
      "insert into personal_ideas (id, owner_id, title) values ('idea card 1', 'local', 'Mine')",
      "delete from personal_ideas where id = 'idea card 1'",
      /^personal-ideas.jsonl, line \d+: it conflicts with the records here: UNIQUE constraint failed: personal_ideas.id$/,
    ],
    [
      'a member of the same email',
      "insert into members (id, name, email) values ('eve', 'Eve', 'ADA@example.test')",
      "delete from members where id = 'eve'",
      /^1 members have the email of another member here: ada@example.test/,
    ],
    [
      'the project brought back',
      `insert into projects (id, name, phase) values ('${project.id}', 'Mine', 'Planning')`,
      `delete from projects where id = '${project.id}'`,
      /^projects.jsonl, line 1: it conflicts with the records here: UNIQUE constraint failed: projects.id$/,
    ],
  ] as const) {
    let before: unknown
    const onChecked = async () => {
      client.exec(act)
      before = dump()
    }
    await t.rejects(importArchive(tool.db, archive, { ...quiet, onChecked }), { message }, what)
    t.strictSame(dump(), before, what)
    client.exec(undo)
  }
  const onChecked = async () => {
    client.exec("insert into members (id, name, email) values ('ada', 'Ada Here', 'ada@example.test')")
  }
  const { plan } = await importArchive(tool.db, archive, { ...quiet, onChecked })
  t.match(plan, { kind: 'beside', known: new Map([['ada', 'ada']]) }, 'a member who joins meanwhile stays')
  t.equal(count(app, 'members', "name = 'Ada Here'"), 1)
  t.equal(count(app, 'kanban_items'), CARDS)
})

t.test('people of an archive who are here already do not change', async (t) => {
  const { folder, app, tool } = await setUp(t)
  const { source } = await prepare(t, folder)
  const person = (name: string) => `insert into people (id, name, kind, source, source_id)
    values ('p', '${name}', 'import', 'trello', '7')`
  source.db.$client.exec(person('Cleo There'))
  app.db.$client.exec(person('Cleo Here'))
  const archive = join(folder, 'with-people')
  await exportArchive(source.db.$client, archive, quiet)
  const { plan } = await importArchive(tool.db, archive, quiet)
  t.strictSame([...plan.knownPeople], ['p'])
  t.strictSame(app.db.$client.prepare("select name from people where id = 'p'").pluck().all(), ['Cleo Here'])
  t.equal(holdsSequence(app.db.$client).filter(({ kind, id }) => kind === 'person' && id === 'p').length, 1)
})

t.test("an import that another tool's trigger blocks is refused", async (t) => {
  const { folder, archive, tool, dump } = await setUp(t)
  const minds = `create trigger tool before delete on changes begin select raise(abort, 'another tool minds'); end`
  const refusal = { message: 'it conflicts with the records here: another tool minds' }
  const before = dump()
  tool.db.$client.exec(minds)
  await t.rejects(
    importArchive(tool.db, archive, { ...quiet, actorId: 'ada' }),
    refusal,
    'beside other records',
  )
  tool.db.$client.exec('drop trigger tool')
  t.strictSame(dump(), before)
  const empty = openDatabase(join(folder, 'empty.db'))
  t.teardown(empty.close)
  empty.db.$client.exec(minds)
  await t.rejects(importArchive(empty.db, archive, quiet), refusal, 'where there is nothing')
  t.equal(empty.db.$client.prepare('select count(*) from projects').pluck().get(), 0)
})
