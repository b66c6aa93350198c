import t from 'tap'
import { FOREIGN } from '../child-resource.ts'
import { jsonArray, number, ofOtherTypes, text } from '../field-contracts.ts'
import {
  type App,
  authenticationRequired,
  breakTable,
  build,
  count,
  createItem,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  readOnly,
  send,
  signInAs,
  stored,
} from '../helper.ts'
import { ITEM_DEFAULTS } from '../item-defaults.ts'
import { TABLES_OF_A_PROJECT } from '../kinds.ts'

const TRANSCRIPT = '/api/ingest/transcript'
const METRICS = '/api/ingest/metrics'
const DATE = '2026-01-31T00:00:00.000Z'
const noProject = { error: 'Project not found' }
const noTranscript = { error: 'Failed to ingest transcript' }
const noMetrics = { error: 'Failed to ingest metrics' }

/** An application with one project that has a card and a metric, and another one with a different metric of the same name. */
async function setUp(t: Parameters<typeof build>[0]) {
  const app = await build(t)
  const project = await createProject(app)
  const other = await createProject(app, { name: 'Gemini' })
  const item = await createItem(app, project.id, { sortOrder: 4.5 })
  const { body: foreign } = await send(app, 'POST', `/api/projects/${other.id}/metrics`, velocity)
  const { body: metric } = await send(app, 'POST', `/api/projects/${project.id}/metrics`, velocity)
  return { app, project, other, item, metric, foreign, projectId: project.id as string }
}
const velocity = { name: 'Velocity', value: 3, unit: 'points', category: 'delivery' }

/** The number of rows in each table of child records. */
const counts = (app: App) =>
  Object.fromEntries(TABLES_OF_A_PROJECT.map((table) => [table, count(app, table)]))

const projectOf = async (app: App, id: string) => (await send(app, 'GET', `/api/projects/${id}`)).body

/** Makes the n-th write to a table from now on fail. */
const failAt = (app: App, event: 'insert' | 'update', table: string, row: string) =>
  app.db.$client.exec(
    `create temp trigger refuse before ${event} on ${table} when ${row} begin select raise(abort, 'refused'); end`,
  )

t.test('a meeting creates its record, and an item at the end of To Do for each action item', async (t) => {
  const { app, item, other, projectId } = await setUp(t)
  await projectOf(app, projectId)
  const actionItems = ['Send the minutes', 'Book a room', 'Send the minutes']
  const { status, body } = await send(app, 'POST', TRANSCRIPT, {
    projectId,
    title: 'Kick-off',
    date: '2026-01-31T01:00:00+01:00',
    summary: 'All went well.',
    participants: ['Ada', 'Bob'],
    actionItems,
    sourceFile: 'kick-off.vtt',
  })
  t.equal(status, 201)
  t.strictSame(Object.keys(body), ['transcript', 'kanbanItems'])
  const { transcript, kanbanItems } = body
  t.strictSame(transcript, {
    id: transcript.id,
    projectId,
    title: 'Kick-off',
    date: DATE,
    summary: 'All went well.',
    participants: ['Ada', 'Bob'],
    actionItems,
    sourceFile: 'kick-off.vtt',
    createdAt: transcript.createdAt,
    updatedAt: transcript.createdAt,
  })
  t.strictSame(
    kanbanItems,
    actionItems.map((title, index) => ({
      id: kanbanItems[index].id,
      projectId,
      ...ITEM_DEFAULTS,
      number: index + 2,
      title,
      sortOrder: 5.5 + index,
      source: 'transcript',
      sourceId: transcript.id,
      isNew: true,
      approved: false,
      createdAt: kanbanItems[index].createdAt,
      updatedAt: kanbanItems[index].createdAt,
    })),
  )
  const project = await projectOf(app, projectId)
  t.strictSame(project.transcriptSummaries, [transcript], 'the project shows the record at once')
  t.strictSame(project.kanbanItems, [item, ...kanbanItems], 'and the items')
  t.strictSame((await send(app, 'GET', `/api/transcript-summaries/${transcript.id}`)).body, transcript)
  t.strictSame((await send(app, 'GET', `/api/kanban-items/${kanbanItems[2].id}`)).body, kanbanItems[2])
  t.equal(count(app, 'kanban_activity'), 0, 'nothing changed from what was stored')
  t.strictSame((await projectOf(app, other.id)).kanbanItems, [])
})

