import t, { type Test } from 'tap'
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
  send,
  signInAs,
  stored,
} from '../helper.ts'

const text = { 'content-type': 'text/plain' }
const noProject = { error: 'Project not found' }
const noItem = { error: 'Kanban item not found' }
const noLabel = { error: 'Kanban label not found' }
const taken = { error: 'Kanban label name is taken' }
const nameless = invalid({ name: ['must NOT have fewer than 1 characters'] })
const fails = (what: string) => ({ error: `Failed to ${what}` })

/** Ids that name nothing, some of them such as an attacker would try. */
const STRANGE_IDS = ['none', '%', 'a%2Fb', '__proto__', 'constructor', "'", long(10_000)]

async function createLabel(app: App, projectId: string, fields: object = {}) {
  const url = `/api/projects/${projectId}/kanban-labels`
  const { status, body } = await send(app, 'POST', url, { name: 'Bug', ...fields })
  if (status !== 201) throw new Error(`the label was not created: ${JSON.stringify(body)}`)
  return body
}

/** An application with one label on one board. */
async function boardOf(t: Test, fields: object = {}) {
  const app = await build(t)
  const project = await createProject(app)
  const label = await createLabel(app, project.id, fields)
  return {
    app,
    project,
    label,
    list: `/api/projects/${project.id}/kanban-labels`,
    url: `/api/kanban-labels/${label.id}`,
  }
}

/** An application with an item, a label of its project, and a label of another project. */
async function itemOf(t: Test) {
  const board = await boardOf(t)
  const { app, project, label } = board
  const item = await createItem(app, project.id)
  const elsewhere = await createProject(app)
  const foreign = await createLabel(app, elsewhere.id)
  const url = `/api/kanban-items/${item.id}`
  return { ...board, item, elsewhere, foreign, url, its: `${url}/labels/${label.id}`, labelUrl: board.url }
}

t.test('GET and POST /api/projects/{id}/kanban-labels', async (t) => {
  t.test('a label needs a name alone; its color has a default', async (t) => {
    const { app, project, list } = await boardOf(t)
    const { status, body } = await send(app, 'POST', list, { name: 'Idea' })
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      projectId: project.id,
      name: 'Idea',
      color: '#3b82f6',
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    })
    t.strictSame(stored(app, 'kanban_labels', body.id), {
      id: body.id,
      project_id: project.id,
      name: 'Idea',
      color: '#3b82f6',
      created_at: body.createdAt,
      updated_at: body.createdAt,
    })
  })

  t.test('server-owned and unknown fields are ignored and never stored', async (t) => {
    const { app, project, list, label } = await boardOf(t)
    const elsewhere = await createProject(app)
    const forged = {
      id: label.id,
      projectId: elsewhere.id,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
      nonsense: 1,
    }
    const body = await createLabel(app, project.id, { name: 'Idea', color: '', ...forged })
    t.strictSame(body, {
      id: body.id,
      projectId: project.id,
      name: 'Idea',
      color: '',
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    })
    t.not(body.id, label.id)
    t.not(body.createdAt, LONG_AGO)
    const lurking = await send(
      app,
      'POST',
      list,
      '{"name":"Trap","__proto__":{"color":"red"},"constructor":1}',
    )
    t.strictSame([lurking.status, lurking.body.color], [201, '#3b82f6'])
    t.equal(count(app, 'kanban_labels', 'project_id = ?', elsewhere.id), 0)
  })

  t.test('the list is in the order of creation, and of this project alone', async (t) => {
    const { app, project, label, list } = await boardOf(t, { name: 'z' })
    const elsewhere = await createProject(app)
    await createLabel(app, elsewhere.id, { name: 'z' })
    const a = await createLabel(app, project.id, { name: 'a' })
    const m = await createLabel(app, project.id, { name: 'm' })
    t.strictSame((await send(app, 'GET', list)).body, [label, a, m])
    const { id } = await createProject(app)
    t.strictSame((await send(app, 'GET', `/api/projects/${id}/kanban-labels`)).body, [])
  })

  t.test('a name is taken by its exact text, in its project alone', async (t) => {
    const { app, project, list } = await boardOf(t, { name: 'Bug' })
    const elsewhere = await createProject(app)
    const post = (name: string, status: number, answer: object): Row => [
      'POST',
      list,
      { name },
      undefined,
      status,
      answer,
    ]
    await holds(t, app, [
      post('Bug', 409, taken),
      ...['bug', 'Bug ', ' Bug', 'Bu', 'Bug%', 'B_g', '__proto__', 'constructor', "'"].flatMap((name) => [
        post(name, 201, { name }),
        post(name, 409, taken),
      ]),
      [
        'POST',
        `/api/projects/${elsewhere.id}/kanban-labels`,
        { name: 'Bug' },
        undefined,
        201,
        { name: 'Bug' },
      ],
    ])
    t.equal(count(app, 'kanban_labels', 'project_id = ?', project.id), 10)
  })

  t.test('of an unknown project are 404, after validation', async (t) => {
    const { app } = await boardOf(t)
    for (const id of STRANGE_IDS) {
      const url = `/api/projects/${id}/kanban-labels`
      await holds(t, app, [
        ['GET', url, undefined, undefined, 404, noProject],
        ['POST', url, { name: '' }, undefined, 400, nameless],
        ['POST', url, { name: 'Bug' }, undefined, 404, noProject],
      ])
    }
    t.equal(count(app, 'kanban_labels'), 1)
  })
})

