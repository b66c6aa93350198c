import t from 'tap'
import { boolean, number, testChildResource, text } from '../child-resource.ts'
import {
  age,
  authenticationRequired,
  breakTable,
  build,
  createItem,
  createProject,
  createSubtask,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  readOnly,
  send,
  signInAs,
  stored,
} from '../helper.ts'

const noItem = { error: 'Kanban item not found' }
const itemless = invalid({ items: ['is required'] }, ['must NOT have fewer than 1 properties'])
const reorderFailure = { error: 'Failed to reorder kanban subtasks' }

/** An application with one subtask on one item. */
async function listOf(t: Parameters<typeof build>[0], fields: object = {}) {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const subtask = await createSubtask(app, item.id, fields)
  return { app, item, subtask, url: `/api/kanban-subtasks/${subtask.id}` }
}

testChildResource(t, {
  thing: 'Kanban subtask',
  path: 'kanban-subtasks',
  listPath: 'subtasks',
  parent: 'item',
  table: 'kanban_subtasks',
  relation: 'subtasks',
  least: { title: 'Step' },
  defaults: { title: 'Step', completed: false, sortOrder: 1 },
  depends: ['sortOrder'],
  fields: { title: text(1, 500), completed: boolean, sortOrder: number },
  // Changes and deletions make no existence check.
  unknown: [500, { error: 'Internal server error' }],
  failure: 'Internal server error',
})

t.test('without a place of its own a subtask goes after the last', async (t) => {
  const { app, item } = await listOf(t, { sortOrder: 4.5 })
  t.equal((await createSubtask(app, item.id)).sortOrder, 5.5)
})