t.test('a title and a date are enough, and create no item', async (t) => {
  const { app, item, projectId } = await setUp(t)
  const { status, body } = await send(app, 'POST', TRANSCRIPT, { projectId, title: 'x', date: '2026-01-31' })
  t.equal(status, 201)
  const { id, createdAt, updatedAt } = body.transcript
  t.strictSame(body, {
    transcript: {
      id,
      projectId,
      title: 'x',
      date: DATE,
      summary: '',
      participants: [],
      actionItems: [],
      sourceFile: '',
      createdAt,
      updatedAt,
    },
    kanbanItems: [],
  })
  t.strictSame((await projectOf(app, projectId)).kanbanItems, [item])
})

t.test('action items are added in order, at the end of the column', async (t) => {
  const { app, projectId } = await setUp(t)
  const actionItems = Array.from({ length: 300 }, (_, index) => `Step ${index}`)
  for (const sortOrder of [undefined, 1e300]) {
    if (sortOrder !== undefined) await createItem(app, projectId, { sortOrder })
    const body = { projectId, title: 'x', date: '2026-01-31', actionItems: JSON.stringify(actionItems) }
    const answer = await send(app, 'POST', TRANSCRIPT, body)
    const titles = (items: { title: string }[]) => items.map(({ title }) => title)
    t.strictSame(titles(answer.body.kanbanItems), actionItems)
    t.strictSame(answer.body.transcript.actionItems, actionItems)
    t.strictSame(titles((await projectOf(app, projectId)).kanbanItems).slice(-300), actionItems)
  }
})

t.test('a missing To Do column is created again', async (t) => {
  const { app, item, projectId } = await setUp(t)
  await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
  app.db.$client.prepare("delete from kanban_columns where project_id = ? and name = 'To Do'").run(projectId)
  await send(app, 'POST', TRANSCRIPT, { projectId, title: 'x', date: '2026-01-31', actionItems: ['Go'] })
  t.equal(count(app, 'kanban_columns', "project_id = ? and name = 'To Do'", projectId), 1)
})

t.test('a strict request does not create a missing To Do column', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const [todo] = (await send(app, 'GET', `/api/projects/${project.id}/kanban-columns`)).body
  await send(app, 'PATCH', `/api/kanban-columns/${todo.id}`, { name: 'Backlog' })
  const strict = { prefer: 'handling=strict' }
  const meeting = { projectId: project.id, title: 'Weekly', date: '2027-01-18' }
  const refused = await send(
    app,
    'POST',
    '/api/ingest/transcript',
    { ...meeting, actionItems: ['Call'] },
    strict,
  )
  t.match(refused, {
    status: 400,
    body: {
      details: {
        fieldErrors: { actionItems: ['actionItems.column must be the name of a column of the project'] },
      },
    },
  })
  t.strictSame((await projectOf(app, project.id)).transcriptSummaries, [], 'nothing is stored')
  t.equal((await send(app, 'POST', '/api/ingest/transcript', meeting, strict)).status, 201, 'without items')
})

t.test('measurements update the metrics with their names as a PATCH does, or create them', async (t) => {
  const { app, metric, foreign, other, projectId } = await setUp(t)
  await projectOf(app, projectId)
  const { status, body } = await send(app, 'POST', METRICS, {
    projectId,
    metrics: [
      { name: 'Coverage', value: 97.5, unit: '%' },
      { name: 'Velocity', value: 2, category: 'pace' },
    ],
  })
  t.equal(status, 200)
  const [coverage, changed] = body
  t.strictSame(coverage, {
    id: coverage.id,
    projectId,
    name: 'Coverage',
    value: 97.5,
    unit: '%',
    category: '',
    trend: 'stable',
    history: [],
    createdAt: coverage.createdAt,
    updatedAt: coverage.createdAt,
  })
  t.strictSame(changed, {
    ...metric,
    value: 2,
    category: 'pace',
    trend: 'down',
    history: [{ value: 3, at: changed.updatedAt }],
    updatedAt: changed.updatedAt,
  })
  t.equal(body.length, 2)
  t.strictSame((await projectOf(app, projectId)).metrics, [changed, coverage], 'shown at once')
  t.strictSame((await projectOf(app, other.id)).metrics, [foreign], 'of another project none is touched')

  const same = await send(app, 'POST', METRICS, { projectId, metrics: [{ name: 'Velocity', value: 2 }] })
  const [{ trend, history, unit }] = same.body
  t.strictSame([trend, history, unit], ['down', changed.history, 'points'], 'an equal value is no change')
  t.strictSame((await send(app, 'POST', METRICS, { projectId, metrics: [] })).body, [])
})

