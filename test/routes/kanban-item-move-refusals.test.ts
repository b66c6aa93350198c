import t from 'tap'
import { boardWith, createCards, everything, limit } from '../boards.ts'
import {
  type App,
  breakTable,
  createItem,
  createProject,
  holds,
  invalid,
  long,
  type Row,
  send,
  signInAs,
} from '../helper.ts'

const notFound = { error: 'Kanban item not found' }
const noProject = { error: 'Project not found' }
const failure = { error: 'Failed to move kanban item' }
const isFull = { error: 'Column is at its WIP limit' }
const noNeighbour = ['must be the id of another item in the column']
const missing = (body: object, ...ids: string[]) => ({ ...body, details: { missing: ids } })
const noPosition = ['must be one of "top", "bottom"']
const urlOf = (id: string | undefined) => `/api/kanban-items/${id}/move`

/** A board of the cards a, b and x (which is in review), and another project's with the card z. */
async function boards(t: Parameters<typeof boardWith>[0]) {
  const { app, projectId, ids } = await boardWith(t, 'ab')
  Object.assign(ids, await createCards(app, projectId, 'x', { column: 'Review' }))
  const other = await createProject(app)
  Object.assign(ids, await createCards(app, other.id, 'z'))
  return { app, projectId, ids, otherId: other.id as string }
}

/** Checks that each body is refused with violations of these fields, and changes nothing. */
async function refuses(
  t: Parameters<typeof boardWith>[0],
  app: App,
  id: string | undefined,
  bodies: [unknown, Record<string, string[]>, string[]?][],
) {
  const before = everything(app)
  await holds(
    t,
    app,
    bodies.map(([body, fieldErrors, formErrors]): Row => {
      return ['POST', urlOf(id), body, 400, invalid(fieldErrors, formErrors)]
    }),
  )
  t.strictSame(everything(app), before, 'nothing has changed')
}

t.test('beforeId, afterId and position exclude each other: the later ones are errors', async (t) => {
  const { app, ids } = await boards(t)
  const [a, b] = [ids.a, ids.b]
  const withBefore = ['must NOT be given together with beforeId']
  const withAfter = ['must NOT be given together with afterId']
  await refuses(t, app, b, [
    [{ beforeId: a, afterId: a }, { afterId: withBefore }],
    [{ afterId: a, beforeId: a }, { afterId: withBefore }],
    [{ beforeId: a, position: 'top' }, { position: withBefore }],
    [{ afterId: a, position: 'bottom' }, { position: withAfter }],
    [
      { position: 'top', afterId: a, beforeId: a },
      { afterId: withBefore, position: withBefore },
    ],
    [{ column: 'Brand new', beforeId: 'none', afterId: 'none' }, { afterId: withBefore }],
    [{ beforeId: a, position: 'middle' }, { position: [...noPosition, ...withBefore] }],
    [
      { beforeId: null, afterId: a },
      { beforeId: ['must be string'], afterId: withBefore },
    ],
  ])
})

t.test('no value is coerced, and null is never allowed', async (t) => {
  const { app, ids } = await boards(t)
  await refuses(t, app, ids.a, [
    ...['column', 'projectId', 'beforeId', 'afterId'].flatMap((field) =>
      [null, 5, 0, true, [], {}, [ids.b]].map((value): [unknown, Record<string, string[]>] => [
        { [field]: value },
        { [field]: ['must be string'] },
      ]),
    ),
    ...[null, 5, true, [], {}, 'TOP', '', 'up', ['top']].map(
      (position): [unknown, Record<string, string[]>] => [
        { position },
        { position: typeof position === 'string' ? noPosition : ['must be string', ...noPosition] },
      ],
    ),
    [{ column: '' }, { column: ['must NOT have fewer than 1 characters'] }],
    [{ column: long(101) }, { column: ['must NOT have more than 100 characters'] }],
    [
      { column: 5, projectId: 5, beforeId: 5 },
      { column: ['must be string'], projectId: ['must be string'], beforeId: ['must be string'] },
    ],
    ['null', {}, ['must be object']],
    ['[]', {}, ['must be object']],
    ['"top"', {}, ['must be object']],
  ])
})

