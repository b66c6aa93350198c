import t from 'tap'
import { testChildResource } from '../child-resource.ts'
import { boolean, jsonObject, number, same, text, textOrNull } from '../field-contracts.ts'
import {
  type App,
  build,
  count,
  createItem,
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
  stored,
} from '../helper.ts'
import { ITEM_DEFAULTS } from '../item-defaults.ts'

const notFound = { error: 'Kanban item not found' }
const failure = { error: 'Internal server error' }

/** An application with one item on the board of one project. */
async function boardOf(t: Parameters<typeof build>[0], fields: object = {}) {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id, fields)
  return { app, project, item, url: `/api/kanban-items/${item.id}` }
}

const DATE = '2026-01-31T00:00:00.000Z'
const noDate = 'must be one of null, "", false, 0'

testChildResource(t, {
  thing: 'Kanban item',
  path: 'kanban-items',
  table: 'kanban_items',
  relation: 'kanbanItems',
  least: { title: 'Card' },
  depends: ['sortOrder', 'number'],
  defaults: ITEM_DEFAULTS,
  fields: {
    title: text(1, 500),
    description: text(0, 100_000),
    column: text(1, 100),
    sortOrder: number,
    priority: text(1, 100),
    assigneeId: { ...textOrNull(200), derives: (id) => ({ assigneeIds: id ? [id] : [] }) },
    dueDate: {
      accepts: [
        ...['', null, false, 0].map((value): [unknown, null] => [value, null]),
        ['2026-01-31', DATE],
        ['2026-01-31T18:00:00+01:00', '2026-01-31T17:00:00.000Z'],
      ],
      refuses: [
        ...[true, 5, -1, {}, [], ['2026-01-31']].map((value): [unknown, string] => [
          value,
          `must be string, or ${noDate}`,
        ]),
        ...[
          ...['tomorrow', ' ', 'null', '0', '2026-02-30', '2027-02-29', '2026-13-01', '2026-01-31T10'],
          ...['2026-01-31 10:00:00Z', '31.01.2026', '1769817600000'],
        ].map((value): [unknown, string] => [
          value,
          `must be an ISO 8601 date-time or a plain date, or ${noDate}`,
        ]),
      ],
    },
    source: text(1, 100),
    sourceId: text(0, 200),
    isNew: boolean,
    approved: boolean,
    // The list excludes dismissed items.
    dismissed: { ...boolean, accepts: same(false, true, false) },
    metadata: jsonObject({ list: [1, 'two', null], nested: { a: true } }),
  },
  serverOwned: {
    number: 77,
    claimedUntil: LONG_AGO,
    labels: [{ name: 'x' }],
    subtasks: [{ title: 'x' }],
    sort_order: 77,
  },
  elsewhere: ['assigneeIds', 'coverId', 'reminders'],
  existsFirst: true,
  failure: 'Internal server error',
})

/** The stored activity of an item: raw column values, oldest first. */
const activity = (app: App, itemId: string) =>
  app.db.$client
    .prepare(
      'select type, content, metadata, actor_id as actor, created_at as at from kanban_activity where item_id = ? order by id',
    )
    .all(itemId) as { type: string; content: unknown; metadata: unknown; actor: unknown; at: string }[]