t.test('duplicate names are refused, and names are case-sensitive', async (t) => {
  const { app, metric, projectId } = await setUp(t)
  const twice = [
    { name: 'Velocity', value: 5 },
    { name: 'New', value: 1 },
    { name: 'Velocity', value: 4 },
  ]
  const refusal = invalid({ metrics: ['must NOT have two elements with the same name'] })
  await holds(t, app, [['POST', METRICS, { projectId, metrics: twice }, 400, refusal]])
  t.equal(count(app, 'metrics', 'project_id = ?', projectId), 1, 'nothing was measured')
  const { body } = await send(app, 'POST', METRICS, {
    projectId,
    metrics: [
      { name: 'velocity', value: 9 },
      { name: 'Velocity', value: 5 },
    ],
  })
  t.equal(body[1].id, metric.id)
  t.not(body[0].id, metric.id)
})

t.test('the first of several metrics with one name is updated', async (t) => {
  const { app, metric, projectId } = await setUp(t)
  const { body: second } = await send(app, 'POST', `/api/projects/${projectId}/metrics`, velocity)
  // The first written row does not have the first id.
  app.db.$client
    .prepare("insert into metrics (id, project_id, name, value) values ('0', ?, 'Velocity', 1)")
    .run(projectId)
  const { body } = await send(app, 'POST', METRICS, { projectId, metrics: [{ name: 'Velocity', value: 8 }] })
  t.strictSame([body.length, body[0].id, body[0].value], [1, '0', 8])
  t.strictSame((await send(app, 'GET', `/api/metrics/${metric.id}`)).body, metric)
  t.strictSame((await send(app, 'GET', `/api/metrics/${second.id}`)).body, second)
})

t.test('each invalid field of a meeting is refused, and nothing is stored', async (t) => {
  const { app, projectId } = await setUp(t)
  const before = counts(app)
  const least = { projectId, title: 'x', date: '2026-01-31' }
  const strings = jsonArray(
    [['Ada', 'Ada']],
    [
      [[1], '[0] must be string'],
      [['x', null], '[1] must be string'],
      [[{ what: 'x' }], '[0] must be string'],
    ],
  )
  const titles = {
    accepts: [['Go', long(500)], '["Go"]', '', []],
    refuses: [
      ...strings.refuses.filter(([, message]) => !message.includes('bytes')),
      [[''], '[0] must NOT have fewer than 1 characters'],
      [['Go', long(501)], '[1] must NOT have more than 500 characters'],
      [JSON.stringify([long(501)]), '[0] must NOT have more than 500 characters'],
      [Array.from({ length: 6000 }, () => 'Some action'), 'must NOT be larger than 65536 bytes of JSON'],
    ] as [unknown, string][],
  }
  for (const [field, refuses] of Object.entries({
    projectId: ofOtherTypes('string'),
    title: text(1, 500).refuses,
    date: [...ofOtherTypes('string'), ['x', 'must be an ISO 8601 date-time or a plain date']],
    summary: text(0, 100_000).refuses,
    participants: strings.refuses,
    actionItems: titles.refuses,
    sourceFile: text(0, 500).refuses,
  })) {
    for (const [value, message] of refuses as [unknown, string][]) {
      const failure = invalid({ [field]: [message.startsWith('[') ? field + message : message] })
      const body = { actionItems: ['Go'], ...least, [field]: value }
      await holds(t, app, [['POST', TRANSCRIPT, body, 400, failure]])
    }
  }
  const missing = { projectId: ['is required'], title: ['is required'], date: ['is required'] }
  await holds(t, app, [
    ['POST', TRANSCRIPT, { nonsense: 1 }, 400, invalid(missing)],
    ['POST', TRANSCRIPT, '[]', 400, invalid({}, ['must be object'])],
  ])
  t.strictSame(counts(app), before)
  for (const actionItems of titles.accepts) {
    await holds(t, app, [['POST', TRANSCRIPT, { ...least, actionItems }, 201, {}]])
  }
  for (const [participants, answered] of strings.accepts) {
    const transcript = { participants: answered }
    const { status, body } = await send(app, 'POST', TRANSCRIPT, { ...least, participants })
    t.strictSame([status, body.transcript.participants], [201, transcript.participants])
  }
})

