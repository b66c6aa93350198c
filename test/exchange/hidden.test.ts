import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { ChunkedWriter } from '../../src/db/chunked-writer.ts'
import { NO_FILES } from '../../src/db/files.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { importArchive } from '../../src/exchange/archives/import-archive.ts'
import { importAtOnce } from '../../src/exchange/imports/import-at-once.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { writeInSlices } from '../../src/exchange/imports/write-slices.ts'
import { readTrello } from '../../src/exchange/sources/trello-board.ts'
import { Imports } from '../../src/projects/imports.ts'
import { type App, build, count, createItem, createProject, send, signInAs, writeTo } from '../helper.ts'
import { declaredRoutes, REQUESTS, urlOf } from '../operations.ts'
import { quiet } from './archives.ts'
import { trelloExport } from './source-boards.ts'

/** Leaves a board that is written except for the last write, which makes it visible. */
async function leaveBoard(t: Test, { db }: App): Promise<string> {
  const plan = planBoard(readTrello(new TextEncoder().encode(trelloExport(5, 'Hidden'))))
  writeTo(db, () => new Imports(db).create('import', 'trello', null))
  const ends = {
    ...plan,
    refuse: (_: unknown, since?: number) => {
      if (since !== undefined) throw new Error('before the last write')
    },
  }
  const importing = writeInSlices(db, new ChunkedWriter(db), ends, { id: 'import', memberId: null })
  await t.rejects(importing, { message: 'before the last write' })
  return plan.projectIds[0] as string
}

/** The same with an archive that contains an idea of the caller and an entry of the audit log. */
async function leaveArchive(t: Test, { db }: App): Promise<string> {
  const folder = dirname(db.$client.name)
  const source = await build(t, { databaseUrl: `file:${join(folder, 'source.db')}` })
  const { headers } = signInAs(source, 'admin', { id: 'ada' })
  importAtOnce(source.db, planBoard(readTrello(new TextEncoder().encode(trelloExport(5, 'Hidden')))), null)
  await send(source, 'POST', '/api/personal-ideas', { title: 'Hidden idea' }, headers)
  source.db.$client.exec(
    `insert into audit_log (id, action, subject_id) values ('entry', 'sign-in', 'Hidden')`,
  )
  await exportArchive(source.db.$client, join(folder, 'archive'), quiet)
  const ended = new AbortController()
  const writes = new ChunkedWriter(db, NO_FILES, ended.signal)
  const written = db.$client
    .prepare<[], number>("select exists (select 1 from staged_changes where kind = 'personal-idea')")
    .pluck()
  // The changes come last, after everything that is hidden.
  const onSlice = () => {
    if (written.get() === 1) ended.abort(new Error('before the last write'))
  }
  const importing = importArchive(db, join(folder, 'archive'), {
    ...quiet,
    mapMembers: true,
    writes,
    onSlice,
  })
  await t.rejects(importing, { message: 'before the last write' })
  return db.$client.prepare<[], string>('select project_id from hidden_projects').pluck().get() as string
}

