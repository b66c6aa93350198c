/** POST /api/batch: several requests in one transaction, each handled by its own route. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Batched, comparable, dump, EMPTYING, seeding, sendBatch } from '../batches.ts'
import {
  type App,
  breakTable,
  build,
  count,
  createItem,
  createProject,
  invalid,
  long,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'
import { rounds, steady } from '../rounds.ts'

const PROJECT: Batched = { method: 'POST', path: '/api/projects', body: { name: 'Apollo' }, as: 'p' }
const itemOf = (body: object, as?: string): Batched => ({
  method: 'POST',
  path: '/api/projects/{{p.id}}/kanban-items',
  body,
  ...(as && { as }),
})

/** The details of a failed validation of one request. */
const invalidIn = (request: number, fieldErrors: Record<string, string[]>, formErrors: string[] = []) => ({
  error: 'Validation failed',
  details: { request, formErrors, fieldErrors },
})

t.test("requests run in order, and see the earlier ones' writes", async (t) => {
  const app = await build(t)
  const { status, body, headers } = await sendBatch(app, [
    PROJECT,
    itemOf({ title: 'Card' }, 'card'),
    { method: 'POST', path: '/api/kanban-items/{{card.id}}/subtasks', body: { title: 'of {{card.title}}' } },
    { method: 'PATCH', path: '/api/kanban-items/{{card.id}}', body: { column: 'Done' } },
    { method: 'GET', path: '/api/kanban-items/{{card.id}}' },
    { method: 'GET', path: '/api/kanban-items/{{card.id}}/watch' },
    { method: 'GET', path: '/api/projects/{{p.id}}/kanban-items?column=Done&limit=1' },
    { method: 'GET', path: '/api/projects/{{p.id}}' },
    { method: 'GET', path: '/api/projects' },
    { method: 'GET', path: '/api/projects?view=summary&limit=5' },
    { method: 'GET', path: '/api/search?q={{card.title}}' },
    { method: 'GET', path: '/api/kanban-items/{{card.id}}/activity' },
    { method: 'DELETE', path: '/api/kanban-items/{{card.id}}' },
  ])
  t.equal(status, 200)
  t.equal(body.dryRun, false)
  t.strictSame(
    body.results.map((result: { status: number }) => result.status),
    [201, 201, 201, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
  )
  const [
    project,
    card,
    subtask,
    changed,
    got,
    watch,
    listed,
    whole,
    all,
    summaries,
    found,
    activity,
    deleted,
  ] = body.results.map((result: { body: unknown }) => result.body)
  t.equal(card.projectId, project.id)
  t.equal(subtask.title, 'of Card')
  t.equal(changed.column, 'Done')
  const now = { ...changed, subtasks: [subtask] }
  t.strictSame(got, now)
  t.strictSame(watch, { watching: true }, 'who makes an item watches it at once')
  t.strictSame(listed, [now])
  t.strictSame(whole.kanbanItems, [now])
  t.strictSame(all, [whole])
  t.match(summaries, [{ counts: { kanbanItems: 1 } }])
  t.match(found.results, [{ kind: 'kanban-item', id: card.id }])
  t.match(activity, [{ type: 'status_change', metadata: { from: 'To Do', to: 'Done' } }])
  t.strictSame(deleted, { success: true })

  const changes = app.db.$client.prepare('select seq, "group", actor_id from changes order by seq').all() as {
    seq: number
    group: number
    actor_id: string
  }[]
  t.ok(changes.length > 8)
  t.strictSame([...new Set(changes.map(({ group }) => group))], [changes[0]?.seq], 'one group')
  t.strictSame([...new Set(changes.map(({ actor_id }) => actor_id))], ['local'])
  t.equal(headers['phaseboard-seq'], String(changes.at(-1)?.seq))
  t.equal(headers['cache-control'], 'no-store')
  const only = await sendBatch(app, [{ method: 'GET', path: '/api/projects' }])
  t.equal(only.headers['phaseboard-seq'], undefined, 'nothing is changed by reading')
})

t.test('reads after a batch see its writes, despite caches', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  await send(app, 'GET', '/api/projects')
  const url = `/api/projects/${project.id}`
  await sendBatch(app, [
    { method: 'PATCH', path: url, body: { name: 'Gemini' } },
    { method: 'POST', path: `${url}/kanban-items`, body: { title: 'Card' } },
  ])
  t.match((await send(app, 'GET', '/api/projects')).body, [
    { name: 'Gemini', kanbanItems: [{ title: 'Card' }] },
  ])
})

