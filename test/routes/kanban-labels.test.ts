import t, { type Test } from 'tap'
import { STRANGE_IDS, testChildResource } from '../child-resource.ts'
import { text } from '../field-contracts.ts'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
  build,
  count,
  created,
  createItem,
  createProject,
  createSubtask,
  holds,
  LONG_AGO,
  readOnly,
  send,
  signInAs,
} from '../helper.ts'

const asText = { 'content-type': 'text/plain' }
const noProject = { error: 'Project not found' }
const noItem = { error: 'Kanban item not found' }
const noLabel = { error: 'Kanban label not found' }
const taken = { error: 'Kanban label name is taken' }
const fails = (what: string) => ({ error: `Failed to ${what}` })

const createLabel = (app: App, projectId: string, fields: object = {}) =>
  created(app, `/api/projects/${projectId}/kanban-labels`, { name: 'Bug', ...fields })

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

let names = 1000

/** A name without white space at its ends, in NFC. */
const { accepts, refuses } = text(1, 50)
const labelName = {
  accepts: [...accepts.filter(([sent]) => sent !== ' '), [' Entwu\u0308rfe\n', 'Entwürfe']] as typeof accepts,
  refuses: [...refuses, [' ', 'must NOT have fewer than 1 characters']] as typeof refuses,
}

testChildResource(t, {
  thing: 'Kanban label',
  path: 'kanban-labels',
  table: 'kanban_labels',
  hasOwnName: 'folded',
  least: { name: 'Bug' },
  // In the order of creation, not of names.
  distinct: () => ({ name: `Bug ${--names}` }),
  defaults: { name: 'Bug', color: '#3b82f6' },
  fields: { name: labelName, color: text(0, 100) },
})

t.test('names that differ only in how they are written are one', async (t) => {
  const { app, project, label, list, url } = await boardOf(t, { name: 'Straße' })
  for (const name of ['STRASSE', 'strasse', ' Straße ', 'stra\u00dfe'])
    await holds(t, app, [['POST', list, { name }, undefined, 409, taken]])
  const other = await createLabel(app, project.id, { name: 'Łódź' })
  await holds(t, app, [
    ['PATCH', `/api/kanban-labels/${other.id}`, { name: 'STRASSE' }, undefined, 409, taken],
    ['PATCH', url, { name: 'strasse' }, undefined, 200, { name: 'strasse' }],
    ['PATCH', url, { name: 'Stra\u00dfe' }, undefined, 200, { name: 'Straße' }],
  ])
  const item = await createItem(app, project.id)
  await send(app, 'PUT', `/api/kanban-items/${item.id}/labels/${label.id}`)
  const found = async (url: string) => (await send(app, 'GET', url)).body.map(({ id }: { id: string }) => id)
  for (const name of ['strasse', 'STRASSE', label.id]) {
    t.strictSame(await found(`/api/projects/${project.id}/kanban-items?label=${name}`), [item.id], name)
    t.strictSame(await found(`/api/kanban-items?label=${name}&label=lodz`), [item.id], name)
  }
  t.strictSame(await found('/api/kanban-items?label=stras'), [])
  t.strictSame(await found(`/api/kanban-items?column=${item.column.toUpperCase()}&projectId=${project.id}`), [
    item.id,
  ])
  t.strictSame(await found(`/api/kanban-items?column=${item.column.toLowerCase()}`), [item.id])
  t.strictSame((await send(app, 'GET', `/api/projects/${project.id}/flow?label=STRASSE`)).status, 200)

  const elsewhere = await createProject(app)
  const same = await createLabel(app, elsewhere.id, { name: 'STRASSE' })
  const { body: moved } = await send(app, 'POST', `/api/kanban-items/${item.id}/move`, {
    projectId: elsewhere.id,
  })
  t.match(moved, { labels: [{ id: same.id }] })
})