t.test('POST /api/kanban-items/{id}/subtasks/reorder', async (t) => {
  /** An item with three subtasks a, b and c, and another item of the project with one. */
  async function three(t: Parameters<typeof build>[0]) {
    const { app, item, subtask: a } = await listOf(t, { title: 'a' })
    const b = await createSubtask(app, item.id, { title: 'b' })
    const c = await createSubtask(app, item.id, { title: 'c' })
    const neighbour = await createItem(app, item.projectId)
    const other = await createSubtask(app, neighbour.id)
    const list = `/api/kanban-items/${item.id}/subtasks`
    return { app, item, a, b, c, neighbour, other, list, reorder: `${list}/reorder` }
  }
  type Titled = { title: string }
  const titles = (subtasks: Titled[]) => subtasks.map(({ title }) => title).join('')

  t.test('puts the subtasks where the request wants them, and answers them in its order', async (t) => {
    const { app, item, a, b, c, list, reorder } = await three(t)
    for (const { id } of [a, b, c]) age(app, 'kanban_subtasks', id)
    const items = [
      { id: b.id, sortOrder: 9 },
      { id: c.id, sortOrder: -0.5 },
      { id: a.id, sortOrder: 5 },
    ]
    const { status, body } = await send(app, 'POST', reorder, { items })
    t.equal(status, 200)
    const [{ updatedAt }] = body
    t.not(updatedAt, LONG_AGO)
    t.strictSame(body, [
      { ...b, sortOrder: 9, updatedAt },
      { ...c, sortOrder: -0.5, updatedAt },
      { ...a, sortOrder: 5, updatedAt },
    ])
    t.equal(titles((await send(app, 'GET', list)).body), 'cab')
    const { body: project } = await send(app, 'GET', `/api/projects/${item.projectId}`)
    t.equal(titles(project.kanbanItems[0].subtasks), 'cab', 'in the project too')
  })

  t.test('leaves alone what is not named, or is there already', async (t) => {
    const { app, a, b, c, other, list, reorder } = await three(t)
    for (const { id } of [a, b, c]) age(app, 'kanban_subtasks', id)
    const before = (await send(app, 'GET', list)).body
    const places = [
      { id: c.id, sortOrder: c.sortOrder },
      { id: a.id, sortOrder: 2 },
    ]
    const { body } = await send(app, 'POST', reorder, { items: places })
    t.strictSame(body, [
      { ...c, updatedAt: LONG_AGO },
      { ...a, sortOrder: 2, updatedAt: body[1].updatedAt },
    ])
    t.not(body[1].updatedAt, LONG_AGO)
    t.strictSame((await send(app, 'GET', list)).body, [body[1], before[1], before[2]], 'equal places: by id')
    t.strictSame((await send(app, 'GET', `/api/kanban-subtasks/${other.id}`)).body, other)
  })

  t.test('takes places as they are: none, equal ones, those there are already', async (t) => {
    const { app, a, b, c, list, reorder } = await three(t)
    t.strictSame((await send(app, 'POST', reorder, { items: [] })).body, [])
    const same = [a, b, c].map(({ id, sortOrder }) => ({ id, sortOrder }))
    t.strictSame((await send(app, 'POST', reorder, { items: same })).body, [a, b, c])
    t.strictSame((await send(app, 'GET', list)).body, [a, b, c])
    const equal = [c, b, a].map(({ id }) => ({ id, sortOrder: 1e300 }))
    t.equal(titles((await send(app, 'POST', reorder, { items: equal })).body), 'cba')
    t.equal(titles((await send(app, 'GET', list)).body), 'abc')
  })

  t.test('changes nothing when one of them is no subtask of the item', async (t) => {
    const { app, item, a, b, c, other, list, reorder } = await three(t)
    const foreign = (...places: number[]) =>
      invalid({
        items: places.map(
          (place) => `items[${place}].id must be that of a kanban subtask of the kanban item`,
        ),
      })
    const at = (...ids: string[]) => ({ items: ids.map((id, index) => ({ id, sortOrder: -index })) })
    const post = (body: object, answer: object): Row => ['POST', reorder, body, undefined, 400, answer]
    const unknown = (body: object, missing: string): Row => {
      return [
        'POST',
        reorder,
        body,
        undefined,
        404,
        { error: 'Kanban subtask not found', details: { missing: [missing] } },
      ]
    }
    await holds(t, app, [
      post(at(c.id, other.id), foreign(1)),
      unknown(at(other.id, c.id, 'none'), 'none'),
      unknown(at(b.id, item.id, a.id), item.id),
      ...['', '%', '__proto__', 'constructor', "'", long(10_000)].map((id) => unknown(at(c.id, id), id)),
    ])
    t.strictSame((await send(app, 'GET', list)).body, [a, b, c])
    t.strictSame((await send(app, 'GET', `/api/kanban-subtasks/${other.id}`)).body, other)
  })

  t.test('ignores fields of a place that it does not have', async (t) => {
    const { app, item, a, neighbour, reorder } = await three(t)
    const forged = {
      itemId: neighbour.id,
      title: 'x',
      completed: true,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
    }
    const body = { items: [{ id: a.id, sortOrder: 7, ...forged }], itemId: neighbour.id }
    const answer = await send(app, 'POST', reorder, body)
    t.strictSame(answer.body, [{ ...a, sortOrder: 7, updatedAt: answer.body[0].updatedAt }])
    t.not(answer.body[0].updatedAt, LONG_AGO)
    t.equal(stored(app, 'kanban_subtasks', a.id).item_id, item.id)
  })

  t.test('validates every field, and takes an id once', async (t) => {
    const { app, a, b, c, list, reorder } = await three(t)
    const place = (fields: object) => ({ items: [{ id: a.id, sortOrder: 1, ...fields }] })
    const wrong = (...messages: string[]) => invalid({ items: messages })
    const post = (body: unknown, answer: object): Row => ['POST', reorder, body, undefined, 400, answer]
    await holds(t, app, [
      post({}, invalid({ items: ['is required'] }, ['must NOT have fewer than 1 properties'])),
      post({ nonsense: 1 }, invalid({ items: ['is required'] })),
      ...[null, 5, 'x', {}, true].map((items) => post({ items }, wrong('must be array'))),
      post({ items: [null, 5, []] }, wrong(...[0, 1, 2].map((index) => `items[${index}] must be object`))),
      post({ items: [{}] }, wrong('items[0].id is required', 'items[0].sortOrder is required')),
      ...[null, 5, true, [], {}].map((id) => post(place({ id }), wrong('items[0].id must be string'))),
      ...[null, '5', true, [], {}].map((sortOrder) =>
        post(place({ sortOrder }), wrong('items[0].sortOrder must be number')),
      ),
      post(`{"items":[{"id":"${a.id}","sortOrder":1e999}]}`, wrong('items[0].sortOrder must be number')),
      post(
        { items: [b, c, b].map(({ id }, sortOrder) => ({ id, sortOrder })) },
        wrong('must NOT have two elements with the same id'),
      ),
      post('[]', invalid({}, ['must be object'])),
      post('null', invalid({}, ['must be object'])),
    ])
    t.strictSame((await send(app, 'GET', list)).body, [a, b, c])
  })

  t.test('of an unknown item is 404, after validation', async (t) => {
    const { app, a } = await three(t)
    for (const id of ['none', '%', '__proto__', a.id, long(10_000)]) {
      const url = `/api/kanban-items/${id}/subtasks/reorder`
      await holds(t, app, [
        [
          'POST',
          url,
          { items: [{ id: a.id }] },
          undefined,
          400,
          invalid({ items: ['items[0].sortOrder is required'] }),
        ],
        ['POST', url, { items: [{ id: a.id, sortOrder: 5 }] }, undefined, 404, noItem],
        ['POST', url, { items: [] }, undefined, 404, noItem],
      ])
    }
    t.strictSame((await send(app, 'GET', `/api/kanban-subtasks/${a.id}`)).body, a)
    const { subtasks } = app.rules.board
    const gone = { statusCode: 404, message: noItem.error }
    t.throws(() => subtasks.create('none', { title: 'x' }), gone)
    t.throws(() => subtasks.reorder('none', []), gone)
  })
})

