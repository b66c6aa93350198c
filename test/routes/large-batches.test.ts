/** Batches that would block the event loop. The worker thread performs them, with the same response as the event loop. */
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { type Batched, comparable, dump, sendBatch } from '../batches.ts'
import { until, watch, withoutWaiting } from '../executions.ts'
import { type App, build, count, giveNames, long, send } from '../helper.ts'
import { sameLarge } from '../large-values.ts'
import { prepareFile } from '../prepared-file.ts'

const ITEMS = 800

/** A board whose file is so large that its work is limited. */
const BOARD = `
  insert into projects (id, name, phase) values ('large', 'Large', 'Planning');
  insert into kanban_columns (id, project_id, name, sort_order) values ('todo', 'large', 'To Do', 1);
  insert into kanban_items (id, project_id, title, description, "column", sort_order)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ITEMS})
    select format('i%05d', i), 'large', 'Card ' || i, '${long(2000)}', 'To Do', i from n;`

const board = prepareFile(t, ({ $client }) => $client.exec(BOARD))

async function buildWithBoard(t: Test, databaseUrl = `file:${board(t)}`): Promise<App> {
  const app = await build(t, { databaseUrl, adminPassword: 'correct horse battery' })
  if (databaseUrl === ':memory:') {
    app.db.$client.exec(BOARD)
    giveNames(app)
  }
  return app
}

/** Just more than the event loop writes at once. A batch of two has enough time on any machine. */
const BULK = 210

const ids = (length: number, from = 1) =>
  Array.from({ length }, (_, index) => `i${String(index + from).padStart(5, '0')}`)
const bulk = (priority: string, from = 1): Batched => ({
  method: 'PATCH',
  path: '/api/kanban-items',
  body: { ids: ids(BULK, from), update: { priority } },
})
const PROJECT: Batched = { method: 'POST', path: '/api/projects', body: { name: 'New' }, as: 'p' }
const ITEM: Batched = {
  method: 'POST',
  path: '/api/projects/{{p.id}}/kanban-items',
  body: { title: '{{p.name}}', description: 'x' },
  as: 'card',
}
const WATCH: Batched = { method: 'GET', path: '/api/kanban-items/{{card.id}}/watch' }
const UPDATES = [
  PROJECT,
  ITEM,
  bulk('high'),
  bulk('low', 500),
  { method: 'GET', path: '/api/kanban-items/{{card.id}}' },
  WATCH,
  { method: 'PATCH', path: '/api/projects/large', body: { name: '{{card.title}}er' } },
  { method: 'PATCH', path: '/api/kanban-items/{{card.id}}', body: { title: '{{card.column}}' } },
  { method: 'GET', path: '/api/kanban-items?q=card%2011' },
  { method: 'GET', path: '/api/projects' },
]

const withoutTags = ({ results, ...rest }: { results: { etag?: string }[] }) =>
  comparable({
    ...rest,
    results: results.map(({ etag, ...result }) => ({ ...result, isTagged: etag !== undefined })),
  })

t.test('a large batch blocks the event loop only briefly, and gets the same response', async (t) => {
  const app = await buildWithBoard(t)
  const alone = await buildWithBoard(t, ':memory:')
  // It reads what the batch has changed, later and in steps of its own.
  await app.notificationConsumer.stop()
  const changes = () => app.db.$client.prepare('select total_changes()').pluck().get() as number
  for (const more of [{ dryRun: true }, {}]) {
    const executed = watch(t, app.db.$client, { isOwn: true })
    const before = changes()
    const answer = await sendBatch(app, UPDATES, {}, more)
    t.equal(answer.status, 200)
    const log = withoutWaiting(executed.log)
    t.ok(log.length <= 60, `${log.length} statements`, { log })
    t.ok(executed.rows <= 300, `${executed.rows} rows read`)
    t.ok(changes() - before <= 50, `${changes() - before} rows written`)
    const expected = await sendBatch(alone, UPDATES, {}, more)
    sameLarge(t, withoutTags(answer.body), withoutTags(expected.body))
    t.equal(
      answer.body.results[UPDATES.indexOf(WATCH)].body.watching,
      true,
      'however much came after it was made',
    )
    t.equal(answer.headers['phaseboard-seq'] === undefined, 'dryRun' in more)
  }
  t.equal(count(app, 'kanban_items', "priority = 'high'"), BULK)
  const groups = app.db.$client
    .prepare('select count(distinct "group") from changes where actor_id = ?')
    .pluck()
  t.equal(groups.get('local'), 1)
  const { body } = await send(app, 'GET', '/api/projects/large')
  t.equal(body.name, 'Newer', 'nothing old is kept')
})