t.test('the first failure rolls back all, and the response names it', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const url = `/api/projects/${project.id}`
  const column = (await send(app, 'GET', `${url}/kanban-columns`)).body[0]
  await send(app, 'PATCH', `/api/kanban-columns/${column.id}`, { wipLimit: 1, wipPolicy: 'block' })
  const item = await createItem(app, project.id)
  const before = dump(app)
  const first: Batched = { method: 'PATCH', path: url, body: { name: 'Gemini' } }
  for (const [request, status, body] of [
    [
      { method: 'POST', path: `${url}/kanban-items`, body: { title: '' } },
      400,
      invalidIn(1, { title: ['must NOT have fewer than 1 characters'] }),
    ],
    [{ method: 'POST', path: `${url}/kanban-items` }, 500, 'Failed to create kanban item'],
    [{ method: 'GET', path: `${url}/kanban-items?limit=0` }, 400, invalidIn(1, { limit: ['must be >= 1'] })],
    [{ method: 'GET', path: '/api/teams/none' }, 404, 'Team not found'],
    [{ method: 'PATCH', path: '/api/kanban-items/none', body: { title: 5 } }, 404, 'Kanban item not found'],
    [
      {
        method: 'PATCH',
        path: '/api/kanban-items',
        body: { ids: [item.id, 'none'], update: { isNew: true } },
      },
      404,
      { error: 'Kanban item not found', details: { request: 1, missing: ['none'] } },
    ],
    [
      { method: 'POST', path: `${url}/kanban-items`, body: { title: 'x' } },
      409,
      'Column is at its WIP limit',
    ],
    [{ method: 'DELETE', path: url }, 403, 'Forbidden: admin access required'],
    [{ method: 'PATCH', path: url, body: { name: 'x' }, ifMatch: '"none"' }, 412, 'Precondition failed'],
    [{ method: 'GET', path: '/api/nowhere' }, 404, 'Not found'],
    [{ method: 'PUT', path: url, body: {} }, 405, 'Method not allowed'],
    [{ method: 'DELETE', path: '/api/kanban-subtasks/none' }, 500, 'Internal server error'],
  ] as const) {
    const answer = await sendBatch(app, [first, request, first])
    const expected = typeof body === 'string' ? { error: body, details: { request: 1 } } : body
    t.strictSame([answer.status, answer.body], [status, expected], `${request.method} ${request.path}`)
    t.equal(answer.headers['phaseboard-seq'], undefined)
    if (status === 405) t.equal(answer.headers.allow, 'GET, PATCH, DELETE')
    if (status === 412) t.type(answer.headers.etag, 'string')
    t.strictSame(dump(app), before)
  }
})

t.test('an unexpected failure has the message of its route', async (t) => {
  const app = await build(t)
  breakTable(app, 'metrics')
  const project = await sendBatch(app, [{ method: 'POST', path: '/api/teams', body: { name: 'x' } }])
  t.strictSame(project.body, { error: 'Forbidden: admin access required', details: { request: 0 } })
  const answer = await sendBatch(app, [
    { method: 'POST', path: '/api/personal-ideas', body: { title: 'x' } },
    { method: 'GET', path: '/api/metrics/x' },
  ])
  t.strictSame(
    [answer.status, answer.body],
    [500, { error: 'Failed to fetch metric', details: { request: 1 } }],
  )
  t.equal(count(app, 'personal_ideas'), 0)
})

t.test('a failed commit is the failure of the batch, not of a request', async (t) => {
  const app = await build(t)
  app.db.$client.exec(
    'create temp trigger late before update on changes begin select raise(abort, "late"); end',
  )
  const answer = await sendBatch(app, [PROJECT])
  t.strictSame([answer.status, answer.body], [500, { error: 'Failed to run batch' }])
})

t.test('a dry run returns the same, and stores nothing', async (t) => {
  const app = await build(t)
  await createProject(app)
  const before = dump(app)
  const requests = [PROJECT, itemOf({ title: 'Card' }), { method: 'GET', path: '/api/projects' }]
  const tried = await sendBatch(app, requests, { 'idempotency-key': 'try' }, { dryRun: true })
  t.equal(tried.status, 200)
  t.equal(tried.headers['phaseboard-seq'], undefined)
  t.strictSame(dump(app), before)
  t.equal((await send(app, 'GET', '/api/projects')).body.length, 1)
  const done = await sendBatch(app, requests, {}, { dryRun: false })
  t.type(done.headers['phaseboard-seq'], 'string')
  const bodies = ({ results }: { results: { body: unknown }[] }) =>
    comparable(results.map(({ body }) => body))
  t.strictSame(bodies(done.body), bodies(tried.body))
  t.equal(tried.body.dryRun, true)
  const refused = await sendBatch(app, [{ method: 'GET', path: '/api/teams/x' }], {}, { dryRun: true })
  t.strictSame([refused.status, refused.body], [404, { error: 'Team not found', details: { request: 0 } }])
})

