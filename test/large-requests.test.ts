/**
 * The worker thread does what would block the event loop. The main connection does little, however large a request is, and the
 * response is the same as the event loop's.
 */
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { SERVICE } from '../src/access/caller.ts'
import { ROWS_READ, ROWS_WRITTEN } from '../src/db/work-limits.ts'
import type { Config } from '../src/phaseboard.d.ts'
import { createProjectWriter, unpack } from '../src/reading/project-text.ts'
import { Offload } from '../src/worker/offload.ts'
import { watch, withoutWaiting } from './executions.ts'
import { type App, build, count, giveNames, invalid, send, signInAs } from './helper.ts'
import { sameLarge } from './large-values.ts'
import { prepareFile } from './prepared-file.ts'
import { rounds } from './rounds.ts'

/** The number of items on the board: more than one read may return, and most of them in one column. */
const ITEMS = 1200
const IN_TODO = 1050
const TEXT = 'lorem ipsum dolor sit amet '.repeat(30)

/** A project with a large board, and one with a small board. */
const BOARDS = `
  insert into projects (id, name, phase) values ('large', 'Large', 'Planning'), ('small', 'Small', 'Planning');
  insert into kanban_columns (id, project_id, name, sort_order)
    values ('todo', 'large', 'To Do', 1), ('done', 'large', 'Done', 2), ('other', 'small', 'To Do', 1);
  insert into kanban_labels (id, project_id, name) values ('label', 'large', 'Bug');
  insert into kanban_items (id, project_id, title, description, "column", sort_order)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ITEMS})
    select printf('i%05d', i), 'large', 'Card ' || i, '${TEXT}', iif(i <= ${IN_TODO}, 'To Do', 'Done'), i from n;
  insert into kanban_items (id, project_id, title) values ('one', 'small', 'Alone');
  insert into kanban_subtasks (id, item_id, title, sort_order)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001)
    select 's' || i, 'one', 'Step', i from n;
  insert into kanban_comments (id, item_id, author_id, content) select 'c' || id, 'i00002', 'ada', 'Hm' from kanban_subtasks;
  insert into kanban_item_labels (item_id, label_id) select id, 'label' from kanban_items where project_id = 'large';
  insert into metrics (id, project_id, name, value, history)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 100),
      past(list) as (select json_group_array(json_object('value', i, 'at', '2026-01-31T00:00:00.000Z')) from n)
    select 'm' || i, 'small', 'Metric ' || i, i, list from n, past;
  insert into personal_ideas (id, owner_id, title, sort_order)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
    select 'idea' || i, 'local', 'Idea', i from n;
  insert into kanban_activity (id, item_id, type) select 'a' || id, 'i00004', 'priority' from kanban_subtasks;
  insert into teams (id, name) values ('a', 'A'), ('b', 'B');
  insert into team_members (team_id, member_id) select teams.id, kanban_subtasks.id from teams, kanban_subtasks;
  insert into audit_log (id, action) select 'entry' || team_id || member_id, 'sign-in' from team_members;
  insert into kanban_subtasks (id, item_id, title, sort_order)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
    select 'u' || i, 'i01190', 'Step', i from n;
`

const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `i${String(index + 1).padStart(5, '0')}`)
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))

type Request = readonly [method: string, url: string, body?: unknown]