t.test('a large batch that fails is rolled back, for any failure', async (t) => {
  const app = await buildWithBoard(t)
  const before = dump(app)
  for (const [request, status, body] of [
    [{ method: 'GET', path: '/api/teams/none' }, 404, { error: 'Team not found', details: { request: 4 } }],
    [{ method: 'GET', path: '/api/teams/{{none.id}}' }, 400, undefined],
    [
      { method: 'PATCH', path: '/api/kanban-items/none', body: {} },
      404,
      { error: 'Kanban item not found', details: { request: 4 } },
    ],
    [{ method: 'PATCH', path: '/api/kanban-items/i00001', body: {}, ifMatch: '"x"' }, 412, undefined],
    [
      { method: 'DELETE', path: '/api/kanban-subtasks/none' },
      500,
      { error: 'Internal server error', details: { request: 4 } },
    ],
    [
      { ...bulk('x'), body: { ids: ['none'], update: {} } },
      404,
      { error: 'Kanban item not found', details: { request: 4, missing: ['none'] } },
    ],
  ] as const) {
    const answer = await sendBatch(
      app,
      [PROJECT, ITEM, bulk('high'), bulk('low'), request, PROJECT].map((one, index) =>
        index === 5 ? { ...one, as: 'q' } : one,
      ),
    )
    t.equal(answer.status, status)
    if (body) t.strictSame(answer.body, body)
    t.equal(answer.body.details.request, 4)
    sameLarge(t, dump(app), before)
  }
})

t.test('a repeated large batch is not performed again', async (t) => {
  const app = await buildWithBoard(t)
  const key = { 'idempotency-key': 'once' }
  app.db.$client.exec(`
    insert into kanban_comments (id, item_id, author_id, content)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${BULK})
      select i, 'i00800', 'ada', 'Hm' from n`)
  // A batch with a longer response is also performed once, but its response is not stored.
  const updates: Batched[] = [PROJECT, ITEM, { method: 'DELETE', path: '/api/kanban-items/i00800' }]
  const [first, second] = await Promise.all([sendBatch(app, updates, key), sendBatch(app, updates, key)])
  t.strictSame(first.body, second.body)
  t.strictSame([first, second].map(({ headers }) => headers['idempotent-replayed'] === 'true').toSorted(), [
    false,
    true,
  ])
  t.equal((await sendBatch(app, updates, key)).headers['idempotent-replayed'], 'true')
  t.equal(count(app, 'projects'), 2)
  t.equal((await sendBatch(app, UPDATES, { 'idempotency-key': 'long' })).status, 200)
  t.match(await sendBatch(app, UPDATES, { 'idempotency-key': 'long' }), {
    status: 409,
    body: { error: 'Already done' },
  })
  t.equal(count(app, 'projects'), 3)
})

t.test('batches and other writes run together, on the event loop and in the worker thread', async (t) => {
  const app = await buildWithBoard(t)
  const small = Array.from({ length: 30 }, (_, index) =>
    send(app, 'POST', '/api/projects', { name: `Single ${index}` }),
  )
  const batches = Array.from({ length: 6 }, () => sendBatch(app, [PROJECT, ITEM, bulk('high')]))
  const quick = Array.from({ length: 20 }, () => sendBatch(app, [PROJECT, ITEM, { ...ITEM, as: 'x' }]))
  const answers = await Promise.all([...small, ...batches, ...quick])
  t.ok(answers.every(({ status }) => status < 300))
  t.equal(count(app, 'projects'), 1 + 30 + 6 + 20)
  const groups = app.db.$client
    .prepare<[], { count: number }>(
      'select count(*) as count from changes where actor_id is not null group by "group"',
    )
    .all()
  t.equal(groups.length, 30 + 6 + 20, 'a group for each')
})

t.test('a batch waits for another process, for a limited time', async (t) => {
  const databaseUrl = `file:${board(t)}`
  const app = await buildWithBoard(t, databaseUrl)
  await sendBatch(app, UPDATES)
  const other = new SQLite(databaseUrl.slice('file:'.length))
  t.teardown(() => other.close())
  other.exec('begin immediate')
  const answer = sendBatch(app, UPDATES)
  await send(app, 'GET', '/api/projects/large/kanban-items?limit=1')
  other.exec('rollback')
  t.equal((await answer).status, 200)
})

t.test('a stopping service aborts its batches', async (t) => {
  const app = await buildWithBoard(t)
  const many = Array.from({ length: 100 }, (_, index) => bulk(`p${index}`))
  const answer = sendBatch(app, many)
  await new Promise((resolve) => process.once('worker', resolve))
  const { worker } = app
  await app.close()
  t.ok((await answer).status >= 500)
  // The thread completes its statement first; until then it has files in the folder open.
  await until(() => worker.threads() === 0)
})
