import { join } from 'node:path'
import t from 'tap'
import { newId } from '../../src/db/ids.ts'
import {
  activityOf,
  ageItems,
  boardOn,
  boardWith,
  columnNames,
  createCards,
  DEFAULT_COLUMNS,
  everything,
  itemsOf,
  limit,
} from '../boards.ts'
import { watch } from '../executions.ts'
import {
  type App,
  breakTable,
  build,
  count,
  createProject,
  createSubtask,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  seed,
  send,
  signInAs,
} from '../helper.ts'

const url = '/api/kanban-items'
const failure = { error: 'Failed to update kanban items' }
const gone = (...missing: string[]) => ({ error: 'Kanban item not found', details: { missing } })

/** Sends a bulk update of items. */
const patch = (app: App, ids: unknown, update: unknown, headers?: Record<string, string>) =>
  send(app, 'PATCH', url, { ids, update }, headers)

t.test('PATCH /api/kanban-items', async (t) => {
  t.test('changes the given fields and updatedAt of every item', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    const { a, b } = ids
    for (const [update, expected = update] of [
      [{ column: 'Done' }],
      [{ priority: 'critical' }],
      [{ assigneeId: 'someone' }, { assigneeId: 'someone', assigneeIds: ['someone'] }],
      [{ assigneeId: '' }, { assigneeId: '', assigneeIds: [] }],
      [{ assigneeId: null }],
      [{ assigneeIds: ['ada', 'bob'] }, { assigneeId: 'ada', assigneeIds: ['ada', 'bob'] }],
      [{ assigneeId: 'cy' }, { assigneeId: 'cy', assigneeIds: ['cy', 'bob'] }],
      [{ dueDate: '2026-01-31' }, { dueDate: '2026-01-31T00:00:00.000Z' }],
      [{ dueDate: '2026-01-31T01:00:00+01:00' }, { dueDate: '2026-01-31T00:00:00.000Z' }],
      [{ approved: false }],
      [{ dismissed: true }],
      [{ isNew: true }],
      [
        { column: 'Review', priority: 'low', assigneeIds: ['ada'], dismissed: false },
        { column: 'Review', priority: 'low', assigneeId: 'ada', assigneeIds: ['ada'], dismissed: false },
      ],
    ] as [object, object?][]) {
      ageItems(app)
      const before = new Map((await itemsOf(app, projectId)).map((item) => [item.id, item]))
      const { status, body } = await patch(app, [b, a], update)
      t.equal(status, 200)
      t.not(body[0].updatedAt, LONG_AGO)
      t.strictSame(
        body,
        [b, a].map((id) => ({
          ...before.get(String(id)),
          ...expected,
          updatedAt: body[0].updatedAt,
        })),
        JSON.stringify(update),
      )
      const after = new Map((await itemsOf(app, projectId)).map((item) => [item.id, item]))
      t.strictSame([after.get(String(b)), after.get(String(a))], body)
      t.strictSame(after.get(String(ids.c)), before.get(String(ids.c)), 'others stay as they are')
    }
  })

  t.test('any falsy dueDate clears it, and an absent one keeps it', async (t) => {
    const { app, ids } = await boardWith(t, 'ab')
    const all = Object.values(ids)
    for (const dueDate of [null, '', false, 0]) {
      await patch(app, all, { dueDate: '2026-01-31' })
      const kept = await patch(app, all, { isNew: true })
      t.strictSame(
        kept.body.map((item: { dueDate: unknown }) => item.dueDate),
        ['2026-01-31T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
      )
      const { status, body } = await patch(app, all, { dueDate })
      t.strictSame([status, body[0].dueDate, body[1].dueDate], [200, null, null], JSON.stringify(dueDate))
    }
  })

  t.test('returns whole items in the order of the ids', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abcde')
    const [a, b, c, d, e] = Object.values(ids) as [string, string, string, string, string]
    await createSubtask(app, a)
    seed(app, projectId, a)
    const { body } = await patch(app, [d, a, e, b, c], { priority: 'high' })
    t.strictSame(
      body.map(({ title }: { title: string }) => title),
      ['d', 'a', 'e', 'b', 'c'],
    )
    t.strictSame(body[1], (await send(app, 'GET', `/api/kanban-items/${a}`)).body)
    t.equal(body[1].subtasks.length + body[1].labels.length, 2)
  })

  t.test('an update without a known field changes nothing, not even updatedAt', async (t) => {
    const { app, ids } = await boardWith(t, 'ab')
    const { id: otherId } = await createProject(app)
    const before = everything(app)
    for (const update of [
      {},
      { nonsense: 1 },
      { title: 'x', description: 'x', sortOrder: 9, source: 'x', sourceId: 'x', metadata: { a: 1 } },
      { id: 'mine', projectId: otherId, createdAt: LONG_AGO, updatedAt: 'x', labels: [], subtasks: [] },
    ]) {
      const { status, body } = await patch(app, Object.values(ids), update)
      t.strictSame([status, body.length, body[0].updatedAt], [200, 2, LONG_AGO])
      t.strictSame(everything(app), before, JSON.stringify(update))
    }
  })

  t.test('unknown and read-only fields are ignored and never stored', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    const { id: otherId } = await createProject(app)
    const [item] = await itemsOf(app, projectId)
    const foreign = {
      title: 'x',
      sortOrder: 9,
      projectId: otherId,
      metadata: { a: 1 },
      id: 'mine',
      nonsense: 1,
    }
    const body = { ids: [ids.a], update: { priority: 'low', ...foreign }, ...foreign, column: 'Done' }
    const answer = await send(app, 'PATCH', url, body)
    const [changed] = answer.body
    t.strictSame(answer.body, [{ ...item, priority: 'low', updatedAt: changed.updatedAt }])
  })

  t.test('creates an activity entry for each changed tracked field of each item', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    const { c } = await createCards(app, projectId, 'c', {
      column: 'Done',
      assigneeId: 'ada',
      priority: 'low',
    })
    const all = [ids.a, ids.b, c] as string[]
    const activity = () => all.map((id) => activityOf(app, id).map((entry) => entry.join(' ')))
    await patch(app, all, { column: 'Done', priority: 'medium', isNew: true, dueDate: '2026-01-31' })
    t.strictSame(activity(), [
      ['status_change To Do Done local'],
      ['status_change To Do Done local'],
      ['priority low medium local'],
    ])
    app.db.$client.exec('delete from kanban_activity')
    await patch(app, [c, ids.a], { column: 'Done', assigneeId: null, approved: false, dismissed: true })
    t.strictSame(activity(), [[], [], ['assignment ada  local']])
  })

  t.test('creates a missing column in each project that needs it', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    const other = await boardOn(app, 'x')
    const { id: thirdId } = await createProject(app)
    const { status, body } = await patch(app, [ids.a, other.ids.x], { column: ' Brand new' })
    t.strictSame([status, body[0].projectId, body[1].projectId], [200, projectId, other.projectId])
    for (const [id, more] of [
      [projectId, [' Brand new']],
      [other.projectId, [' Brand new']],
      [thirdId, []],
    ] as const) {
      t.strictSame(await columnNames(app, id), [...DEFAULT_COLUMNS.slice(0, -1), ...more, 'Done'])
    }
    t.equal((await itemsOf(app, other.projectId))[0]?.column, ' Brand new', 'it shows in each of them')
    t.equal((await itemsOf(app, projectId))[0]?.column, ' Brand new')
  })

  t.test('takes 500 ids at most', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const insert = app.db.$client.prepare('insert into kanban_items (id, project_id, title) values (?, ?, ?)')
    const all = Array.from({ length: 501 }, () => newId())
    for (const id of all) insert.run(id, projectId, id)
    const answer = await patch(app, all.slice(1).reverse(), { isNew: true })
    t.equal(answer.status, 200)
    t.strictSame(
      answer.body.map(({ id }: { id: string }) => id),
      all.slice(1).reverse(),
    )
    t.equal(count(app, 'kanban_items', 'is_new'), 500)
    const tooMany = invalid({ ids: ['must NOT have more than 500 items'] })
    await holds(t, app, [['PATCH', url, { ids: all, update: { isNew: false } }, 400, tooMany]])
    t.equal(count(app, 'kanban_items', 'is_new'), 500)
  })

  t.test('unknown ids are 404, listed in the order of the request, and nothing changes', async (t) => {
    const { app, ids } = await boardWith(t, 'ab')
    const before = everything(app)
    const update = { column: 'Brand new', priority: 'low' }
    await holds(t, app, [
      ['PATCH', url, { ids: [ids.a, 'z', ids.b, '', 'a'], update }, 404, gone('z', '', 'a')],
      ['PATCH', url, { ids: ['__proto__'], update: {} }, 404, gone('__proto__')],
    ])
    t.strictSame(everything(app), before)
  })
})

