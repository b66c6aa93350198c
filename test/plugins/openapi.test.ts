import Fastify from 'fastify'
import t from 'tap'
import { version } from '../../src/package-files.ts'
import { type App, build, holds, send } from '../helper.ts'
import { shipped } from '../shipped.ts'

interface Operation {
  method: string
  path: string
  operationId: string
  summary: string
  tags: string[]
  security: object[]
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> }
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content: Record<string, { schema: { $ref?: string } }> }>
  callbacks?: unknown
}

const documentOf = async (app: App) => (await send(app, 'GET', '/openapi.json')).body

const operationsOf = (document: { paths: Record<string, Record<string, object>> }): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, ...operation }) as Operation),
  )

t.test('the document is served to whoever asks, in both modes', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    await holds(t, app, [
      ['GET', '/openapi.json', undefined, undefined, 200, { openapi: '3.1.0', servers: [{ url: '/' }] }],
      ['GET', '/openapi.json', undefined, { authorization: 'Bearer worthless' }, 200, { openapi: '3.1.0' }],
    ])
    const document = await documentOf(app)
    t.strictSame(
      document,
      JSON.parse(JSON.stringify(await app.openapi())),
      'it is the one that tests look at',
    )
    t.match(document.info, { title: 'Phaseboard', version, license: { name: 'MIT' } })
  }
})

t.test('every endpoint of the specification is documented, under unversioned paths', async (t) => {
  const operations = operationsOf(await documentOf(await build(t)))
  const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  for (const endpoint of [
    'GET /api/projects',
    'POST /api/projects',
    'GET /api/projects/{id}',
    'PATCH /api/projects/{id}',
    'DELETE /api/projects/{id}',
    'PATCH /api/kanban-items/{id}',
    'DELETE /api/kanban-items/{id}',
    'PATCH /api/kanban-subtasks/{id}',
    'DELETE /api/kanban-subtasks/{id}',
    'GET /api/personal-ideas',
    'POST /api/personal-ideas',
  ]) {
    t.ok(documented.includes(endpoint), endpoint)
  }
  for (const { path } of operations) t.notMatch(path, /\/v\d/, `${path} carries no version segment`)
})

t.test('every documented endpoint exists', async (t) => {
  const app = await build(t)
  for (const { method, path } of operationsOf(await documentOf(app))) {
    const url = path.replace(/\{(\w+)\}/g, ':$1')
    t.ok(app.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${path}`)
  }
})

t.test('nothing is said of events: no callbacks, no webhooks', async (t) => {
  const document = await documentOf(await build(t))
  t.equal(document.webhooks, undefined)
  for (const { path, callbacks } of operationsOf(document)) t.equal(callbacks, undefined, path)
})

t.test('every operation has a name, a summary, a known tag and its path parameters', async (t) => {
  const document = await documentOf(await build(t))
  const operations = operationsOf(document)
  const names = operations.map(({ operationId }) => operationId)
  t.equal(new Set(names).size, names.length, 'names are unique')
  const tags = document.tags.map(({ name }: { name: string }) => name)
  for (const { method, path, operationId, summary, tags: used, parameters = [] } of operations) {
    t.match(operationId, /^[a-z][A-Za-z]+$/, `${method} ${path}`)
    t.type(summary, 'string')
    t.equal(used.length, 1)
    t.ok(tags.includes(used[0]), `${used[0]} is described`)
    t.strictSame(
      parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`),
      path.match(/\{\w+\}/g) ?? [],
    )
  }
})

t.test('every operation documents the errors that its kind can answer', async (t) => {
  for (const { method, path, requestBody, parameters = [], responses } of operationsOf(
    await documentOf(await build(t)),
  )) {
    const statuses = Object.keys(responses)
    const expected = ['429', '500', '503']
    const hasQuery = parameters.some((parameter) => parameter.in === 'query')
    if (requestBody || hasQuery) expected.push('400')
    if (requestBody) expected.push('413')
    const operation = `${method} ${path}`
    // Whoever is no admin gets 403 there, with or without a credential.
    const asksWho = path.startsWith('/api/') && operation !== 'delete /api/projects/{id}'
    if (asksWho && operation !== 'post /api/session') expected.push('401')
    if (/^\/api\/(projects|kanban)/.test(path) && method !== 'get') expected.push('403')
    for (const status of expected) t.ok(statuses.includes(status), `${method} ${path} ${status}`)
    if (!requestBody && !hasQuery) t.notOk(statuses.includes('400'), `${method} ${path} validates nothing`)
    for (const [status, { content }] of Object.entries(responses)) {
      t.strictSame(Object.keys(content ?? {}), status === '304' ? [] : ['application/json'])
      if (Number(status) < 400) continue
      const namesMissing = operation === 'patch /api/kanban-items' && status === '404'
      const name = status === '400' ? 'ValidationError' : namesMissing ? 'MissingError' : 'ErrorResponse'
      t.strictSame(content?.['application/json']?.schema, { $ref: `#/components/schemas/${name}` })
    }
  }
})