t.test('the order of checks of a reorder', async (t) => {
  t.test('in open mode nobody is asked who they are', async (t) => {
    const { app, item, subtask } = await listOf(t)
    const reorder = `/api/kanban-items/${item.id}/subtasks/reorder`
    const places = { items: [{ id: subtask.id, sortOrder: 5 }] }
    const sessions = (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role).headers)
    for (const session of [undefined, ...sessions]) {
      await holds(t, app, [
        ['POST', reorder, 'x', { ...session, 'content-type': 'text/plain' }, 500, reorderFailure],
        ['POST', reorder, '{oops', session, 500, reorderFailure],
        ['POST', '/api/kanban-items/none/subtasks/reorder', {}, session, 400, itemless],
        ['POST', '/api/kanban-items/none/subtasks/reorder', places, session, 404, noItem],
        ['POST', reorder, places, session, 200, places.items],
      ])
    }
  })

  t.test('in required mode the member comes first, then the role, then the body', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const member = signInAs(app, 'member').headers
    const viewer = signInAs(app, 'viewer').headers
    const project = await createProject(app, {}, member)
    const item = await createItem(app, project.id, {}, member)
    const reorder = `/api/kanban-items/${item.id}/subtasks/reorder`
    await holds(t, app, [
      ['POST', reorder, {}, undefined, 401, authenticationRequired],
      ['POST', reorder, {}, viewer, 403, readOnly],
      ['POST', '/api/kanban-items/none/subtasks/reorder', '{oops', viewer, 403, readOnly],
      ['POST', '/api/kanban-items/none/subtasks/reorder', {}, member, 400, itemless],
      ['POST', '/api/kanban-items/none/subtasks/reorder', { items: [] }, member, 404, noItem],
      ['POST', reorder, { items: [] }, member, 200, []],
    ])
  })
})

t.test('an unexpected failure is answered with the 500 of a reorder', async (t) => {
  const broken = await listOf(t)
  breakTable(broken.app, 'kanban_subtasks')
  const closed = await listOf(t)
  closed.app.db.$client.close()
  for (const { app, item } of [broken, closed]) {
    const url = `/api/kanban-items/${item.id}/subtasks/reorder`
    await holds(t, app, [
      ['POST', url, { items: [{ id: 'x', sortOrder: 1 }] }, undefined, 500, reorderFailure],
    ])
  }
})