t.test('each invalid field of a measurement is refused, and nothing is stored', async (t) => {
  const { app, projectId } = await setUp(t)
  const before = counts(app)
  const refused: [object, Record<string, string[]>][] = [
    [{ nonsense: 1 }, { projectId: ['is required'], metrics: ['is required'] }],
    [
      { projectId: null, metrics: null },
      { projectId: ['must be string'], metrics: ['must be array'] },
    ],
    [{ projectId, metrics: '[]' }, { metrics: ['must be array'] }],
    [{ projectId, metrics: [null] }, { metrics: ['metrics[0] must be object'] }],
    [
      { projectId, metrics: [{}] },
      { metrics: ['metrics[0].name is required', 'metrics[0].value is required'] },
    ],
    [
      { projectId, metrics: Array.from({ length: 1001 }, () => ({ name: 'x', value: 1 })) },
      { metrics: ['must NOT have more than 1000 items'] },
    ],
  ]
  const fields = { name: text(1, 200), value: number, unit: text(0, 100), category: text(0, 100) }
  for (const [field, { refuses }] of Object.entries(fields)) {
    for (const [value, message] of refuses) {
      const metrics = [
        { name: 'x', value: 1 },
        { name: 'y', value: 1, [field]: value },
      ]
      refused.push([{ projectId, metrics }, { metrics: [`metrics[1].${field} ${message}`] }])
    }
  }
  for (const [body, fieldErrors] of refused) {
    await holds(t, app, [['POST', METRICS, body, 400, invalid(fieldErrors)]])
  }
  t.strictSame(counts(app), before)
  for (const [field, { accepts }] of Object.entries(fields)) {
    for (const [value] of accepts) {
      const metrics = [{ name: 'x', value: 1, [field]: value }]
      await holds(t, app, [['POST', METRICS, { projectId, metrics }, 200, metrics]])
    }
  }
  const many = Array.from({ length: 1000 }, (_, value) => ({ name: `m${value}`, value }))
  const { status, body } = await send(app, 'POST', METRICS, { projectId, metrics: many })
  t.strictSame([status, body.length, body[999].value], [200, 1000, 999])
})

t.test('unknown and read-only fields are ignored and never stored', async (t) => {
  const { app, other, projectId } = await setUp(t)
  const foreign = { ...FOREIGN, source: 'mine', isNew: false, approved: true, column: 'Done' }
  const meeting = await send(app, 'POST', TRANSCRIPT, {
    ...foreign,
    projectId,
    title: 'x',
    date: '2026-01-31',
    actionItems: ['Go'],
  })
  const { transcript, kanbanItems } = meeting.body
  t.match(kanbanItems, [{ source: 'transcript', isNew: true, approved: false, column: 'To Do' }])
  const { body } = await send(app, 'POST', METRICS, {
    projectId,
    metrics: [{ ...foreign, projectId: other.id, name: 'New', value: 1, trend: 'up', history: [1] }],
  })
  t.match(body, [{ projectId, trend: 'stable', history: [] }])
  t.strictSame(body[0].history, [])
  for (const record of [transcript, ...kanbanItems, ...body]) {
    t.not(record.id, 'mine')
    t.not(record.createdAt, LONG_AGO)
    t.not(record.updatedAt, LONG_AGO)
  }
})

t.test('an unknown project is 404, after validation, and nothing is stored', async (t) => {
  const { app, item } = await setUp(t)
  const before = counts(app)
  const meeting = { title: 'x', date: '2026-01-31', actionItems: ['Go'] }
  for (const projectId of ['none', '', item.id, '__proto__']) {
    await holds(t, app, [
      [
        'POST',
        TRANSCRIPT,
        { ...meeting, projectId, title: '' },
        400,
        invalid({ title: ['must NOT have fewer than 1 characters'] }),
      ],
      ['POST', TRANSCRIPT, { ...meeting, projectId }, 404, noProject],
      ['POST', METRICS, { projectId, metrics: 1 }, 400, invalid({ metrics: ['must be array'] })],
      ['POST', METRICS, { projectId, metrics: [] }, 404, noProject],
      ['POST', METRICS, { projectId, metrics: [velocity] }, 404, noProject],
    ])
  }
  t.strictSame(counts(app), before)
})