t.test('a neighbour must be another item of the target column', async (t) => {
  const { app, projectId, otherId, ids } = await boards(t)
  const { a, b, x, z } = ids
  for (const field of ['beforeId', 'afterId']) {
    const wrong = (body: object, neighbour: string | undefined): [unknown, Record<string, string[]>] => [
      { ...body, [field]: neighbour },
      { [field]: noNeighbour },
    ]
    await refuses(t, app, a, [
      wrong({}, a),
      wrong({}, x),
      wrong({}, z),
      wrong({ column: 'To Do' }, x),
      wrong({ column: 'Review' }, b),
      wrong({ column: 'Review' }, a),
      wrong({ column: 'Done' }, x),
      wrong({ column: 'Brand new' }, b),
      wrong({ column: 'to do' }, b),
      wrong({ projectId: otherId }, b),
      wrong({ projectId: otherId }, a),
      wrong({ projectId: otherId, column: 'Review' }, z),
      wrong({ projectId: otherId, column: 'Review' }, x),
      wrong({ projectId }, z),
    ])
    for (const unknown of ['none', '', projectId]) {
      const body = { projectId: otherId, column: 'Brand new', [field]: unknown }
      await holds(t, app, [['POST', urlOf(a), body, 404, missing(notFound, unknown)]])
    }
    await holds(t, app, [
      ['POST', urlOf(a), { column: 'Review', [field]: x }, 200, { column: 'Review' }],
      ['POST', urlOf(a), { projectId: otherId, column: 'To Do', [field]: z }, 200, { id: a }],
      ['POST', urlOf(a), { projectId, column: 'To Do', [field]: b }, 200, { projectId }],
    ])
  }
})

t.test('unknown ids are 404, the item before the project, both after validation', async (t) => {
  const { app, ids } = await boards(t)
  const before = everything(app)
  const tooMuch = invalid({ position: ['must NOT be given together with beforeId'] })
  await holds(t, app, [
    ...['none', '%', 'a%2Fb', '__proto__', long(10_000)].flatMap((id): Row[] => [
      ['POST', urlOf(id), { position: 'top' }, 404, notFound],
      ['POST', urlOf(id), 404, notFound],
      ['POST', urlOf(id), { projectId: 'none', beforeId: 'none' }, 404, notFound],
      ['POST', urlOf(id), { beforeId: 'x', position: 'top' }, 400, tooMuch],
      ['POST', urlOf(id), '{oops', 500, failure],
    ]),
    ...['none', '', ids.b, '__proto__'].map((projectId): Row => {
      return [
        'POST',
        urlOf(ids.a),
        { projectId, column: 'Brand new' },
        404,
        missing(noProject, String(projectId)),
      ]
    }),
    ['POST', urlOf(ids.a), { projectId: 'none', beforeId: 'none' }, 404, missing(noProject, 'none')],
    ['POST', urlOf(ids.a), { projectId: 'none', beforeId: 'x', position: 'top' }, 400, tooMuch],
  ])
  t.strictSame(everything(app), before)
  t.throws(() => app.rules.board.items.move('none', {}, null), { statusCode: 404, message: notFound.error })
})

t.test('the order of checks', async (t) => {
  const nothing = ['must be object']

  t.test('validation, existence, neighbour, limit', async (t) => {
    const { app, projectId, ids } = await boards(t)
    await limit(app, projectId, 'Review', 1)
    const sessions = (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role).headers)
    for (const session of [undefined, ...sessions]) {
      const { id } = await createItem(app, projectId)
      await holds(t, app, [
        ['POST', urlOf('none'), '[]', session, 400, invalid({}, nothing)],
        ['POST', urlOf('none'), { column: 'Review' }, session, 404, notFound],
        ['POST', urlOf(id), '[]', session, 400, invalid({}, nothing)],
        [
          'POST',
          urlOf(id),
          { column: 'Review', afterId: ids.a },
          session,
          400,
          invalid({ afterId: noNeighbour }),
        ],
        ['POST', urlOf(id), { column: 'Review', afterId: ids.x }, session, 409, isFull],
        ['POST', urlOf(id), { column: 'Done' }, session, 200, { column: 'Done' }],
      ])
    }
  })

  t.test('an item deleted meanwhile is 404', async (t) => {
    const { app, ids } = await boards(t)
    const [deleted, moved] = await Promise.all([
      send(app, 'DELETE', `/api/kanban-items/${ids.a}`),
      send(app, 'POST', urlOf(ids.a), { position: 'top' }),
    ])
    t.strictSame([deleted.status, moved.status, moved.body], [200, 404, notFound])
  })
})

t.test("an unexpected failure returns the endpoint's 500", async (t) => {
  for (const table of ['kanban_items', 'kanban_columns', 'kanban_labels']) {
    const { app, otherId, ids } = await boards(t)
    breakTable(app, table)
    await holds(t, app, [['POST', urlOf(ids.a), { projectId: otherId, column: 'Done' }, 500, failure]])
  }
  const { app, ids } = await boards(t)
  for (const body of ['{oops', ' ', '{"column":"Done"', 'column=Done']) {
    await holds(t, app, [['POST', urlOf(ids.a), body, 500, failure]])
  }
  app.db.$client.close()
  await holds(t, app, [['POST', urlOf(ids.a), 500, failure]])
})