/** Requests within the limits, ordered so that each finds what it needs. */
const REQUESTS: Record<string, Request> = {
  'a project': ['GET', '/api/projects/large'],
  'all projects': ['GET', '/api/projects'],
  'a page of projects': ['GET', '/api/projects?limit=2'],
  'all items of a project': ['GET', '/api/projects/large/kanban-items'],
  'all items': ['GET', '/api/kanban-items?dismissed=all'],
  'the counts of a large board': ['GET', '/api/projects/large/kanban-counts'],
  'the counts of a few items': ['GET', '/api/projects/large/kanban-counts?itemId=i00002&itemId=i00003'],
  'how a large board flowed': ['GET', '/api/projects/large/flow?to=2020-01-31'],
  'a part of all texts': ['GET', '/api/kanban-items?q=card%20119'],
  'what occurs everywhere': ['GET', '/api/search?q=lorem'],
  'the comments of an item': ['GET', '/api/kanban-items/i00002/comments'],
  'the steps of an item': ['GET', '/api/kanban-items/one/subtasks'],
  'the activity of an item': ['GET', '/api/kanban-items/i00004/activity'],
  'the metrics of a project': ['GET', '/api/projects/small/metrics'],
  'the ideas of a member': ['GET', '/api/personal-ideas'],
  'all teams': ['GET', '/api/teams'],
  'the audit log': ['GET', '/api/audit-log'],
  'a project that changes nothing': ['PATCH', '/api/projects/large', {}],
  'a project that is renamed': ['PATCH', '/api/projects/large', { name: 'Larger' }],
  'many items in the same way': [
    'PATCH',
    '/api/kanban-items',
    { ids: ids(500), update: { priority: 'high' } },
  ],
  'few items with many steps': [
    'PATCH',
    '/api/kanban-items',
    { ids: ['one', 'i01190'], update: { approved: false } },
  ],
  'many items in new columns': [
    'POST',
    '/api/projects/large/kanban-items/reorder',
    { items: ids(1000).map((id, index) => ({ id, column: `New ${index}`, sortOrder: index })) },
  ],
  'many items back': [
    'POST',
    '/api/projects/large/kanban-items/reorder',
    { items: ids(1000).map((id, index) => ({ id, column: 'To Do', sortOrder: index + 1 })) },
  ],
  'the steps of an item in another order': [
    'POST',
    '/api/kanban-items/one/subtasks/reorder',
    { items: times(1000, (index) => ({ id: `s${index + 1}`, sortOrder: 1000 - index })) },
  ],
  'many ideas': [
    'POST',
    '/api/personal-ideas/reorder',
    { items: times(300, (index) => ({ id: `idea${index + 1}`, sortOrder: 300 - index })) },
  ],
  'a meeting': [
    'POST',
    '/api/ingest/transcript',
    {
      projectId: 'small',
      title: 'x',
      date: '2026-01-31',
      actionItems: times(1000, (index) => `Do ${index}`),
    },
  ],
  'measurements with long histories': [
    'POST',
    '/api/ingest/metrics',
    { projectId: 'small', metrics: times(100, (index) => ({ name: `Metric ${index + 1}`, value: -1 })) },
  ],
  'many people': [
    'PUT',
    '/api/projects/small/team-assignments',
    { members: times(1000, (index) => ({ memberId: `m${index}` })), leadId: 'm1' },
  ],
  'other people': [
    'PUT',
    '/api/projects/small/team-assignments',
    { members: times(10, (index) => ({ memberId: `n${index}` })) },
  ],
  'a label of many items': ['PATCH', '/api/kanban-labels/label', { name: 'Defect' }],
  'a column of many items': ['PATCH', '/api/kanban-columns/todo', { name: 'Next' }],
  'an item at the end of numbers': ['PATCH', '/api/kanban-items/i01200', { sortOrder: 1.7e308 }],
  'a place where none is left': ['POST', '/api/kanban-items/i01199/move', { afterId: 'i01200' }],
  'an item with many comments': ['DELETE', '/api/kanban-items/i00002'],
  'a label off many items': ['DELETE', '/api/kanban-labels/label'],
  'a column whose items move': ['DELETE', '/api/kanban-columns/todo?moveTo=Done'],
  'all items at last': ['GET', '/api/kanban-items?dismissed=all'],
  'what a column held': ['DELETE', '/api/projects/large'],
  'what is left': ['GET', '/api/projects'],
}

const boards = prepareFile(t, ({ $client }) => $client.exec(BOARDS))
const databaseUrl = (t: Test) => `file:${boards(t)}`

async function buildWithBoards(t: Test, url: string, options: Partial<Config> = {}) {
  const app = await build(t, { databaseUrl: url, adminPassword: 'correct horse battery', ...options })
  if (url === ':memory:') {
    app.db.$client.exec(BOARDS)
    giveNames(app)
  }
  return { app, admin: signInAs(app, 'admin').headers }
}

