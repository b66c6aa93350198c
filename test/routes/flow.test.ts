import { readFileSync } from 'node:fs'
import t from 'tap'
import { type App, build, createItem, createProject, holds, invalid, send } from '../helper.ts'

const DAY = 86_400_000

/** A new project with the default columns. */
async function board(t: Parameters<typeof build>[0]) {
  const app = await build(t)
  const { id } = await createProject(app)
  return { app, id, url: `/api/projects/${id}/flow` }
}

/** Backdates stored records. */
const setBack = (app: App, id: string, at: string, moves: readonly (readonly [string, string])[] = []) => {
  const { $client: client } = app.db
  client.prepare('update kanban_items set created_at = ?, updated_at = ? where id = ?').run(at, at, id)
  const entry = client.prepare(
    `update kanban_activity set created_at = ? where item_id = ? and type = 'status_change' and metadata ->> 'to' = ?`,
  )
  for (const [column, time] of moves) entry.run(time, id, column)
}

t.test('the worked example of the documentation', async (t) => {
  const page = readFileSync(new URL('../../docs/flow.md', import.meta.url), 'utf8')
  const [example] = page.matchAll(/```json\n([\s\S]*?)```/g)
  const { app, id, url } = await board(t)
  const cards = [
    [
      'Tickets',
      '2026-03-02T09:00:00.000Z',
      [
        ['In Progress', '2026-03-02T12:00:00.000Z'],
        ['Done', '2026-03-03T12:00:00.000Z'],
      ],
    ],
    [
      'Music',
      '2026-03-02T10:00:00.000Z',
      [
        ['In Progress', '2026-03-03T10:00:00.000Z'],
        ['Done', '2026-03-05T22:00:00.000Z'],
      ],
    ],
    ['Stage', '2026-03-03T08:00:00.000Z', [['In Progress', '2026-03-04T12:00:00.000Z']]],
    ['Posters', '2026-03-04T08:00:00.000Z', []],
  ] as const
  const ids = new Map<string, string>()
  for (const [title, at, moves] of cards) {
    const item = await createItem(app, id, { title })
    ids.set(item.id, `<id of ${title}>`)
    for (const [column] of moves) await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column })
    setBack(app, item.id, at, moves)
  }
  const { status, body } = await send(app, 'GET', `${url}?from=2026-03-02&to=2026-03-06`)
  t.equal(status, 200)
  const named = JSON.parse(JSON.stringify(body, (_, value) => ids.get(value) ?? value))
  const { forecast, ...expected } = JSON.parse(example?.[1] ?? 'null')
  const { forecast: is, ...rest } = named
  t.strictSame(rest, expected)
  t.equal(is.remaining, forecast.remaining)
  for (const date of [is.p50, is.p85, is.p95]) t.match(date, /^2026-03-\d\d$/)
  t.ok(is.p50 > '2026-03-06' && is.p50 <= is.p85 && is.p85 <= is.p95)
})

t.test('the range has a default and limits, and validation comes before existence', async (t) => {
  const { app, url } = await board(t)
  const { body } = await send(app, 'GET', url)
  t.equal(body.days.length, 90)
  t.equal(body.to, new Date().toISOString().slice(0, 10))
  t.match(body, { cycleTime: { count: 0, p50: null, items: [] }, forecast: { remaining: 0, p50: null } })
  t.equal((await send(app, 'GET', `${url}?from=2023-01-01&to=2026-01-01`)).body.days.length, 1097)
  const bad = (field: string, message: string) => invalid({ [field]: [message] })
  const date = 'must be an ISO 8601 date-time or a plain date'
  const long = 'must be at most three years before `to`'
  await holds(t, app, [
    ['GET', `${url}?from=2022-12-31&to=2026-01-01`, 400, bad('from', long)],
    ['GET', `${url}?from=2026-02-01&to=2026-01-31`, 400, bad('from', 'must not be after `to`')],
    ['GET', `${url}?from=9999-01-01`, 400, bad('from', 'must not be in the future')],
    ['GET', '/api/projects/none/flow?from=9999-01-01', 400, bad('from', 'must not be in the future')],
    ['GET', '/api/projects/none/flow', 404, { error: 'Project not found' }],
    ['GET', `${url}?from=oops`, 400, bad('from', date)],
  ])
})

