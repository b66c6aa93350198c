import t from 'tap'
import { boardWith, columnNamed, columnNames, columnsOf, DEFAULT_COLUMNS } from '../boards.ts'
import { testChildResource } from '../child-resource.ts'
import { number, oneOf, same, text, wholeNumber } from '../field-contracts.ts'
import { type App, age, created, createItem, holds, LONG_AGO, send, stored } from '../helper.ts'

const taken = { error: 'Kanban column name is taken' }
const listOf = (projectId: string) => `/api/projects/${projectId}/kanban-columns`
const urlOf = (id: string) => `/api/kanban-columns/${id}`

const create = (app: App, projectId: string, fields: object) => created(app, listOf(projectId), fields)

let names = 1000

testChildResource(t, {
  thing: 'Kanban column',
  path: 'kanban-columns',
  table: 'kanban_columns',
  initially: DEFAULT_COLUMNS.length,
  hasOwnName: 'exact',
  least: { name: 'Parked' },
  // Stages by place would change with the other columns.
  distinct: () => ({ name: `Parked ${--names}`, stage: 'doing' }),
  depends: ['sortOrder', 'stage'],
  reorder: 'records',
  defaults: { name: 'Parked', color: '', sortOrder: 5, wipLimit: 0, wipPolicy: 'warn', stage: 'done' },
  fields: {
    name: text(1, 100),
    color: text(0, 100),
    // With the first and last values it comes after the project's initial columns.
    sortOrder: { ...number, accepts: [...same(8), ...number.accepts, ...same(9)] },
    wipLimit: wholeNumber(0),
    wipPolicy: oneOf('warn', 'block'),
    // Null means that the stage depends on the place.
    stage: {
      ...oneOf('todo', 'doing', 'done', null),
      accepts: [...same('todo'), [null, 'done'], ...same('done')],
    },
  },
})

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
  t.test('a new column is the last one', async (t) => {
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

  t.test("the name of a default column or of an item's column is taken", async (t) => {
    const { app, projectId } = await boardWith(t, '')
    await createItem(app, projectId, { column: 'By an item' })
    for (const name of ['To Do', 'Done', 'By an item']) {
      await holds(t, app, [['POST', listOf(projectId), { name, color: 'red' }, 409, taken]])
    }
  })
})

t.test('columns are in the order of sortOrder', async (t) => {
  const { app, projectId } = await boardWith(t, '')
  const { id } = await create(app, projectId, { name: 'Parked', sortOrder: 1.5 })
  t.strictSame(await columnNames(app, projectId), ['To Do', 'Parked', 'In Progress', 'Review', 'Done'])
  await send(app, 'PATCH', urlOf(id), { sortOrder: -0.5 })
  t.strictSame(await columnNames(app, projectId), ['Parked', ...DEFAULT_COLUMNS])
})

t.test('POST /api/projects/{id}/kanban-columns/reorder', async (t) => {
  t.test('changes the order of columns, and returns them in the order of the request', async (t) => {
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
  })
})

t.test('the rule itself refuses an unknown project', async (t) => {
  const { app } = await boardWith(t, '')
  const gone = { statusCode: 404, message: 'Project not found' }
  t.throws(() => app.rules.board.columns.create('none', { name: 'x' }), gone)
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