for (const [what, leave] of [
  ['a board', leaveBoard],
  ['an archive', leaveArchive],
] as const) {
  t.test(`no route shows or changes a record of ${what} during its import`, async (t) => {
    const app = await build(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
    const { $client: client } = app.db
    const { headers } = signInAs(app, 'admin', { id: 'ada' })
    const { id: mine } = await createProject(app)
    const { id: item } = await createItem(app, mine)
    const project = await leave(t, app)
    client.pragma('foreign_keys = on')
    client.pragma('busy_timeout = 5000')
    t.equal(count(app, 'kanban_items', "title like 'Hidden%'"), 5, 'all of it is written')

    const idIn = (table: string, rows = 'true') =>
      client.prepare<[], string>(`select id from ${table} where ${rows} limit 1`).pluck().get() as string
    const hidden: Record<string, string> = {
      projects: project,
      'kanban-items': idIn('kanban_items', "title like 'Hidden%'"),
      'kanban-columns': idIn('kanban_columns', "name like '%Hidden'"),
      'kanban-subtasks': idIn('kanban_subtasks'),
      'kanban-comments': idIn('kanban_comments'),
      'kanban-labels': idIn('kanban_labels'),
      labels: idIn('kanban_labels'),
    }
    const ideas = client
      .prepare<[], string>("select id from personal_ideas where title like 'Hidden%'")
      .pluck()
      .all()
    if (ideas[0] !== undefined) hidden['personal-ideas'] = ideas[0]
    t.equal(ideas.length, what === 'an archive' ? 1 : 0)
    const dump = () =>
      JSON.stringify(
        [
          'kanban_items',
          'kanban_columns',
          'kanban_labels',
          'kanban_item_labels',
          'kanban_subtasks',
          'kanban_comments',
          'kanban_activity',
          'personal_ideas',
        ].map((table) => client.prepare(`select * from ${table}`).all()),
      )
    const before = dump()
    const { routes } = await declaredRoutes()
    let asked = 0
    for (const { method, path } of routes.filter(({ path }) => path.startsWith('/api/'))) {
      if (path === '/api/changes/stream') continue
      const collections = [...path.matchAll(/([\w-]+)\/:\w+/g)].map(([, collection]) => collection as string)
      if (method !== 'GET' && (collections.length === 0 || collections.some((one) => !hidden[one]))) continue
      const url = urlOf(path, (collection) => hidden[collection] ?? 'none')
      const { status, body } = await send(app, method, url, REQUESTS[`${method} ${path}`]?.[1], headers)
      asked++
      t.notMatch(JSON.stringify(body), /Hidden/, `${method} ${path} shows nothing`)
      // By the specification, a missing subtask is an unexpected failure.
      const isMissing = [404, path.includes('subtasks/:id') ? 500 : 404].includes(status)
      if (collections.some((one) => hidden[one]))
        t.ok(isMissing, `${method} ${path} finds nothing: ${status}`)
    }
    t.ok(asked > 60, `${asked} requests`)
    const queries = [
      '?dismissed=all',
      '?q=Hidden',
      '?label=Label%20Hidden',
      '?sort=-title',
      '?column=List%20Hidden',
      `?projectId=${hidden.projects}`,
      '?limit=100',
      '?due=none',
      '?assigneeId=none',
    ]
    for (const query of queries) {
      t.notMatch(JSON.stringify((await send(app, 'GET', `/api/kanban-items${query}`)).body), /Hidden/, query)
    }
    const strict = await send(app, 'GET', '/api/kanban-items?column=List%20Hidden', undefined, {
      prefer: 'handling=strict',
    })
    t.equal(strict.status, 400, 'no project has that column')
    for (const query of ['', '&kind=kanban-item', '&kind=kanban-comment', `&projectId=${hidden.projects}`]) {
      t.strictSame((await send(app, 'GET', `/api/search?q=Hidden${query}`)).body, { results: [] }, query)
    }
    t.match(
      (await send(app, 'POST', `/api/kanban-items/${item}/move`, { projectId: hidden.projects })).status,
      404,
    )
    t.match(
      (await send(app, 'POST', `/api/kanban-items/${hidden['kanban-items']}/move`, { projectId: mine }))
        .status,
      404,
    )
    t.match((await send(app, 'PUT', `/api/kanban-items/${item}/labels/${hidden.labels}`)).status, 404)
    t.match(
      (
        await send(app, 'PATCH', '/api/kanban-items', {
          ids: [hidden['kanban-items']],
          update: { title: 'x' },
        })
      ).status,
      404,
    )
    t.match(
      (
        await send(app, 'POST', `/api/projects/${mine}/kanban-items/reorder`, {
          items: [{ id: hidden['kanban-items'], sortOrder: 1, column: 'Done' }],
        })
      ).status,
      404,
    )
    t.strictSame(dump(), before, 'nothing of it has changed')
  })
}