t.test('a failed meeting stores nothing', async (t) => {
  const { app, projectId } = await setUp(t)
  const [before, project] = [counts(app), await projectOf(app, projectId)]
  const body = { projectId, title: 'x', date: '2026-01-31', actionItems: ['a', 'b', 'c'] }
  failAt(app, 'insert', 'kanban_items', "new.title = 'c' and (select count(*) from main.kanban_items) = 3")
  await holds(t, app, [['POST', TRANSCRIPT, body, 500, noTranscript]])
  t.strictSame(counts(app), before)
  t.strictSame(await projectOf(app, projectId), project)
  app.db.$client.exec('drop trigger refuse')
  await holds(t, app, [['POST', TRANSCRIPT, body, 201, {}]])
  t.equal(count(app, 'kanban_items'), (before.kanban_items ?? 0) + 3)
})

t.test('failed measurements store nothing', async (t) => {
  const { app, metric, projectId } = await setUp(t)
  const [row, project] = [stored(app, 'metrics', metric.id), await projectOf(app, projectId)]
  const body = {
    projectId,
    metrics: [
      { name: 'New', value: 1 },
      { name: 'Velocity', value: 5 },
    ],
  }
  failAt(app, 'update', 'metrics', 'new.value = 5')
  await holds(t, app, [['POST', METRICS, body, 500, noMetrics]])
  t.strictSame(stored(app, 'metrics', metric.id), row)
  t.equal(count(app, 'metrics', "name = 'New'"), 0)
  t.strictSame(await projectOf(app, projectId), project)
  app.db.$client.exec('drop trigger refuse')
  await holds(t, app, [['POST', METRICS, body, 200, [{ value: 1 }, { value: 5 }]]])
})

t.test('required mode checks the member, then the role, then the body', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const member = signInAs(app, 'member').headers
  const viewer = signInAs(app, 'viewer').headers
  const projectId = (await createProject(app, {}, member)).id
  const meeting = { projectId, title: 'x', date: '2026-01-31' }
  for (const [url, body, status] of [
    [TRANSCRIPT, meeting, 201],
    [METRICS, { projectId, metrics: [velocity] }, 200],
  ] as const) {
    await holds(t, app, [
      ['POST', url, '{oops', 401, authenticationRequired],
      ['POST', url, body, 401, authenticationRequired],
      ['POST', url, '{oops', viewer, 403, readOnly],
      ['POST', url, { ...body, projectId: 'none' }, viewer, 403, readOnly],
      ['POST', url, body, viewer, 403, readOnly],
      ['POST', url, { ...body, projectId: 5 }, member, 400, invalid({ projectId: ['must be string'] })],
      ['POST', url, { ...body, projectId: 'none' }, member, 404, noProject],
      ['POST', url, body, member, status, status === 200 ? [{}] : {}],
    ])
  }
  const open = await build(t)
  const outsider = signInAs(open, 'viewer').headers
  const id = (await createProject(open)).id
  await holds(t, open, [
    ['POST', TRANSCRIPT, { ...meeting, projectId: id }, outsider, 201, {}],
    ['POST', METRICS, { projectId: id, metrics: [] }, outsider, 200, []],
    ['POST', METRICS, {}, { authorization: 'Bearer worthless' }, 401, authenticationRequired],
  ])
})

t.test("invalid JSON and unexpected failures return the endpoint's 500", async (t) => {
  const { app, projectId } = await setUp(t)
  for (const body of ['{oops', '']) {
    await holds(t, app, [
      ['POST', TRANSCRIPT, body, 500, noTranscript],
      ['POST', METRICS, body, 500, noMetrics],
    ])
  }
  breakTable(app, 'transcript_summaries')
  breakTable(app, 'metrics')
  await holds(t, app, [
    ['POST', TRANSCRIPT, { projectId, title: 'x', date: '2026-01-31' }, 500, noTranscript],
    ['POST', METRICS, { projectId, metrics: [velocity] }, 500, noMetrics],
  ])
})