t.test('the fields of a label', async (t) => {
  t.test('keep to their types, and null is allowed nowhere', async (t) => {
    const { app, list, url } = await boardOf(t)
    for (const field of ['name', 'color']) {
      for (const value of [null, true, 5, 0, [], {}, ['x']]) {
        for (const [method, target] of [
          ['POST', list],
          ['PATCH', url],
        ] as const) {
          const refused = invalid({ [field]: ['must be string'] })
          await holds(t, app, [[method, target, { name: 'New', [field]: value }, undefined, 400, refused]])
        }
      }
    }
    t.strictSame((await send(app, 'GET', list)).body.length, 1)
  })

  t.test('keep to their limits, and all violations are reported', async (t) => {
    const { app, list, url } = await boardOf(t)
    const tooLong = invalid({
      name: ['must NOT have more than 50 characters'],
      color: ['must NOT have more than 100 characters'],
    })
    const rockets = { name: '🚀'.repeat(50), color: '🚀'.repeat(100) }
    await holds(t, app, [
      ['POST', list, { name: long(51), color: long(101) }, undefined, 400, tooLong],
      ['PATCH', url, { name: long(51), color: long(101) }, undefined, 400, tooLong],
      ['POST', list, { name: '' }, undefined, 400, nameless],
      ['PATCH', url, { name: '' }, undefined, 400, nameless],
      ['POST', list, { color: 'red' }, undefined, 400, invalid({ name: ['is required'] })],
      [
        'POST',
        list,
        {},
        undefined,
        400,
        invalid({ name: ['is required'] }, ['must NOT have fewer than 1 properties']),
      ],
      [
        'POST',
        list,
        { name: long(50), color: long(100) },
        undefined,
        201,
        { name: long(50), color: long(100) },
      ],
      ['PATCH', url, rockets, undefined, 200, rockets],
      ['PATCH', url, { name: 'x', color: '' }, undefined, 200, { name: 'x', color: '' }],
    ])
    for (const body of ['null', '[]', '"x"', '5']) {
      await holds(t, app, [
        ['POST', list, body, undefined, 400, invalid({}, ['must be object'])],
        ['PATCH', url, body, undefined, 400, invalid({}, ['must be object'])],
      ])
    }
  })
})