t.test('a repetition changes nothing, and gets the same bytes', async (t) => {
  const app = await build(t)
  const requests = [
    PROJECT,
    ...Array.from({ length: 50 }, (_, index) => itemOf({ title: `${index}`, description: long(150) })),
  ]
  const key = { 'idempotency-key': 'once' }
  const first = await sendBatch(app, requests, key)
  t.equal(first.status, 200)
  const inOne: Batched = { method: 'GET', path: `/api/projects/${first.body.results[0].body.id}` }
  const again = await sendBatch(app, requests, key)
  t.equal(again.headers['idempotent-replayed'], 'true')
  t.equal(again.headers['phaseboard-seq'], first.headers['phaseboard-seq'])
  t.strictSame(again.body, first.body)
  t.equal(count(app, 'projects'), 1)
  const other = await sendBatch(app, requests, key, { dryRun: true })
  t.strictSame([other.status, other.body], [422, { error: 'Idempotency-Key was used for another request' }])
  const change: Batched = { method: 'PATCH', path: inOne.path, body: { nextStep: 'Go' } }
  const large = await sendBatch(app, [inOne, inOne, inOne, change], { 'idempotency-key': 'large' })
  const replayed = await sendBatch(app, [inOne, inOne, inOne, change], { 'idempotency-key': 'large' })
  t.equal(large.status, 200)
  t.strictSame([replayed.status, replayed.body], [409, { error: 'Already done' }])
})

t.test('results have the ETags of their records, and ifMatch checks them', async (t) => {
  const app = await build(t)
  const { body } = await sendBatch(app, [PROJECT, itemOf({ title: 'Card' }), itemOf({ title: 'Other' })])
  const [project, card, other] = body.results
  const direct = await send(app, 'GET', `/api/kanban-items/${card.body.id}`)
  t.equal(card.etag, direct.headers.etag)
  const path = `/api/kanban-items/${card.body.id}`
  const change = (ifMatch: string): Batched => ({ method: 'PATCH', path, body: { title: 'New' }, ifMatch })
  t.equal((await sendBatch(app, [change(other.etag)])).status, 412)
  t.equal((await sendBatch(app, [change(`W/${card.etag}`)])).status, 412)
  t.equal((await sendBatch(app, [change(`"x", ${card.etag}`)])).status, 200)
  t.equal((await sendBatch(app, [change('*')])).status, 200)
  const twice = await sendBatch(app, [change(card.etag), change(card.etag)])
  t.equal(twice.status, 412, 'the ETag of before is not that of now')
  const read = await sendBatch(app, [{ method: 'GET', path: `/api/projects/${project.body.id}` }])
  t.equal(
    read.body.results[0].etag,
    (await send(app, 'GET', `/api/projects/${project.body.id}`)).headers.etag,
  )
  // A batch is not a record, so no ETag matches it.
  t.equal((await sendBatch(app, [change('*')], { 'if-match': '"none"' })).status, 412)
  t.equal((await sendBatch(app, [change('*')], { 'if-match': '*' })).status, 200)
})

t.test('placeholders are replaced by values of fields, with their types', async (t) => {
  const app = await build(t)
  const { body } = await sendBatch(app, [
    { ...PROJECT, body: { name: 'a/b?c d', metadata: { deep: [{ er: 7 }], yes: true, none: null, e: 'é' } } },
    {
      method: 'POST',
      path: '/api/projects/{{p.id}}/kanban-labels',
      body: { name: '{{p.name}}' },
      as: 'l_1-x',
    },
    itemOf({
      title: '{{p.metadata.deep.0.er}} {{p.metadata.yes}} {{p.metadata.e}} {{p.name}}{{p.name}}',
      sortOrder: '{{p.metadata.deep.0.er}}',
      dueDate: '{{p.metadata.none}}',
      isNew: '{{p.metadata.yes}}',
      metadata: { nested: ['{{p.metadata.deep}}', { '{{p.name}}': '{{p.phaseConfig.0}}' }] },
      description: '{{p}} {{ p.id }} {{p.}} {{.id}} {p.id} {{0p.id}} {{p.id}',
    }),
    { method: 'GET', path: '/api/projects/{{p.id}}/kanban-items?label={{l_1-x.name}}', as: 'list' },
    { method: 'GET', path: '/api/search?q={{list.0.id}}'.replace('{{list.0.id}}', '{{p.name}}') },
  ])
  const item = body.results[2].body
  t.match(item, {
    title: '7 true é a/b?c da/b?c d',
    sortOrder: 7,
    dueDate: null,
    isNew: true,
    metadata: { nested: [[{ er: 7 }], { '{{p.name}}': { name: 'Discovery' } }] },
    description: '{{p}} {{ p.id }} {{p.}} {{.id}} {p.id} {{0p.id}} {{p.id}',
  })
  t.equal(body.results[1].body.name, 'a/b?c d')
  t.strictSame(body.results[3].body, [], 'encoded, it is one value of the query')
})