/** A response without what differs between services: generated ids and times. */
function comparable(body: unknown): unknown {
  const names = new Map<string, string>()
  const text = JSON.stringify(body)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'T')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!names.has(id)) names.set(id, `id ${names.size}`)
      return String(names.get(id))
    })
  return JSON.parse(text)
}

const changesOf = (app: App) => app.db.$client.prepare('select total_changes()').pluck().get() as number

t.test('a large request blocks the event loop only briefly, and gets the same response', async (t) => {
  const { app, admin } = await buildWithBoards(t, databaseUrl(t))
  const { app: alone, admin: aloneAdmin } = await buildWithBoards(t, ':memory:')
  // Its writes are counted, too.
  await app.notificationConsumer.stop()
  const executed = watch(t, app.db.$client, { isOwn: true })
  for (const [name, [method, url, body]] of Object.entries(REQUESTS)) {
    executed.log.length = 0
    executed.rows = 0
    const before = changesOf(app)
    const answer = await send(app, method, url, body, admin)
    const log = withoutWaiting(executed.log)
    t.ok(log.length <= 60, `${name}: ${log.length} statements`, { log })
    t.ok(executed.rows <= 2 * ROWS_READ + 100, `${name}: ${executed.rows} rows read`)
    t.ok(changesOf(app) - before <= 2 * ROWS_WRITTEN, `${name}: ${changesOf(app) - before} rows written`)
    const expected = await send(alone, method, url, body, aloneAdmin)
    t.ok(answer.status < 300, `${name} is answered with ${answer.status}`)
    t.equal(answer.status, expected.status)
    t.equal(answer.headers['content-type'], expected.headers['content-type'])
    sameLarge(t, comparable(answer.body), comparable(expected.body), name)
  }
})

t.test('a small request on a large board stays in the event loop', async (t) => {
  const { app, admin } = await buildWithBoards(t, databaseUrl(t))
  const started: unknown[] = []
  const onWorker = (worker: unknown) => started.push(worker)
  process.on('worker', onWorker)
  t.teardown(() => process.off('worker', onWorker))
  const executed = watch(t, app.db.$client)
  for (const [method, url, body] of [
    ['GET', '/api/projects/large/kanban-items?limit=100'],
    ['GET', '/api/kanban-items/i00001'],
    ['PATCH', '/api/kanban-items/i00001', { column: 'Done' }],
    ['POST', '/api/kanban-items/i00001/move', { column: 'To Do', position: 'top' }],
    ['PATCH', '/api/kanban-items', { ids: ids(100), update: { assigneeId: 'ada' } }],
    ['POST', '/api/projects/large/kanban-items', { title: 'x' }],
    ['DELETE', '/api/kanban-items/i00003'],
    ['DELETE', '/api/kanban-columns/other?moveTo=To%20Do'],
  ] as const) {
    executed.log.length = 0
    await send(app, method, url, body, admin)
    t.ok(executed.log.length > 3, `${method} ${url}`)
    t.equal(started.length, 0, `${method} ${url} starts no worker thread`)
  }
  await send(app, 'GET', '/api/kanban-items', undefined, admin)
  t.equal(started.length, 1)
})

t.test('the worker thread refuses the same requests', async (t) => {
  const { app, admin } = await buildWithBoards(t, databaseUrl(t))
  const client = app.db.$client
  client.exec("update kanban_columns set wip_limit = 3, wip_policy = 'block' where id = 'done'")
  const many = ids(1000)
  for (const [method, url, body, status, expected] of [
    ['DELETE', '/api/kanban-columns/todo', undefined, 409, { error: 'Kanban column still has items' }],
    [
      'DELETE',
      '/api/kanban-columns/todo?moveTo=Done',
      undefined,
      409,
      { error: 'Column is at its WIP limit' },
    ],
    [
      'POST',
      '/api/projects/large/kanban-items/reorder',
      { items: [...many.slice(1), 'one'].map((id, sortOrder) => ({ id, column: 'To Do', sortOrder })) },
      400,
      invalid({ items: ['items[999].id must be that of a kanban item of the project'] }),
    ],
    [
      'PATCH',
      '/api/kanban-items',
      { ids: [...many.slice(0, 400), 'none'], update: { priority: 'low' } },
      404,
      { error: 'Kanban item not found', details: { missing: ['none'] } },
    ],
    ['GET', '/api/projects/none', undefined, 404, { error: 'Project not found' }],
  ] as const) {
    const answer = await send(app, method, url, body, admin)
    t.strictSame([answer.status, answer.body], [status, expected], `${method} ${url}`)
  }
  t.equal(count(app, 'kanban_activity', "type = 'status_change'"), 0, 'nothing has changed')
  client.exec('alter table kanban_subtasks rename to broken')
  const broken = await send(app, 'GET', '/api/kanban-items', undefined, admin)
  t.strictSame([broken.status, broken.body], [500, { error: 'Failed to fetch kanban items' }])
  const list = await send(app, 'GET', '/api/projects', undefined, admin)
  t.strictSame([list.status, list.body], [500, { error: 'Failed to fetch projects' }])
})

