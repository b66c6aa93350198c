/** Values that requests cannot store, but other tools can. A bad row affects only itself, never the rest of a list. */
import t from 'tap'
import { build, createProject, send } from '../helper.ts'

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

t.test('a value that is not a number reads as a number', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const url = `/api/projects/${id}`
  for (const title of ['first', 'second']) await send(app, 'POST', `${url}/kanban-items`, { title })
  await send(app, 'POST', `${url}/metrics`, { name: 'Velocity', value: 5 })
  for (const stray of ['much', '', Buffer.from('bytes')]) {
    app.db.$client.prepare("update kanban_items set sort_order = ? where title = 'first'").run(stray)
    app.db.$client.prepare('update metrics set value = ?').run(stray)
    app.db.$client.prepare('update kanban_columns set wip_limit = ?').run(stray)
    const { status, body } = await send(app, 'GET', url)
    t.equal(status, 200)
    t.match(body, {
      kanbanItems: [
        { title: 'second', sortOrder: 2 },
        { title: 'first', sortOrder: Number.MAX_VALUE },
      ],
      metrics: [{ value: 0 }],
    })
    t.match(await send(app, 'GET', '/api/projects'), { status: 200, body: [{ id }] })
    t.match(await send(app, 'GET', `${url}/kanban-columns`), { status: 200, body: [{ wipLimit: 0 }] })
  }
})

t.test('an infinite number reads as the largest one, and keeps its place on every page', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const url = `/api/projects/${id}`
  for (const title of ['last', 'first', 'middle']) await send(app, 'POST', `${url}/kanban-items`, { title })
  const { body: metric } = await send(app, 'POST', `${url}/metrics`, { name: 'Velocity', value: 5 })
  app.db.$client.exec(`
    update kanban_items set sort_order = 9e999 where title = 'last';
    update kanban_items set sort_order = -9e999 where title = 'first';
    update metrics set value = 9e999`)
  const { MAX_VALUE } = Number
  const items = [
    { title: 'first', sortOrder: -MAX_VALUE },
    { title: 'middle', sortOrder: 3 },
    { title: 'last', sortOrder: MAX_VALUE },
  ]
  t.match((await send(app, 'GET', url)).body, { kanbanItems: items, metrics: [{ value: MAX_VALUE }] })
  t.match((await send(app, 'GET', '/api/projects')).body, [{ kanbanItems: items }])
  for (const sort of ['sortOrder', '-sortOrder']) {
    const found: { title: string }[] = []
    let next: string | undefined = `${url}/kanban-items?limit=1&sort=${sort}`
    while (next !== undefined && found.length < 9) {
      const { body, headers }: Awaited<ReturnType<typeof send>> = await send(app, 'GET', next)
      found.push(...body)
      next = /<(.*)>/.exec(String(headers.link))?.[1]
    }
    t.match(found, sort === 'sortOrder' ? items : items.toReversed(), sort)
  }
  const replaced = await send(app, 'PATCH', `/api/metrics/${metric.id}`, { value: 3 })
  t.match(replaced.body, { trend: 'down', history: [{ value: MAX_VALUE }] })
  const moved = await send(app, 'POST', `${url}/kanban-items`, { title: 'new' })
  t.equal(moved.status, 201)
  const { body } = await send(app, 'GET', `${url}/kanban-items`)
  t.match(body, [{ title: 'first' }, { title: 'middle' }, { title: 'last' }, { title: 'new' }])
})

t.test('JSON text that is nested too deep reads as empty, and one with many brackets is kept', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const url = `/api/projects/${id}`
  await send(app, 'POST', `${url}/kanban-items`, { title: 'Card' })
  const store = (metadata: string) =>
    app.db.$client.prepare('update kanban_items set metadata = ?').run(metadata)
  const item = async () => (await send(app, 'GET', `${url}/kanban-items`)).body[0]
  store(`{"a":${DEEP}}`)
  app.db.$client.prepare('update projects set phase_config = ?').run(DEEP)
  t.strictSame((await item()).metadata, {})
  t.match(await send(app, 'GET', url), {
    status: 200,
    body: { phaseConfig: [], kanbanItems: [{ metadata: {} }] },
  })
  const harmless = { text: '[{'.repeat(2000), flat: Array.from({ length: 2000 }, () => []) }
  store(JSON.stringify(harmless))
  t.strictSame((await item()).metadata, harmless)
})