t.test('an invalid placeholder is a 400 of its request', async (t) => {
  const app = await build(t)
  const start: Batched = { ...PROJECT, body: { name: 'x', metadata: { list: [1], text: 'abc', none: null } } }
  for (const [placeholder, message] of [
    ['{{q.id}}', 'is of no earlier result'],
    ['{{second.id}}', 'is of no earlier result'],
    ['{{p.constructor}}', 'is no field of that result'],
    ['{{p.__proto__}}', 'is no field of that result'],
    ['{{p.toString.name}}', 'is no field of that result'],
    ['{{p.nothing}}', 'is no field of that result'],
    ['{{p.id.length}}', 'is no field of that result'],
    ['{{p.metadata.list.length}}', 'is no field of that result'],
    ['{{p.metadata.list.1}}', 'is no field of that result'],
    ['{{p.metadata.none.x}}', 'is no field of that result'],
    ['{{p.metadata.text.0}}', 'is no field of that result'],
    ['{{p.metadata..list}}', 'is no field of that result'],
  ] as const) {
    for (const [request, field] of [
      [{ method: 'GET', path: `/api/teams/${placeholder}` }, 'path'],
      [{ ...itemOf({ title: 'x', metadata: { a: [placeholder] } }), as: 'second' }, 'metadata'],
      [{ ...itemOf({ title: `a ${placeholder}` }), as: 'second' }, 'title'],
    ] as const) {
      const { status, body } = await sendBatch(app, [start, request])
      t.strictSame([status, body], [400, invalidIn(1, { [field]: [`${placeholder} ${message}`] })])
    }
  }
  for (const field of ['metadata', 'metadata.none', 'metadata.list']) {
    const { status, body } = await sendBatch(app, [start, itemOf({ title: `a {{p.${field}}}` })])
    const message = `{{p.${field}}} is no text or number`
    t.strictSame([status, body], [400, invalidIn(1, { title: [message] })], field)
  }
  t.equal(count(app, 'projects'), 0)
})

t.test('the whole batch is validated before anything runs', async (t) => {
  const app = await build(t)
  const read = { method: 'GET', path: '/api/projects' }
  const cases: [body: object, details?: Record<string, string[]>][] = [
    [{ requests: [] }, { requests: ['must NOT have fewer than 1 items'] }],
    [{ requests: Array(201).fill(read) }, { requests: ['must NOT have more than 200 items'] }],
    [{ requests: [{ ...read, method: 'HEAD' }] }],
    [{ requests: [{ ...read, body: [] }] }, { requests: ['requests[0].body must be object'] }],
    [{ requests: [{ ...read, body: null }] }, { requests: ['requests[0].body must be object'] }],
    [{ requests: [{ ...read, as: 'a b' }] }],
    [{ requests: [{ ...read, as: 'x'.repeat(51) }] }],
    [{ requests: [{ method: 'GET' }] }, { requests: ['requests[0].path is required'] }],
    [
      { requests: [read, { ...read, as: 'a' }, { ...read, as: 'a' }] },
      { requests: ['must NOT have two elements with the same as'] },
    ],
    [{ requests: [read], dryRun: 'yes' }, { dryRun: ['must be boolean'] }],
    [{}],
  ]
  for (const [body, details] of cases) {
    const answer = await send(app, 'POST', '/api/batch', body)
    t.equal(answer.status, 400)
    if (details) t.strictSame(answer.body, invalid(details))
  }
  t.equal((await sendBatch(app, Array(200).fill(read))).body.results.length, 200)
  t.match((await send(app, 'POST', '/api/batch', '{oops')).body, { error: 'Failed to run batch' })
})

t.test('only operations under /api are possible', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  const begin = invalidIn(0, { path: ['must begin with /api/'] })
  for (const path of [
    '',
    '/',
    '/docs',
    '/healthz',
    '/openapi.json',
    'api/projects',
    '//evil.example/api/projects',
    'http://evil.example/api/projects',
    '/%61pi/projects',
    '/./api/projects',
    '{{p.id}}',
  ]) {
    const { status, body } = await sendBatch(app, [{ method: 'GET', path }])
    if (path.startsWith('{{')) t.equal(status, 400)
    else t.strictSame([status, body], [400, begin], path)
  }
  for (const path of [
    '/api/../healthz',
    '/api//projects',
    '/api/projects/x/../..',
    '/api/',
    '/api/%2e%2e/healthz',
    '/api/projects%2f',
    '/api/projects\r\nx: y',
  ]) {
    const { status, body } = await sendBatch(app, [{ method: 'GET', path }])
    t.strictSame([status, body], [404, { error: 'Not found', details: { request: 0 } }], path)
  }
  for (const path of ['/api/projects/a%2Fb', '/api/projects/%', '/api/projects/%zz%20', '/api/projects/..']) {
    const { status, body } = await sendBatch(app, [{ method: 'GET', path }])
    t.strictSame([status, body.error], [404, 'Project not found'], path)
  }
  const encoded = await sendBatch(app, [{ method: 'GET', path: '/api/%70rojects' }])
  t.equal(encoded.status, 200, 'as the server finds it')
  for (const path of [
    '/api/batch',
    '/api/session',
    '/api/tokens',
    '/api/tokens/x',
    '/api/batch?x',
    '/api/batch#x',
  ]) {
    const { status } = await sendBatch(app, [
      { method: path.includes('batch') ? 'POST' : 'GET', path, body: {} },
    ])
    t.equal(status, 400, path)
  }
})