t.test('PATCH /api/kanban-items/{id}', async (t) => {
  t.test('returns the item with its labels and subtasks, and metadata as an object', async (t) => {
    const { app, project, item, url } = await boardOf(t)
    const { label } = seed(app, project.id, item.id)
    const last = await createSubtask(app, item.id, { sortOrder: 9 })
    const first = await createSubtask(app, item.id, { sortOrder: 1 })
    const { body } = await send(app, 'PATCH', url, { metadata: '{"a":[1]}' })
    const { created_at, updated_at } = stored(app, 'kanban_labels', label)
    t.strictSame(body, {
      ...item,
      metadata: { a: [1] },
      updatedAt: body.updatedAt,
      labels: [
        {
          id: label,
          projectId: project.id,
          name: 'Bug',
          color: '#3b82f6',
          createdAt: created_at,
          updatedAt: updated_at,
        },
      ],
      subtasks: [first, last],
    })
  })

  t.test('a date string is converted and stored, any falsy value stores null', async (t) => {
    const { app, item, url } = await boardOf(t)
    const set = '2026-01-31T00:00:00.000Z'
    for (const [dueDate, expected] of [
      ['2026-01-31', set],
      ['2026-01-31T01:00:00+01:00', set],
      ['2026-01-30T19:00:00-05', set],
      ['2026-01-31T00:00Z', set],
      ['2026-01-31T00:00:00.0004Z', set],
      ['2028-02-29', '2028-02-29T00:00:00.000Z'],
      [null, null],
      ['', null],
      [false, null],
      [0, null],
    ] as const) {
      await send(app, 'PATCH', url, { dueDate: expected === null ? '2026-01-31' : null })
      const before = { ...item, dueDate: expected === null ? set : null }
      const { status, body } = await send(app, 'PATCH', url, { dueDate })
      t.equal(status, 200)
      t.strictSame(body, { ...before, dueDate: expected, updatedAt: body.updatedAt }, JSON.stringify(dueDate))
      t.equal(stored(app, 'kanban_items', item.id).due_date, expected)
    }
    await send(app, 'PATCH', url, { dueDate: set })
    await holds(t, app, [['PATCH', url, '{"dueDate":-0}', 200, { dueDate: null }]])
  })

  t.test('a body without dueDate keeps the date', async (t) => {
    const { app, url } = await boardOf(t, { dueDate: '2026-01-31' })
    const dueDate = '2026-01-31T00:00:00.000Z'
    await holds(t, app, [
      ['PATCH', url, { title: 'New' }, 200, { dueDate }],
      ['PATCH', url, {}, 200, { dueDate }],
    ])
  })

  t.test('reminders are stored in UTC, at most five, each a time or a duration', async (t) => {
    const { app, url } = await boardOf(t)
    const five = [1, 2, 3, 4, 5].map((days) => ({ before: `P${days}D` }))
    await holds(t, app, [
      ['PATCH', url, { reminders: five }, 200, { reminders: five }],
      ['PATCH', url, {}, 200, { reminders: five }],
      [
        'PATCH',
        url,
        { reminders: [{ at: '2026-01-31T01:00:00+01:00', more: 1 }, { before: 'PT15M' }] },
        200,
        { reminders: [{ at: '2026-01-31T00:00:00.000Z' }, { before: 'PT15M' }] },
      ],
      ['PATCH', url, { reminders: [] }, 200, { reminders: [] }],
    ])
    for (const reminders of [
      [...five, { at: '2026-01-31' }],
      [{}],
      [{ more: 1 }],
      [{ at: '2026-01-31', before: 'P1D' }],
      [{ at: 'soon' }],
      [{ at: null }],
      [{ before: 'P' }],
      [{ before: '-P1D' }],
      [{ before: 'P99999D' }],
      [null],
      null,
      'P1D',
    ]) {
      const { status, body } = await send(app, 'PATCH', url, { reminders })
      t.equal(status, 400, JSON.stringify(reminders))
      t.strictSame(Object.keys(body.details.fieldErrors), ['reminders'])
    }
    app.db.$client.exec(
      `update kanban_items set reminders = '[{"at":"2026-01-31","claimedUntil":1},null,7,{"before":2},{"at":"x"}]'`,
    )
    await holds(t, app, [['GET', url, 200, { reminders: [{ at: '2026-01-31T00:00:00.000Z' }] }]])
  })

  t.test('existence is checked before the body', async (t) => {
    const app = await build(t, { bodyLimit: 1000 })
    const text = { 'content-type': 'text/plain' }
    const patch = (body: unknown, headers?: Record<string, string>): Row => [
      'PATCH',
      '/api/kanban-items/none',
      body,
      headers,
      404,
      notFound,
    ]
    await holds(t, app, [
      patch({}),
      patch({ title: 'x' }),
      patch({ title: '' }),
      patch('[]'),
      patch('{oops'),
      patch(''),
      patch(undefined),
      patch(undefined, { 'content-type': 'application/json' }),
      patch('x', text),
      patch({ title: 'x' }, { 'content-type': '' }),
      patch(long(1001)),
      patch(long(1001), text),
    ])
    const project = await createProject(app)
    const { id } = await createItem(app, project.id)
    const url = `/api/kanban-items/${id}`
    await holds(t, app, [
      ['PATCH', url, { title: '' }, 400, invalid({ title: ['must NOT have fewer than 1 characters'] })],
      ['PATCH', url, '[]', 400, invalid({}, ['must be object'])],
      ['PATCH', url, '{oops', 500, failure],
      ['PATCH', url, '', 500, failure],
      ['PATCH', url, 500, failure],
      ['PATCH', url, 'x', text, 500, failure],
      ['PATCH', url, long(1001), 413, { error: 'Payload Too Large' }],
    ])
  })

  t.test('an item deleted while the body arrives is 404', async (t) => {
    const { app, item, url } = await boardOf(t)
    const { items } = app.rules.board
    t.throws(() => items.update('none', { title: 'x' }, null), { statusCode: 404, message: notFound.error })
    const noProject = { statusCode: 404, message: 'Project not found' }
    t.throws(() => items.create('none', { title: 'x' }), noProject)
    app.db.$client.exec(
      'create trigger vanish before update on kanban_items begin delete from kanban_items where id = old.id; end',
    )
    await holds(t, app, [['PATCH', url, { title: 'New' }, 404, notFound]])
    t.equal(
      count(app, 'kanban_items', 'id = ?', item.id),
      1,
      'what was refused is undone, whatever it set off',
    )
  })
})