t.test('records are components under their own names', async (t) => {
  const document = await documentOf(await build(t))
  const names = Object.keys(document.components.schemas)
  for (const name of names) t.match(name, /^[A-Z][A-Za-z]+$/)
  for (const name of [
    'Project',
    'KanbanItem',
    'KanbanSubtask',
    'PersonalIdea',
    'ErrorResponse',
    'ValidationError',
  ]) {
    t.ok(names.includes(name), name)
  }
  const references = JSON.stringify(document).match(/"\$ref":"[^"]*"/g) ?? []
  t.ok(references.length > names.length)
  for (const reference of new Set(references)) {
    const [, name] = /^"\$ref":"#\/components\/schemas\/(\w+)"$/.exec(reference) ?? []
    t.ok(name !== undefined && names.includes(name), `${reference} leads somewhere`)
  }
})

t.test('request bodies are documented with their fields, and a client may send more', async (t) => {
  const document = await documentOf(await build(t))
  const bodies: Record<string, [string[] | undefined, string[]]> = {
    createProject: [
      ['name'],
      [
        'name',
        'description',
        'type',
        'status',
        'phase',
        'phaseConfig',
        'health',
        'nextStep',
        'sortOrder',
        'metadata',
        'leadId',
        'teamId',
      ],
    ],
    updateKanbanItem: [
      undefined,
      [
        'title',
        'description',
        'column',
        'sortOrder',
        'priority',
        'assigneeId',
        'dueDate',
        'source',
        'sourceId',
        'isNew',
        'approved',
        'dismissed',
        'metadata',
      ],
    ],
    updateKanbanSubtask: [undefined, ['title', 'completed', 'sortOrder']],
    createKanbanLabel: [['name'], ['name', 'color']],
    updateKanbanLabel: [undefined, ['name', 'color']],
    createKanbanComment: [['content'], ['content']],
    updateKanbanComment: [undefined, ['content']],
    createPersonalIdea: [['title'], ['title', 'description', 'priority', 'status', 'sortOrder']],
    updatePersonalIdea: [undefined, ['title', 'description', 'priority', 'status', 'sortOrder']],
    promotePersonalIdea: [undefined, ['teamId']],
    reorderPersonalIdeas: [['items'], ['items']],
    reorderProjects: [['items'], ['items']],
  }
  for (const operation of operationsOf(document)) {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema) continue
    t.not(schema.additionalProperties, false, `${operation.operationId} takes unknown fields`)
    const expected = bodies[operation.operationId]
    if (!expected) continue
    t.strictSame([schema.required, Object.keys(schema.properties as object)], expected)
    delete bodies[operation.operationId]
  }
  t.strictSame(Object.keys(bodies), [], 'all of them were found')
})

/** What takes an admin in both modes, besides changes of teams. */
const FOR_ADMINS = [
  'delete /api/projects/{id}',
  'post /api/members',
  'delete /api/members/{id}',
  'get /api/audit-log',
]

t.test('credentials are demanded where the mode demands them', async (t) => {
  const credentials = [{ token: [] }, { session: [] }]
  for (const [authMode, usual] of [
    ['open', [{}, ...credentials]],
    ['required', credentials],
  ] as const) {
    const document = await documentOf(await build(t, { authMode }))
    for (const { method, path, security } of operationsOf(document)) {
      const endpoint = `${method} ${path}`
      const isPublic = !path.startsWith('/api/') || endpoint === 'post /api/session'
      const changesTeams = path.startsWith('/api/teams') && method !== 'get'
      const needsAdmin = changesTeams || FOR_ADMINS.includes(endpoint)
      t.strictSame(
        security,
        isPublic ? [] : needsAdmin ? credentials : usual,
        `${endpoint} in ${authMode} mode`,
      )
    }
    t.strictSame(Object.keys(document.components.securitySchemes), ['token', 'session'])
  }
})

t.test('nothing but the mode changes the document', async (t) => {
  const settings = {
    host: '0.0.0.0',
    databaseUrl: `file:${t.testdir({})}/board.db`,
    defaultMemberId: 'us',
    adminPassword: 'correct horse',
    bodyLimit: 100,
    trustProxy: ['127.0.0.1'],
    authProxyHeader: 'Remote-User',
    corsOrigins: ['https://app.example'],
    rateLimitMax: 5,
    snapshotCacheBytes: 0,
    resolveMember: () => null,
  }
  for (const authMode of ['open', 'required'] as const) {
    const [plain, changed] = [await build(t, { authMode }), await build(t, { ...settings, authMode })]
    t.strictSame(await changed.openapi(), await plain.openapi(), authMode)
  }
})

t.test('inside a host application the document names the prefix as its server', async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(shipped.default, { prefix: '/board', databaseUrl: ':memory:' })
  const response = await host.inject('/board/openapi.json')
  t.equal(response.statusCode, 200)
  const document = response.json()
  t.strictSame(document.servers, [{ url: '/board' }])
  t.ok(document.paths['/api/projects/{id}'], 'paths are relative to it')
})
