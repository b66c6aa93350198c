import t from 'tap'
import { boardWith, columnNamed, columnNames, columnsOf, DEFAULT_COLUMNS, everything } from '../boards.ts'
import {
  type App,
  age,
  breakTable,
  createItem,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  send,
  stored,
} from '../helper.ts'

const notFound = { error: 'Kanban column not found' }
const noProject = { error: 'Project not found' }
const taken = { error: 'Kanban column name is taken' }
const listOf = (projectId: string) => `/api/projects/${projectId}/kanban-columns`
const urlOf = (id: string) => `/api/kanban-columns/${id}`
const tooShort = ['must NOT have fewer than 1 characters']

/** Creates a column through the API. */
async function create(app: App, projectId: string, fields: object) {
  const { status, body } = await send(app, 'POST', listOf(projectId), fields)
  if (status !== 201) throw new Error(`the column was not created: ${JSON.stringify(body)}`)
  return body
}

t.test('a new project has the default columns', async (t) => {
  const { app, project, projectId } = await boardWith(t, '')
  const { status, body } = await send(app, 'GET', listOf(projectId))
  t.equal(status, 200)
  t.strictSame(
    body,
    DEFAULT_COLUMNS.map((name, index) => ({
      id: body[index].id,
      projectId,
      name,
      color: '',
      sortOrder: index + 1,
      wipLimit: 0,
      wipPolicy: 'warn',
      stage: ['todo', 'doing', 'doing', 'done'][index],
      createdAt: project.createdAt,
      updatedAt: project.createdAt,
    })),
  )
  t.equal(new Set(body.map(({ id }: { id: string }) => id)).size, 4)
  for (const column of body) {
    t.strictSame((await send(app, 'GET', urlOf(column.id))).body, column, 'each of them by its id')
  }
})

t.test('POST /api/projects/{id}/kanban-columns', async (t) => {
  t.test('a column needs a name alone; every other field has its default', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const { status, body } = await send(app, 'POST', listOf(projectId), { name: 'Parked' })
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      projectId,
      name: 'Parked',
      color: '',
      sortOrder: 5,
      wipLimit: 0,
      wipPolicy: 'warn',
      stage: 'done',
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    })
    t.strictSame((await send(app, 'GET', urlOf(body.id))).body, body)
    t.strictSame(await columnNames(app, projectId), [...DEFAULT_COLUMNS, 'Parked'])
  })

  t.test('every field of the payload is stored, server-owned ones are ignored', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const { id: otherId } = await createProject(app)
    const fields = {
      name: 'Parked',
      color: '#fff',
      sortOrder: 1.5,
      wipLimit: 3,
      wipPolicy: 'block',
      stage: 'done',
    }
    const foreign = { id: 'mine', projectId: otherId, createdAt: LONG_AGO, updatedAt: LONG_AGO, nonsense: 1 }
    const body = await create(app, projectId, { ...fields, ...foreign })
    const { createdAt } = body
    t.strictSame(body, { ...fields, id: body.id, projectId, createdAt, updatedAt: createdAt })
    t.not(body.id, 'mine')
    t.not(createdAt, LONG_AGO)
    t.strictSame(await columnNames(app, projectId), ['To Do', 'Parked', 'In Progress', 'Review', 'Done'])
    t.strictSame(await columnNames(app, otherId), DEFAULT_COLUMNS)
  })

  t.test('it goes after the last, wherever that is', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const names = [...DEFAULT_COLUMNS, 'a', 'b', 'c', 'd', 'e', 'f']
    for (const [name, sortOrder] of [
      ['a', 41.5],
      ['c', 1e308],
      ['e', Number.MAX_VALUE],
    ] as const) {
      await create(app, projectId, { name, sortOrder })
      const next = names[names.indexOf(name) + 1] as string
      await create(app, projectId, { name: next })
    }
    t.strictSame(await columnNames(app, projectId), names)
    t.equal((await columnNamed(app, projectId, 'b')).sortOrder, 42.5)
  })

  t.test('a taken name is 409; only exactly the same one is taken, and only in its project', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const { id: otherId } = await createProject(app)
    await create(app, otherId, { name: 'Parked' })
    const before = everything(app)
    for (const name of ['To Do', 'Done']) {
      await holds(t, app, [['POST', listOf(projectId), { name, color: 'red' }, undefined, 409, taken]])
    }
    t.strictSame(everything(app), before)
    for (const name of ['to do', 'To Do ', ' To Do', 'To  Do', 'Parked', ' ', '__proto__']) {
      await holds(t, app, [['POST', listOf(projectId), { name }, undefined, 201, { name }]])
      await holds(t, app, [['POST', listOf(projectId), { name }, undefined, 409, taken]])
    }
    await createItem(app, projectId, { column: 'By an item' })
    await holds(t, app, [['POST', listOf(projectId), { name: 'By an item' }, undefined, 409, taken]])
  })
})