t.test('PATCH /api/kanban-items refuses invalid bodies', async (t) => {
  t.test('bodies of the wrong type, with nothing changed', async (t) => {
    const { app, ids } = await boardWith(t, 'ab')
    const before = everything(app)
    const update = { priority: 'low' }
    const refused = (
      body: unknown,
      fieldErrors: Record<string, string[]>,
      formErrors: string[] = [],
    ): Row => ['PATCH', url, body, 400, invalid(fieldErrors, formErrors)]
    const required = ['is required']
    await holds(t, app, [
      refused({}, { ids: required, update: required }, ['must NOT have fewer than 1 properties']),
      refused({ ids: [ids.a] }, { update: required }),
      refused({ update }, { ids: required }),
      refused({ ids: [ids.a], ...update }, { update: required }),
      refused({ ids: [], update }, { ids: ['must NOT have fewer than 1 items'] }),
      refused(
        { ids: [ids.a, ids.b, ids.a], update },
        {
          ids: ['must NOT have duplicate items (items ## 2 and 0 are identical)'],
        },
      ),
      refused(
        { ids: ['none', 'none'], update },
        {
          ids: ['must NOT have duplicate items (items ## 1 and 0 are identical)'],
        },
      ),
      refused({ ids: ids.a, update }, { ids: ['must be array'] }),
      refused({ ids: null, update: null }, { ids: ['must be array'], update: ['must be object'] }),
      refused(
        { ids: [ids.a, 5, null], update: [] },
        {
          ids: ['ids[1] must be string', 'ids[2] must be string'],
          update: ['must be object'],
        },
      ),
      refused({ ids: [ids.a], update: 'low' }, { update: ['must be object'] }),
      refused('null', {}, ['must be object']),
      refused('[]', {}, ['must be object']),
    ])
    t.strictSame(everything(app), before)
  })

  t.test('each invalid value of a field, under its path', async (t) => {
    const { app, ids } = await boardWith(t, 'a')
    const text = ['must be string']
    const flag = ['must be boolean']
    const noDate = 'must be one of null, "", false, 0'
    const cases: [string, unknown[], string[]][] = [
      ['column', [null, 5, true, [], {}], text],
      ['column', [''], ['must NOT have fewer than 1 characters']],
      ['column', [long(101)], ['must NOT have more than 100 characters']],
      ['priority', [null, 5, true, [], {}], text],
      ['priority', [''], ['must NOT have fewer than 1 characters']],
      ['priority', [long(101)], ['must NOT have more than 100 characters']],
      ['assigneeId', [5, true, [], {}], ['must be string or null']],
      ['assigneeId', [long(201)], ['must NOT have more than 200 characters']],
      ['dueDate', [5, true, [], {}], [`must be string, or ${noDate}`]],
      [
        'dueDate',
        ['tomorrow', '2026-02-30'],
        [`must be an ISO 8601 date-time or a plain date, or ${noDate}`],
      ],
      ['approved', [null, 0, 1, 'true', [], {}], flag],
      ['dismissed', [null, 0, 1, 'true', [], {}], flag],
      ['isNew', [null, 0, 1, 'true', [], {}], flag],
    ]
    const before = everything(app)
    for (const [field, values, messages] of cases) {
      const answer = invalid({ update: messages.map((message) => `update.${field} ${message}`) })
      await holds(
        t,
        app,
        values.map((value): Row => {
          return ['PATCH', url, { ids: [ids.a], update: { [field]: value } }, 400, answer]
        }),
      )
    }
    await holds(t, app, [
      [
        'PATCH',
        url,
        { ids: 5, update: { column: 5, priority: '', title: 5 } },
        400,
        invalid({
          ids: ['must be array'],
          update: ['update.column must be string', 'update.priority must NOT have fewer than 1 characters'],
        }),
      ],
    ])
    t.strictSame(everything(app), before)
    for (const [field, size] of [
      ['column', 100],
      ['priority', 100],
      ['assigneeId', 200],
    ] as const) {
      const fits = { [field]: long(size) }
      await holds(t, app, [['PATCH', url, { ids: [ids.a], update: fits }, 200, [fits]]])
    }
  })
})

