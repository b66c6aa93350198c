/** Records of an unfinished import, outside the routes (see hidden.test.ts). Nothing shows or repairs them. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { backUp, restore } from '../../src/exchange/copies/backup.ts'
import { examine, repair } from '../../src/maintenance/doctor.ts'
import { overHttp } from '../agents/agents.ts'
import { build, createItem, createProject, send, signInAs, tokenOf } from '../helper.ts'
import { quiet, withTool } from './archives.ts'

/** Rows of an import before its project is written, with orders, times and JSON that a check would report. */
const UNFINISHED = `
  insert into imports (id, format, status) values ('unfinished', 'trello', 'writing');
  insert into large_writes (import_id, task) values ('unfinished', '');
  insert into hidden_projects (project_id, write) values ('coming', 1);
  insert into kanban_columns (id, project_id, name, sort_order) values ('hidden-column', 'coming', 'Hidden', 9e999);
  insert into kanban_labels (id, project_id, name) values ('hidden-label', 'coming', 'Hidden');
  insert into kanban_items (id, project_id, title, "column", sort_order, due_date, metadata) values
    ('hidden-item', 'coming', 'Hidden', 'To Do', 9e999, '2027-01-01', '{'),
    ('hidden-other', 'coming', 'Hidden', 'Hidden elsewhere', 1, '2027-01-02T00:00:00.000Z', '{}');
  insert into kanban_item_labels (item_id, label_id) values ('hidden-item', 'hidden-label');
  insert into kanban_subtasks (id, item_id, title, sort_order) values ('hidden-subtask', 'hidden-item', 'Hidden', -9e999);
  insert into kanban_comments (id, item_id, author_id, content, created_at) values
    ('hidden-comment', 'hidden-item', 'ada', 'Hidden', 'today');`

const WRITTEN = ['columns', 'labels', 'items', 'item_labels', 'subtasks', 'comments']

/** A service during an import, without the notifications of one. */
async function service(t: Test) {
  const folder = t.testdir()
  const path = join(folder, 'board.db')
  const app = await build(t, { databaseUrl: path })
  const admin = signInAs(app, 'admin')
  const project = await createProject(app)
  const item = await createItem(app, project.id, { title: 'Shown', dueDate: '2027-03-01' })
  const last = app.rules.changes.sequence.last()
  withTool(path, (tool) => {
    tool.pragma('foreign_keys = off')
    tool.exec(`begin; ${UNFINISHED}; delete from changes where seq > ${last}; commit`)
  })
  const written = () =>
    withTool(path, (tool) =>
      WRITTEN.map((name) =>
        tool
          .prepare(
            `select * from kanban_${name} where "${
              name === 'item_labels' ? 'item_id' : 'id'
            }" like 'hidden%'`,
          )
          .all(),
      ),
    )
  return { folder, path, app, admin, project, item, last, written }
}

t.test('metrics, calendars, tables and the trash do not show its records', async (t) => {
  const { app, admin, project, item, written } = await service(t)
  const before = written()
  const token = tokenOf(app, admin.id, { scope: 'calendar' }).authorization.slice('Bearer '.length)
  const shows = async (url: string) => {
    const { status, body } = await send(app, 'GET', url, undefined, admin.headers)
    t.equal(status, 200, url)
    t.notMatch(JSON.stringify(body), /hidden|coming/i, url)
    return JSON.stringify(body)
  }
  t.match(await shows('/metrics'), /phaseboard_changes_last_seq/)
  const anonymous = await send(app, 'GET', `/api/calendar.ics?token=${token}`)
  t.match(anonymous.body, /Shown/)
  t.notMatch(anonymous.body, /Hidden/)
  t.match(await shows(`/api/projects/${project.id}/export.csv`), /Shown/)

  const claim = (id: string) => send(app, 'POST', `/api/projects/${id}/kanban-items/claim`, {}, admin.headers)
  t.match(await claim('coming'), { status: 404 })
  t.match(await claim(project.id), { status: 200, body: { id: item.id } })
  t.match(await claim(project.id), { status: 204 })
  const { headers } = await send(app, 'DELETE', `/api/projects/${project.id}`, undefined, admin.headers)
  t.match(await shows('/api/trash'), /"kind":"project"/)
  await shows('/api/changes?limit=1000')
  const undone = await send(app, 'POST', `/api/changes/${headers['phaseboard-seq']}/undo`, {}, admin.headers)
  t.equal(undone.status, 200)
  t.strictSame(written(), before)
})

t.test('agents cannot find, read, change or claim its items', async (t) => {
  const { app, admin, written } = await service(t)
  const before = written()
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { call, refused } = await overHttp(t, url, tokenOf(app, admin.id))
  for (const [name, args] of [
    ['search', { q: 'Hidden' }],
    ['find_items', { q: 'Hidden' }],
    ['find_items', {}],
    ['list_projects', {}],
  ] as const) {
    t.notMatch(JSON.stringify(await call(name, args)), /hidden/i, name)
  }
  for (const [name, args] of [
    ['read_board', { projectId: 'coming' }],
    ['flow', { projectId: 'coming' }],
    ['read_item', { itemId: 'hidden-item' }],
    ['claim', { projectId: 'coming' }],
    ['change_item', { itemId: 'hidden-item', title: 'Taken' }],
    ['move_item', { itemId: 'hidden-item', column: 'Done' }],
    ['comment', { itemId: 'hidden-item', content: 'Seen' }],
    ['create_item', { projectId: 'coming', title: 'Mine' }],
  ] as const) {
    t.match(await refused(name, args), { status: 404 }, name)
  }
  t.strictSame(written(), before)
})

t.test('the doctor finds no problem in it, and repairs nothing of it', async (t) => {
  const { path, last, written } = await service(t)
  const before = written()
  const diagnoses = examine(path)
  t.strictSame(
    diagnoses.filter(({ status }) => status !== 'ok'),
    [],
  )
  repair(
    path,
    diagnoses.map((diagnosis) => ({ ...diagnosis, status: 'found' as const })),
  )
  t.strictSame(written(), before)
  t.equal(
    withTool(path, (tool) => tool.prepare('select max(seq) from changes').pluck().get()),
    last,
  )
})

t.test('a backup reports no orphans of it', async (t) => {
  const { folder, path } = await service(t)
  const copy = join(folder, 'copy.db')
  t.match(await backUp(path, copy, quiet), { orphans: 0 })
  const tool = new SQLite(copy)
  tool.pragma('foreign_keys = off')
  tool.exec("insert into objectives (id, project_id, title) values ('o', 'never', 'Lost')")
  tool.close()
  t.match(await restore(join(folder, 'restored.db'), copy, quiet), { orphans: 1 })
})