t.test('the fields of a column', async (t) => {
  t.test('each limit holds: at it is fine, above it is 400', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const { id } = await columnNamed(app, projectId, 'Done')
    const fits: object[] = [
      { name: 'x' },
      { name: long(100) },
      { name: '🚀'.repeat(100) },
      { color: '' },
      { color: long(100) },
      { sortOrder: -1e308 },
      { sortOrder: 0.25 },
      { wipLimit: 0 },
      { wipLimit: 1 },
      { wipLimit: Number.MAX_SAFE_INTEGER },
      { wipPolicy: 'warn' },
      { wipPolicy: 'block' },
      { stage: 'todo' },
      { stage: 'done' },
    ]
    const policies = 'must be one of "warn", "block"'
    const wrong: [object, string[]][] = [
      [{ name: '' }, tooShort],
      [{ name: long(101) }, ['must NOT have more than 100 characters']],
      [{ color: long(101) }, ['must NOT have more than 100 characters']],
      [{ wipLimit: -1 }, ['must be >= 0']],
      [{ wipLimit: 1.5 }, ['must be integer']],
      [{ wipLimit: 2 ** 53 }, [`must be <= ${Number.MAX_SAFE_INTEGER}`]],
      [{ wipPolicy: '' }, [policies]],
      [{ wipPolicy: 'Block' }, [policies]],
      [{ stage: 'waiting' }, ['must be one of "todo", "doing", "done", null']],
    ]
    for (const [index, fields] of fits.entries()) {
      await holds(t, app, [
        ['PATCH', urlOf(id), fields, undefined, 200, fields],
        [
          'POST',
          listOf(projectId),
          { name: `${index}`, ...fields, ...('name' in fields && { name: long(99) + index }) },
          undefined,
          201,
          { wipPolicy: 'wipPolicy' in fields ? fields.wipPolicy : 'warn' },
        ],
      ])
    }
    for (const [fields, messages] of wrong) {
      const answer = invalid({ [Object.keys(fields)[0] as string]: messages })
      await holds(t, app, [
        ['PATCH', urlOf(id), fields, undefined, 400, answer],
        ['POST', listOf(projectId), { name: 'x', ...fields }, undefined, 400, answer],
      ])
    }
  })

  t.test('no value is coerced, and null is allowed for the stage alone', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const { id } = await columnNamed(app, projectId, 'Done')
    const kinds = {
      name: 'string',
      color: 'string',
      sortOrder: 'number',
      wipLimit: 'integer',
      wipPolicy: 'string',
    }
    for (const [field, kind] of Object.entries(kinds)) {
      for (const value of [null, true, 5, '5', [], {}]) {
        if (typeof value === (kind === 'integer' ? 'number' : kind)) continue
        const bodies = [
          ['PATCH', urlOf(id), { [field]: value }],
          ['POST', listOf(projectId), { name: 'x', [field]: value }],
        ] as const
        for (const [method, url, body] of bodies) {
          const { status, body: answer } = await send(app, method, url, body)
          t.equal(status, 400, `${method} ${field} ${JSON.stringify(value)}`)
          t.strictSame(Object.keys(answer.details.fieldErrors), [field])
          t.equal(answer.details.fieldErrors[field][0], `must be ${kind}`)
        }
      }
    }
    t.strictSame(await columnNames(app, projectId), DEFAULT_COLUMNS)
  })

  t.test('all violations of a body are reported', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const list = listOf(projectId)
    await holds(t, app, [
      [
        'POST',
        list,
        { color: 5, sortOrder: '1', wipLimit: -1, wipPolicy: 'stop' },
        undefined,
        400,
        invalid({
          name: ['is required'],
          color: ['must be string'],
          sortOrder: ['must be number'],
          wipLimit: ['must be >= 0'],
          wipPolicy: ['must be one of "warn", "block"'],
        }),
      ],
      [
        'POST',
        list,
        {},
        undefined,
        400,
        invalid({ name: ['is required'] }, ['must NOT have fewer than 1 properties']),
      ],
      ['POST', list, 'null', undefined, 400, invalid({}, ['must be object'])],
      [
        'POST',
        list,
        '{"name":"x","sortOrder":1e999}',
        undefined,
        400,
        invalid({ sortOrder: ['must be number'] }),
      ],
    ])
  })
})