t.test('GET, PATCH and DELETE /api/kanban-labels/{id}', async (t) => {
  t.test('a label is read by its id', async (t) => {
    const { app, label, url } = await boardOf(t)
    const { status, body } = await send(app, 'GET', url)
    t.strictSame([status, body], [200, label])
  })

  t.test('only the fields of the body change, and updatedAt with them', async (t) => {
    const { app, project, label, list, url } = await boardOf(t)
    const other = await createLabel(app, project.id, { name: 'Other' })
    let before = label
    for (const change of [{ name: 'Defect' }, { color: 'red' }, { name: 'Fault', color: '' }]) {
      age(app, 'kanban_labels', label.id)
      const { status, body } = await send(app, 'PATCH', url, change)
      t.equal(status, 200)
      t.not(body.updatedAt, LONG_AGO, 'updatedAt moves')
      t.strictSame(body, { ...before, ...change, updatedAt: body.updatedAt }, JSON.stringify(change))
      before = body
    }
    t.strictSame((await send(app, 'GET', list)).body, [before, other])
  })

  t.test('a body without a known field returns the record unchanged, updatedAt included', async (t) => {
    const { app, label, url } = await boardOf(t)
    const elsewhere = await createProject(app)
    age(app, 'kanban_labels', label.id)
    for (const body of [
      {},
      { nonsense: 1 },
      { id: 'mine', projectId: elsewhere.id, createdAt: 5, updatedAt: 'x' },
    ]) {
      const answer = await send(app, 'PATCH', url, body)
      t.strictSame([answer.status, answer.body], [200, { ...label, updatedAt: LONG_AGO }])
    }
    t.equal(stored(app, 'kanban_labels', label.id).project_id, label.projectId)
  })

  t.test('a name that another label of the project has is taken, its own is not', async (t) => {
    const { app, project, label, url } = await boardOf(t, { name: 'Bug' })
    await createLabel(app, project.id, { name: 'Idea' })
    const elsewhere = await createProject(app)
    await createLabel(app, elsewhere.id, { name: 'Debt' })
    age(app, 'kanban_labels', label.id)
    await holds(t, app, [
      ['PATCH', url, { name: 'Idea' }, undefined, 409, taken],
      ['PATCH', url, { name: 'Idea', color: 'red' }, undefined, 409, taken],
      ['GET', url, undefined, undefined, 200, { ...label, updatedAt: LONG_AGO }],
      ['PATCH', url, { name: 'Bug' }, undefined, 200, { name: 'Bug' }],
      ['PATCH', url, { name: 'bug', color: 'red' }, undefined, 200, { name: 'bug', color: 'red' }],
      ['PATCH', url, { name: 'Debt' }, undefined, 200, { name: 'Debt' }],
      ['POST', `/api/projects/${project.id}/kanban-labels`, { name: 'Bug' }, undefined, 201, { name: 'Bug' }],
      ['PATCH', url, { name: 'Bug' }, undefined, 409, taken],
    ])
  })

  t.test(
    'a new name or color shows on the items that have the label, in their project at once',
    async (t) => {
      const { app, project, label, labelUrl, its, url } = await itemOf(t)
      await send(app, 'PUT', its)
      await send(app, 'GET', `/api/projects/${project.id}`)
      const { body: changed } = await send(app, 'PATCH', labelUrl, { name: 'Defect', color: 'red' })
      t.strictSame(changed, { ...label, name: 'Defect', color: 'red', updatedAt: changed.updatedAt })
      t.strictSame((await send(app, 'GET', `/api/projects/${project.id}`)).body.kanbanItems[0].labels, [
        changed,
      ])
      t.strictSame((await send(app, 'GET', url)).body.labels, [changed])
    },
  )

  t.test('a deleted label leaves its items, and nothing else goes', async (t) => {
    const { app, project, list, labelUrl, its, url, item } = await itemOf(t)
    const kept = await createLabel(app, project.id, { name: 'Kept' })
    await send(app, 'PUT', its)
    await send(app, 'PUT', `${url}/labels/${kept.id}`)
    const { body: before } = await send(app, 'GET', `/api/projects/${project.id}`)
    t.equal(before.kanbanItems[0].labels.length, 2)
    await holds(t, app, [
      ['DELETE', labelUrl, undefined, undefined, 200, { success: true }],
      ['GET', labelUrl, undefined, undefined, 404, noLabel],
      ['DELETE', labelUrl, undefined, undefined, 404, noLabel],
      ['PUT', its, undefined, undefined, 404, noLabel],
    ])
    t.strictSame((await send(app, 'GET', `/api/projects/${project.id}`)).body, {
      ...before,
      kanbanItems: [{ ...item, labels: [kept] }],
    })
    t.strictSame((await send(app, 'GET', list)).body, [kept])
    t.equal(count(app, 'kanban_item_labels'), 1)
  })

  t.test('of an unknown label are 404, after validation', async (t) => {
    const { app } = await boardOf(t)
    for (const id of STRANGE_IDS) {
      const url = `/api/kanban-labels/${id}`
      await holds(t, app, [
        ['GET', url, undefined, undefined, 404, noLabel],
        ['PATCH', url, { name: '' }, undefined, 400, nameless],
        ['PATCH', url, { name: 'Bug' }, undefined, 404, noLabel],
        ['PATCH', url, {}, undefined, 404, noLabel],
        ['DELETE', url, undefined, undefined, 404, noLabel],
      ])
    }
    t.equal(count(app, 'kanban_labels'), 1)
  })
})

