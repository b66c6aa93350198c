import t from 'tap'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
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
  readOnly,
  seed,
  send,
  signInAs,
  stored,
} from '../helper.ts'

const notFound = { error: 'Kanban item not found' }
const failure = { error: 'Internal server error' }

/** An application with one item on the board of one project. */
async function boardOf(t: Parameters<typeof build>[0], fields: object = {}) {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id, fields)
  return { app, project, item, url: `/api/kanban-items/${item.id}` }
}

/** The activity of an item as it is stored: raw column values, oldest first. */
const activity = (app: App, itemId: string) =>
  app.db.$client
    .prepare(
      'select type, content, metadata, actor_id as actor, created_at as at from kanban_activity where item_id = ? order by id',
    )
    .all(itemId) as { type: string; content: unknown; metadata: unknown; actor: unknown; at: string }[]

t.test('PATCH /api/kanban-items/{id}', async (t) => {
  t.test('only the fields of the body change, and updatedAt with them', async (t) => {
    const { app, item, url } = await boardOf(t, {
      description: 'kept',
      metadata: { kept: true },
      assigneeId: 'kept',
      dueDate: '2026-01-31',
    })
    let before = item
    for (const change of [
      { title: 'New' },
      { description: 'New' },
      { description: '' },
      { column: 'Done' },
      { sortOrder: -0.5 },
      { priority: 'critical' },
      { assigneeId: 'someone' },
      { assigneeId: null },
      { dueDate: '2027-12-24T18:00:00.000Z' },
      { dueDate: null },
      { source: 'import' },
      { sourceId: 'row 5' },
      { isNew: true },
      { approved: false },
      { dismissed: true },
      { metadata: { replaced: { deep: [null] } } },
      { title: 'Both', priority: 'low' },
    ]) {
      age(app, 'kanban_items', item.id)
      const { status, body } = await send(app, 'PATCH', url, change)
      t.equal(status, 200)
      t.not(body.updatedAt, LONG_AGO, 'updatedAt moves')
      t.strictSame(body, { ...before, ...change, updatedAt: body.updatedAt }, JSON.stringify(change))
      t.strictSame((await send(app, 'GET', url)).body, body)
      before = body
    }
  })

  t.test('answers the item with its labels and subtasks, and metadata as an object', async (t) => {
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

  t.test('a body without a known field returns the record unchanged, updatedAt included', async (t) => {
    const { app, item, url } = await boardOf(t)
    age(app, 'kanban_items', item.id)
    for (const body of [{}, { nonsense: 1 }, { id: 'mine', projectId: 'x', updatedAt: 5, createdAt: 'x' }]) {
      const answer = await send(app, 'PATCH', url, body)
      t.strictSame(
        [answer.status, answer.body],
        [200, { ...item, updatedAt: LONG_AGO }],
        JSON.stringify(body),
      )
    }
    t.strictSame(activity(app, item.id), [])
  })

  t.test('unknown and server-owned fields are ignored and never stored', async (t) => {
    const { app, project, item, url } = await boardOf(t)
    const other = await createProject(app)
    const { status, body } = await send(app, 'PATCH', url, {
      title: 'New',
      id: 'mine',
      projectId: other.id,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
      labels: [{ name: 'x' }],
      subtasks: [{ title: 'x' }],
      nonsense: 1,
      sort_order: 77,
    })
    t.equal(status, 200)
    t.not(body.updatedAt, LONG_AGO)
    t.strictSame(body, { ...item, title: 'New', updatedAt: body.updatedAt })
    t.equal(stored(app, 'kanban_items', item.id).project_id, project.id)
    t.equal(count(app, 'kanban_subtasks') + count(app, 'kanban_labels'), 0)
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
    await holds(t, app, [['PATCH', url, '{"dueDate":-0}', undefined, 200, { dueDate: null }]])
  })

  t.test('a body without the key dueDate leaves the date as it is', async (t) => {
    const { app, url } = await boardOf(t, { dueDate: '2026-01-31' })
    const dueDate = '2026-01-31T00:00:00.000Z'
    await holds(t, app, [
      ['PATCH', url, { title: 'New' }, undefined, 200, { dueDate }],
      ['PATCH', url, {}, undefined, 200, { dueDate }],
    ])
  })

  t.test('a dueDate that is neither a date nor falsy is 400', async (t) => {
    const { app, item, url } = await boardOf(t, { dueDate: '2026-01-31' })
    const noDate = 'must be one of null, "", false, 0'
    const wrongType = [`must be string, or ${noDate}`]
    const wrongText = [`must be an ISO 8601 date-time or a plain date, or ${noDate}`]
    const patch = (dueDate: unknown, messages: string[]): Row => [
      'PATCH',
      url,
      { dueDate },
      undefined,
      400,
      invalid({ dueDate: messages }),
    ]
    await holds(t, app, [
      ...[true, 5, -1, {}, [], ['2026-01-31']].map((value) => patch(value, wrongType)),
      ...[
        'tomorrow',
        ' ',
        'null',
        '0',
        '2026-02-30',
        '2027-02-29',
        '2026-13-01',
        '2026-01-31T10',
        '2026-01-31 10:00:00Z',
        '31.01.2026',
        '1769817600000',
      ].map((value) => patch(value, wrongText)),
    ])
    t.strictSame((await send(app, 'GET', url)).body, item)
  })

  t.test('existence is checked before anything about the body', async (t) => {
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
      [
        'PATCH',
        url,
        { title: '' },
        undefined,
        400,
        invalid({ title: ['must NOT have fewer than 1 characters'] }),
      ],
      ['PATCH', url, '[]', undefined, 400, invalid({}, ['must be object'])],
      ['PATCH', url, '{oops', undefined, 500, failure],
      ['PATCH', url, '', undefined, 500, failure],
      ['PATCH', url, undefined, undefined, 500, failure],
      ['PATCH', url, 'x', text, 500, failure],
      ['PATCH', url, long(1001), undefined, 413, { error: 'Payload Too Large' }],
    ])
  })

  t.test('all violations of a body are reported, and nothing of it is stored', async (t) => {
    const { app, item, url } = await boardOf(t)
    const body = {
      title: '',
      column: null,
      sortOrder: '1',
      priority: 5,
      assigneeId: false,
      dueDate: true,
      isNew: 1,
      approved: 'true',
      dismissed: null,
      metadata: 'oops',
      description: 'fine',
    }
    await holds(t, app, [
      [
        'PATCH',
        url,
        body,
        undefined,
        400,
        invalid({
          title: ['must NOT have fewer than 1 characters'],
          column: ['must be string'],
          sortOrder: ['must be number'],
          priority: ['must be string'],
          assigneeId: ['must be string or null'],
          dueDate: ['must be string, or must be one of null, "", false, 0'],
          isNew: ['must be boolean'],
          approved: ['must be boolean'],
          dismissed: ['must be boolean'],
          metadata: ['must be JSON text of an object'],
        }),
      ],
    ])
    t.strictSame((await send(app, 'GET', url)).body, item)
    t.strictSame(activity(app, item.id), [])
  })

  t.test('an item that disappears while its body arrives is 404', async (t) => {
    const { app, item, url } = await boardOf(t)
    t.throws(() => app.rules.board.items.update('none', { title: 'x' }, null), {
      statusCode: 404,
      message: 'Kanban item not found',
    })
    app.db.$client.exec(
      'create trigger vanish before update on kanban_items begin delete from kanban_items where id = old.id; end',
    )
    await holds(t, app, [['PATCH', url, { title: 'New' }, undefined, 404, notFound]])
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

  t.test('gets one entry per tracked field when several change in one request', async (t) => {
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

  t.test('gets nothing from absent, equal and untracked fields', async (t) => {
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

  t.test('writes a null value as the empty string, and compares strictly', async (t) => {
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
    await holds(t, app, [['PATCH', url, change, undefined, 500, failure]])
    t.strictSame((await send(app, 'GET', url)).body, item, 'the change is rolled back')
    t.strictSame(activity(app, item.id), [], 'so are the other entries')
    t.equal(count(app, 'kanban_columns', "name = 'Brand new'"), 0, 'and the new column')
    await holds(t, app, [['PATCH', url, { title: 'New', column: 'Done' }, undefined, 200, { title: 'New' }]])
  })
})

t.test('the fields of an item', async (t) => {
  t.test('no value is coerced, and null is allowed only where the field says so', async (t) => {
    const { app, project, url } = await boardOf(t)
    const accepted: Record<string, unknown[]> = {
      title: ['5'],
      description: ['5'],
      column: ['5'],
      sortOrder: [5, 0],
      priority: ['5'],
      assigneeId: [null, '5'],
      source: ['5'],
      sourceId: ['5'],
      isNew: [true],
      approved: [true],
      dismissed: [true],
    }
    for (const [field, allowed] of Object.entries(accepted)) {
      for (const value of [null, true, 5, 0, '5', [], {}]) {
        for (const [method, target, success] of [
          ['PATCH', url, 200],
          ['POST', `/api/projects/${project.id}/kanban-items`, 201],
        ] as const) {
          const { status, body } = await send(app, method, target, { title: 'x', [field]: value })
          t.equal(
            status,
            allowed.includes(value) ? success : 400,
            `${method} ${field} ${JSON.stringify(value)}`,
          )
          if (status === 400) t.strictSame(Object.keys(body.details.fieldErrors), [field])
          else t.strictSame(body[field], value)
        }
      }
    }
  })

  t.test('each limit holds: at it is fine, above it is 400', async (t) => {
    const { app, project, url } = await boardOf(t)
    const create = `/api/projects/${project.id}/kanban-items`
    for (const [field, limit] of [
      ['title', 500],
      ['description', 100_000],
      ['column', 100],
      ['priority', 100],
      ['assigneeId', 200],
      ['source', 100],
      ['sourceId', 200],
    ] as const) {
      const fits = { title: 'x', [field]: long(limit) }
      const tooLong = { title: 'x', [field]: long(limit + 1) }
      const answer = invalid({ [field]: [`must NOT have more than ${limit} characters`] })
      await holds(t, app, [
        ['PATCH', url, fits, undefined, 200, fits],
        ['PATCH', url, tooLong, undefined, 400, answer],
        ['POST', create, fits, undefined, 201, fits],
        ['POST', create, tooLong, undefined, 400, answer],
      ])
    }
    for (const field of ['title', 'column', 'priority', 'source']) {
      const answer = invalid({ [field]: ['must NOT have fewer than 1 characters'] })
      await holds(t, app, [['PATCH', url, { [field]: '' }, undefined, 400, answer]])
    }
    for (const field of ['description', 'assigneeId', 'sourceId']) {
      await holds(t, app, [['PATCH', url, { [field]: '' }, undefined, 200, { [field]: '' }]])
    }
    const tooLarge = invalid({ metadata: ['must NOT be larger than 65536 bytes of JSON'] })
    const tooDeep = invalid({ metadata: ['must NOT be nested deeper than 100 levels'] })
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    for (const asText of [true, false]) {
      const patch = (text: string, status: number, answer: unknown): Row => [
        'PATCH',
        url,
        { metadata: asText ? text : JSON.parse(text) },
        undefined,
        status,
        answer,
      ]
      await holds(t, app, [
        patch(`{"a":"${long(65_528)}"}`, 200, { metadata: { a: long(65_528) } }),
        patch(`{"a":"${long(65_529)}"}`, 400, tooLarge),
        patch(nested(100), 200, { metadata: JSON.parse(nested(100)) }),
        patch(nested(101), 400, tooDeep),
      ])
    }
  })

  t.test('metadata is accepted as JSON text and as an object, and answered as an object', async (t) => {
    const { app, item, url } = await boardOf(t)
    const value = { list: [1, 'two', null], nested: { a: true } }
    const text = () => stored(app, 'kanban_items', item.id).metadata
    for (const [metadata, expected] of [
      [value, value],
      [JSON.stringify(value), value],
      [JSON.stringify(value, null, 4), value],
      ['', {}],
      ['{}', {}],
      [{}, {}],
    ] as const) {
      await holds(t, app, [['PATCH', url, { metadata }, undefined, 200, { metadata: expected }]])
      t.equal(text(), JSON.stringify(expected), 'stored as JSON text')
    }
    for (const [metadata, message] of [
      ['oops', 'must be JSON text of an object'],
      ['[]', 'must be JSON text of an object'],
      ['null', 'must be JSON text of an object'],
      ['"{}"', 'must be JSON text of an object'],
      [null, 'must be object or string'],
      [[], 'must be object or string'],
      [5, 'must be object or string'],
    ] as const) {
      await holds(t, app, [['PATCH', url, { metadata }, undefined, 400, invalid({ metadata: [message] })]])
    }
  })

  t.test('metadata that another tool left empty, missing, broken or misshapen reads as empty', async (t) => {
    const { app, item, url } = await boardOf(t)
    for (const text of [null, '', 'oops', '[]', '5', 'null']) {
      app.db.$client.prepare('update kanban_items set metadata = ?').run(text)
      await holds(t, app, [
        ['GET', url, undefined, undefined, 200, { metadata: {} }],
        ['PATCH', url, {}, undefined, 200, { metadata: {} }],
        ['PATCH', url, { title: 'x' }, undefined, 200, { metadata: {} }],
      ])
      t.equal(stored(app, 'kanban_items', item.id).metadata, text, 'and is left as it is stored')
    }
  })

  t.test('any column, priority and source is allowed, and any change of them', async (t) => {
    const { app, url } = await boardOf(t)
    for (const value of ['Done', 'Größer als 無', 'To Do', '__proto__']) {
      const fields = { column: value, priority: value, source: value }
      await holds(t, app, [['PATCH', url, fields, undefined, 200, fields]])
    }
  })
})

t.test('a column that the project does not define yet is made before what is done', async (t) => {
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
  t.test('takes all that belongs to the item along, from every table, and nothing else', async (t) => {
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
    const tables = ['kanban_subtasks', 'kanban_activity', 'kanban_comments', 'kanban_item_labels']
    const referring = sql
      .prepare(
        `select distinct t.name from sqlite_schema t, pragma_foreign_key_list(t.name) f
         where t.type = 'table' and f."table" = 'kanban_items'`,
      )
      .pluck()
      .all()
    t.strictSame(referring.toSorted(), tables.toSorted(), 'these are the tables that refer to an item')
    await holds(t, app, [['DELETE', url, undefined, undefined, 200, { success: true }]])
    for (const table of tables) {
      t.equal(count(app, table, 'item_id = ?', item.id), 0, `nothing is left in ${table}`)
      t.equal(count(app, table, 'item_id = ?', kept.id), 1, `the other item's is left in ${table}`)
    }
    t.equal(count(app, 'kanban_labels'), 1, 'labels belong to the project')
    await holds(t, app, [
      ['GET', url, undefined, undefined, 404, notFound],
      ['PATCH', url, {}, undefined, 404, notFound],
      ['DELETE', url, undefined, undefined, 404, notFound],
      ['GET', `/api/projects/${project.id}`, undefined, undefined, 200, { id: project.id }],
    ])
  })

  t.test('an id that matches nothing is 404, whatever it looks like', async (t) => {
    const { app } = await boardOf(t)
    const ids = ['none', '%', '%25', 'a%2Fb', '%E0%A4%A', '__proto__', '%F0%9F%9A%80', long(10_000)]
    for (const id of ids) {
      await holds(t, app, [
        ['DELETE', `/api/kanban-items/${id}`, undefined, undefined, 404, notFound],
        ['PATCH', `/api/kanban-items/${id}`, {}, undefined, 404, notFound],
        ['GET', `/api/kanban-items/${id}`, undefined, undefined, 404, notFound],
      ])
    }
    t.equal(count(app, 'kanban_items'), 1)
  })
})

t.test('GET and POST /api/projects/{id}/kanban-items', async (t) => {
  t.test('an item needs a title alone; every other field has its default', async (t) => {
    const { app, project } = await boardOf(t)
    const { status, body } = await send(app, 'POST', `/api/projects/${project.id}/kanban-items`, {
      title: 'Card',
    })
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      projectId: project.id,
      title: 'Card',
      description: '',
      column: 'To Do',
      sortOrder: 2,
      priority: 'medium',
      assigneeId: null,
      dueDate: null,
      source: 'manual',
      sourceId: '',
      isNew: false,
      approved: true,
      dismissed: false,
      metadata: {},
      claimedUntil: null,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
      labels: [],
      subtasks: [],
    })
    t.strictSame((await send(app, 'GET', `/api/kanban-items/${body.id}`)).body, body)
    t.equal(count(app, 'kanban_activity'), 0, 'a new item has no activity')
  })

  t.test('every field of the payload is stored, server-owned ones are ignored', async (t) => {
    const { app, project } = await boardOf(t)
    const other = await createProject(app)
    const fields = {
      title: 'Card',
      description: 'Text',
      column: 'Review',
      sortOrder: 0.25,
      priority: 'critical',
      assigneeId: 'someone',
      source: 'import',
      sourceId: 'x',
      isNew: true,
      approved: false,
      dismissed: true,
      metadata: { a: 1 },
    }
    const foreign = {
      id: 'mine',
      projectId: other.id,
      claimedUntil: LONG_AGO,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
      labels: [1],
    }
    const body = await createItem(app, project.id, { ...fields, ...foreign, dueDate: '2026-01-31' })
    t.strictSame(body, {
      ...fields,
      id: body.id,
      projectId: project.id,
      dueDate: '2026-01-31T00:00:00.000Z',
      claimedUntil: null,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
      labels: [],
      subtasks: [],
    })
    t.not(body.id, 'mine')
    t.not(body.createdAt, LONG_AGO)
    for (const dueDate of ['', null, false, 0]) {
      t.equal((await createItem(app, project.id, { dueDate })).dueDate, null)
    }
  })

  t.test('a new item goes after the last of its column', async (t) => {
    const { app, project } = await boardOf(t, { sortOrder: 41.5 })
    await createItem(app, project.id, { column: 'Done', sortOrder: 100 })
    t.equal((await createItem(app, project.id)).sortOrder, 42.5)
    t.equal((await createItem(app, project.id, { column: 'Done' })).sortOrder, 101)
    t.equal((await createItem(app, project.id, { column: 'Fresh' })).sortOrder, 1)
  })

  t.test("the list has the project's items by sortOrder, dismissed ones only when asked for", async (t) => {
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
      ['GET', `${url}?dismissed=maybe`, undefined, undefined, 400, answer],
      ['GET', '/api/projects/none/kanban-items?dismissed=maybe', undefined, undefined, 400, answer],
    ])
  })

  t.test('of an unknown project are 404, after validation', async (t) => {
    const { app, project } = await boardOf(t)
    const gone = { error: 'Project not found' }
    const url = '/api/projects/none/kanban-items'
    await holds(t, app, [
      ['GET', url, undefined, undefined, 404, gone],
      [
        'POST',
        url,
        { title: '' },
        undefined,
        400,
        invalid({ title: ['must NOT have fewer than 1 characters'] }),
      ],
      ['POST', url, { title: 'x' }, undefined, 404, gone],
    ])
    t.throws(() => app.rules.board.items.create('none', { title: 'x' }), {
      statusCode: 404,
      message: gone.error,
    })
    t.equal(count(app, 'kanban_items'), 1)
    t.equal(count(app, 'kanban_columns', 'project_id != ?', project.id), 0)
  })
})

t.test('the order of checks', async (t) => {
  const titleless = invalid({ title: ['must NOT have fewer than 1 characters'] })
  const text = { 'content-type': 'text/plain' }

  t.test('in open mode nobody is asked who they are', async (t) => {
    const { app, project, item, url } = await boardOf(t)
    const sessions = (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role).headers)
    for (const session of [undefined, ...sessions]) {
      const spare = await createItem(app, project.id)
      await holds(t, app, [
        ['PATCH', '/api/kanban-items/none', '{oops', session, 404, notFound],
        ['PATCH', '/api/kanban-items/none', 'x', { ...session, ...text }, 404, notFound],
        ['PATCH', '/api/kanban-items/none', { title: '' }, session, 404, notFound],
        ['PATCH', url, { title: '' }, session, 400, titleless],
        ['PATCH', url, '{oops', session, 500, failure],
        ['PATCH', url, 'x', { ...session, ...text }, 500, failure],
        ['PATCH', url, { title: 'x' }, session, 200, { id: item.id, title: 'x' }],
        ['DELETE', '/api/kanban-items/none', undefined, session, 404, notFound],
        ['DELETE', `/api/kanban-items/${spare.id}`, undefined, session, 200, { success: true }],
        ['DELETE', `/api/kanban-items/${spare.id}`, undefined, session, 404, notFound],
      ])
    }
    const worthless = { cookie: 'phaseboard_session=worthless' }
    await holds(t, app, [
      ['PATCH', '/api/kanban-items/none', '{oops', worthless, 401, authenticationRequired],
      ['DELETE', '/api/kanban-items/none', undefined, worthless, 401, authenticationRequired],
    ])
  })

  t.test(
    'in required mode the member comes first, then the role, then existence, then the body',
    async (t) => {
      const app = await build(t, { authMode: 'required' })
      const member = signInAs(app, 'member').headers
      const viewer = signInAs(app, 'viewer').headers
      const project = await createProject(app, {}, member)
      const item = await createItem(app, project.id, {}, member)
      const url = `/api/kanban-items/${item.id}`
      const list = `/api/projects/${project.id}/kanban-items`
      await holds(t, app, [
        ['PATCH', '/api/kanban-items/none', '{oops', undefined, 401, authenticationRequired],
        ['PATCH', url, { title: '' }, undefined, 401, authenticationRequired],
        ['DELETE', '/api/kanban-items/none', undefined, undefined, 401, authenticationRequired],
        ['DELETE', url, undefined, undefined, 401, authenticationRequired],
        ['GET', url, undefined, undefined, 401, authenticationRequired],
        ['GET', list, undefined, undefined, 401, authenticationRequired],
        ['POST', list, { title: '' }, undefined, 401, authenticationRequired],
        ['GET', url, undefined, viewer, 200, { id: item.id }],
        ['GET', list, undefined, viewer, 200, [{ id: item.id }]],
        ['POST', list, { title: '' }, viewer, 403, readOnly],
        ['PATCH', '/api/kanban-items/none', '{oops', viewer, 403, readOnly],
        ['PATCH', url, { title: '' }, viewer, 403, readOnly],
        ['DELETE', '/api/kanban-items/none', undefined, viewer, 403, readOnly],
        ['DELETE', url, undefined, viewer, 403, readOnly],
        ['POST', list, { title: '' }, member, 400, titleless],
        ['PATCH', '/api/kanban-items/none', '{oops', member, 404, notFound],
        ['PATCH', '/api/kanban-items/none', 'x', { ...member, ...text }, 404, notFound],
        ['PATCH', url, { title: '' }, member, 400, titleless],
        ['PATCH', url, '{oops', member, 500, failure],
        ['PATCH', url, { title: 'x' }, member, 200, { title: 'x' }],
        ['DELETE', '/api/kanban-items/none', undefined, member, 404, notFound],
        ['DELETE', url, undefined, member, 200, { success: true }],
      ])
    },
  )
})

t.test('an unexpected failure is answered with the 500 of its kanban item endpoint', async (t) => {
  const requests = (id: string, projectId: string): [string, string, unknown, string][] => [
    ['PATCH', `/api/kanban-items/${id}`, { title: 'x' }, 'Internal server error'],
    ['PATCH', `/api/kanban-items/${id}`, {}, 'Internal server error'],
    ['DELETE', `/api/kanban-items/${id}`, undefined, 'Internal server error'],
    ['GET', `/api/kanban-items/${id}`, undefined, 'Failed to fetch kanban item'],
    ['HEAD', `/api/kanban-items/${id}`, undefined, 'Failed to fetch kanban item'],
    ['GET', `/api/projects/${projectId}/kanban-items`, undefined, 'Failed to fetch kanban items'],
    ['POST', `/api/projects/${projectId}/kanban-items`, { title: 'x' }, 'Failed to create kanban item'],
  ]
  const broken = await boardOf(t)
  breakTable(broken.app, 'kanban_items')
  const closed = await boardOf(t)
  closed.app.db.$client.close()
  for (const { app, item, project } of [broken, closed]) {
    await holds(
      t,
      app,
      requests(item.id, project.id).map(
        ([method, url, body, error]): Row => [method, url, body, undefined, 500, { error }],
      ),
    )
  }
  const { app, project, url } = await boardOf(t)
  for (const body of ['{oops', '', ' ', '{"title":"x"', 'title=x']) {
    await holds(t, app, [
      ['PATCH', url, body, undefined, 500, failure],
      [
        'POST',
        `/api/projects/${project.id}/kanban-items`,
        body,
        undefined,
        500,
        { error: 'Failed to create kanban item' },
      ],
    ])
  }
})
