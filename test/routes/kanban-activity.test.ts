import t, { type Test } from 'tap'
import { kanbanActivity } from '../../src/db/schema.ts'
import {
  authenticationRequired,
  breakTable,
  build,
  createItem,
  createProject,
  holds,
  long,
  send,
  signInAs,
} from '../helper.ts'

const noItem = { error: 'Kanban item not found' }
const failure = { error: 'Failed to fetch kanban activity' }

/** An application with one item. */
async function logOf(t: Test) {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const url = `/api/kanban-items/${item.id}`
  return { app, item, url, list: `${url}/activity` }
}

t.test('the entries of an item are newest first, with the value before and after', async (t) => {
  const { app, item, url, list } = await logOf(t)
  const { id: adaId, headers: ada } = signInAs(app, 'member')
  t.strictSame((await send(app, 'GET', list)).body, [], 'making an item is no change of it')
  await send(app, 'PATCH', url, { column: 'Review' }, ada)
  await send(app, 'PATCH', url, { assigneeId: 'grace', title: 'New' })
  await send(app, 'PATCH', url, { column: 'Done', assigneeId: null, priority: 'low' })
  const { status, body } = await send(app, 'GET', list)
  t.equal(status, 200)
  type Entry = { id: string; createdAt: string }
  const entry = (index: number, type: string, from: string, to: string, actorId = 'local') => ({
    id: body[index].id,
    itemId: item.id,
    type,
    content: '',
    metadata: { from, to },
    actorId,
    createdAt: body[index].createdAt,
  })
  t.strictSame(body, [
    entry(0, 'priority', 'medium', 'low'),
    entry(1, 'assignment', 'grace', ''),
    entry(2, 'status_change', 'Review', 'Done'),
    entry(3, 'assignment', '', 'grace'),
    entry(4, 'status_change', 'To Do', 'Review', adaId),
  ])
  const ids = body.map(({ id }: Entry) => id)
  t.strictSame(ids, ids.toSorted().toReversed(), 'also those of one change')
  t.equal(new Set(ids).size, 5)
})

t.test('entries belong to one item, and are deleted with it', async (t) => {
  const { app, item, url, list } = await logOf(t)
  const neighbour = await createItem(app, item.projectId)
  const neighbours = `/api/kanban-items/${neighbour.id}`
  await send(app, 'PATCH', url, { priority: 'low' })
  await send(app, 'PATCH', neighbours, { priority: 'high' })
  await holds(t, app, [
    ['GET', list, 200, [{ itemId: item.id, metadata: { from: 'medium', to: 'low' } }]],
    ['GET', `${neighbours}/activity`, 200, [{ itemId: neighbour.id }]],
    ['DELETE', url, 200, { success: true }],
    ['GET', list, 404, noItem],
    ['GET', `${neighbours}/activity`, 200, [{ itemId: neighbour.id }]],
  ])
})

t.test('entries of other tools are shown, even incomplete ones', async (t) => {
  const { app, item, list } = await logOf(t)
  app.db.insert(kanbanActivity).values({ id: 'a', itemId: item.id, type: 'custom', content: 'Hm' }).run()
  app.db.$client.exec("update kanban_activity set metadata = '{', created_at = '2026-01-31T00:00:00.000Z'")
  t.strictSame((await send(app, 'GET', list)).body, [
    {
      id: 'a',
      itemId: item.id,
      type: 'custom',
      content: 'Hm',
      metadata: {},
      actorId: null,
      createdAt: '2026-01-31T00:00:00.000Z',
    },
  ])
})

t.test('the entries of an unknown item are 404', async (t) => {
  const { app, item } = await logOf(t)
  for (const id of ['none', '%', 'a%2Fb', '__proto__', item.projectId, long(10_000)]) {
    await holds(t, app, [['GET', `/api/kanban-items/${id}/activity`, 404, noItem]])
  }
})

t.test('everybody who can read the board can read them', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id, headers: member } = signInAs(app, 'member')
  const project = await createProject(app, {}, member)
  const item = await createItem(app, project.id, {}, member)
  const url = `/api/kanban-items/${item.id}`
  await send(app, 'PATCH', url, { column: 'Done' }, member)
  await holds(t, app, [
    ['GET', `${url}/activity`, 401, authenticationRequired],
    ['GET', '/api/kanban-items/none/activity', 401, authenticationRequired],
  ])
  for (const role of ['viewer', 'member', 'admin'] as const) {
    const { headers } = signInAs(app, role)
    await holds(t, app, [
      ['GET', `${url}/activity`, undefined, headers, 200, [{ actorId: id }]],
      ['HEAD', `${url}/activity`, undefined, headers, 200, ''],
      ['GET', '/api/kanban-items/none/activity', undefined, headers, 404, noItem],
    ])
  }
})

t.test("an unexpected failure returns the endpoint's 500", async (t) => {
  const broken = await logOf(t)
  breakTable(broken.app, 'kanban_activity')
  const closed = await logOf(t)
  closed.app.db.$client.close()
  for (const { app, list } of [broken, closed]) {
    await holds(t, app, [
      ['GET', list, 500, failure],
      ['HEAD', list, 500, ''],
    ])
  }
})

t.test(
  'lone surrogates, which UTF-8 does not have, are compared and logged as they are stored',
  async (t) => {
    const { app, item, url, list } = await logOf(t)
    const project = `/api/projects/${item.projectId}`
    const lone = { column: '\ud800', assigneeId: '\ud801', priority: '\ud802' }
    t.match(await send(app, 'PATCH', url, lone), {
      status: 200,
      body: { column: '\ufffd', assigneeId: '\ufffd' },
    })
    const logged = async () =>
      (await send(app, 'GET', list)).body.map(({ metadata }: { metadata: { to: string } }) => metadata.to)
    t.strictSame(await logged(), ['\ufffd', '\ufffd', '\ufffd'])
    const [{ id: column }] = (await send(app, 'GET', `${project}/kanban-columns`)).body.filter(
      ({ name }: { name: string }) => name === '\ufffd',
    )
    await send(app, 'PATCH', `/api/kanban-columns/${column}`, { wipLimit: 1, wipPolicy: 'block' })
    await send(app, 'PATCH', url, lone)
    await send(app, 'PATCH', '/api/kanban-items', { ids: [item.id], update: lone })
    await send(app, 'POST', `${url}/move`, { column: lone.column })
    const places = { items: [{ id: item.id, column: lone.column, sortOrder: 3 }] }
    t.equal(
      (await send(app, 'POST', `${project}/kanban-items/reorder`, places)).status,
      200,
      'it stays in its column',
    )
    t.equal((await logged()).length, 3, 'and nothing is logged again')
    await send(app, 'PATCH', url, { ...lone, assigneeId: null })
    t.match(await send(app, 'GET', url), { body: { assigneeId: null, column: '\ufffd' } })
  },
)