t.test('the activity log', async (t) => {
  t.test('gets an entry for each tracked field that changes', async (t) => {
    const { app, item, url } = await boardOf(t, { assigneeId: 'ada' })
    for (const [change, type, from, to] of [
      [{ column: 'Done' }, 'status_change', 'To Do', 'Done'],
      [{ assigneeId: 'bob' }, 'assignment', 'ada', 'bob'],
      [{ priority: 'high' }, 'priority', 'medium', 'high'],
      [{ column: 'Somewhere new' }, 'status_change', 'Done', 'Somewhere new'],
      [{ priority: 'High' }, 'priority', 'high', 'High'],
    ] as const) {
      app.db.$client.exec('delete from kanban_activity')
      const { status, body } = await send(app, 'PATCH', url, change)
      t.equal(status, 200)
      const [entry, ...more] = activity(app, item.id)
      t.strictSame(more, [], 'one change, one entry')
      t.same(entry, {
        type,
        content: '',
        metadata: JSON.stringify({ from, to }),
        actor: 'local',
        at: body.updatedAt,
      })
    }
  })

  t.test('gets one entry per changed field of one request', async (t) => {
    const { app, item, url } = await boardOf(t)
    const change = { priority: 'low', title: 'New', column: 'Done', assigneeId: 'ada', dueDate: '2026-01-31' }
    await send(app, 'PATCH', url, change)
    t.strictSame(
      activity(app, item.id).map(({ type, metadata }) => [type, JSON.parse(String(metadata))]),
      [
        ['status_change', { from: 'To Do', to: 'Done' }],
        ['assignment', { from: '', to: 'ada' }],
        ['priority', { from: 'medium', to: 'low' }],
      ],
    )
    app.db.$client.exec('delete from kanban_activity')
    await send(app, 'PATCH', url, { ...change, priority: 'high' })
    t.strictSame(
      activity(app, item.id).map(({ type }) => type),
      ['priority'],
      'of several tracked fields only the one that differs',
    )
  })

  t.test('gets nothing for absent, equal and untracked fields', async (t) => {
    const { app, item, url } = await boardOf(t, { assigneeId: 'ada' })
    for (const body of [
      {},
      { column: 'To Do' },
      { assigneeId: 'ada' },
      { priority: 'medium' },
      { column: 'To Do', assigneeId: 'ada', priority: 'medium' },
      { title: 'New', description: 'New', sortOrder: 9, dueDate: '2026-01-31', metadata: { a: 1 } },
      { isNew: true, approved: false, dismissed: true, source: 'import', sourceId: 'x' },
    ]) {
      t.equal((await send(app, 'PATCH', url, body)).status, 200)
      t.strictSame(activity(app, item.id), [], JSON.stringify(body))
    }
    await send(app, 'PATCH', url, { assigneeId: null })
    app.db.$client.exec('delete from kanban_activity')
    await send(app, 'PATCH', url, { assigneeId: null })
    t.strictSame(activity(app, item.id), [], 'null stays null')
  })

  t.test('writes null as the empty string, and compares strictly', async (t) => {
    const { app, item, url } = await boardOf(t)
    const steps: [string | null, string, string][] = [
      ['ada', '', 'ada'],
      [null, 'ada', ''],
      ['', '', ''],
      [null, '', ''],
    ]
    for (const [assigneeId, from, to] of steps) {
      app.db.$client.exec('delete from kanban_activity')
      await send(app, 'PATCH', url, { assigneeId })
      t.strictSame(
        activity(app, item.id).map(({ type, metadata }) => [type, JSON.parse(String(metadata))]),
        [['assignment', { from, to }]],
        JSON.stringify(assigneeId),
      )
    }
  })

  t.test('keeps its metadata as JSON text with the string fields from and to', async (t) => {
    const { app, item, url } = await boardOf(t)
    await send(app, 'PATCH', url, { column: 'with "quotes"\n' })
    t.strictSame(
      app.db.$client
        .prepare('select typeof(metadata) as kind, metadata, typeof(content) as content from kanban_activity')
        .all()
        .map((row) => ({ ...(row as object) })),
      [{ kind: 'text', metadata: '{"from":"To Do","to":"with \\"quotes\\"\\n"}', content: 'text' }],
    )
    t.equal(count(app, 'kanban_activity', 'item_id = ?', item.id), 1)
  })

  t.test('names the member who made the change', async (t) => {
    const { app, item, url } = await boardOf(t)
    const { id, headers } = signInAs(app, 'member')
    await send(app, 'PATCH', url, { column: 'Review' })
    await send(app, 'PATCH', url, { column: 'Done' }, headers)
    t.strictSame(
      activity(app, item.id).map(({ actor }) => actor),
      ['local', id],
    )
  })

  t.test('is written in the same transaction as the change', async (t) => {
    const { app, item, url } = await boardOf(t)
    app.db.$client.exec(
      "create trigger full before insert on kanban_activity when new.type = 'priority' begin select raise(abort, 'full'); end",
    )
    const change = { title: 'New', column: 'Brand new', assigneeId: 'ada', priority: 'high' }
    await holds(t, app, [['PATCH', url, change, 500, failure]])
    t.match((await send(app, 'GET', url)).body, item, 'the change is rolled back')
    t.strictSame(activity(app, item.id), [], 'so are the other entries')
    t.equal(count(app, 'kanban_columns', "name = 'Brand new'"), 0, 'and the new column')
    await holds(t, app, [['PATCH', url, { title: 'New', column: 'Done' }, 200, { title: 'New' }]])
  })
})