t.test('PUT and DELETE /api/kanban-items/{id}/labels/{labelId}', async (t) => {
  t.test('answer the whole item, and doing either again is harmless', async (t) => {
    const { app, project, item, label, url, its } = await itemOf(t)
    const subtask = await createSubtask(app, item.id)
    const other = await createLabel(app, project.id, { name: 'Other' })
    const bare = { ...item, subtasks: [subtask] }
    for (const _ of ['once', 'again']) {
      const { status, body } = await send(app, 'PUT', its)
      t.strictSame([status, body], [200, { ...bare, labels: [label] }])
      t.strictSame((await send(app, 'GET', url)).body, body)
    }
    t.equal(count(app, 'changes_pending'), 0, 'the second has left nothing behind')
    t.strictSame((await send(app, 'PUT', `${url}/labels/${other.id}`)).body, {
      ...bare,
      labels: [label, other],
    })
    for (const _ of ['once', 'again']) {
      const { status, body } = await send(app, 'DELETE', its)
      t.strictSame([status, body], [200, { ...bare, labels: [other] }])
      t.strictSame((await send(app, 'GET', url)).body, body)
    }
    t.equal(count(app, 'kanban_item_labels'), 1)
  })

  t.test('touch this item alone', async (t) => {
    const { app, project, label, url, its } = await itemOf(t)
    const neighbour = await createItem(app, project.id)
    const neighbours = `/api/kanban-items/${neighbour.id}`
    await holds(t, app, [
      ['PUT', `${neighbours}/labels/${label.id}`, undefined, undefined, 200, { labels: [label] }],
      ['GET', url, undefined, undefined, 200, { labels: [] }],
      ['PUT', its, undefined, undefined, 200, { labels: [label] }],
      ['DELETE', its, undefined, undefined, 200, { labels: [] }],
      ['GET', neighbours, undefined, undefined, 200, { labels: [label] }],
    ])
  })

  t.test('leave no activity and keep updatedAt, of the item and of the label', async (t) => {
    const { app, item, label, its } = await itemOf(t)
    age(app, 'kanban_items', item.id)
    age(app, 'kanban_labels', label.id)
    const aged = { ...label, updatedAt: LONG_AGO }
    await holds(t, app, [
      ['PUT', its, undefined, undefined, 200, { updatedAt: LONG_AGO, labels: [aged] }],
      ['DELETE', its, undefined, undefined, 200, { updatedAt: LONG_AGO, labels: [] }],
    ])
    t.equal(count(app, 'kanban_activity'), 0)
  })

  t.test('show in the project at once', async (t) => {
    const { app, project, item, label, its } = await itemOf(t)
    const url = `/api/projects/${project.id}`
    const { body: before, headers } = await send(app, 'GET', url)
    t.strictSame(before.kanbanItems, [item])
    await send(app, 'PUT', its)
    const after = await send(app, 'GET', url, undefined, { 'if-none-match': String(headers.etag) })
    t.strictSame(
      [after.status, after.body],
      [200, { ...before, kanbanItems: [{ ...item, labels: [label] }] }],
    )
    t.strictSame((await send(app, 'GET', '/api/projects')).body[0], after.body)
    await send(app, 'DELETE', its)
    t.strictSame((await send(app, 'GET', url)).body, before)
  })

  t.test(
    'an unknown item, and a label that its project does not have, are 404 and change nothing',
    async (t) => {
      const { app, item, label, foreign, elsewhere, url, its } = await itemOf(t)
      const visitor = await createItem(app, elsewhere.id)
      await send(app, 'PUT', its)
      for (const method of ['PUT', 'DELETE']) {
        await holds(t, app, [
          [method, `${url}/labels/${foreign.id}`, undefined, undefined, 404, noLabel],
          [method, `/api/kanban-items/${visitor.id}/labels/${label.id}`, undefined, undefined, 404, noLabel],
          [method, `${url}/labels/${item.id}`, undefined, undefined, 404, noLabel],
          [method, `/api/kanban-items/${label.id}/labels/${label.id}`, undefined, undefined, 404, noItem],
          [method, `/api/kanban-items/${label.id}/labels/${item.id}`, undefined, undefined, 404, noItem],
        ])
        for (const id of STRANGE_IDS) {
          await holds(t, app, [
            [method, `${url}/labels/${id}`, undefined, undefined, 404, noLabel],
            [method, `/api/kanban-items/${id}/labels/${label.id}`, undefined, undefined, 404, noItem],
          ])
        }
      }
      t.strictSame((await send(app, 'GET', url)).body.labels, [label])
      t.equal(count(app, 'kanban_item_labels'), 1)
    },
  )

  t.test('a body of PUT is ignored as long as it is JSON', async (t) => {
    const { app, label, foreign, elsewhere, its } = await itemOf(t)
    const forged = { itemId: elsewhere.id, labelId: foreign.id, projectId: elsewhere.id, labels: [] }
    for (const body of [{}, forged, 'null', '[]', '5', '"x"', '{"__proto__":{"labelId":"x"}}']) {
      await holds(t, app, [
        ['PUT', its, body, undefined, 200, { labels: [label] }],
        ['DELETE', its, undefined, undefined, 200, { labels: [] }],
      ])
    }
    await holds(t, app, [
      ['PUT', its, '{oops', undefined, 500, fails('attach kanban label')],
      ['PUT', its, ' ', undefined, 500, fails('attach kanban label')],
      ['PUT', its, '{oops', text, 500, fails('attach kanban label')],
    ])
    t.equal(count(app, 'kanban_item_labels'), 0)
  })
})