t.test('PATCH /api/kanban-columns/{id}', async (t) => {
  t.test('only the fields of the body change, and updatedAt with them', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    let before = await columnNamed(app, projectId, 'Review')
    for (const change of [
      { name: 'Checks' },
      // What is by place would follow the order.
      { stage: 'done' },
      { color: 'red' },
      { color: '' },
      { sortOrder: -0.5 },
      { wipLimit: 2 },
      { wipPolicy: 'block' },
      { name: 'All', color: 'blue', sortOrder: 9, wipLimit: 0, wipPolicy: 'warn' },
    ] as const) {
      age(app, 'kanban_columns', before.id)
      const { status, body } = await send(app, 'PATCH', urlOf(before.id), change)
      t.equal(status, 200)
      t.not(body.updatedAt, LONG_AGO)
      t.strictSame(body, { ...before, ...change, updatedAt: body.updatedAt }, JSON.stringify(change))
      t.strictSame((await send(app, 'GET', urlOf(before.id))).body, body)
      before = body
    }
    t.strictSame(await columnNames(app, projectId), ['To Do', 'In Progress', 'Done', 'All'])
  })

  t.test('a body without a known field returns the record unchanged, updatedAt included', async (t) => {
    const { app, projectId } = await boardWith(t, 'a')
    const { id } = await columnNamed(app, projectId, 'To Do')
    age(app, 'kanban_columns', id)
    const before = everything(app)
    for (const body of [{}, { nonsense: 1 }, { id: 'mine', projectId: 'x', createdAt: 5, updatedAt: 'x' }]) {
      await holds(t, app, [['PATCH', urlOf(id), body, undefined, 200, { id, updatedAt: LONG_AGO }]])
      t.strictSame(everything(app), before)
    }
  })
})