t.test('the order of checks: validation, existence, limit', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'a')
  await createCards(app, projectId, 'x', { column: 'Review' })
  await limit(app, projectId, 'Review', 1)
  const update = { column: 'Review' }
  const isFull = { error: 'Column is at its WIP limit' }
  await holds(t, app, [
    ['PATCH', url, '{oops', 500, failure],
    ['PATCH', url, 500, failure],
    ['PATCH', url, 'x', { 'content-type': 'text/plain' }, 500, failure],
    ['PATCH', url, { ids: ['none'], update: [] }, 400, invalid({ update: ['must be object'] })],
    ['PATCH', url, { ids: [ids.a, 'none'], update }, 404, gone('none')],
    ['PATCH', url, { ids: [ids.a], update }, 409, isFull],
    ['PATCH', url, { ids: [ids.a], update: { column: 'Done' } }, 200, [{ column: 'Done' }]],
  ])
})

t.test('is all or nothing, and an unexpected failure has its own 500', async (t) => {
  const { app, ids } = await boardWith(t, 'abc')
  app.db.$client.exec(
    `create trigger full before insert on kanban_activity when new.item_id = '${ids.c}'
     begin select raise(abort, 'full'); end`,
  )
  const before = everything(app)
  const change = { ids: Object.values(ids), update: { column: 'Brand new', dueDate: '2026-01-31' } }
  await holds(t, app, [['PATCH', url, change, 500, failure]])
  t.strictSame(everything(app), before)
  breakTable(app, 'kanban_items')
  await holds(t, app, [['PATCH', url, { ids: [ids.a], update: {} }, 500, failure]])
})