t.test('the order of checks', async (t) => {
  t.test('in open mode nobody is asked who they are', async (t) => {
    const { app, list, labelUrl, its, label, foreign, url } = await itemOf(t)
    const sessions = (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role).headers)
    for (const [index, session] of [undefined, ...sessions].entries()) {
      const name = `Label ${index}`
      await holds(t, app, [
        ['POST', list, '{oops', { ...session, ...text }, 500, fails('create kanban label')],
        ['POST', list, '{oops', session, 500, fails('create kanban label')],
        ['POST', '/api/projects/none/kanban-labels', { name: '' }, session, 400, nameless],
        ['POST', '/api/projects/none/kanban-labels', { name: label.name }, session, 404, noProject],
        ['POST', list, { name: label.name }, session, 409, taken],
        ['POST', list, { name }, session, 201, { name }],
        ['PATCH', labelUrl, '{oops', session, 500, fails('update kanban label')],
        ['PATCH', '/api/kanban-labels/none', { name: '' }, session, 400, nameless],
        ['PATCH', '/api/kanban-labels/none', { name }, session, 404, noLabel],
        ['PATCH', labelUrl, { name }, session, 409, taken],
        ['PATCH', labelUrl, { color: 'red' }, session, 200, { color: 'red' }],
        ['PUT', '/api/kanban-items/none/labels/none', '{}', { ...session, ...text }, 404, noItem],
        ['PUT', '/api/kanban-items/none/labels/none', undefined, session, 404, noItem],
        ['PUT', `${url}/labels/${foreign.id}`, undefined, session, 404, noLabel],
        ['PUT', its, undefined, session, 200, { id: its.split('/')[3] }],
        ['DELETE', its, undefined, session, 200, { labels: [] }],
        ['DELETE', '/api/kanban-labels/none', undefined, session, 404, noLabel],
      ])
    }
  })

  t.test('in required mode the member comes first, then the role, then the body', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const member = signInAs(app, 'member').headers
    const viewer = signInAs(app, 'viewer').headers
    const project = await createProject(app, {}, member)
    const item = await createItem(app, project.id, {}, member)
    const list = `/api/projects/${project.id}/kanban-labels`
    const { body: label } = await send(app, 'POST', list, { name: 'Bug' }, member)
    const url = `/api/kanban-labels/${label.id}`
    const its = `/api/kanban-items/${item.id}/labels/${label.id}`
    const nowhere = '/api/kanban-items/none/labels/none'
    await holds(t, app, [
      ['GET', list, undefined, undefined, 401, authenticationRequired],
      ['POST', list, '{oops', undefined, 401, authenticationRequired],
      ['GET', url, undefined, undefined, 401, authenticationRequired],
      ['PATCH', url, '{oops', undefined, 401, authenticationRequired],
      ['DELETE', url, undefined, undefined, 401, authenticationRequired],
      ['PUT', its, '{oops', undefined, 401, authenticationRequired],
      ['DELETE', its, undefined, undefined, 401, authenticationRequired],
      ['GET', list, undefined, viewer, 200, [label]],
      ['GET', url, undefined, viewer, 200, label],
      ['POST', list, { name: '' }, viewer, 403, readOnly],
      ['PATCH', url, { name: '' }, viewer, 403, readOnly],
      ['PATCH', '/api/kanban-labels/none', {}, viewer, 403, readOnly],
      ['DELETE', url, undefined, viewer, 403, readOnly],
      ['PUT', its, undefined, viewer, 403, readOnly],
      ['PUT', nowhere, '{oops', viewer, 403, readOnly],
      ['DELETE', nowhere, undefined, viewer, 403, readOnly],
      ['POST', list, { name: '' }, member, 400, nameless],
      ['POST', list, { name: 'Bug' }, member, 409, taken],
      ['PATCH', '/api/kanban-labels/none', { name: '' }, member, 400, nameless],
      ['PUT', nowhere, undefined, member, 404, noItem],
      ['PUT', its, undefined, member, 200, { labels: [label] }],
      ['GET', its.slice(0, its.indexOf('/labels')), undefined, viewer, 200, { labels: [label] }],
      ['DELETE', its, undefined, member, 200, { labels: [] }],
      ['DELETE', url, undefined, member, 200, { success: true }],
    ])
  })
})