t.test('a large project is as up to date as a small one, despite writers', async (t) => {
  const url = databaseUrl(t)
  const { app } = await buildWithBoards(t, url)
  const other = new SQLite(url.slice('file:'.length))
  t.teardown(() => other.close())
  let round = 0
  const nameOf = async () => (await send(app, 'GET', '/api/projects/large')).body
  const titleOf = async () => (await nameOf()).kanbanItems[0].title

  // Other processes commit, so the cache is invalid, and later requests see the new data.
  for (const end = rounds(2); round < end; round++) {
    other.exec(`update kanban_items set title = 'other ${round}' where id = 'i00001'`)
    const [first, second] = await Promise.all([titleOf(), titleOf()])
    t.strictSame([first, second], [`other ${round}`, `other ${round}`])
  }
  const page = async () => (await send(app, 'GET', '/api/projects?limit=1')).body
  other.exec(`update kanban_items set title = 'on a page' where id = 'i00001'`)
  t.equal((await page())[0].kanbanItems[0].title, 'on a page')
  // Other processes commit while the thread reads for an earlier request.
  for (const end = round + rounds(2); round < end; round++) {
    other.exec(`update kanban_items set title = 'before ${round}' where id = 'i00001'`)
    const early = titleOf()
    await new Promise((resolve) => setTimeout(resolve, round % 8))
    other.exec(`update kanban_items set title = 'after ${round}' where id = 'i00001'`)
    t.equal(await titleOf(), `after ${round}`, 'who asks after the commit')
    t.match(await early, new RegExp(`^(before|after) ${round}$`))
    t.equal(await titleOf(), `after ${round}`)
  }
  // Meanwhile the service itself writes items, and rows around them.
  for (const end = round + rounds(2); round < end; round++) {
    other.exec(`update projects set next_step = 'x${round}' where id = 'large'`)
    const early = nameOf()
    await new Promise((resolve) => setImmediate(resolve))
    await send(app, 'PATCH', '/api/kanban-items/i00001', { title: `own ${round}` })
    await send(app, 'PATCH', '/api/projects/large', { name: `Name ${round}` })
    const { name, kanbanItems, nextStep } = await nameOf()
    t.strictSame([name, kanbanItems[0].title, nextStep], [`Name ${round}`, `own ${round}`, `x${round}`])
    await early
    const again = await nameOf()
    t.strictSame([again.name, again.kanbanItems[0].title], [`Name ${round}`, `own ${round}`])
    t.equal(
      (await send(app, 'GET', '/api/projects')).body.find(({ id }: { id: string }) => id === 'large').name,
      `Name ${round}`,
    )
  }
  // Deleted by another process while it is cached.
  await nameOf()
  other.pragma('foreign_keys = on')
  other.exec("delete from projects where id = 'large'")
  t.equal((await send(app, 'GET', '/api/projects/large')).status, 404)
})