t.test('DELETE /api/kanban-items deletes several, all or nothing, and one undo restores them', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const { headers } = signInAs(app, 'member')
    const ask = (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
      send(app, method, path, body, { ...headers, ...more })
    const { id: projectId } = (await ask('POST', '/api/projects', { name: 'Apollo' })).body
    const ids: string[] = []
    for (const title of ['a', 'b', 'c'])
      ids.push((await ask('POST', `/api/projects/${projectId}/kanban-items`, { title })).body.id)
    const [a, b, c] = ids as [string, string, string]
    await ask('POST', `/api/kanban-items/${a}/subtasks`, { title: 'Step' })
    await ask('POST', `/api/kanban-items/${b}/comments`, { content: 'Hm' })
    const failure = { error: 'Failed to delete kanban items' }
    const before = everything(app)
    for (const [body, status, answer, more] of [
      ['{oops', 500, failure],
      [undefined, 500, failure],
      [{}, 400, invalid({ ids: ['is required'] })],
      [{ ids: [] }, 400, invalid({ ids: ['must NOT have fewer than 1 items'] })],
      [{ ids: [a, a] }, 400, {}],
      [{ ids: Array.from({ length: 501 }, (_, index) => `${index}`) }, 400, {}],
      [{ ids: a }, 400, invalid({ ids: ['must be array'] })],
      [{ ids: [a, 'none', b, 'neither'] }, 404, gone('none', 'neither')],
      [{ ids: [a], all: true }, 400, {}, { prefer: 'handling=strict' }],
      [{ ids: [a] }, 412, { error: 'Precondition failed' }, { 'if-match': '"x"' }],
    ] as const) {
      const refused = await ask('DELETE', url, body, more)
      t.equal(refused.status, status, JSON.stringify(body))
      t.match(refused.body, answer)
    }
    t.strictSame(everything(app), before)

    const key = { 'idempotency-key': '"once"' }
    const deleted = await ask('DELETE', url, { ids: [b, a] }, key)
    t.match(deleted, { status: 200, body: { success: true } })
    const repeated = await ask('DELETE', url, { ids: [b, a] }, key)
    t.match(repeated, { status: 200, body: { success: true }, headers: { 'idempotent-replayed': 'true' } })
    t.equal((await ask('DELETE', url, { ids: [b] }, key)).status, 422, 'the key was for other items')
    t.equal(count(app, 'kanban_items'), 1)
    t.equal(count(app, 'kanban_subtasks') + count(app, 'kanban_comments'), 0)
    const { body: trash } = await ask('GET', '/api/trash')
    t.same(new Set(trash.map(({ id }: { id: string }) => id)), new Set([a, b]))
    const undone = await ask('POST', `/api/changes/${trash[0].seq}/undo`)
    t.equal(undone.status, 200)
    t.strictSame(
      [count(app, 'kanban_items'), count(app, 'kanban_subtasks'), count(app, 'kanban_comments')],
      [3, 1, 1],
    )

    const batch = { requests: [{ method: 'DELETE', path: url, body: { ids: [a, c] } }] }
    t.match(await ask('POST', '/api/batch', batch), { status: 200, body: { results: [{ status: 200 }] } })
    const bodiless = { requests: [{ method: 'DELETE', path: url }] }
    t.equal((await ask('POST', '/api/batch', bodiless)).status, 500)
    t.equal(count(app, 'kanban_items'), 1)
    const { headers: viewer } = signInAs(app, 'viewer')
    const status = authMode === 'open' ? 200 : 403
    t.equal((await send(app, 'DELETE', url, { ids: [b] }, viewer)).status, status)
  }
})

t.test('the worker thread deletes many', async (t) => {
  const app = await build(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
  const { id } = await createProject(app)
  const client = app.db.$client
  client.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
    insert into kanban_items (id, project_id, title, description) select 'item-' || i, '${id}', 'Card', printf('%5000s', 'x') from n;
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
    insert into kanban_subtasks (id, item_id, title) select 'step-' || i, 'item-1', 'Step' from n`)
  const executed = watch(t, client)
  const ids = Array.from({ length: 500 }, (_, index) => `item-${index + 1}`)
  t.match(
    await send(app, 'DELETE', url, { ids: ids.slice(0, 2) }),
    { status: 200 },
    'for what belongs to them',
  )
  t.match(await send(app, 'DELETE', url, { ids: ids.slice(2) }), { status: 200 }, 'for themselves')
  t.notOk(executed.log.some((source) => source.startsWith('delete from "kanban_items"')))
  t.equal(count(app, 'kanban_items'), 0)
})
