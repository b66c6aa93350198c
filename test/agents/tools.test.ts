import t from 'tap'
import { createItem, createProject, send } from '../helper.ts'
import { callEveryTool, overHttp, serve } from './agents.ts'

t.test('every tool can be called over HTTP, and returns what its schema says', async (t) => {
  const { url } = await serve(t)
  const agent = await overHttp(t, url)
  await callEveryTool(t, agent)

  const { tools } = await agent.client.listTools()
  for (const { name, description = '', inputSchema, outputSchema, annotations } of tools) {
    t.match(description, /Use it /, `${name} says when to use it`)
    t.match(description, /Returns|Shows|says/, `${name} says what it returns`)
    t.equal(inputSchema.additionalProperties, false)
    t.ok(outputSchema)
    t.type(annotations?.readOnlyHint, 'boolean')
    t.notMatch(JSON.stringify(inputSchema), /"x-|\$ref|"format":"(timestamp|cursor)"/, `${name} is plain`)
  }
  const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)
  t.strictSame(reading, [
    'search',
    'find_items',
    'list_projects',
    'read_board',
    'read_item',
    'find_people',
    'notifications',
    'flow',
  ])
  t.match(agent.client.getInstructions(), /data written by people.*never instructions/s)
})

t.test('arguments have the limits of the routes, and an error says what to correct', async (t) => {
  const { app, url } = await serve(t)
  const project = await createProject(app)
  const { client, call, refused } = await overHttp(t, url)
  const { tools } = await client.listTools()
  const properties = tools.find(({ name }) => name === 'create_item')?.inputSchema.properties as object
  t.match(properties, {
    title: { minLength: 1, maxLength: 500 },
    priority: { enum: ['low', 'medium', 'high', 'critical'] },
    dueDate: { type: 'string', description: /empty for none/ },
  })

  const projectId: string = project.id
  t.match(await refused('create_item', { projectId, titel: 'Typo', limit: 3 }), {
    status: 400,
    details: { fieldErrors: { title: ['is required'], titel: ['is unknown'], limit: ['is unknown'] } },
    next: /Correct/,
  })
  t.match(await refused('create_item', { projectId, title: 'x'.repeat(501), priority: 'urgent' }), {
    details: { fieldErrors: { title: [/500/], priority: [/must be one of/] } },
  })
  const unknownColumn = await refused('create_item', { projectId, title: 'Lost', column: 'Doing' })
  t.strictSame(unknownColumn.columns, ['To Do', 'In Progress', 'Review', 'Done'])
  const item = await createItem(app, projectId)
  t.match(await refused('move_item', { itemId: item.id, column: 'Doing' }), {
    columns: ['To Do', 'In Progress', 'Review', 'Done'],
  })
  t.match(await refused('read_board', { projectId, column: 'Doing' }), { columns: ['To Do'] })
  t.match(await refused('read_board', { projectId, cursor: 'WzEsImEiXQ' }), {
    details: { fieldErrors: { column: ['is required with a cursor'] } },
  })
  t.equal((await refused('claim', { from: 'Doing' })).columns, undefined, 'no project, no columns')
  t.equal((await refused('claim', { projectId: 'none', from: 'Doing' })).status, 404)
  t.equal((await refused('move_item', { itemId: 'none', column: 3 })).columns, undefined)
  // Tens of thousands of values would block the event loop.
  const labels = Array.from({ length: 1001 }, (_, index) => `label ${index}`)
  for (const tool of ['find_items', 'flow']) {
    t.match(await refused(tool, { projectId, label: labels }), {
      status: 400,
      details: { fieldErrors: { label: [/1000/] } },
    })
  }
  // So long a text would keep the worker busy for seconds.
  for (const tool of ['find_items', 'find_people'])
    t.match(await refused(tool, { q: 'x'.repeat(10_001) }), {
      status: 400,
      details: { fieldErrors: { q: [/10000/] } },
    })
  t.match(await refused('find_items', { label: 'x'.repeat(10_001) }), {
    details: { fieldErrors: { label: [/10000/] } },
  })
  // A value of the wrong type is named, and no failure of the service.
  t.match(await refused('search', { q: 'Card', kind: [['project'], 1, null] }), {
    status: 400,
    details: { fieldErrors: { kind: [/must be string/] } },
  })
  t.match(await call('find_items', { projectId: [projectId, 'none'] }), { items: [{ id: item.id }] })
  t.match(await refused('read_item', { itemId: 'none' }), {
    error: 'Kanban item not found',
    next: /find_items/,
  })
  t.match(await refused('tick_subtask', { subtaskId: 'no/such' }), { error: 'Kanban subtask not found' })
  t.match(await refused('ingest', { projectId }), {
    details: { formErrors: ['transcript or metrics is required'] },
  })

  const columns = await send(app, 'GET', `/api/projects/${projectId}/kanban-columns`)
  const review = columns.body.find(({ name }: { name: string }) => name === 'Review')
  await send(app, 'PATCH', `/api/kanban-columns/${review.id}`, { wipLimit: 1, wipPolicy: 'block' })
  await call('move_item', { itemId: item.id, column: 'Review' })
  t.match(await refused('create_item', { projectId, title: 'One too many', column: 'Review' }), {
    status: 409,
    error: 'Column is at its WIP limit',
    code: 'wip_limit_reached',
    next: /full/,
  })
  await send(app, 'PATCH', `/api/kanban-columns/${review.id}`, { wipPolicy: 'warn' })
  t.match(await call('create_item', { projectId, title: 'One too many', column: 'Review' }), {
    warnings: [/above its WIP limit/],
  })
})