t.test('GET, PATCH and DELETE /api/kanban-labels/{id}', async (t) => {
  t.test(
    'a new name or color is shown on the items with the label, and in the project, at once',
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

  t.test('a deleted label is removed from its items, and nothing else is deleted', async (t) => {
    const { app, project, list, labelUrl, its, url, item } = await itemOf(t)
    const kept = await createLabel(app, project.id, { name: 'Kept' })
    await send(app, 'PUT', its)
    await send(app, 'PUT', `${url}/labels/${kept.id}`)
    const { body: before } = await send(app, 'GET', `/api/projects/${project.id}`)
    t.equal(before.kanbanItems[0].labels.length, 2)
    await holds(t, app, [
      ['DELETE', labelUrl, 200, { success: true }],
      ['GET', labelUrl, 404, noLabel],
      ['PUT', its, 404, noLabel],
    ])
    t.strictSame((await send(app, 'GET', `/api/projects/${project.id}`)).body, {
      ...before,
      kanbanItems: [{ ...item, labels: [kept] }],
    })
    t.strictSame((await send(app, 'GET', list)).body, [kept])
    t.equal(count(app, 'kanban_item_labels'), 1)
  })
})

t.test('PUT and DELETE /api/kanban-items/{id}/labels/{labelId}', async (t) => {
  t.test('return the whole item, and can be repeated', async (t) => {
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

  t.test('change only this item', async (t) => {
    const { app, project, label, url, its } = await itemOf(t)
    const neighbour = await createItem(app, project.id)
    const neighbours = `/api/kanban-items/${neighbour.id}`
    await holds(t, app, [
      ['PUT', `${neighbours}/labels/${label.id}`, 200, { labels: [label] }],
      ['GET', url, 200, { labels: [] }],
      ['PUT', its, 200, { labels: [label] }],
      ['DELETE', its, 200, { labels: [] }],
      ['GET', neighbours, 200, { labels: [label] }],
    ])
  })

  t.test('create no activity, and keep updatedAt of the item and the label', async (t) => {
    const { app, item, label, its } = await itemOf(t)
    age(app, 'kanban_items', item.id)
    age(app, 'kanban_labels', label.id)
    const aged = { ...label, updatedAt: LONG_AGO }
    await holds(t, app, [
      ['PUT', its, 200, { updatedAt: LONG_AGO, labels: [aged] }],
      ['DELETE', its, 200, { updatedAt: LONG_AGO, labels: [] }],
    ])
    t.equal(count(app, 'kanban_activity'), 0)
  })

  t.test('are shown in the project at once', async (t) => {
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

  t.test('an unknown item, and a label of another project, are 404 and change nothing', async (t) => {
    const { app, item, label, foreign, elsewhere, url, its } = await itemOf(t)
    const visitor = await createItem(app, elsewhere.id)
    await send(app, 'PUT', its)
    for (const method of ['PUT', 'DELETE']) {
      await holds(t, app, [
        [method, `${url}/labels/${foreign.id}`, 404, noLabel],
        [method, `/api/kanban-items/${visitor.id}/labels/${label.id}`, 404, noLabel],
        [method, `${url}/labels/${item.id}`, 404, noLabel],
        [method, `/api/kanban-items/${label.id}/labels/${label.id}`, 404, noItem],
        [method, `/api/kanban-items/${label.id}/labels/${item.id}`, 404, noItem],
      ])
      for (const id of STRANGE_IDS) {
        await holds(t, app, [
          [method, `${url}/labels/${id}`, 404, noLabel],
          [method, `/api/kanban-items/${id}/labels/${label.id}`, 404, noItem],
        ])
      }
    }
    t.strictSame((await send(app, 'GET', url)).body.labels, [label])
    t.equal(count(app, 'kanban_item_labels'), 1)
  })

  t.test('PUT ignores any JSON body', async (t) => {
    const { app, label, foreign, elsewhere, its } = await itemOf(t)
    const forged = { itemId: elsewhere.id, labelId: foreign.id, projectId: elsewhere.id, labels: [] }
    for (const body of [{}, forged, 'null', '[]', '5', '"x"', '{"__proto__":{"labelId":"x"}}']) {
      await holds(t, app, [
        ['PUT', its, body, 200, { labels: [label] }],
        ['DELETE', its, 200, { labels: [] }],
      ])
    }
    await holds(t, app, [
      ['PUT', its, '{oops', 500, fails('attach kanban label')],
      ['PUT', its, ' ', 500, fails('attach kanban label')],
      ['PUT', its, '{oops', asText, 500, fails('attach kanban label')],
    ])
    t.equal(count(app, 'kanban_item_labels'), 0)
  })
})

t.test('the order of checks', async (t) => {
  t.test('open mode needs no credential', async (t) => {
    const { app, list, labelUrl, its, label, foreign, url } = await itemOf(t)
    const sessions = (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role).headers)
    for (const [index, session] of [undefined, ...sessions].entries()) {
      const name = `Label ${index}`
      await holds(t, app, [
        ['POST', list, { name: label.name }, session, 409, taken],
        ['POST', list, { name }, session, 201, { name }],
        ['PATCH', labelUrl, { name }, session, 409, taken],
        ['PATCH', labelUrl, { color: 'red' }, session, 200, { color: 'red' }],
        ['PUT', '/api/kanban-items/none/labels/none', '{}', { ...session, ...asText }, 404, noItem],
        ['PUT', '/api/kanban-items/none/labels/none', undefined, session, 404, noItem],
        ['PUT', `${url}/labels/${foreign.id}`, undefined, session, 404, noLabel],
        ['PUT', its, undefined, session, 200, { id: its.split('/')[3] }],
        ['DELETE', its, undefined, session, 200, { labels: [] }],
      ])
    }
  })

  t.test('required mode checks the member, then the role, then the body', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const member = signInAs(app, 'member').headers
    const viewer = signInAs(app, 'viewer').headers
    const project = await createProject(app, {}, member)
    const item = await createItem(app, project.id, {}, member)
    const list = `/api/projects/${project.id}/kanban-labels`
    const { body: label } = await send(app, 'POST', list, { name: 'Bug' }, member)
    const its = `/api/kanban-items/${item.id}/labels/${label.id}`
    const nowhere = '/api/kanban-items/none/labels/none'
    await holds(t, app, [
      ['PUT', its, '{oops', 401, authenticationRequired],
      ['DELETE', its, 401, authenticationRequired],
      ['PUT', its, undefined, viewer, 403, readOnly],
      ['PUT', nowhere, '{oops', viewer, 403, readOnly],
      ['DELETE', nowhere, undefined, viewer, 403, readOnly],
      ['POST', list, { name: 'Bug' }, member, 409, taken],
      ['PUT', nowhere, undefined, member, 404, noItem],
      ['PUT', its, undefined, member, 200, { labels: [label] }],
      ['GET', its.slice(0, its.indexOf('/labels')), undefined, viewer, 200, { labels: [label] }],
      ['DELETE', its, undefined, member, 200, { labels: [] }],
    ])
  })
})

t.test('the rule checks again for changes made while the request waited', async (t) => {
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

t.test("an unexpected failure returns the endpoint's 500", async (t) => {
  for (const table of ['kanban_labels', 'kanban_item_labels', undefined]) {
    const { app, its } = await itemOf(t)
    if (table === undefined) app.db.$client.close()
    else breakTable(app, table)
    await holds(t, app, [
      ['PUT', its, 500, fails('attach kanban label')],
      ['DELETE', its, 500, fails('detach kanban label')],
    ])
  }
})
