import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Fastify from 'fastify'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { version } from '../../src/package-files.ts'
import { namedSchemas } from '../../src/schemas/records.ts'
import { withoutReferences } from '../documented.ts'
import { type App, build, createItem, createProject, holds, seed, send, signInAs } from '../helper.ts'
import { shipped } from '../shipped.ts'

interface Operation {
  method: string
  path: string
  operationId: string
  summary: string
  tags: string[]
  security: object[]
  requestBody?: { content: Record<string, { schema: { $ref?: string }; example?: object }> }
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content: Record<string, { schema: { $ref?: string } }>; headers?: object }>
  callbacks?: unknown
}

/** The used parts of a schema. */
type Schema = Record<string, unknown> & { required?: string[]; properties?: Record<string, Schema> }
interface Document {
  components: { schemas: Record<string, Schema> }
}

const rawDocumentOf = async (app: App) => (await send(app, 'GET', '/openapi.json')).body
const documentOf = async (app: App) => withoutReferences(await rawDocumentOf(app))

const operationsOf = (document: { paths: Record<string, Record<string, object>> }): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, ...operation }) as Operation),
  )

/** The schema of an operation's body, which is a component named like the operation. */
function bodyOf(document: Document, { operationId, requestBody }: Operation) {
  const { $ref } = requestBody?.content['application/json']?.schema ?? {}
  if ($ref === undefined) return undefined
  return document.components.schemas[operationId.replace(/^./, (first) => first.toUpperCase())]
}