t.test('the filters are those of item lists, for deleted items too', async (t) => {
  const { app, id, url } = await board(t)
  const { body: label } = await send(app, 'POST', `/api/projects/${id}/kanban-labels`, { name: 'Bug' })
  const make = async (fields: object, isBug: boolean) => {
    const item = await createItem(app, id, { column: 'In Progress', ...fields })
    if (isBug) await send(app, 'PUT', `/api/kanban-items/${item.id}/labels/${label.id}`)
    return item.id as string
  }
  await make({ title: 'a', assigneeId: 'local' }, true)
  await make({ title: 'b', priority: 'high' }, false)
  const gone = await make({ title: 'c', assigneeId: 'bob', priority: 'low' }, true)
  await send(app, 'DELETE', `/api/kanban-items/${gone}`)
  const arrived = async (query: string) => {
    const { body } = await send(app, 'GET', `${url}?${query}`)
    return body.days.at(-1).arrived as number
  }
  for (const [query, count] of [
    ['', 3],
    ['label=Bug', 2],
    [`label=${label.id}`, 2],
    ['label=none', 1],
    ['label=none&label=Bug', 3],
    ['assigneeId=me', 1],
    ['assigneeId=none', 1],
    ['assigneeId=bob&assigneeId=me', 2],
    ['priority=low', 1],
    ['priority=low&priority=high', 2],
    ['label=Bug&assigneeId=bob&priority=low', 1],
    ['label=Bug&assigneeId=bob&priority=high', 0],
  ] as const) {
    t.equal(await arrived(query), count, query)
  }
})

t.test('a range before the retention has no flow data', async (t) => {
  const { app, id, url } = await board(t)
  const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()
  const dismissed = await createItem(app, id, { title: 'dismissed' })
  await send(app, 'PATCH', `/api/kanban-items/${dismissed.id}`, { dismissed: true })
  setBack(app, dismissed.id, ago(20))
  app.db.$client.prepare('update kanban_items set updated_at = ? where id = ?').run(ago(10), dismissed.id)
  const moved = await createItem(app, id, { title: 'moved' })
  for (const column of ['Parked', 'Review'])
    await send(app, 'PATCH', `/api/kanban-items/${moved.id}`, { column })
  setBack(app, moved.id, ago(20), [
    ['Parked', ago(15)],
    ['Review', ago(5)],
  ])
  const { body: columns } = await send(app, 'GET', `/api/projects/${id}/kanban-columns`)
  const rename = (from: string, name: string) =>
    send(
      app,
      'PATCH',
      `/api/kanban-columns/${columns.find((column: { name: string }) => column.name === from).id}`,
      { name },
    )
  await rename('Parked', 'Waiting')
  await rename('Review', 'Checks')
  const at = async (days: number) => {
    const { body } = await send(app, 'GET', `${url}?to=${ago(days).slice(0, 10)}`)
    return Object.entries(body.days.at(-1).byColumn).filter(([, count]) => count !== 0)
  }
  t.strictSame(await at(12), [
    ['To Do', 1],
    ['Waiting', 1],
  ])
  t.strictSame(await at(3), [
    ['To Do', 1],
    ['Checks', 1],
  ])
  app.db.$client.exec(
    'delete from changes where seq < (select max(seq) from changes); delete from change_subjects',
  )
  t.strictSame(
    await at(12),
    [
      ['To Do', 1],
      ['Parked', 1],
    ],
    'a name that leads nowhere stands by itself',
  )
  t.strictSame(await at(9), [['Parked', 1]], 'dismissed since it was last changed')
  t.strictSame(await at(3), [['Checks', 1]], 'where an item stands, its column is known')
})

