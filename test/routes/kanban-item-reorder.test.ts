import t from 'tap'
import {
  activityOf,
  boardOn,
  boardWith,
  columnNames,
  createCards,
  DEFAULT_COLUMNS,
  everything,
  itemsOf,
  limit,
  titlesIn,
} from '../boards.ts'
import {
  type App,
  breakTable,
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

const failure = { error: 'Failed to reorder kanban items' }
const noProject = { error: 'Project not found' }
const urlOf = (projectId: string) => `/api/projects/${projectId}/kanban-items/reorder`
const notOfTheProject = (...positions: number[]) =>
  invalid({ items: positions.map((at) => `items[${at}].id must be that of a kanban item of the project`) })

const unknown = (...missing: string[]) => ({ error: 'Kanban item not found', details: { missing } })

/** Sets the places of items: id, column, sortOrder. */
const reorder = (
  app: App,
  projectId: string,
  wanted: readonly (readonly [unknown, unknown, unknown])[],
  headers?: Record<string, string>,
) =>
  send(
    app,
    'POST',
    urlOf(projectId),
    { items: wanted.map(([id, column, sortOrder]) => ({ id, column, sortOrder })) },
    headers,
  )

t.test('POST /api/projects/{id}/kanban-items/reorder', async (t) => {
  t.test('moves items to columns and places, and returns them in the order of the request', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abcd')
    await createSubtask(app, String(ids.c))
    seed(app, projectId, String(ids.c))
    const before = new Map((await itemsOf(app, projectId)).map((item) => [item.title, item]))
    const { status, body } = await reorder(app, projectId, [
      [ids.c, 'To Do', -0.5],
      [ids.a, 'Review', 1e308],
      [ids.d, 'Review', 7],
    ])
    t.equal(status, 200)
    const { updatedAt } = body[0]
    t.not(updatedAt, LONG_AGO)
    t.strictSame(body, [
      { ...before.get('c'), sortOrder: -0.5, updatedAt },
      { ...before.get('a'), column: 'Review', sortOrder: 1e308, updatedAt },
      { ...before.get('d'), column: 'Review', sortOrder: 7, updatedAt },
    ])
    t.strictSame(await itemsOf(app, projectId), [body[0], before.get('b'), body[2], body[1]])
    t.equal(await titlesIn(app, projectId), 'cb')
    t.equal(await titlesIn(app, projectId, 'Review'), 'da')
  })

  t.test('an item at its place stays unchanged, updatedAt included', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    const before = everything(app)
    const same = [
      [ids.c, 'To Do', 3],
      [ids.a, 'To Do', 1],
    ] as const
    const answer = await reorder(app, projectId, same)
    t.strictSame(
      answer.body.map(({ title, updatedAt }: Record<string, string>) => [title, updatedAt]),
      [
        ['c', LONG_AGO],
        ['a', LONG_AGO],
      ],
    )
    t.strictSame(everything(app), before)
    const { body } = await reorder(app, projectId, [...same, [ids.b, 'To Do', 2.5]])
    t.strictSame(
      body.map(({ updatedAt }: { updatedAt: string }) => updatedAt === LONG_AGO),
      [true, true, false],
    )
  })

  t.test('changes nothing without items', async (t) => {
    const { app, projectId } = await boardWith(t, 'a')
    const before = everything(app)
    await holds(t, app, [['POST', urlOf(projectId), { items: [] }, 200, []]])
    t.strictSame(everything(app), before)
  })

  t.test('two items may have the same place; then the older one comes first', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    await reorder(app, projectId, [
      [ids.c, 'To Do', 5],
      [ids.b, 'To Do', 5],
      [ids.a, 'To Do', 5],
    ])
    t.equal(await titlesIn(app, projectId), 'abc')
  })

  t.test('creates a status_change entry for each item whose column changes, and no other', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abc')
    const { headers, id: member } = signInAs(app, 'member')
    const wanted = [
      [ids.a, 'Review', 1],
      [ids.b, 'To Do', 9],
      [ids.c, 'Done', 3],
    ] as const
    t.equal((await reorder(app, projectId, wanted, headers)).status, 200)
    t.equal((await reorder(app, projectId, wanted)).status, 200, 'again')
    t.strictSame(activityOf(app, String(ids.a)), [['status_change', 'To Do', 'Review', member]])
    t.strictSame(activityOf(app, String(ids.b)), [])
    t.strictSame(activityOf(app, String(ids.c)), [['status_change', 'To Do', 'Done', member]])
    await reorder(app, projectId, [[ids.c, 'To Do', 3]])
    t.strictSame(activityOf(app, String(ids.c)).at(-1), ['status_change', 'Done', 'To Do', 'local'])
  })

  t.test('creates missing columns, in the order of the request', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'abcd')
    const { projectId: otherId } = await boardOn(app, 'x')
    await reorder(app, projectId, [
      [ids.d, 'Z', 1],
      [ids.a, ' To Do', 1],
      [ids.b, 'Z', 2],
      [ids.c, long(100), 1],
    ])
    t.strictSame(await columnNames(app, projectId), [
      ...DEFAULT_COLUMNS.slice(0, -1),
      'Z',
      ' To Do',
      long(100),
      'Done',
    ])
    t.strictSame(await columnNames(app, otherId), DEFAULT_COLUMNS)
    app.db.$client.prepare(`update kanban_items set "column" = 'Ghost' where id = ?`).run(ids.a)
    const { body } = await reorder(app, projectId, [[ids.a, 'Ghost', 1]])
    t.strictSame([body[0].column, body[0].updatedAt === LONG_AGO], ['Ghost', false])
    t.equal((await columnNames(app, projectId)).at(-2), 'Ghost', 'also where the item is there already')
  })

  t.test('unknown and read-only fields are ignored and never stored', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    const other = await boardOn(app, 'x')
    const [item] = await itemsOf(app, projectId)
    const foreign = { title: 'x', priority: 'low', dismissed: true, projectId: other.projectId, nonsense: 1 }
    const place = { id: ids.a, column: 'To Do', sortOrder: 1, ...foreign, updatedAt: 'x' }
    await holds(t, app, [['POST', urlOf(projectId), { items: [place], ...foreign }, 200, [item]]])
    t.strictSame(await itemsOf(app, projectId), [item])
  })
})

