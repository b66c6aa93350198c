/** Archives imported beside other people's records. They are written in slices, while others continue to write. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ChunkedWriter } from '../../src/db/chunked-writer.ts'
import { openDatabase } from '../../src/db/client.ts'
import { NO_FILES } from '../../src/db/files.ts'
import { orphansIn } from '../../src/db/orphans.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { importArchive } from '../../src/exchange/archives/import-archive.ts'
import { importByCommand } from '../../src/exchange/imports/archive-job.ts'
import { examine, isHealthy } from '../../src/maintenance/doctor.ts'
import { holdsGroups, holdsSequence, rowsOf } from '../changes/replay.ts'
import { build, count, createProject, send, signInAs } from '../helper.ts'
import { quiet } from './archives.ts'

const CARDS = 300

/** A service with a board, and its archive. */
async function prepare(t: Test, folder: string, cards: number) {
  const source = await build(t, { databaseUrl: `file:${join(folder, 'source.db')}` })
  const { headers } = signInAs(source, 'admin', { id: 'ada' })
  const project = await createProject(source, { name: 'Apollo', leadId: 'ada' }, headers)
  source.db.$client.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${cards})
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

const folders = t.testdir({ few: {}, many: {} })
const prepared = await prepare(t, join(folders, 'few'), CARDS)

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
  const rests = () =>
    ['hidden_projects', 'hidden_records', 'staged_changes', 'large_writes'].map((table) => count(app, table))
  return { ...theirs, folder, app, tool, file, dump, rests }
}

/** Runs something once, between two slices, after the import has written some rows of a table. */
function whenSome(
  tool: { $client: { exec: (sql: string) => unknown } },
  isTime: () => boolean,
  act: () => void,
) {
  const exec = tool.$client.exec.bind(tool.$client)
  let isDone = false
  tool.$client.exec = ((sql: string) => {
    if (sql === 'begin immediate' && !isDone && isTime()) {
      isDone = true
      act()
    }
    return exec(sql)
  }) as never
}

t.test('others write between the slices, and see all of the import after the last', async (t) => {
  const { app, source, project, headers, archive, tool, rests } = await setUp(
    t,
    await prepare(t, join(folders, 'many'), 1500),
  )
  const done: number[] = []
  let others = 0
  const exec = tool.db.$client.exec.bind(tool.db.$client)
  tool.db.$client.exec = (sql) => {
    if (sql === 'begin immediate')
      others += app.db.$client
        .prepare("update projects set name = name || '.' where name like 'Gemini%'")
        .run().changes
    return exec(sql)
  }
  const before = rowsOf(app.db.$client)
  await importArchive(tool.db, archive, { ...quiet, actorId: 'ada', onSlice: (count) => done.push(count) })
  t.ok(others > 10, `others wrote ${others} times`)
  t.ok(done.length > 8, `${done.length} slices`)
  t.strictSame(
    done,
    done.toSorted((one, other) => one - other),
  )
  t.strictSame(rests(), [0, 0, 0, 0])
  const rows = holdsSequence(app.db.$client)
  holdsGroups(rows)
  const theirs = rowsOf(source.db.$client)
  const withoutPlace = ({ seq: _, group: __, ...row }: (typeof rows)[number]) => row
  const from = rows.findIndex(({ id }) => id === theirs[0]?.id)
  t.strictSame(rows.slice(from, from + theirs.length).map(withoutPlace), theirs.map(withoutPlace))
  t.strictSame(rows.slice(0, before.length), before)
  const url = `/api/projects/${project.id}`
  t.strictSame((await send(app, 'GET', url)).body, (await send(source, 'GET', url, undefined, headers)).body)
  for (const table of ['personal_ideas', 'audit_log', 'team_members', 'kanban_comments'])
    t.equal(count(app, table), count(source, table), table)
  t.equal(app.db.$client.prepare('select * from pragma_foreign_key_check').all().length, 0)
  t.equal(tool.db.$client.pragma('foreign_keys', { simple: true }), 1)
})