t.test('imported items entered their column at their last change', async (t) => {
  const { app, id, url } = await board(t)
  const insert = app.db.$client.prepare(
    `insert into kanban_items (id, project_id, title, "column", source, created_at, updated_at) values (?, ?, ?, ?, 'import', ?, ?)`,
  )
  insert.run('one', id, 'One', 'Done', '2026-01-05T00:00:00.000Z', '2026-01-08T12:00:00.000Z')
  insert.run('two', id, 'Two', 'In Progress', '2026-01-06T00:00:00.000Z', '2026-01-07T00:00:00.000Z')
  insert.run('three', id, 'Three', 'To Do', '2026-01-06T00:00:00.000Z', '2026-01-09T00:00:00.000Z')
  const read = async () => (await send(app, 'GET', `${url}?from=2026-01-05&to=2026-01-08`)).body
  const body = await read()
  t.strictSame(
    body.days.map(
      ({ arrived, finished, byColumn }: { arrived: number; finished: number; byColumn: object }) => [
        arrived,
        finished,
        ...Object.values(byColumn),
      ],
    ),
    [
      [1, 0, 1, 0, 0, 0],
      [2, 0, 3, 0, 0, 0],
      [0, 0, 2, 1, 0, 0],
      [0, 1, 1, 1, 0, 1],
    ],
  )
  t.match(body, { leadTime: { count: 1, p50: 3.5 }, age: [{ id: 'two', days: 2 }] })
  app.db.$client.exec('savepoint unpruned; delete from changes')
  t.strictSame((await read()).days, body.days, 'also without the changes of the import')
  app.db.$client.exec('rollback to unpruned; release unpruned')
  await send(app, 'PATCH', '/api/kanban-items/one', { title: 'Renamed since' })
  t.strictSame((await read()).days, body.days, 'what changes later is not the import')
  const { id: closed } = (await send(app, 'POST', `/api/projects/${id}/kanban-columns`, { name: 'Closed' }))
    .body
  app.db.$client.prepare('update kanban_columns set sort_order = -1 where id = ?').run(closed)
  app.db.$client.prepare("update kanban_columns set stage = 'todo' where name = 'To Do'").run()
  const { days, age } = await read()
  t.strictSame(
    days.map(({ byColumn: { Closed, ...byColumn } }: { byColumn: { Closed: number } }) => [Closed, byColumn]),
    body.days.map(({ byColumn }: { byColumn: object }) => [0, byColumn]),
    'a done column before the first todo column',
  )
  t.strictSame(age, body.age)
})

t.test('the forecast begins with the first item, not with the range', async (t) => {
  const { app, id, url } = await board(t)
  const now = new Date()
  const at = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY).toISOString()
  for (let index = 0; index < 12; index += 1) {
    const item = await createItem(app, id, { title: `Card ${index}` })
    await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'Done' })
    setBack(app, item.id, at(3), [['Done', at(1 + (index % 3))]])
  }
  for (let index = 0; index < 8; index += 1) await createItem(app, id, { title: `Rest ${index}` })
  const { body } = await send(app, 'GET', url)
  t.match(body, { cycleTime: { count: 12 }, forecast: { remaining: 8 } })
  const days = (Date.parse(body.forecast.p95) - Date.parse(body.to)) / DAY
  // Four a day on three of four days: over 90 days it would be some 60.
  t.ok(days <= 10, `${days} days`)
})

t.test('what depends on the caller is not stored by caches', async (t) => {
  const { app, url } = await board(t)
  const cachingOf = async (query: string) => (await send(app, 'GET', url + query)).headers['cache-control']
  t.equal(await cachingOf('?assigneeId=me'), 'no-store')
  t.equal(await cachingOf('?assigneeId=ada'), 'no-cache')
})