t.test('POST /api/projects/{id}/kanban-columns/reorder', async (t) => {
  t.test('puts columns in another order, and answers them in the order of the request', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const columns = await columnsOf(app, projectId)
    for (const { id } of columns) age(app, 'kanban_columns', id)
    const [todo, progress, review, done] = columns.map(({ id }) => id) as [string, string, string, string]
    const items = [
      { id: done, sortOrder: -1 },
      { id: review, sortOrder: 3, name: 'x', wipLimit: 9 },
      { id: todo, sortOrder: 3 },
    ]
    const { status, body } = await send(app, 'POST', `${listOf(projectId)}/reorder`, { items })
    t.equal(status, 200)
    const { updatedAt } = body[0]
    t.not(updatedAt, LONG_AGO)
    t.strictSame(body, [
      { ...columns[3], sortOrder: -1, stage: 'done', updatedAt },
      { ...columns[2], stage: 'done', updatedAt: LONG_AGO },
      { ...columns[0], sortOrder: 3, stage: 'doing', updatedAt },
    ])
    t.strictSame(await columnNames(app, projectId), ['Done', 'In Progress', 'To Do', 'Review'])
    t.equal(stored(app, 'kanban_columns', progress).updated_at, LONG_AGO)
    await holds(t, app, [['POST', `${listOf(projectId)}/reorder`, { items: [] }, undefined, 200, []]])
  })

  t.test('refuses columns of another project, or of none, and changes nothing', async (t) => {
    const { app, projectId } = await boardWith(t, '')
    const { id: otherId } = await createProject(app)
    const { id: own } = await columnNamed(app, projectId, 'Done')
    const { id: foreign } = await columnNamed(app, otherId, 'Done')
    const before = everything(app)
    const url = `${listOf(projectId)}/reorder`
    const body = (...ids: string[]) => ({ items: ids.map((id) => ({ id, sortOrder: 9 })) })
    const message = (at: number) => `items[${at}].id must be that of a kanban column of the project`
    const unknown = (...missing: string[]) => ({ error: 'Kanban column not found', details: { missing } })
    const twice = invalid({ items: ['must NOT have two elements with the same id'] })
    await holds(t, app, [
      ['POST', url, body(own, foreign), undefined, 400, invalid({ items: [message(1)] })],
      ['POST', url, body('none', own, foreign, ''), undefined, 404, unknown('none', '')],
      ['POST', url, body(own, own), undefined, 400, twice],
      ['POST', `${listOf('none')}/reorder`, body(own, own), undefined, 400, twice],
      ['POST', `${listOf('none')}/reorder`, body(own), undefined, 404, noProject],
      [
        'POST',
        url,
        { items: [{ id: own }] },
        undefined,
        400,
        invalid({ items: ['items[0].sortOrder is required'] }),
      ],
      ['POST', url, { items: own }, undefined, 400, invalid({ items: ['must be array'] })],
    ])
    t.strictSame(everything(app), before)
  })
})

t.test('the order of checks: validation, existence, conflict', async (t) => {
  const { app, projectId } = await boardWith(t, '')
  const { id } = await columnNamed(app, projectId, 'Done')
  const nameless = invalid({ name: tooShort })
  const before = everything(app)
  await holds(t, app, [
    ['GET', listOf('none'), undefined, undefined, 404, noProject],
    ['POST', listOf('none'), { name: '' }, undefined, 400, nameless],
    ['POST', listOf('none'), { name: 'Done' }, undefined, 404, noProject],
    ['POST', listOf(projectId), { name: '' }, undefined, 400, nameless],
    [
      'POST',
      listOf(projectId),
      { name: 'Done', wipLimit: -1 },
      undefined,
      400,
      invalid({ wipLimit: ['must be >= 0'] }),
    ],
    ['POST', listOf(projectId), { name: 'Done' }, undefined, 409, taken],
    ['PATCH', urlOf(id), { name: '' }, undefined, 400, nameless],
    ['PATCH', urlOf(id), { name: 'Review' }, undefined, 409, taken],
    ...['none', '%', 'a%2Fb', '__proto__', projectId].flatMap((unknown): Row[] => [
      ['GET', urlOf(unknown), undefined, undefined, 404, notFound],
      ['PATCH', urlOf(unknown), { name: '' }, undefined, 400, nameless],
      ['PATCH', urlOf(unknown), { name: 'Review' }, undefined, 404, notFound],
      ['PATCH', urlOf(unknown), {}, undefined, 404, notFound],
      ['DELETE', urlOf(unknown), undefined, undefined, 404, notFound],
    ]),
  ])
  t.strictSame(everything(app), before)
  t.throws(() => app.rules.board.columns.create('none', { name: 'x' }), {
    statusCode: 404,
    message: noProject.error,
  })
})