t.test('a reorder of items refuses invalid bodies', async (t) => {
  t.test('items of another project, and unknown ones, with nothing changed', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    const other = await boardOn(app, 'x')
    const before = everything(app)
    for (const [places, status, answer] of [
      [[other.ids.x], 400, notOfTheProject(0)],
      [[ids.b, other.ids.x, ids.a], 400, notOfTheProject(1)],
      [[ids.b, other.ids.x, ids.a, 'none', 'x'], 404, unknown('none', 'x')],
      [['', ids.a], 404, unknown('')],
      [[projectId], 404, unknown(projectId)],
    ] as const) {
      const refused = await reorder(
        app,
        projectId,
        places.map((id, index) => [id, 'Brand new', -index] as const),
      )
      t.strictSame([refused.status, refused.body], [status, answer])
      t.strictSame(everything(app), before)
    }
  })

  t.test('bodies of the wrong type, with nothing changed', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'ab')
    const before = everything(app)
    const place = { id: ids.a, column: 'Review', sortOrder: 5 }
    const other = { id: ids.b, column: 'Review', sortOrder: 6 }
    const refused = (items: unknown, messages: string[]): Row => {
      return ['POST', urlOf(projectId), { items }, 400, invalid({ items: messages })]
    }
    const wrong = (field: string, value: unknown, message: string) =>
      refused([other, { ...place, [field]: value }], [`items[1].${field} ${message}`])
    await holds(t, app, [
      [
        'POST',
        urlOf(projectId),
        {},
        400,
        invalid({ items: ['is required'] }, ['must NOT have fewer than 1 properties']),
      ],
      ['POST', urlOf(projectId), 'null', 400, invalid({}, ['must be object'])],
      ['POST', urlOf(projectId), '[]', 400, invalid({}, ['must be object'])],
      ...[null, 5, 'x', {}, place].map((items) => refused(items, ['must be array'])),
      refused([place, 5, null], ['items[1] must be object', 'items[2] must be object']),
      ...(['id', 'column', 'sortOrder'] as const).map((field) => {
        const { [field]: _, ...rest } = place
        return refused([rest, other], [`items[0].${field} is required`])
      }),
      refused(
        [{}, {}],
        [
          ...['id', 'column', 'sortOrder'].map((field) => `items[0].${field} is required`),
          ...['id', 'column', 'sortOrder'].map((field) => `items[1].${field} is required`),
        ],
      ),
      ...[null, 5, true, [], {}].flatMap((value) => [
        wrong('id', value, 'must be string'),
        wrong('column', value, 'must be string'),
      ]),
      ...[null, '5', true, [], {}].map((value) => wrong('sortOrder', value, 'must be number')),
      wrong('column', '', 'must NOT have fewer than 1 characters'),
      wrong('column', long(101), 'must NOT have more than 100 characters'),
      refused([place, other, { ...place, column: 'Done' }], ['must NOT have two elements with the same id']),
      [
        'POST',
        urlOf(projectId),
        `{"items":[{"id":"${ids.a}","column":"Done","sortOrder":1e999}]}`,
        400,
        invalid({ items: ['items[0].sortOrder must be number'] }),
      ],
    ])
    t.strictSame(everything(app), before)
  })

  t.test('in this order: validation, existence, project, limit', async (t) => {
    const { app, projectId, ids } = await boardWith(t, 'a')
    const { x } = await createCards(app, projectId, 'x', { column: 'Review' })
    await limit(app, projectId, 'Review', 1)
    const isFull = { error: 'Column is at its WIP limit' }
    const body = (id: unknown, column = 'Review') => ({ items: [{ id, column, sortOrder: 1 }] })
    await holds(t, app, [
      ['POST', urlOf('none'), '{oops', 500, failure],
      ['POST', urlOf('none'), 500, failure],
      ['POST', urlOf('none'), body(5), 400, invalid({ items: ['items[0].id must be string'] })],
      ['POST', urlOf('none'), body('none'), 404, noProject],
      ['POST', urlOf('none'), body(ids.a), 404, noProject],
      ['POST', urlOf('none'), { items: [] }, 404, noProject],
      [
        'POST',
        urlOf(projectId),
        { items: [...body(ids.a).items, ...body('none').items] },
        404,
        unknown('none'),
      ],
      ['POST', urlOf(projectId), body(ids.a), 409, isFull],
      ['POST', urlOf(projectId), body(x), 200, [{ column: 'Review' }]],
      ['POST', urlOf(projectId), body(ids.a, 'Done'), 200, [{ column: 'Done' }]],
    ])
  })
})

t.test('is all or nothing, and an unexpected failure has its own 500', async (t) => {
  const { app, projectId, ids } = await boardWith(t, 'ab')
  app.db.$client.exec(
    `create trigger full before insert on kanban_activity when new.item_id = '${ids.b}'
     begin select raise(abort, 'full'); end`,
  )
  const before = everything(app)
  const { status, body } = await reorder(app, projectId, [
    [ids.a, 'Brand new', 5],
    [ids.b, 'Done', 5],
  ])
  t.strictSame([status, body], [500, failure])
  t.strictSame(everything(app), before)
  breakTable(app, 'kanban_items')
  t.strictSame((await reorder(app, projectId, [[ids.a, 'Done', 5]])).body, failure)
})