t.test('a conflicting record of somebody else fails the import as a whole', async (t) => {
  const { app, archive, tool, dump, rests, project } = await setUp(t)
  const { $client: client } = app.db
  const isWriting = (table: string) => () => count(app, table) > 1
  for (const [what, isTime, act, undo, message] of [
    [
      'a card of the same id',
      () => count(app, 'hidden_projects') > 0,
      "insert into kanban_items (id, project_id, title) select 'card 77', id, 'Mine' from projects",
      "delete from kanban_items where id = 'card 77'",
      /^kanban-items.jsonl, line \d+: it conflicts with the records here: UNIQUE constraint failed: kanban_items.id$/,
    ],
    [
      'an idea of the same id',
      isWriting('kanban_comments'),
      "insert into personal_ideas (id, owner_id, title) values ('idea card 1', 'local', 'Mine')",
      "delete from personal_ideas where id = 'idea card 1'",
      /^personal-ideas.jsonl, line \d+: it conflicts with the records here: UNIQUE constraint failed: personal_ideas.id$/,
    ],
    [
      'a team of the same id',
      isWriting('audit_log'),
      "insert into teams (id, name) values ('crew', 'Mine')",
      "delete from teams where id = 'crew'",
      /^teams.jsonl, line 1: it conflicts with the records here: UNIQUE constraint failed: teams.id$/,
    ],
    [
      'a member of the same email',
      isWriting('audit_log'),
      "insert into members (id, name, email) values ('eve', 'Eve', 'ADA@example.test')",
      "delete from members where id = 'eve'",
      /^1 members have the email of another member here: ada@example.test/,
    ],
    [
      'the same member',
      isWriting('audit_log'),
      "insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test')",
      "delete from members where id = 'ada'",
      /^another process has written to the database meanwhile: try again$/,
    ],
    [
      'the project brought back',
      () => count(app, 'large_writes') > 0,
      `insert into projects (id, name, phase) values ('${project.id}', 'Mine', 'Planning')`,
      `delete from projects where id = '${project.id}'`,
      /^another process has written to the database meanwhile: try again$/,
    ],
  ] as const) {
    let before: unknown
    const exec = tool.db.$client.exec
    whenSome(tool.db, isTime, () => {
      client.exec(act)
      const all = dump()
      before = all.with(
        4,
        (all[4] as { id: string }[]).filter(({ id }) => !id.startsWith('entry')),
      )
    })
    await t.rejects(importArchive(tool.db, archive, quiet), { message }, what)
    tool.db.$client.exec = exec
    const after = dump()
    t.equal(count(app, 'kanban_items', "title = 'Mine'"), what.startsWith('a card') ? 1 : 0)
    t.strictSame(after[0], (before as unknown[])[0], `${what}: the projects are as they were`)
    t.strictSame(after[7], (before as unknown[])[7], `${what}: nobody was told`)
    t.equal(count(app, 'kanban_comments'), 0, what)
    t.equal(count(app, 'audit_log', "id like 'entry%'"), 0, what)
    t.equal(count(app, 'personal_ideas'), what.startsWith('an idea') ? 1 : 0, what)
    t.strictSame(rests(), [0, 0, 0, 0], what)
    client.exec(undo)
  }
  t.match(await importArchive(tool.db, archive, quiet), { plan: { kind: 'beside' } })
  t.equal(count(app, 'kanban_items'), CARDS)
})

t.test('the leftovers of a killed import are removed by the next one', async (t) => {
  const { folder, app, archive, file, tool, rests } = await setUp(t)
  const ended = new AbortController()
  const writes = new ChunkedWriter(tool.db, NO_FILES, ended.signal)
  const onSlice = () => {
    if (tool.db.$client.prepare("select 1 from staged_changes where kind = 'kanban-comment'").get())
      ended.abort(new Error('killed'))
  }
  const imported = importArchive(tool.db, archive, { ...quiet, writes, onSlice, importId: 'killed' })
  await t.rejects(imported, { message: 'killed' })
  writes.leave()
  tool.db.$client.exec("insert into imports (id, format, status) values ('killed', 'phaseboard', 'writing')")
  t.equal(count(app, 'kanban_items'), CARDS)
  t.ok(count(app, 'hidden_records') > 0)
  t.ok(isHealthy(examine(file)), 'the doctor finds nothing')
  t.equal(orphansIn(app.db.$client), 0)
  const { manifest } = await exportArchive(app.db.$client, join(folder, 'meanwhile'), quiet)
  const hidden = manifest.files
    .filter(({ name }) => /items|comments|ideas|audit/.test(name))
    .map(({ records }) => records)
  t.strictSame(hidden, [0, 0, 0, 0], 'it is in no export')

  const { plan } = await importByCommand(tool.db, file, archive, quiet)
  t.match(plan, { kind: 'beside' })
  t.strictSame(rests(), [0, 0, 0, 0])
  t.equal(count(app, 'kanban_items'), CARDS)
  const statuses = app.db.$client.prepare('select status from imports order by status').pluck().all()
  t.strictSame(statuses, ['done', 'failed'])
  holdsSequence(app.db.$client)
})

t.test("an import that another tool's trigger blocks is refused, in one write or in slices", async (t) => {
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