t.test('the fields of an item', async (t) => {
  t.test('metadata of other tools that is empty, missing or invalid reads as empty', async (t) => {
    const { app, item, url } = await boardOf(t)
    for (const text of [null, '', 'oops', '[]', '5', 'null']) {
      app.db.$client.prepare('update kanban_items set metadata = ?').run(text)
      await holds(t, app, [
        ['GET', url, 200, { metadata: {} }],
        ['PATCH', url, {}, 200, { metadata: {} }],
        ['PATCH', url, { title: 'x' }, 200, { metadata: {} }],
      ])
      t.equal(stored(app, 'kanban_items', item.id).metadata, text, 'and is left as it is stored')
    }
  })

  t.test('any column, priority and source is allowed', async (t) => {
    const { app, url } = await boardOf(t)
    for (const value of ['Done', 'Größer als 無', 'To Do', '__proto__']) {
      const fields = { column: value, priority: value, source: value }
      await holds(t, app, [['PATCH', url, fields, 200, fields]])
    }
  })
})

t.test('a new column is created before the done ones', async (t) => {
  const { app, project, item, url } = await boardOf(t)
  const other = await createProject(app)
  const columns = (projectId: string) =>
    app.db.$client
      .prepare('select name from kanban_columns where project_id = ? order by sort_order, id')
      .pluck()
      .all(projectId)
  const usual = ['To Do', 'In Progress', 'Review', 'Done']
  await send(app, 'PATCH', url, { column: 'Parked' })
  t.strictSame(columns(project.id), [...usual.slice(0, -1), 'Parked', 'Done'])
  await createItem(app, project.id, { column: 'Ideas' })
  await createItem(app, project.id, { column: 'Parked' })
  await send(app, 'PATCH', url, { column: 'Done' })
  t.strictSame(columns(project.id), [...usual.slice(0, -1), 'Parked', 'Ideas', 'Done'])
  t.strictSame(columns(other.id), usual, 'other boards are left alone')
  app.db.$client.prepare('delete from kanban_columns where project_id = ?').run(project.id)
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'First' })
  t.strictSame(columns(project.id), ['First'])
})