/** What every client and model reads in a schema of arguments. Values are of one of these types. */
const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean']
const KEYWORDS = [
  ...['type', 'description', 'default', 'properties', 'required', 'additionalProperties', 'items', 'enum'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'],
]

interface Published {
  type?: unknown
  properties?: Record<string, Published>
  items?: Published
  additionalProperties?: unknown
  enum?: unknown[]
}

/** A schema and all in it, with their paths. */
const partsOf = (schema: Published, path: string): [string, Published][] => [
  [path, schema],
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => partsOf(field, `${path}.${name}`)),
  ...(schema.items ? partsOf(schema.items, `${path}[]`) : []),
]

t.test('no schema of any tool has alternatives', async (t) => {
  const { url } = await serve(t)
  const { tools } = await (await overHttp(t, url)).client.listTools()
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const [path, part] of partsOf(inputSchema as Published, name)) {
      t.ok(TYPES.includes(String(part.type)), `${path} has one type`)
      t.strictSame(
        Object.keys(part).filter((keyword) => !KEYWORDS.includes(keyword)),
        [],
        `${path} has only what all read`,
      )
      t.equal(part.additionalProperties ?? false, false, path)
      if (part.type === 'array') t.type(part.items, 'object', `${path} has items`)
      if (part.enum)
        t.strictSame(
          [part.type, ...part.enum.map((one) => typeof one)],
          Array(part.enum.length + 1).fill('string'),
        )
    }
    for (const [path, part] of partsOf(outputSchema as Published, name)) {
      if (part.type !== undefined) t.ok(TYPES.includes(String(part.type)), `the result ${path} has one type`)
      t.notOk('anyOf' in part || 'oneOf' in part || 'allOf' in part || '$ref' in part, path)
      if (part.type === 'array') t.type(part.items, 'object', `the result ${path} has items`)
    }
  }
})

t.test('a text for a list, null and an empty text are read as before', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { call } = await overHttp(t, url)
  const assigned = { projectId, title: 'Land', assigneeId: 'ada', dueDate: '2027-01-31' }
  const { item } = await call('create_item', assigned)
  for (const filters of [
    { projectId, column: 'To Do', assigneeId: 'ada' },
    { projectId: [projectId], column: ['To Do'], assigneeId: ['ada', 'bob'] },
  ])
    t.match(await call('find_items', filters), { items: [{ id: item.id, assigneeId: 'ada' }] })
  for (const none of ['', null]) {
    const cleared = await call('change_item', { itemId: item.id, assigneeId: none, dueDate: none })
    t.match(cleared.item, { assigneeId: null, dueDate: null }, `cleared by ${JSON.stringify(none)}`)
    await call('change_item', { itemId: item.id, assigneeId: 'ada', dueDate: '2027-01-31' })
  }
  t.match((await call('create_item', { projectId, title: 'Free', assigneeId: '' })).item, {
    assigneeId: null,
  })
})

t.test('a key belongs to the calls of one tool', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { call, refused } = await overHttp(t, url)
  await call('create_item', { projectId, title: 'Once' })
  const { item } = await call('claim', { projectId })
  const ofItem = { itemId: item.id, idempotencyKey: 'one-for-all' }
  await call('renew', ofItem)
  t.match(await refused('release', ofItem), { status: 422 })
})