t.test('the document is served without a credential, in both modes', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    await holds(t, app, [
      ['GET', '/openapi.json', 200, { openapi: '3.1.0', servers: [{ url: '/' }] }],
      ['GET', '/openapi.json', undefined, { authorization: 'Bearer worthless' }, 200, { openapi: '3.1.0' }],
    ])
    const document = await rawDocumentOf(app)
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

t.test('webhook messages are documented, and there are no callbacks', async (t) => {
  const document = await documentOf(await build(t))
  t.strictSame(Object.keys(document.webhooks), ['change'])
  const { post } = document.webhooks.change
  t.match(post, { operationId: 'receiveChange', tags: ['Webhooks'], security: [] })
  t.strictSame(
    post.parameters.map(({ name }: { name: string }) => name),
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  )
  const { schema } = post.requestBody.content['application/json']
  t.strictSame(schema, { $ref: '#/components/schemas/WebhookEvent' })
  t.match(document.components.schemas.WebhookEvent, {
    properties: { data: { $ref: '#/components/schemas/Change' } },
  })
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

/** The media types of responses that are not JSON. */
const OTHER_MEDIA: Record<string, string> = {
  '/api/changes/stream': 'text/event-stream',
  '/api/export': 'application/zip',
  '/metrics': 'text/plain',
  '/api/projects/{id}/export.csv': 'text/csv',
  '/api/calendar.ics': 'text/calendar',
  '/api/attachments/{id}/content': '*/*',
  '/api/attachments/{id}/thumbnail': '*/*',
}

/** Operations with ids in their bodies. */
const NAMING =
  /^(post .*\/reorder|post \/api\/notifications\/read|post \/api\/kanban-items\/\{id\}\/move|post \/api\/people\/\{id\}\/merge|(patch|delete) \/api\/kanban-items|(post|patch) \/api\/webhooks(\/\{id\})?)$/

t.test('every operation documents its possible errors', async (t) => {
  for (const { method, path, requestBody, responses } of operationsOf(await documentOf(await build(t)))) {
    const statuses = Object.keys(responses)
    // A strict request with an unknown parameter is 400 everywhere.
    const expected = ['400', '429', '431', '500', '503']
    const isRepeatable =
      path.startsWith('/api/') && method !== 'get' && !/^\/api\/session(\/link.*)?$/.test(path)
    if (isRepeatable) expected.push('422')
    const isRead = /^\/(api|metrics)/.test(path) && method === 'get' && !path.startsWith('/api/session/oidc')
    t.equal(isRepeatable || isRead, statuses.includes('412'), `${method} ${path} 412`)
    if (requestBody || /^(post|put|patch)$/.test(method)) expected.push('413')
    const operation = `${method} ${path}`
    // Callers who are not admins get 403 there, with or without a credential.
    const asksWho = path.startsWith('/api/') && operation !== 'delete /api/projects/{id}'
    const isPublic =
      /^post \/api\/session(\/link.*)?$/.test(operation) ||
      ['get /api/session/oidc', 'get /api/shared/{secret}'].includes(operation)
    if (asksWho && !isPublic) expected.push('401')
    if (/^\/api\/(projects|kanban)/.test(path) && method !== 'get') expected.push('403')
    for (const status of expected) t.ok(statuses.includes(status), `${method} ${path} ${status}`)
    for (const [status, { content }] of Object.entries(responses)) {
      const success =
        ((status === '206' || (status === '200' && method === 'get')) && OTHER_MEDIA[path]) ||
        'application/json'
      const failure = ['application/json', ...(status === '431' ? [] : ['application/problem+json'])]
      const media = Number(status) < 400 ? [success] : failure
      const isEmpty = /^(204|302|304)$/.test(status) || (path === '/mcp' && status === '202')
      t.strictSame(Object.keys(content ?? {}), isEmpty ? [] : media, `${operation} ${status}`)
      if (Number(status) < 400) continue
      if (path === '/mcp' && status === '400') continue
      const namesMissing = status === '404' && NAMING.test(operation)
      const conflict = path.endsWith('/undo') ? 'ChangedSince' : undefined
      const tooMuch = path.endsWith('/undo') ? 'TooMuchToUndo' : undefined
      const special = { 400: 'ValidationError', 409: conflict, 410: 'GoneError', 413: tooMuch }[status]
      const ofOneRequest = operation === 'post /api/batch' && /^(403|404|405|409|41[023]|500)$/.test(status)
      const other = namesMissing ? 'MissingError' : (special ?? 'ErrorResponse')
      const name = ofOneRequest ? 'BatchError' : other
      t.strictSame(content?.['application/json']?.schema, { $ref: `#/components/schemas/${name}` })
    }
  }
})

t.test('records are named components', async (t) => {
  const document = await rawDocumentOf(await build(t))
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
    const [, kind = '', name = ''] =
      /^"\$ref":"#\/components\/(schemas|responses|parameters)\/([\w-]+)"$/.exec(reference) ?? []
    t.ok(name in (document.components[kind] ?? {}), `${reference} leads somewhere`)
  }
})

t.test('what operations share is written once', async (t) => {
  const document = await rawDocumentOf(await build(t))
  const inline = new Map<string, number>()
  for (const { responses, parameters = [] } of operationsOf(document)) {
    const errors = Object.entries(responses).filter(([status]) => status >= '300')
    const headers = parameters.filter((parameter) => parameter.in === 'header')
    for (const part of [...errors, ...headers].filter(
      (part) => !JSON.stringify(part).includes('/responses/'),
    ))
      inline.set(JSON.stringify(part), (inline.get(JSON.stringify(part)) ?? 0) + 1)
  }
  for (const [part, count] of inline) t.ok(count < 15, `${count} times ${part}`)
  const { InternalServerError } = document.components.responses
  t.match(InternalServerError, { description: 'Internal Server Error', content: Object })
  const { responses } = document.paths['/api/projects'].get
  t.strictSame(responses[500], {
    $ref: '#/components/responses/InternalServerError',
    description: 'Unexpected failure: `Failed to fetch projects`',
  })
  t.ok(JSON.stringify(document).length < 450_000, 'it stays small')
})

t.test('request bodies are documented with their fields, and allow additional ones', async (t) => {
  const document = await documentOf(await build(t))
  const bodies: Record<string, [string[] | undefined, string[]]> = {
    createProject: [
      ['name'],
      [
        'name',
        'key',
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
        'access',
        'shareLinks',
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
        'assigneeIds',
        'dueDate',
        'source',
        'sourceId',
        'isNew',
        'approved',
        'dismissed',
        'metadata',
        'reminders',
        'coverId',
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
    const schema = bodyOf(document, operation)
    if (!schema) continue
    t.not(schema.additionalProperties, false, `${operation.operationId} takes unknown fields`)
    const expected = bodies[operation.operationId]
    if (!expected) continue
    t.strictSame([schema.required, Object.keys(schema.properties as object)], expected)
    delete bodies[operation.operationId]
  }
  t.strictSame(Object.keys(bodies), [], 'all of them were found')
})

t.test('every body is a component with the name of its operation, and an example', async (t) => {
  const document = await documentOf(await build(t))
  const names = new Set<string>()
  for (const { operationId, requestBody } of operationsOf(document)) {
    if (!requestBody) continue
    const name = operationId.replace(/^./, (first) => first.toUpperCase())
    names.add(name)
    const [[type, { schema, example }] = ['', {}]] = Object.entries(requestBody.content)
    t.strictSame(schema, { $ref: `#/components/schemas/${name}` })
    // A file has none.
    if (type === 'application/json') t.type(example, 'object', `${operationId} has an example`)
    else t.equal(type, 'application/octet-stream')
    t.ok(document.components.schemas[name], name)
  }
  const known = [...names, ...namedSchemas.map(({ $id }) => $id)]
  t.strictSame(known.toSorted(), Object.keys(document.components.schemas).toSorted())
})

t.test('a body with the name of another component is refused', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const schema = { operationId: 'project', body: { type: 'object' }, response: {} }
  app.post('/api/more', { config: { access: 'public' }, schema, handler: async () => ({}) })
  await t.rejects(app.openapi(), { message: 'two schemas are called Project' })
  const refused = await app.inject('/openapi.json')
  t.equal(refused.statusCode, 500)
  schema.operationId = 'addMore'
  t.equal((await app.inject('/openapi.json')).statusCode, 200, 'a failure is not remembered')
})

t.test('no component has the name of a built-in type', async (t) => {
  const document = await documentOf(await build(t))
  const folder = `node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib`
  const declared = globSync('lib.*.d.ts', { cwd: folder }).flatMap((file) =>
    Array.from(
      readFileSync(join(folder, file), 'utf8').matchAll(
        /^\s*(?:declare )?(?:interface|type|var|class|function|namespace) (\w+)/gm,
      ),
      ([, name]) => name,
    ),
  )
  const taken = new Set([...declared, ...Object.getOwnPropertyNames(globalThis)])
  for (const name of ['Error', 'Map', 'Record', 'Comment', 'Response']) t.ok(taken.has(name), name)
  for (const name of Object.keys(document.components.schemas)) t.notOk(taken.has(name), name)
})

t.test('a project list has one of two kinds of elements', async (t) => {
  const document = await documentOf(await build(t))
  const { description, content } = document.paths['/api/projects'].get.responses[200]
  const lists = ['ProjectList', 'ProjectSummaryList'].map((name) => `#/components/schemas/${name}`)
  t.strictSame(
    content['application/json'].schema.anyOf,
    lists.map(($ref) => ({ $ref })),
  )
  t.match(description, /view=summary/)
  const { ProjectList, ProjectSummaryList } = document.components.schemas
  t.match(ProjectList, { type: 'array', items: { $ref: '#/components/schemas/Project' } })
  t.match(ProjectSummaryList, { type: 'array', items: { $ref: '#/components/schemas/ProjectSummary' } })
})

t.test('the contents of JSON-text fields are documented as sent', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const { schemas } = await documentOf(app as App).then(({ components }) => components)
  const string = { type: 'string' }
  t.match(schemas.TranscriptSummary.properties, {
    participants: { items: string },
    actionItems: { items: { anyOf: [string, { type: 'object', additionalProperties: true }] } },
  })
  for (const { properties } of [schemas.Project, schemas.ProjectSummary]) {
    t.match(properties.phaseConfig.items, { required: ['name'], properties: { name: string } })
  }
  t.strictSame(schemas.Metric.properties.history.items, {})
  t.notMatch(JSON.stringify(schemas), 'x-items')

  const { id: projectId } = await createProject(app as App)
  const { transcript, metric } = seed(app as App, projectId, (await createItem(app as App, projectId)).id)
  const ask = async (url: string) => (await app.inject(url)).body
  const odd = [
    '[1,2.5,-0,1e30,true,null]',
    '[null,["a",["b"]],{},[]]',
    '["","\\u2028","\\u0000","ä","\\ud800"]',
    '[{"name":1},{"value":"3","at":0,"more":{"deep":[1,null]}},{"name":null}]',
    '[{"z":1,"a":2,"__proto__x":3},"2026-01-31T00:00:00.000Z"]',
    '[]',
  ]
  for (const text of odd) {
    const sent = JSON.stringify(JSON.parse(text))
    const { $client } = app.db
    $client.prepare('update projects set phase_config = ? where id = ?').run(text, projectId)
    $client.prepare('update metrics set history = ? where id = ?').run(text, metric)
    $client
      .prepare('update transcript_summaries set participants = ?, action_items = ? where id = ?')
      .run(text, text, transcript)
    const parts = [
      [`/api/metrics/${metric}`, 'history'],
      [`/api/transcript-summaries/${transcript}`, 'participants'],
      [`/api/transcript-summaries/${transcript}`, 'actionItems'],
      [`/api/projects/${projectId}`, 'phaseConfig'],
      ['/api/projects?view=summary', 'phaseConfig'],
    ] as const
    for (const [url, field] of parts) {
      const body = await ask(url)
      t.ok(body.includes(`"${field}":${sent},`), `${url} ${field} ${text}`, { body })
    }
  }
})

t.test('request and response headers are documented', async (t) => {
  const app = await build(t, { authMode: 'required', rateLimitMax: 20, adminPassword: 'correct horse' })
  const document = await documentOf(app)
  const { headers } = signInAs(app, 'admin')
  const { id } = await createProject(app, {}, headers)
  const { id: item } = await createItem(app, id, {}, headers)
  await createItem(app, id, {}, headers)
  const upload = `/api/kanban-items/${item}/attachments?name=a.txt`
  const [file] = (await send(app, 'POST', upload, 'hello', { ...headers, 'content-type': 'text/plain' })).body
  const relevant = [
    'etag',
    'link',
    'location',
    'allow',
    'retry-after',
    'www-authenticate',
    'content-disposition',
    'content-range',
  ]
  const isRelevant = (name: string) => relevant.includes(name) || name.startsWith('ratelimit-')
  const downloads = ['GET', '/api/attachments/{id}/content', `/api/attachments/${file.id}/content`] as const
  const asked: [string, string, string, Record<string, string>, number, string[]][] = [
    ['GET', '/api/projects', '/api/projects', headers, 200, ['etag']],
    ['GET', '/api/projects/{id}', `/api/projects/${id}`, headers, 200, ['etag']],
    ['GET', '/api/kanban-items', '/api/kanban-items?limit=1', headers, 200, ['link']],
    ['GET', '/api/projects', '/api/projects', {}, 401, ['www-authenticate']],
    ['GET', '/api/projects/{id}', '/api/projects/x', headers, 404, []],
    [...downloads, headers, 200, ['content-disposition']],
    [...downloads, { ...headers, range: 'bytes=1-2' }, 206, ['content-disposition', 'content-range']],
    [...downloads, { ...headers, range: 'bytes=9-' }, 416, ['content-range']],
    ['GET', '/healthz', '/healthz', {}, 200, []],
  ]
  const check = async ([method, path, url, sent, status, expected]: (typeof asked)[number]) => {
    const answer = await send(app, method, url, undefined, sent)
    t.equal(answer.status, status, url)
    const documented = document.paths[path][method.toLowerCase()].responses[status].headers ?? {}
    const names = Object.keys(documented).map((name) => name.toLowerCase())
    const found = Object.keys(answer.headers).filter(isRelevant)
    // The rate limit's headers come with every response, and are documented for refusals by the limit.
    const missing = found.filter((name) => !names.includes(name))
    const isRefused = status === 429
    t.strictSame(isRefused ? missing : missing.filter((name) => !name.startsWith('ratelimit-')), [], url)
    for (const name of expected) t.ok(found.includes(name), `${url} has ${name}`)
    for (const header of Object.values(documented))
      t.match(header, { description: /\w/, schema: { type: /\w/ } })
    return answer
  }
  for (const row of asked) await check(row)
  const createdBy = (path: string, status: number) => document.paths[path].post.responses[status].headers
  t.ok('Location' in createdBy('/api/imports', 202))
  t.notOk('Location' in createdBy('/mcp', 202), 'an accepted notification creates nothing')
  const { etag } = (await send(app, 'GET', '/api/projects', undefined, headers)).headers
  const conditional = { ...headers, 'if-none-match': String(etag) }
  await check(['GET', '/api/projects', '/api/projects', conditional, 304, ['etag', 'ratelimit-limit']])
  while ((await send(app, 'GET', '/api/projects', undefined, headers)).status !== 429);
  await check(['GET', '/api/projects', '/api/projects', headers, 429, ['retry-after', 'ratelimit-reset']])
})

t.test('the document is built once, by an application of its own', async (t) => {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const requests = await Promise.all(
    ['/openapi.json', '/docs/json', '/openapi.json'].map((url) => app.inject(url)),
  )
  for (const { statusCode, body } of requests) t.strictSame([statusCode, body], [200, requests[0]?.body])
  t.equal(await app.openapi(), await app.openapi())
  t.equal(app.openapi(), app.openapi(), 'also for those who come while it is written')
  t.strictSame(app.getSchemas(), {})
  t.notOk(app.hasDecorator('swagger'))
})

/** Operations that need an admin in both modes, besides changes of teams. */
const FOR_ADMINS = [
  'delete /api/projects/{id}',
  'post /api/members',
  'delete /api/members/{id}',
  'post /api/members/{id}/password-link',
  'post /api/invitations',
  'post /api/people/{id}/merge',
  'delete /api/people/{id}',
  'get /api/member-links',
  'get /api/member-links/{id}',
  'delete /api/member-links/{id}',
  'get /api/audit-log',
  'get /metrics',
  'get /api/export',
]

t.test('operations need credentials as the mode does', async (t) => {
  const credentials = [{ token: [] }, { session: [] }]
  for (const [authMode, usual] of [
    ['open', [{}, ...credentials]],
    ['required', credentials],
  ] as const) {
    const document = await documentOf(await build(t, { authMode }))
    for (const { method, path, security } of operationsOf(document)) {
      const endpoint = `${method} ${path}`
      const isSignIn =
        /^post \/api\/session(\/link.*)?$/.test(endpoint) || path.startsWith('/api/session/oidc')
      const isShared = path.startsWith('/api/shared/')
      const isPublic = path.startsWith('/api/')
        ? isSignIn || isShared
        : path !== '/metrics' && path !== '/mcp'
      const changesTeams = path.startsWith('/api/teams') && method !== 'get'
      const ofWebhooks = path.startsWith('/api/webhooks')
      const needsAdmin = changesTeams || ofWebhooks || FOR_ADMINS.includes(endpoint)
      t.strictSame(
        security,
        isPublic ? [] : needsAdmin ? credentials : usual,
        `${endpoint} in ${authMode} mode`,
      )
    }
    t.strictSame(Object.keys(document.components.securitySchemes), ['token', 'session'])
  }
})

const NO_PROXY = { trustProxy: false, authProxyHeader: undefined }

t.test('only the mode changes the document', async (t) => {
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
    // In open mode no proxy may be trusted.
    const given = authMode === 'open' ? { ...settings, ...NO_PROXY } : settings
    const [plain, changed] = [await build(t, { authMode }), await build(t, { ...given, authMode })]
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

t.test('it describes metric histories, agent errors and large headers correctly', async (t) => {
  const app = await build(t)
  const document = await documentOf(app)
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, date: true } })
  ajv.addSchema(document, 'openapi')
  const validates = (pointer: string, value: unknown) =>
    t.ok(ajv.validate({ $ref: `openapi#${pointer}` }, value), `${pointer}: ${ajv.errorsText()}`)

  const project = await createProject(app)
  const history = [5, 'x', null, [1], { value: 'many', at: 0 }, { value: null }]
  const made = await send(app, 'POST', `/api/projects/${project.id}/metrics`, {
    name: 'x',
    value: 1,
    history,
  })
  t.strictSame([made.status, made.body.history], [201, history])
  validates('/components/schemas/Metric', made.body)
  t.strictSame(document.components.schemas.Metric.properties.history.items, {})

  const answer = '/paths/~1mcp/post/responses/400/content/application~1json/schema'
  for (const [body, headers] of [
    ['{oops', {}],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], {}],
    [{ nonsense: true }, {}],
  ] as const) {
    const { status, body: error } = await send(app, 'POST', '/mcp', body, headers)
    t.match([status, error], [400, { jsonrpc: '2.0', error: { code: Number, message: String } }])
    validates(answer, error)
  }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const strict = await send(app, 'POST', '/mcp?nonsense=1', ping, { prefer: 'handling=strict' })
  t.match([strict.status, strict.body], [400, { error: 'Validation failed' }])
  validates(answer, strict.body)

  const url = new URL(await app.listen({ port: 0 }))
  const large = await fetch(new URL('/api/projects', url), {
    headers: { 'x-large': 'x'.repeat(100_000), accept: 'application/problem+json' },
  })
  t.equal(large.status, 431)
  t.match(large.headers.get('content-type'), /^application\/json;/)
  validates('/paths/~1api~1projects/get/responses/431/content/application~1json/schema', await large.json())
})

t.test('it uses only registered formats', async (t) => {
  const formats = new Set<string>()
  const collect = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    for (const [key, value] of Object.entries(part)) {
      if (key === 'format' && typeof value === 'string') formats.add(value)
      else collect(value)
    }
  }
  const document = await documentOf(await build(t))
  collect(document.paths)
  collect(document.components)
  // https://spec.openapis.org/registry/format/
  t.strictSame([...formats].sort(), ['binary', 'date', 'date-time', 'email'])
})