t.test('DELETE /api/kanban-items/{id}', async (t) => {
  t.test('deletes all parts of the item, from every table, and nothing else', async (t) => {
    const { app, project, item, url } = await boardOf(t)
    const kept = await createItem(app, project.id)
    for (const { id } of [item, kept]) await createSubtask(app, id)
    const { label } = seed(app, project.id, item.id)
    const sql = app.db.$client
    sql.prepare('insert into kanban_item_labels (item_id, label_id) values (?, ?)').run(kept.id, label)
    sql
      .prepare("insert into kanban_comments (id, item_id, author_id, content) values ('c', ?, 'x', 'x')")
      .run(kept.id)
    sql.prepare("insert into kanban_activity (id, item_id, type) values ('a', ?, 'priority')").run(kept.id)
    sql.prepare("insert into attachments (id, item_id, name) values ('f', ?, 'x')").run(kept.id)
    const tables = [
      'kanban_subtasks',
      'kanban_activity',
      'kanban_comments',
      'kanban_item_labels',
      'attachments',
    ]
    const referring = sql
      .prepare(
        `select distinct t.name from sqlite_schema t, pragma_foreign_key_list(t.name) f
         where t.type = 'table' and f."table" = 'kanban_items'`,
      )
      .pluck()
      .all()
    t.strictSame(referring.toSorted(), tables.toSorted(), 'these are the tables that refer to an item')
    await holds(t, app, [['DELETE', url, 200, { success: true }]])
    for (const table of tables) {
      t.equal(count(app, table, 'item_id = ?', item.id), 0, `nothing is left in ${table}`)
      t.equal(count(app, table, 'item_id = ?', kept.id), 1, `the other item's is left in ${table}`)
    }
    t.equal(count(app, 'kanban_labels'), 1, 'labels belong to the project')
    await holds(t, app, [
      ['GET', url, 404, notFound],
      ['PATCH', url, {}, 404, notFound],
      ['DELETE', url, 404, notFound],
      ['GET', `/api/projects/${project.id}`, 200, { id: project.id }],
    ])
  })
})

t.test('GET and POST /api/projects/{id}/kanban-items', async (t) => {
  t.test('a new item is the last of its column', async (t) => {
    const { app, project } = await boardOf(t, { sortOrder: 41.5 })
    await createItem(app, project.id, { column: 'Done', sortOrder: 100 })
    t.equal((await createItem(app, project.id)).sortOrder, 42.5)
    t.equal((await createItem(app, project.id, { column: 'Done' })).sortOrder, 101)
    t.equal((await createItem(app, project.id, { column: 'Fresh' })).sortOrder, 1)
  })

  t.test('the list is sorted by sortOrder, with dismissed items only if asked', async (t) => {
    const { app, project, item } = await boardOf(t, { sortOrder: 5 })
    const hidden = await createItem(app, project.id, { dismissed: true, sortOrder: 2 })
    const first = await createItem(app, project.id, { sortOrder: -1 })
    const other = await createProject(app)
    await createItem(app, other.id)
    const url = `/api/projects/${project.id}/kanban-items`
    for (const [query, expected] of [
      ['', [first, item]],
      ['?dismissed=false', [first, item]],
      ['?dismissed=true', [hidden]],
      ['?dismissed=all', [first, hidden, item]],
    ] as const) {
      t.strictSame((await send(app, 'GET', `${url}${query}`)).body, expected, query)
    }
    const answer = invalid({ dismissed: ['must be one of "false", "true", "all"'] })
    await holds(t, app, [
      ['GET', `${url}?dismissed=maybe`, 400, answer],
      ['GET', '/api/projects/none/kanban-items?dismissed=maybe', 400, answer],
    ])
  })
})
