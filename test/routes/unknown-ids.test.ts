/** Bodies with unknown ids: 404 with these ids, wherever records are reordered, moved or changed together. */
import t from 'tap'
import { everything } from '../boards.ts'
import { type App, build, send, signInAs } from '../helper.ts'
import { CALLER, EMPTY, run, SEEDED } from '../operations.ts'

/** An endpoint with ids in its body: the method, the path, a body with given ids, their kind, and an existing id. */
type Naming = [method: string, path: string, body: (ids: string[]) => object, thing: string, known: string]

const order = (ids: string[]) => ({ items: ids.map((id) => ({ id, sortOrder: 1 })) })
const placed = (ids: string[]) => ({ items: ids.map((id) => ({ id, column: 'Done', sortOrder: 1 })) })

/** Endpoints with several ids. */
const SEVERAL: Naming[] = [
  ['POST', '/api/projects/reorder', order, 'Project', 'project'],
  ['POST', '/api/personal-ideas/reorder', order, 'Personal idea', 'idea'],
  ['POST', '/api/projects/project/kanban-items/reorder', placed, 'Kanban item', 'item'],
  ['POST', '/api/projects/project/kanban-columns/reorder', order, 'Kanban column', 'column'],
  ['POST', '/api/kanban-items/item/subtasks/reorder', order, 'Kanban subtask', 'subtask'],
  ['PATCH', '/api/kanban-items', (ids) => ({ ids, update: { priority: 'high' } }), 'Kanban item', 'item'],
]

/** Endpoints with one id. */
const ONE: Naming[] = [
  ['POST', '/api/kanban-items/item/move', ([beforeId]) => ({ column: 'Done', beforeId }), 'Kanban item', ''],
  ['POST', '/api/kanban-items/item/move', ([afterId]) => ({ column: 'New', afterId }), 'Kanban item', ''],
  ['POST', '/api/kanban-items/item/move', ([projectId]) => ({ projectId }), 'Project', ''],
  ['POST', '/api/webhooks', ([projectId]) => ({ url: 'https://example.org/', projectId }), 'Project', ''],
  ['PATCH', '/api/webhooks/webhook', ([projectId]) => ({ active: true, projectId }), 'Project', ''],
]

/** Ids that match nothing, including special names of objects and SQL. */
const UNKNOWN = ['none', '', '%', '__proto__', 'constructor', "'", 'x'.repeat(200)]

function seeded(app: App) {
  run(app.db.$client, EMPTY)
  const { headers } = signInAs(app, 'admin', { id: CALLER })
  run(app.db.$client, SEEDED)
  return headers
}

for (const authMode of ['open', 'required'] as const) {
  t.test(`an unknown id is reported, and nothing is changed: ${authMode}`, async (t) => {
    const app = await build(t, { authMode })
    const headers = seeded(app)
    const before = everything(app)
    for (const [method, path, body, thing, known] of [...SEVERAL, ...ONE]) {
      const one = UNKNOWN.filter((id) => id !== '' || !path.endsWith('/webhooks'))
      for (const ids of known === '' ? one.map((id) => [id]) : [['none', known, 'other'], ['none']]) {
        const missing = ids.filter((id) => known === '' || id !== known)
        const { status, body: answer } = await send(app, method, path, body(ids), headers)
        t.strictSame(
          [status, answer],
          [404, { error: `${thing} not found`, details: { missing } }],
          `${method} ${path} ${JSON.stringify(body(ids)).slice(0, 100)}`,
        )
      }
      const request = { method, path, body: body(['none']) }
      const batch = await send(app, 'POST', '/api/batch', { requests: [request] }, headers)
      if (path.startsWith('/api/webhooks') && method === 'POST')
        t.equal(batch.status, 400, 'it shows a secret')
      else {
        const details = { request: 0, missing: ['none'] }
        t.strictSame([batch.status, batch.body], [404, { error: `${thing} not found`, details }], path)
      }
    }
    t.strictSame(everything(app), before)
  })
}

t.test('a record of another parent is not an unknown id', async (t) => {
  const app = await build(t)
  const headers = seeded(app)
  run(
    app.db.$client,
    `insert into projects (id, name) values ('else', 'Gemini');
    insert into kanban_columns (id, project_id, name) values ('else', 'else', 'Parked');
    insert into kanban_items (id, project_id, title) values ('else', 'else', 'Card');
    insert into kanban_subtasks (id, item_id, title) values ('else', 'else', 'Step')`,
  )
  for (const [method, path, body, thing] of SEVERAL.filter(([, path]) => path.split('/').length > 4)) {
    const { status, body: answer } = await send(app, method, path, body(['else']), headers)
    t.match(
      [status, answer],
      [400, { details: { fieldErrors: { items: [/^items\[0\]\.id must be/] } } }],
      path,
    )
    const both = await send(app, method, path, body(['else', 'none']), headers)
    t.strictSame(both.body, { error: `${thing} not found`, details: { missing: ['none'] } }, path)
  }
  const move = await send(app, 'POST', '/api/kanban-items/item/move', { beforeId: 'else' }, headers)
  t.equal(move.status, 400)
})

t.test("for a member without the admin role, another's idea is an unknown id", async (t) => {
  const app = await build(t, { authMode: 'required' })
  seeded(app)
  const other = signInAs(app, 'member').headers
  const { status, body } = await send(app, 'POST', '/api/personal-ideas/reorder', order(['idea']), other)
  t.strictSame([status, body], [404, { error: 'Personal idea not found', details: { missing: ['idea'] } }])
})

t.test('a path without ids has no details', async (t) => {
  const app = await build(t)
  for (const path of ['/api/projects/none/kanban-items/reorder', '/api/kanban-items/none/move']) {
    t.match((await send(app, 'POST', path, { items: [] })).body, { details: undefined }, path)
  }
})