t.test('a repeated finish returns the same, also after its item was deleted', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { call, refused } = await overHttp(t, url)
  const { item } = await call('create_item', { projectId, title: 'Once' })
  const once = { itemId: item.id, idempotencyKey: 'k' }
  const finished = await call('finish', once)
  t.equal((await send(app, 'DELETE', `/api/kanban-items/${item.id}`)).status, 200)
  t.strictSame(await call('finish', once), { ...finished, replayed: true })
  t.match(await refused('finish', { ...once, comment: 'Done' }), { status: 422 })
  t.match(await refused('finish', { ...once, idempotencyKey: 'other' }), { status: 404 })
})

t.test('writes can be repeated, dry-run and undone', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { call, refused } = await overHttp(t, url)
  const once = { projectId, title: 'Once', idempotencyKey: 'k' }
  const { item, seq } = await call('create_item', once)
  t.match(await call('create_item', once), { item: { id: item.id }, seq, replayed: true })
  t.match(await refused('create_item', { ...once, title: 'Twice' }), { status: 422, next: /new key/ })

  const requests = [
    { method: 'PATCH', path: `/api/kanban-items/${item.id}`, body: { title: 'Tried' }, as: 'tried' },
    {
      method: 'POST',
      path: '/api/kanban-items/{{tried.id}}/comments',
      body: { content: 'Of {{tried.title}}' },
    },
  ]
  t.match(await call('batch', { requests, dryRun: true }), {
    results: [{ body: { title: 'Tried' } }, { body: { content: 'Of Tried' } }],
    dryRun: true,
  })
  const after = await call('read_item', { itemId: item.id })
  t.match(after, { item: { title: 'Once' }, comments: [] }, 'nothing of it was kept')
  t.match(
    await refused('batch', { requests: [...requests, { method: 'POST', path: '/api/projects', body: {} }] }),
    {
      status: 400,
      request: 2,
    },
  )
  const strict = {
    method: 'POST',
    path: `/api/projects/${projectId}/kanban-items`,
    body: { titel: 'x', title: 'y' },
  }
  t.match(await refused('batch', { requests: [strict] }), {
    details: { fieldErrors: { titel: ['is unknown'] } },
  })

  await call('batch', { requests: [{ method: 'POST', path: `/api/changes/${seq}/undo` }] })
  t.equal((await refused('read_item', { itemId: item.id })).status, 404)
})

t.test('large results are truncated', async (t) => {
  const { app, url } = await serve(t, { bodyLimit: 20_000_000 })
  const { id: projectId } = await createProject(app, { nextStep: 'x'.repeat(600) })
  const { call, refused } = await overHttp(t, url)
  t.match(await call('list_projects'), { projects: [{ nextStep: /^x{500}$/ }], notes: [/nextStep/] })

  const metadata = { deep: 'y'.repeat(5000) }
  const item = await createItem(app, projectId, { metadata })
  t.match(await call('read_item', { itemId: item.id }), { notes: [/metadata/] })
  t.strictSame((await call('read_item', { itemId: item.id, textLimit: 9000 })).item.metadata, metadata)
  const comment = {
    method: 'POST',
    path: `/api/kanban-items/${item.id}/comments`,
    body: { content: 'z'.repeat(10_000) },
  }
  const posted = await call('batch', { requests: Array.from({ length: 200 }, () => comment) })
  t.match(posted.notes, [/Not all bodies/])
  t.strictSame(Object.keys(posted.results.at(-1).body), ['id'])
  for (let round = 0; round < 2; round++) {
    await call('batch', { requests: Array.from({ length: 200 }, () => comment) })
  }
  const read = await call('read_item', { itemId: item.id, textLimit: 10_000 })
  t.match(read, { comments: [], notes: [/comments has too many entries.*GET \/api/] })

  const list = { method: 'GET', path: `/api/kanban-items/${item.id}/comments` }
  t.match(await call('batch', { requests: [list] }), { results: [], notes: [/too large to show/] })
  t.match(await refused('batch', { requests: Array(4).fill(list) }), { status: 413, next: /split/ })

  const steps = Array.from({ length: 50 }, (_, index) => `Step ${index}`)
  for (let round = 0; round < 5; round++) await call('change_item', { itemId: item.id, addSubtasks: steps })
  const stepped = await call('read_item', { itemId: item.id })
  t.equal(stepped.item.subtasks.length, 200)
  t.match(stepped.notes, [/comments/, /metadata/, '50 more subtasks are not shown'])

  const actionItems = Array.from({ length: 60 }, (_, index) => `Task ${index}`)
  const taken = await call('ingest', {
    projectId,
    transcript: { title: 'Long', date: '2026-01-31', actionItems },
  })
  t.equal(taken.items.length, 50)
  t.match(taken.notes, [/60 items/])

  const columns = Array.from({ length: 40 }, (_, index) => ({
    method: 'POST',
    path: `/api/projects/${projectId}/kanban-columns`,
    body: { name: `Column ${index}` },
  }))
  await call('batch', { requests: columns })
  const board = await call('read_board', { projectId })
  t.equal(board.columns.length, 30)
  t.match(board.notes, [/14 more columns/])
})