t.test('a batch has the rights of its sender', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const member = signInAs(app, 'member')
  const viewer = signInAs(app, 'viewer')
  const read = { method: 'GET', path: '/api/projects' }
  const idea = (await send(app, 'POST', '/api/personal-ideas', { title: 'Mine' }, member.headers)).body
  const own = { method: 'PATCH', path: `/api/personal-ideas/${idea.id}`, body: { title: 'Yours' } }
  for (const [headers, request, status, error] of [
    [{}, read, 401, 'Authentication required'],
    [tokenOf(app, member.id, { scope: 'read' }), read, 200, undefined],
    [tokenOf(app, viewer.id, { scope: 'read' }), read, 200, undefined],
    [tokenOf(app, member.id, { scope: 'read' }), PROJECT, 403, 'Forbidden: read-only token'],
    [tokenOf(app, member.id, { scope: 'calendar' }), read, 401, 'Authentication required'],
    [viewer.headers, read, 200, undefined],
    [viewer.headers, { ...PROJECT }, 403, 'Forbidden: read-only role'],
    [viewer.headers, own, 404, 'Personal idea not found'],
    [admin.headers, { ...read, path: `/api/personal-ideas?ownerId=${member.id}` }, 200, undefined],
    [
      member.headers,
      { ...read, path: `/api/personal-ideas?ownerId=${admin.id}` },
      403,
      "Forbidden: another member's ideas",
    ],
    [member.headers, { ...read, path: '/api/audit-log' }, 403, 'Forbidden: admin access required'],
    [
      member.headers,
      { method: 'PATCH', path: `/api/members/${admin.id}`, body: {} },
      403,
      'Forbidden: admin access required',
    ],
    [
      member.headers,
      { method: 'PATCH', path: `/api/members/${member.id}`, body: { role: 'admin' } },
      403,
      'Forbidden: admin access required',
    ],
    [
      member.headers,
      { method: 'PATCH', path: `/api/members/${member.id}`, body: { name: 'New' } },
      200,
      undefined,
    ],
    [admin.headers, { method: 'POST', path: '/api/teams', body: { name: 'Crew' } }, 200, undefined],
    [admin.headers, own, 200, undefined],
  ] as const) {
    const answer = await sendBatch(app, [request], headers)
    t.strictSame([answer.status, answer.body.error], [status, error], `${request.method} ${request.path}`)
  }
  const foreign = await sendBatch(app, [PROJECT], { ...admin.headers, origin: 'https://evil.example' })
  t.equal(foreign.status, 403)
  t.equal(count(app, 'projects'), 0)
})