t.test('a response larger than the cache is read each time, and evicts nothing', async (t) => {
  const { app } = await buildWithBoards(t, databaseUrl(t), { snapshotCacheBytes: 1_000_000 })
  const smallBytes = async () => (await app.snapshots.project('small', SERVICE)).body
  const lists = await Promise.all([app.snapshots.list({}, SERVICE), app.snapshots.list({}, SERVICE)])
  const [first, second] = lists.map(({ body }) => JSON.parse(`${body}`))
  sameLarge(t, first, second)
  t.equal(first.length, 2)
  // Every ten seconds the service writes its index of changes, as another process would: then everything is read again.
  let isCached = false
  for (let attempt = 0; attempt < 5 && !isCached; attempt++) {
    const before = await smallBytes()
    await app.snapshots.list({}, SERVICE)
    isCached = (await smallBytes()) === before
  }
  t.ok(isCached, 'the very bytes of before')
  t.not(await app.snapshots.list({}, SERVICE), lists[0])
  const large = await app.snapshots.project('large', SERVICE)
  sameLarge(
    t,
    JSON.parse(`${large.body}`),
    first.find(({ id }: { id: string }) => id === 'large'),
  )
})

t.test('the queue ends at two hundred, and a dead thread is replaced', async (t) => {
  const url = databaseUrl(t)
  const { app } = await buildWithBoards(t, url)
  const offload = new Offload({ databaseUrl: url, walCheckpoints: 'service' }, { waiting: 600_000 })
  t.teardown(() => offload.close())
  const waiting = times(200, () =>
    offload.read({ path: 'reading.search.find', args: ['nothing', 'local', 1] }),
  )
  await t.rejects(offload.read({ path: 'reading.search.find', args: ['x', 'local', 1] }), {
    statusCode: 503,
    message: 'Service Unavailable',
  })
  await Promise.all(waiting)
  const ending = offload.read({ path: 'itemsOfAll', args: [{}] })
  const closed = offload.close()
  await t.rejects(ending, { message: 'the service has stopped' })
  await closed
  t.match(await offload.read({ path: 'reading.search.find', args: ['lorem', 'local', 1] }), [
    { kind: 'kanban-item' },
  ])
  t.equal((await send(app, 'GET', '/healthz')).status, 200)
})

t.test('the worker thread reads the same bytes as the event loop', async (t) => {
  const { app } = await buildWithBoards(t, ':memory:')
  const { projects, reading } = app.rules
  // An in-memory database is only read on the event loop.
  const kept = app.snapshots
  for (const id of ['small', 'large']) {
    const packed = reading.wholeProjects.text(id)
    const { body, etag } = await kept.project(id, SERVICE)
    t.ok(packed && body.equals(packed.body))
    t.equal(packed?.etag, etag)
    const text = createProjectWriter().write(projects.get(id))
    if (packed) sameLarge(t, unpack(packed, Buffer.from(packed.body)), text)
  }
  t.equal(reading.wholeProjects.text('none'), undefined)
  const list = reading.wholeProjects.list({})
  t.ok((await kept.list({}, SERVICE)).body.equals(list.body))
  t.equal(list.etag, (await kept.list({}, SERVICE)).etag)
  for (const { id, start, end, etag } of list.texts) {
    t.ok((await kept.project(id, SERVICE)).body.equals(list.body.subarray(start, end)), id)
    t.equal(etag, (await kept.project(id, SERVICE)).etag)
  }
  const { body, next } = reading.wholeProjects.page({}, { limit: 1 })
  t.strictSame(
    JSON.parse(Buffer.from(body).toString()).map(({ id }: { id: string }) => id),
    ['large'],
  )
  t.type(next, 'string')
})

t.test('renaming a column from which many items are claimed is left to the worker thread', async (t) => {
  const { app, admin } = await buildWithBoards(t, databaseUrl(t))
  app.db.$client.exec(`
    insert into kanban_columns (id, project_id, name, sort_order) values ('empty', 'large', 'Empty', 100);
    update kanban_items set claimed_until = '2020-01-31T00:00:00.000Z', claimed_from = '{"column":"Empty","sortOrder":1}'
      where id in (select id from kanban_items where project_id = 'large' limit 300)`)
  const before = changesOf(app)
  const { status } = await send(app, 'PATCH', '/api/kanban-columns/empty', { name: 'Ready' }, admin)
  t.equal(status, 200)
  t.ok(changesOf(app) - before <= ROWS_WRITTEN, `${changesOf(app) - before} rows written`)
  t.equal(count(app, 'kanban_items', `claimed_from like '%"Ready"%'`), 300)
})