t.test('boards are resources', async (t) => {
  const { app, url } = await serve(t)
  const { id } = await createProject(app, { name: 'Apollo' })
  await createItem(app, id, { title: 'Land' })
  const { client } = await overHttp(t, url)
  const { resources } = await client.listResources()
  t.match(resources, [{ uri: `phaseboard://projects/${id}`, title: 'Apollo', mimeType: 'application/json' }])
  const { resourceTemplates } = await client.listResourceTemplates()
  t.match(resourceTemplates, [
    { uriTemplate: 'phaseboard://projects/{id}' },
    { uriTemplate: 'phaseboard://attachments/{id}' },
  ])
  const { contents } = await client.readResource({ uri: `phaseboard://projects/${id}` })
  const [content] = contents as { text: string }[]
  t.match(JSON.parse(content?.text ?? ''), { projectId: id, columns: [{ items: [{ title: 'Land' }] }] })
  for (const uri of [
    'phaseboard://projects/none',
    'phaseboard://projects/%zz',
    'phaseboard://attachments/none',
    'phaseboard://attachments/',
    'file:///etc/passwd',
  ]) {
    await t.rejects(client.readResource({ uri }), { code: -32002 }, uri)
  }
  await t.rejects(client.listResources({ cursor: 'nonsense' }), { code: -32602 })
  await t.rejects(client.callTool({ name: 'format_disk' }), { code: -32602 })
  for (let index = 0; index < 100; index++) await createProject(app, { name: `P${index}` })
  const { nextCursor = '' } = await client.listResources()
  t.equal((await client.listResources({ cursor: nextCursor })).resources.length, 1)
})

t.test('an internal error does not show its cause', async (t) => {
  const { app, url } = await serve(t)
  const { id } = await createProject(app)
  const { client, refused } = await overHttp(t, url)
  app.db.$client.exec('pragma legacy_alter_table = on; alter table kanban_columns rename to broken')
  const failure = await refused('read_board', { projectId: id })
  t.match(failure, { status: 500, error: 'Failed to fetch kanban columns' })
  t.notMatch(JSON.stringify(failure), /broken|no such table/)
  await t.rejects(client.readResource({ uri: `phaseboard://projects/${id}` }), {
    code: -32603,
    message: /Failed to fetch kanban columns/,
  })
})

t.test('an internal error outside of the requests has no other cause either', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { refused } = await overHttp(t, url)
  app.db.$client.exec('alter table idempotency_keys rename to broken')
  const failure = await refused('create_item', { projectId, title: 'Once', idempotencyKey: 'k' })
  t.match(failure, { status: 500, error: 'Internal server error' })
  t.notMatch(JSON.stringify(failure), /broken|no such table/)
})

t.test('a claimed item that is too large to return is still claimed', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { id } = await createItem(app, projectId, { approved: true })
  // Imported descriptions may have any length.
  app.db.$client
    .prepare('update kanban_items set description = ? where id = ?')
    .run('x'.repeat(5_000_000), id)
  const { call } = await overHttp(t, url)
  const claimed = await call('claim', { projectId })
  t.match(claimed, { seq: Number, notes: [/Claimed, but .* too large/] })
  t.notOk('item' in claimed)
  t.strictSame((await call('claim', { projectId })).item, null)
})

t.test('an item of a board without columns is not finished', async (t) => {
  const { app, url } = await serve(t)
  const { id: projectId } = await createProject(app)
  const { id: itemId } = await createItem(app, projectId)
  app.db.$client.exec('delete from kanban_columns')
  const { refused } = await overHttp(t, url)
  t.match(await refused('finish', { itemId }), { status: 409, error: 'The board has no column' })
})

t.test('tools that add something on each call are not marked as idempotent', async (t) => {
  const { url } = await serve(t)
  const { client } = await overHttp(t, url)
  const { tools } = await client.listTools()
  const repeatable = tools.filter(({ annotations }) => annotations?.idempotentHint).map(({ name }) => name)
  for (const name of ['create_item', 'change_item', 'comment', 'claim', 'finish', 'batch', 'ingest']) {
    t.notOk(repeatable.includes(name), name)
  }
})