t.test('an unexpected failure is answered with the 500 of its column endpoint', async (t) => {
  const broken = await boardWith(t, '')
  const { id } = await columnNamed(broken.app, broken.projectId, 'Done')
  const list = listOf(broken.projectId)
  breakTable(broken.app, 'kanban_columns')
  const failed = (verb: string, things = 'kanban column') => ({ error: `Failed to ${verb} ${things}` })
  await holds(t, broken.app, [
    ['GET', list, undefined, undefined, 500, failed('fetch', 'kanban columns')],
    ['POST', list, { name: 'x' }, undefined, 500, failed('create')],
    [
      'POST',
      `${list}/reorder`,
      { items: [{ id, sortOrder: 9 }] },
      undefined,
      500,
      failed('reorder', 'kanban columns'),
    ],
    ['GET', urlOf(id), undefined, undefined, 500, failed('fetch')],
    ['PATCH', urlOf(id), { name: 'x' }, undefined, 500, failed('update')],
    ['DELETE', urlOf(id), undefined, undefined, 500, failed('delete')],
  ])
  const { app, projectId } = await boardWith(t, '')
  for (const body of ['{oops', '', undefined]) {
    await holds(t, app, [
      ['POST', listOf(projectId), body, undefined, 500, failed('create')],
      ['POST', `${listOf(projectId)}/reorder`, body, undefined, 500, failed('reorder', 'kanban columns')],
      ['PATCH', urlOf('none'), body, undefined, 500, failed('update')],
    ])
  }
})

t.test('the stage of a column', async (t) => {
  const { app, projectId } = await boardWith(t, '')
  const stages = async () => {
    const { body } = await send(app, 'GET', listOf(projectId))
    for (const column of body) {
      t.strictSame((await send(app, 'GET', urlOf(column.id))).body, column, 'alone as in the list')
    }
    return body.map(({ name, stage }: { name: string; stage: string }) => `${name}: ${stage}`)
  }
  const idOf = async (name: string) => (await columnNamed(app, projectId, name)).id
  const by = async (name: string, change: object) => send(app, 'PATCH', urlOf(await idOf(name)), change)

  t.strictSame(await stages(), ['To Do: todo', 'In Progress: doing', 'Review: doing', 'Done: done'])
  t.match(await by('Review', { stage: 'done' }), { status: 200, body: { stage: 'done' } })
  t.match(await by('To Do', { stage: 'doing' }), { status: 200, body: { stage: 'doing' } })
  t.strictSame(await stages(), ['To Do: doing', 'In Progress: doing', 'Review: done', 'Done: done'])

  const later = await send(app, 'POST', listOf(projectId), { name: 'Archive', stage: null })
  t.match(later, { status: 201, body: { stage: 'done' } })
  t.match(await send(app, 'POST', listOf(projectId), { name: 'Ideas', stage: 'todo' }), {
    status: 201,
    body: { stage: 'todo' },
  })
  t.strictSame(
    await stages(),
    ['To Do: doing', 'In Progress: doing', 'Review: done', 'Done: done', 'Archive: doing', 'Ideas: todo'],
    'what is by place is by the place of now',
  )

  t.match(await by('To Do', { stage: null }), { status: 200, body: { stage: 'todo' } })
  const { body: reordered } = await send(app, 'POST', `${listOf(projectId)}/reorder`, {
    items: [{ id: await idOf('Done'), sortOrder: 99 }],
  })
  t.match(reordered, [{ name: 'Done', stage: 'done' }])

  for (const name of ['In Progress', 'Review', 'Archive', 'Ideas']) {
    await send(app, 'DELETE', urlOf(await idOf(name)))
  }
  t.strictSame(await stages(), ['To Do: todo', 'Done: done'])
  await send(app, 'DELETE', urlOf(await idOf('Done')))
  t.strictSame(await stages(), ['To Do: todo'], 'nothing is finished on a board of one column')

  app.db.$client.prepare("update kanban_columns set stage = 'oops'").run()
  t.strictSame(await stages(), ['To Do: todo'], 'what another tool wrote counts as nothing')
})