/** A service on its own file, with another tool's connection to it. */
async function buildOnFile(t: Test) {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${file}`, adminPassword: 'correct horse' })
  const other = new SQLite(file)
  t.teardown(() => other.close())
  return { app, other, headers: signInAs(app, 'admin').headers }
}

t.test('a batch of reads takes no lock, and waits for none', async (t) => {
  const { app, other, headers } = await buildOnFile(t)
  const { body: project } = await send(app, 'POST', '/api/projects', { name: 'Apollo' }, headers)
  other.exec('begin immediate')
  const read: Batched = { method: 'GET', path: `/api/projects/${project.id}` }
  // The event loop reads small results, the worker thread large ones.
  for (const many of [3, 150]) {
    const { status, body, headers: said } = await sendBatch(app, Array(many).fill(read), headers)
    t.equal(status, 200)
    t.strictSame(
      body.results,
      Array(many).fill({ status: 200, body: project, etag: said.etag ?? body.results[0].etag }),
    )
    t.equal(said['phaseboard-seq'], undefined)
  }
  const dry = await sendBatch(app, [read], headers, { dryRun: true })
  t.match(dry.body, { results: [{ status: 200 }], dryRun: true })
  const none: Batched = { method: 'GET', path: '/api/projects/none' }
  for (const before of [1, 150]) {
    const missing = await sendBatch(app, [...Array(before).fill(read), none, read], headers)
    t.strictSame(
      [missing.status, missing.body],
      [404, { error: 'Project not found', details: { request: before } }],
    )
  }
  const unmatched = await sendBatch(app, [read], { ...headers, 'if-match': '"x"' })
  t.equal(unmatched.status, 412, 'a batch is no record')
})

t.test('a read can use the result of another one by its name', async (t) => {
  const { app, headers } = await buildOnFile(t)
  const { body: project } = await send(app, 'POST', '/api/projects', { name: 'Apollo' }, headers)
  await createItem(app, project.id, { title: 'Card' }, headers)
  const chain = Array.from({ length: 60 }, (_, index): Batched[] => [
    { method: 'GET', path: `/api/projects/${project.id}`, as: `p${index}` },
    { method: 'GET', path: `/api/kanban-items/{{p${index}.kanbanItems.0.id}}` },
  ])
  const { status, body } = await sendBatch(app, chain.flat(), headers)
  t.equal(status, 200)
  t.equal(body.results.length, 120)
  t.equal(body.results.at(-1).body.title, 'Card')
  const wrong = await sendBatch(
    app,
    [...chain.flat(), { method: 'GET', path: '/api/projects/{{p9.none}}' }],
    headers,
  )
  t.strictSame([wrong.status, wrong.body.details.request], [400, 120])
})

t.test('the reads of a batch see one state', async (t) => {
  const { app, other, headers } = await buildOnFile(t)
  const { body: project } = await send(app, 'POST', '/api/projects', { name: '0' }, headers)
  const reads = Array<Batched>(200).fill({ method: 'GET', path: `/api/projects/${project.id}` })
  const write = other.prepare('update projects set name = ?')
  let name = 0
  for (let round = 0; round < rounds(2); round++) {
    let isAnswered = false
    const before = name
    const batch = sendBatch(app, reads, headers).finally(() => {
      isAnswered = true
    })
    do {
      write.run(`${++name}`)
      await new Promise((resolve) => setImmediate(resolve))
    } while (!isAnswered)
    const { status, body } = await batch
    t.equal(status, 200)
    const names = new Set(body.results.map((result: { body: { name: string } }) => result.body.name))
    t.equal(names.size, 1, 'all are of one state')
    t.ok(Number([...names][0]) >= before)
    t.ok(name > before + 1)
  }
})

t.test('a batch of reads is not stored for repetitions', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const requests: Batched[] = [{ method: 'GET', path: `/api/projects/${project.id}` }]
  const key = { 'idempotency-key': 'once' }
  t.match(await sendBatch(app, requests, key), { status: 200 })
  await send(app, 'PATCH', `/api/projects/${project.id}`, { name: 'New' })
  const again = await sendBatch(app, requests, key)
  t.match(again, { status: 200, body: { results: [{ body: { name: 'New' } }] } })
  t.equal(again.headers['idempotent-replayed'], undefined)
  t.equal(count(app, 'idempotency_keys'), 0)
})

t.test('a batch that writes names the failed request, at every stage', async (t) => {
  const { app, headers } = await buildOnFile(t)
  const writes = Array<Batched>(120).fill({ method: 'POST', path: '/api/projects', body: { name: 'X' } })
  const unknown: Batched = { method: 'PATCH', path: '/api/kanban-items/none', body: { title: 'X' } }
  const wrong: Batched = { method: 'POST', path: '/api/projects', body: {} }
  for (const [requests, status, request] of [
    [[...writes, unknown, wrong], 404, 120],
    [[...writes, wrong, unknown], 400, 120],
    [[unknown, ...writes, wrong], 404, 0],
  ] as const) {
    const answer = await sendBatch(app, requests, headers)
    t.strictSame([answer.status, answer.body.details.request], [status, request])
    t.equal(count(app, 'projects'), 0)
  }
  breakTable(app, 'personal_ideas')
  const idea: Batched = { method: 'POST', path: '/api/personal-ideas', body: { title: 'Fly' } }
  const broken = await sendBatch(app, [...writes, idea, ...writes.slice(0, 5)], headers)
  t.strictSame(
    [broken.status, broken.body],
    [500, { error: 'Failed to create personal idea', details: { request: 120 } }],
  )
})

t.test('strict handling of a batch applies to its requests', async (t) => {
  const app = await build(t)
  const strict = { prefer: 'handling=strict' }
  const typo: Batched = { method: 'POST', path: '/api/projects', body: { name: 'x', nextStepp: 'y' } }
  const refused = await sendBatch(app, [PROJECT, typo], strict)
  t.strictSame([refused.status, refused.body], [400, invalidIn(1, { nextStepp: ['is unknown'] })])
  const query = await sendBatch(app, [{ method: 'GET', path: '/api/projects?nonsense=1' }], strict)
  t.strictSame(query.body, invalidIn(0, { nonsense: ['is unknown'] }))
  const column = await sendBatch(app, [PROJECT, itemOf({ title: 'x', column: 'Dine' })], strict)
  t.equal(column.status, 400)
  t.equal((await sendBatch(app, [PROJECT, typo])).status, 200)
})

t.test('reads in a batch see its changes with their final numbers', async (t) => {
  const app = await build(t)
  const first = await createProject(app)
  const { body, headers } = await sendBatch(app, [
    PROJECT,
    { method: 'GET', path: '/api/projects/{{p.id}}/changes' },
  ])
  const [, told] = body.results
  const group = Number(told.body.at(-1).group)
  t.ok(
    told.body.every(
      (one: { group: number; actorId: string }) => one.group === group && one.actorId === 'local',
    ),
  )
  t.equal(headers['phaseboard-seq'], String(told.body[0].seq))
  const url = `/api/changes/${told.body[0].seq}/undo`
  const undoing: Batched[] = [
    { method: 'PATCH', path: `/api/projects/${first.id}`, body: { name: 'Other' } },
    { method: 'POST', path: url },
    { method: 'GET', path: '/api/changes?after=0&limit=1000' },
  ]
  t.equal((await sendBatch(app, undoing)).status, 403, 'a project goes by an admin')
  const undone = await sendBatch(app, undoing, signInAs(app, 'admin').headers)
  t.equal(undone.status, 200)
  const [patched, { body: answer }, { body: feed }] = undone.body.results
  t.equal(patched.body.name, 'Other')
  t.ok(answer.changes.every(({ action }: { action: string }) => action === 'deleted'))
  t.strictSame(feed.changes.at(-1), answer.changes.at(-1))
  t.equal(count(app, 'projects'), 1)
})

t.test('placeholders cannot multiply the size of a request', async (t) => {
  const app = await build(t, { bodyLimit: 100_000 })
  const big: Batched = { ...PROJECT, body: { name: 'x', description: long(90_000) } }
  const many = Array.from({ length: 60 }, () => ['{{p.description}}'])
  for (const body of [{ title: 'x', metadata: { many } }, { title: '{{p.description}}{{p.description}}' }]) {
    const { status, body: refused } = await sendBatch(app, [big, itemOf(body)])
    t.strictSame([status, refused], [413, { error: 'Payload Too Large', details: { request: 1 } }])
  }
  const path = `/api/teams/${'{{p.description}}'.repeat(2)}`
  t.equal((await sendBatch(app, [big, { method: 'GET', path }])).status, 413)
  const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  const deep = `{"requests":[{"method":"POST","path":"/api/projects","body":{"name":"x","unknown":${nested}}}]}`
  const refused = await send(app, 'POST', '/api/batch', deep)
  t.strictSame(refused.body, invalidIn(0, { unknown: ['must NOT be nested deeper than 200 levels'] }))
  t.equal(count(app, 'projects'), 0)
})

t.test('results that are too large, in total or to refer to, are refused', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const url = `/api/projects/${project.id}`
  for (let index = 0; index < 25; index++) await createItem(app, project.id, { description: long(100_000) })
  const read: Batched = { method: 'GET', path: `${url}/kanban-items`, as: 'list' }
  const requests = Array.from({ length: 8 }, (_, index) => ({ ...read, as: `list${index}` }))
  const answer = await sendBatch(app, [PROJECT, ...requests])
  t.strictSame([answer.status, answer.body], [413, { error: 'Batch is too large', details: { request: 7 } }])
  t.equal(count(app, 'projects'), 1)
  const referred = await sendBatch(app, [read, { method: 'GET', path: '/api/teams/{{list.0.id}}' }])
  t.strictSame(
    [referred.status, referred.body],
    [400, invalidIn(1, { path: ['{{list.0.id}} is of too large a result'] })],
  )
})

t.test("paths are relative to the host's prefix", async (t) => {
  const { default: Fastify } = await import('fastify')
  const { phaseboard } = await import('../../src/app.ts')
  const host = Fastify()
  t.teardown(() => host.close())
  host.get('/api/secret', async () => 'of the host')
  await host.register(phaseboard, {
    prefix: '/board',
    databaseUrl: ':memory:',
    resolveMember: async () => ({ id: 'host', role: 'member' as const }),
  })
  const batch = async (...requests: Batched[]) => {
    const { statusCode, body } = await host.inject({
      method: 'POST',
      url: '/board/api/batch',
      payload: { requests },
    })
    return [statusCode, JSON.parse(body)]
  }
  const [status, body] = await batch(PROJECT, itemOf({ title: 'Card' }))
  t.equal(status, 200)
  t.equal(body.results.length, 2)
  t.match(await batch({ method: 'GET', path: '/api/secret' }), [404, { error: 'Not found' }])
  t.match(await batch({ method: 'GET', path: '/board/api/projects' }), [400, {}])
})

/** The requests of a random batch. `{{rN.id}}` refers to the result of the Nth request. */
const arbitraryBatch = fc
  .array(fc.tuple(fc.nat(19), fc.nat(9), fc.nat(3)), { minLength: 1, maxLength: 12 })
  .map((choices) => {
    const made: { items: string[]; projects: string[] } = { items: ['item', 'second'], projects: ['project'] }
    return choices.map(([what, which, value], index): Batched => {
      const item = made.items[which % made.items.length]
      const project = made.projects[which % made.projects.length]
      const as = `r${index}`
      const column = ['To Do', 'Done', 'Full', 'New'][value]
      const at = `/api/kanban-items/${item}`
      const choice: Batched[] = [
        { method: 'POST', path: '/api/projects', body: { name: `P${value}` }, as },
        { method: 'POST', path: `/api/projects/${project}/kanban-items`, body: { title: 'x', column }, as },
        { method: 'POST', path: `/api/projects/${project}/kanban-items`, body: { title: 'y' }, as },
        { method: 'PATCH', path: at, body: { column, priority: 'high' } },
        { method: 'PATCH', path: at, body: { assigneeId: 'ada', sortOrder: value } },
        { method: 'POST', path: `${at}/move`, body: { column, position: 'top' } },
        { method: 'POST', path: `${at}/comments`, body: { content: `of ${item}` } },
        { method: 'POST', path: `${at}/subtasks`, body: { title: 'step' } },
        { method: 'PUT', path: `${at}/labels/label` },
        { method: 'GET', path: at },
        { method: 'GET', path: `/api/projects/${project}` },
        { method: 'GET', path: `/api/kanban-items?column=${encodeURIComponent(column ?? '')}` },
        {
          method: 'PATCH',
          path: '/api/kanban-items',
          body: { ids: ['item', 'third'], update: { dismissed: true } },
        },
        { method: 'PATCH', path: `/api/projects/${project}`, body: { nextStep: `${value}` } },
        {
          method: 'POST',
          path: '/api/ingest/metrics',
          body: { projectId: 'project', metrics: [{ name: 'Velocity', value }] },
        },
        { method: 'DELETE', path: at },
        { method: 'DELETE', path: '/api/kanban-columns/column?moveTo=Done' },
        { method: 'PATCH', path: '/api/personal-ideas/idea', body: { title: `t${value}` } },
        { method: 'PATCH', path: '/api/personal-ideas/secret', body: { title: 'x' } },
        { method: 'GET', path: '/api/search?q=card' },
      ]
      const request = choice[what] as Batched
      if (what === 0) made.projects.push(`{{${as}.id}}`)
      if (what === 1 || what === 2) made.items.push(`{{${as}.id}}`)
      return request
    })
  })

/** Sends requests one by one. @returns the results up to and including the first failure */
async function oneByOne(app: App, requests: readonly Batched[]) {
  const ids = new Map<string, string>()
  const results: { status: number; body: unknown }[] = []
  for (const { method, path, body, as } of requests) {
    const resolve = (text: string) =>
      text.replaceAll(/\{\{(r\d+)\.id\}\}/g, (_, name: string) => String(ids.get(name)))
    const sent = body === undefined ? undefined : JSON.parse(resolve(JSON.stringify(body)))
    const answer = await send(app, method, resolve(path), sent)
    if (answer.status >= 300) return { results, failed: answer }
    if (as) ids.set(as, answer.body.id)
    results.push({ status: answer.status, body: answer.body })
  }
  return { results }
}

t.test('a batch has the effect of its requests one by one, or none', async (t) => {
  const [batched, single] = await Promise.all([build(t), build(t)])
  // The records and the sequence begin anew each time, which it would not notice.
  for (const { notificationConsumer } of [batched, single]) await notificationConsumer.stop()
  let done = 0
  let undone = 0
  const numRuns = rounds(6)
  await fc.assert(
    fc.asyncProperty(arbitraryBatch, fc.boolean(), async (requests, dryRun) => {
      for (const app of [batched, single]) {
        app.db.$client.exec(`${EMPTYING} delete from members; delete from consumers;`)
        app.db.$client.exec(seeding('local'))
      }
      const before = dump(batched)
      const answer = await sendBatch(batched, requests, {}, { dryRun })
      const { results, failed } = await oneByOne(single, requests)
      if (failed === undefined) {
        done++
        const told = answer.body.results?.map(({ status, body }: { status: number; body: unknown }) => ({
          status,
          body,
        }))
        t.strictSame(comparable(told), comparable(results))
        // Sent one by one, each has its own group.
        const rows = ({ changes: _, sqlite_sequence: __, ...tables }: Record<string, unknown[]>) =>
          comparable(
            Object.entries(tables).filter(([name]) => !name.startsWith('search') && !/fts/.test(name)),
          )
        if (dryRun) t.strictSame(dump(batched), before)
        else t.strictSame(rows(dump(batched)), rows(dump(single)))
      } else {
        undone++
        t.strictSame(
          comparable([answer.status, answer.body.error, answer.body.details?.request]),
          comparable([failed.status, failed.body.error, results.length]),
        )
        t.strictSame(dump(batched), before)
      }
      return t.passing()
    }),
    { numRuns, ...steady },
  )
  t.ok(done > numRuns / 25 && undone > numRuns / 25, `${done} done, ${undone} undone`)
})