t.test('a rule refuses by itself what a request may have seen before its turn to write came', async (t) => {
  const { app, project, item, label, foreign } = await itemOf(t)
  const { labels } = app.rules.board
  t.throws(() => labels.create('none', { name: 'Bug' }), { statusCode: 404, message: noProject.error })
  t.throws(() => labels.create(project.id, { name: 'Bug' }), { statusCode: 409, message: taken.error })
  t.throws(() => labels.update('none', {}), { statusCode: 404, message: noLabel.error })
  t.throws(() => labels.delete('none'), { statusCode: 404, message: noLabel.error })
  for (const change of ['attach', 'detach'] as const) {
    t.throws(() => labels[change]('none', label.id), { statusCode: 404, message: noItem.error })
    t.throws(() => labels[change](item.id, foreign.id), { statusCode: 404, message: noLabel.error })
  }
})

t.test('of labels created at the same time under one name, one is made', async (t) => {
  const { app, list } = await boardOf(t)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => send(app, 'POST', list, { name: 'Idea' })),
  )
  t.strictSame(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409])
  t.equal(count(app, 'kanban_labels', "name = 'Idea'"), 1)
})

t.test('an unexpected failure is answered with the 500 of its endpoint', async (t) => {
  for (const table of ['kanban_labels', 'kanban_item_labels', undefined]) {
    const { app, list, labelUrl, its } = await itemOf(t)
    if (table === undefined) app.db.$client.close()
    else breakTable(app, table)
    await holds(t, app, [
      ['PUT', its, undefined, undefined, 500, fails('attach kanban label')],
      ['DELETE', its, undefined, undefined, 500, fails('detach kanban label')],
    ])
    if (table === 'kanban_item_labels') continue
    await holds(t, app, [
      ['GET', list, undefined, undefined, 500, fails('fetch kanban labels')],
      ['HEAD', list, undefined, undefined, 500, ''],
      ['POST', list, { name: 'New' }, undefined, 500, fails('create kanban label')],
      ['GET', labelUrl, undefined, undefined, 500, fails('fetch kanban label')],
      ['PATCH', labelUrl, { name: 'New' }, undefined, 500, fails('update kanban label')],
      ['DELETE', labelUrl, undefined, undefined, 500, fails('delete kanban label')],
    ])
  }
})
