import { existsSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance, type FastifyRequest, type InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import type { HostMember, PhaseboardOptions } from '../src/app.ts'
import { crossOriginFrom, keepLog } from './helper.ts'
import { shipped } from './shipped.ts'

const { phaseboard } = shipped

declare module 'fastify' {
  interface FastifyRequest {
    /** The host's own way to identify the user. */
    user: HostMember | null
  }
}

/** What happened inside the host, recorded by its own hooks. */
type Diary = string[]

/**
 * A host application with everything that could conflict: its own names, schemas, parsers, handlers, validators, hooks and
 * OpenAPI document.
 */
async function createHost(t: Test, diary: Diary = []): Promise<FastifyInstance> {
  const host = Fastify({
    ajv: {
      customOptions: { coerceTypes: 'array', removeAdditional: false, useDefaults: true, allErrors: false },
    },
    bodyLimit: 500,
  })
  t.teardown(() => host.close())
  await host.register(swagger, { openapi: { info: { title: 'The host', version: '1.0.0' } } })
  host.addSchema({ $id: 'ErrorResponse', type: 'object', properties: { oops: { type: 'string' } } })
  host.addSchema({ $id: 'Project', type: 'object', properties: { codename: { type: 'string' } } })
  host.decorate('db', 'the database of the host' as never)
  host.decorate('sessionCookies', 'the cookies of the host' as never)
  host.decorate('refuseOtherMethods', 'a word of the host' as never)
  host.decorateRequest('member', 'a member of the host')
  host.decorateRequest('user', null)
  host.decorateReply('failure', 'a failure of the host')
  // Names of @fastify/sensible, with another meaning.
  host.decorate('httpErrors', 'the errors of the host' as never)
  host.decorateRequest('forwarded', 'a word of the host' as never)
  host.decorateReply('vary', 'a word of the host' as never)
  host.addContentTypeParser('text/plain', { parseAs: 'string' }, async (_request: unknown, body: string) => ({
    text: body,
  }))
  host.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 418).send({ oops: error.message }),
  )
  host.setNotFoundHandler((request, reply) => reply.code(404).send(`the host has no ${request.url}`))
  host.addHook('onRequest', async (request, reply) => {
    diary.push(`onRequest ${request.method} ${request.url}`)
    reply.header('x-host', 'yes')
    const [, role, id] = /^(admin|member|viewer) (.+)$/.exec(String(request.headers['x-user'] ?? '')) ?? []
    if (role !== undefined) request.user = { id: String(id), role: role as HostMember['role'] }
  })
  host.addHook('onResponse', async (request, reply) => {
    diary.push(`onResponse ${request.method} ${request.url} ${reply.statusCode}`)
  })

  host.get('/', async (request) => [
    host.db,
    host.sessionCookies,
    host.refuseOtherMethods,
    (request as { member?: unknown }).member,
  ])
  host.post('/echo', async (request) => request.body)
  host.delete('/echo', async (request) => ({ deleted: request.body }))
  host.get('/fails', async () => {
    throw new Error('something of the host')
  })
  host.post('/checked', {
    schema: {
      body: {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'array', items: { type: 'number' } }, b: { type: 'string' } },
      },
      response: { 200: { $ref: 'Project#' }, 400: { $ref: 'ErrorResponse#' } },
    },
    handler: async (request) => ({ codename: JSON.stringify(request.body), hidden: true }),
  })
  host.get('/host.json', { schema: { hide: true } }, async () => host.swagger())
  return host
}

const json = { 'content-type': 'application/json' }

/** Requests to the host's own routes. */
const HOST_REQUESTS: InjectOptions[] = [
  { url: '/' },
  { method: 'HEAD', url: '/' },
  { url: '/?q=1' },
  { url: '/nowhere' },
  { url: '/api' },
  { url: '/api/nothing' },
  { url: '/boardgames' },
  { url: '/%zz' },
  { method: 'OPTIONS', url: '/echo' },
  { method: 'PUT', url: '/echo' },
  { method: 'POST', url: '/echo', headers: json, payload: '{"a":1}' },
  { method: 'POST', url: '/echo', headers: json, payload: '{oops' },
  { method: 'POST', url: '/echo', headers: json, payload: '' },
  { method: 'POST', url: '/echo' },
  { method: 'POST', url: '/echo', headers: json, payload: JSON.stringify('x'.repeat(500)) },
  { method: 'POST', url: '/echo', headers: { 'content-type': 'text/plain' }, payload: 'text' },
  { method: 'POST', url: '/echo', headers: { 'content-type': 'text/csv' }, payload: 'a,b' },
  { method: 'DELETE', url: '/echo', headers: json, payload: '{"a":1}' },
  { method: 'DELETE', url: '/echo', headers: { 'content-type': 'text/plain' }, payload: 'text' },
  { method: 'DELETE', url: '/echo' },
  { url: '/fails' },
  { method: 'POST', url: '/checked', headers: json, payload: '{"a":"5","b":6,"c":7}' },
  { method: 'POST', url: '/checked', headers: json, payload: '{}' },
  { url: '/host.json' },
  { url: '/', headers: { cookie: 'phaseboard_session=worthless', authorization: 'Bearer worthless' } },
  {
    method: 'POST',
    url: '/echo',
    headers: { ...json, origin: 'http://evil.example', cookie: 'phaseboard_session=x' },
    payload: '{}',
  },
]

/** All of the host's responses, byte by byte, without the date. */
async function transcript(host: FastifyInstance) {
  const answers = []
  for (const request of HOST_REQUESTS) {
    const { statusCode, headers, rawPayload } = await host.inject(request)
    const { date: _date, ...stable } = headers
    answers.push({
      request: `${request.method ?? 'GET'} ${request.url}`,
      statusCode,
      stable,
      body: rawPayload.toString('latin1'),
    })
  }
  return answers
}

/** A host with the service under a prefix, and a function to send it requests. */
async function embed(t: Test, options: PhaseboardOptions = {}, prefix = '/board') {
  const diary: Diary = []
  const host = await createHost(t, diary)
  await host.register(
    async (scope) => {
      await scope.register(phaseboard, { databaseUrl: ':memory:', ...options })
    },
    { prefix },
  )
  await host.ready()
  const ask = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await host.inject({
      method: method as 'GET',
      url: `${prefix}${url}`,
      headers: { ...(body !== undefined && json), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const isJson =
      String(response.headers['content-type']).startsWith('application/json') && response.body !== ''
    return {
      status: response.statusCode,
      body: isJson ? response.json() : response.body,
      headers: response.headers,
    }
  }
  return { host, ask, diary }
}

const asUser = (role: HostMember['role'], id = 'ada') => ({ 'x-user': `${role} ${id}` })
const resolveMember = (request: FastifyRequest) => request.user

t.test("the host's own responses are the same with the service, byte for byte", async (t) => {
  const alone = await transcript(await createHost(t))
  t.ok(
    alone.some(({ statusCode }) => statusCode === 404) && alone.some(({ body }) => body.includes('The host')),
  )
  for (const prefix of ['/board', '']) {
    for (const options of [{}, { resolveMember, corsOrigins: [], rateLimitMax: 1 }]) {
      const host = await createHost(t)
      await host.register(phaseboard, { databaseUrl: ':memory:', prefix, ...options })
      t.strictSame(await transcript(host), alone, `with the service under "${prefix}"`)
    }
  }
})

t.test('the host keeps its own hooks, decorators and schemas', async (t) => {
  const diary: Diary = []
  const host = await createHost(t, diary)
  const schemas = structuredClone(host.getSchemas())
  await host.register(phaseboard, { databaseUrl: ':memory:', prefix: '/board' })
  await host.ready()
  t.strictSame(host.getSchemas(), schemas)
  t.equal(host.db, 'the database of the host')
  await host.inject('/')
  t.strictSame(diary, ['onRequest GET /', 'onResponse GET / 200'])
})

t.test("the host's hooks also run for the service's requests", async (t) => {
  const { ask, diary } = await embed(t)
  t.equal((await ask('GET', '/healthz')).headers['x-host'], 'yes')
  t.strictSame(diary, ['onRequest GET /board/healthz', 'onResponse GET /board/healthz 200'])
})

t.test("a host's plugins may add hooks to the service's routes, once for each request", async (t) => {
  // As @fastify/rate-limit does, and others with callbacks.
  const seen: string[] = []
  const host = Fastify()
  t.teardown(() => host.close())
  host.addHook('onRoute', (route) => {
    const count = async (request: FastifyRequest) => {
      seen.push(`${request.method} ${request.url}`)
    }
    if (Array.isArray(route.onRequest)) route.onRequest.push(count)
    else route.onRequest = [route.onRequest ?? [], count].flat()
    route.preHandler = [
      route.preHandler ?? [],
      (_request: unknown, _reply: unknown, done: () => void) => done(),
    ].flat()
  })
  const users: Record<string, HostMember> = {
    boss: { id: 'boss', role: 'admin' },
    bob: { id: 'bob', role: 'member' },
  }
  await host.register(phaseboard, {
    prefix: '/board',
    databaseUrl: ':memory:',
    resolveMember: ({ headers }) => users[String(headers['x-user'])],
  })
  const batch = (user: string, requests: object[]) =>
    host.inject({
      method: 'POST',
      url: '/board/api/batch',
      headers: { 'x-user': user },
      body: { requests },
    })
  const done = await batch('bob', [
    { method: 'POST', path: '/api/projects', body: { name: 'A' }, as: 'project' },
    { method: 'GET', path: '/api/projects/{{project.id}}' },
    { method: 'POST', path: '/api/projects/{{project.id}}/kanban-items', body: { title: 'B' } },
  ])
  t.equal(done.statusCode, 200)
  t.strictSame(seen.splice(0), ['POST /board/api/batch'])

  // The service's own hooks still run inside a batch: here, those of the fields that only admins may change.
  const added = await batch('boss', [
    { method: 'POST', path: '/api/members', body: { name: 'Eve', email: 'eve@example.test' } },
  ])
  const { id } = added.json().results[0].body
  const refused = await batch('bob', [
    { method: 'PATCH', path: `/api/members/${id}`, body: { role: 'admin' } },
  ])
  t.equal(refused.statusCode, 403)
  const unknown = await batch('bob', [
    { method: 'PATCH', path: '/api/kanban-items/nope', body: { title: 5 } },
  ])
  t.match([unknown.statusCode, unknown.json()], [404, { error: 'Kanban item not found' }])
  t.equal(seen.splice(0).length, 3)

  const list = await host.inject({ url: '/board/api/projects', headers: { 'x-user': 'bob' } })
  t.equal(list.json().length, 1)
  t.strictSame(seen, ['GET /board/api/projects'])
})

t.test("the host's router may ignore trailing and double slashes", async (t) => {
  const host = Fastify({
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
  })
  t.teardown(() => host.close())
  await host.register(phaseboard, { prefix: '/board', databaseUrl: ':memory:', authMode: 'open' })
  const ask = async (method: 'GET' | 'PUT', url: string) => {
    const { statusCode, headers, body } = await host.inject({ method, url })
    return { statusCode, allow: headers.allow, isJson: body.startsWith('{"error":') }
  }
  for (const path of ['/board/api/nothing', '/board/api/nothing/', '/board/nothing'])
    t.match(await ask('GET', path), { statusCode: 404, isJson: true }, path)
  for (const path of ['/board/api/projects', '/board/api/projects/', '/board//api/projects'])
    t.match(await ask('PUT', path), { statusCode: 405, allow: 'GET, HEAD, POST', isJson: true }, path)
  t.match(await ask('PUT', '/board'), { statusCode: 405 })
  t.match(await ask('GET', '/board/api/projects/'), { statusCode: 200 })
})

t.test('inside a host, every request needs a member by default', async (t) => {
  const { ask } = await embed(t)
  const { status, body, headers } = await ask('GET', '/api/projects')
  t.equal(status, 401)
  t.strictSame(body, { error: 'Authentication required' })
  t.equal(headers['www-authenticate'], 'Bearer')
  t.match(await ask('POST', '/api/projects', { name: 'A' }), { status: 401 })
  t.match(await ask('DELETE', '/api/projects/x'), {
    status: 403,
    body: { error: 'Forbidden: admin access required' },
  })

  const open = await embed(t, { authMode: 'open', defaultMemberId: 'us' })
  t.match(await open.ask('GET', '/api/session'), {
    status: 200,
    body: { member: { id: 'us' }, via: 'default' },
  })
})

t.test('the host decides about CORS headers, and its own pages are not foreign', async (t) => {
  const origin = 'https://app.example'
  const { ask, host } = await embed(t, { authMode: 'open', corsOrigins: [origin] })
  const names = ({ headers }: { headers: object }) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'))
  t.strictSame(names(await ask('GET', '/api/projects', undefined, { origin })), [])
  const preflight = await ask('OPTIONS', '/api/projects', undefined, {
    origin,
    'access-control-request-method': 'POST',
  })
  t.match(preflight, { status: 405, body: { error: 'Method not allowed' } })
  t.strictSame(names(preflight), [])
  t.equal((await host.inject({ method: 'OPTIONS', url: '/board/nothing' })).statusCode, 404)

  const cookie = 'phaseboard_session=x'
  const create = (origin: string) =>
    ask('POST', '/api/session', { email: 'a@b.c', password: 'x' }, { origin, cookie })
  t.match(await create(origin), { status: 401, body: { error: 'Invalid email or password' } })
  t.match(await create('https://evil.example'), {
    status: 403,
    body: crossOriginFrom(),
  })
})

t.test('the host returns the current member, synchronously or not', async (t) => {
  const later = async (request: FastifyRequest) => {
    await new Promise(setImmediate)
    return request.user
  }
  for (const resolve of [resolveMember, later]) {
    const { ask } = await embed(t, { resolveMember: resolve })
    t.match(await ask('GET', '/api/session', undefined, asUser('member')), {
      status: 200,
      body: { member: { id: 'ada', name: 'ada', email: null, role: 'member' }, via: 'host' },
    })
    const created = await ask('POST', '/api/projects', { name: 'Apollo' }, asUser('member'))
    t.equal(created.status, 201)
    t.match(await ask('POST', '/api/personal-ideas', { title: 'Fly' }, asUser('viewer', 'bob')), {
      body: { ownerId: 'bob' },
    })
    t.match(await ask('GET', '/api/personal-ideas', undefined, asUser('member')), { body: [] })
    t.match(await ask('GET', '/api/personal-ideas?ownerId=bob', undefined, asUser('member')), { status: 403 })
    t.match(await ask('POST', '/api/projects', { name: 'A' }, asUser('viewer')), {
      status: 403,
      body: { error: 'Forbidden: read-only role' },
    })
    const url = `/api/projects/${created.body.id}`
    t.match(await ask('DELETE', url, undefined, asUser('member')), { status: 403 })
    t.match(await ask('DELETE', url, undefined, asUser('admin')), { status: 200, body: { success: true } })
    t.match(await ask('GET', '/api/projects'), { status: 401 })
  }
})

t.test('the host may return a name and an email', async (t) => {
  const named: HostMember = { id: 'ada', role: 'admin', name: 'Ada', email: 'ada@example.test' }
  const { ask } = await embed(t, { resolveMember: () => named })
  t.strictSame((await ask('GET', '/api/session')).body, { member: named, via: 'host' })
})

t.test('if the host returns no member, tokens and sessions of the service are accepted', async (t) => {
  for (const nobody of [null, undefined]) {
    const host = await createHost(t)
    await host.register(async (scope) => {
      await scope.register(phaseboard, {
        databaseUrl: ':memory:',
        prefix: '/board',
        resolveMember: () => nobody,
        adminPassword: 'correct horse',
      })
    })
    const signIn = (password: string) =>
      host.inject({
        method: 'POST',
        url: '/board/api/session',
        payload: { email: 'admin@localhost', password },
      })
    t.equal((await signIn('wrong password')).statusCode, 401)
    const response = await signIn('correct horse')
    t.equal(response.statusCode, 201)
    t.strictSame(Object.keys(response.json().member).sort(), ['email', 'id', 'name', 'role'])
    const cookie = String(response.headers['set-cookie']).split(';', 1)[0] ?? ''
    const whoami = await host.inject({ url: '/board/api/session', headers: { cookie } })
    t.match(whoami.json(), { member: { email: 'admin@localhost', role: 'admin' }, via: 'session' })
    const useless = { authorization: 'Bearer worthless' }
    t.equal((await host.inject({ url: '/board/api/session', headers: useless })).statusCode, 401)
  }
})

t.test("the host's member comes before any credential of the service", async (t) => {
  const { ask } = await embed(t, { resolveMember })
  const credentials = { authorization: 'Bearer worthless', cookie: 'phaseboard_session=worthless' }
  t.match(await ask('GET', '/api/session', undefined, { ...credentials, ...asUser('member') }), {
    status: 200,
    body: { via: 'host' },
  })
  t.match(await ask('GET', '/api/session', undefined, credentials), { status: 401 })
})

t.test('a refusal by the host is returned', async (t) => {
  const refusing = Object.assign(new Error('session expired at 12:05'), { statusCode: 401 })
  const { ask } = await embed(t, {
    resolveMember: () => {
      throw refusing
    },
  })
  t.match(await ask('GET', '/api/projects'), { status: 401, body: { error: 'Unauthorized' } })
  t.match(await ask('DELETE', '/api/projects/x'), {
    status: 403,
    body: { error: 'Forbidden: admin access required' },
  })
  t.match(await ask('GET', '/healthz'), { status: 200 }, 'nobody asks for a member there')
})

t.test('an error of the host fails the request, and signs nobody in', async (t) => {
  const failures: NonNullable<PhaseboardOptions['resolveMember']>[] = [
    () => {
      throw new Error('the directory is down')
    },
    async () => {
      throw 'nothing in particular'
    },
    () => Promise.reject(null),
  ]
  for (const [index, resolver] of failures.entries()) {
    const { ask, host } = await embed(t, { resolveMember: resolver })
    const what = `resolver ${index}`
    t.match(
      await ask('GET', '/api/projects'),
      { status: 500, body: { error: 'Failed to fetch projects' } },
      what,
    )
    t.match(await ask('POST', '/api/projects', { name: 'A' }), {
      status: 500,
      body: { error: 'Failed to create project' },
    })
    t.match(await ask('DELETE', '/api/projects/x'), {
      status: 500,
      body: { error: 'Failed to delete project' },
    })
    t.equal((await host.inject('/')).statusCode, 200, 'the host goes on')
  }
})

t.test('a member that the service does not understand is 403, and the log says why', async (t) => {
  const { logStream, lines } = keepLog()
  const host = Fastify({ logger: { level: 'error', stream: logStream } })
  t.teardown(() => host.close())
  let member: unknown
  const resolveMember = async () => member as HostMember
  await host.register(phaseboard, {
    databaseUrl: ':memory:',
    logLevel: 'error',
    prefix: '/board',
    resolveMember,
  })
  const roles = 'known roles are admin, member, viewer, guest'
  const id = (what: string) => `the id ${what}: it must be a non-empty string`
  const as = (projects: unknown) => ({ id: 'ada', role: 'member', projects })
  const cases: [unknown, string][] = [
    [{ id: 'ada', role: 'manager' }, `the role "manager": ${roles}`],
    [{ id: 'ada' }, `the role undefined: ${roles}`],
    [{ id: 'ada', role: ['admin'] }, `the role object: ${roles}`],
    [{ id: 'ada', role: 'x'.repeat(500) }, `the role "${'x'.repeat(99)}…": ${roles}`],
    [{ id: '', role: 'admin' }, id('""')],
    [{ id: 5, role: 'admin' }, id('number')],
    [{ id: null, role: 'admin' }, id('null')],
    ['ada', id('undefined')],
    [as('some'), `the projects "some": they must be 'all' or an object`],
    [as(null), `the projects null: they must be 'all' or an object`],
    [as({ a: 'read', b: 'none' }), 'the right "none" to the project "b": known rights are read, write'],
  ]
  for (const [value, problem] of cases) {
    member = value
    lines.length = 0
    const { statusCode, body } = await host.inject('/board/api/projects')
    t.equal(statusCode, 403)
    t.equal(body, '{"error":"Forbidden: the host application gave no valid member"}')
    t.match(
      lines.map((line) => JSON.parse(line)),
      [{ level: 50, msg: `resolveMember returned ${problem}` }],
    )
    const refused = await host.inject({ method: 'DELETE', url: '/board/api/projects/x' })
    t.match([refused.statusCode, refused.json()], [403, { error: 'Forbidden: admin access required' }])
  }
  member = as({ a: 'read' })
  t.equal((await host.inject('/board/api/projects')).statusCode, 200)
})

t.test('errors of the service keep their shape inside the host', async (t) => {
  const { ask } = await embed(t, { resolveMember, bodyLimit: 100 })
  const user = asUser('member')
  const { id } = (await ask('POST', '/api/projects', { name: 'Apollo' }, user)).body
  const details = { formErrors: [], fieldErrors: { name: ['must be string'], sortOrder: ['must be number'] } }
  const cases: [string, string, unknown, Record<string, string>, number, object][] = [
    [
      'POST',
      '/api/projects',
      { name: 5, sortOrder: '1' },
      user,
      400,
      { error: 'Validation failed', details },
    ],
    ['POST', '/api/projects', '{oops', user, 500, { error: 'Failed to create project' }],
    ['POST', '/api/projects', { name: 'x'.repeat(200) }, user, 413, { error: 'Payload Too Large' }],
    [
      'POST',
      '/api/projects',
      'x',
      { ...user, 'content-type': 'text/plain' },
      500,
      { error: 'Failed to create project' },
    ],
    ['GET', '/api/projects/unknown', undefined, user, 404, { error: 'Project not found' }],
    ['PUT', '/api/projects', {}, user, 405, { error: 'Method not allowed' }],
    ['GET', '/api/nothing', undefined, user, 404, { error: 'Not found' }],
    ['GET', '/nothing', undefined, {}, 404, { error: 'Not found' }],
    ['POST', '', undefined, {}, 405, { error: 'Method not allowed' }],
    ['GET', '/docs/nothing', undefined, {}, 404, { error: 'Not found' }],
  ]
  for (const [method, url, body, headers, status, expected] of cases) {
    const answer = await ask(method, url, body, headers)
    t.equal(answer.status, status, `${method} ${url}`)
    t.strictSame(answer.body, expected, `${method} ${url}`)
  }
  t.match(
    await ask('DELETE', `/api/projects/${id}`, '{oops', asUser('admin')),
    { status: 200 },
    'a body of a DELETE is ignored',
  )
})

t.test(
  "the service's body limit and validator apply below the prefix, whatever the host's are",
  async (t) => {
    const { ask } = await embed(t, { resolveMember })
    const description = 'x'.repeat(1000)
    const { status, body } = await ask(
      'POST',
      '/api/projects',
      { name: 'Apollo', description, id: 'mine', unknown: 1 },
      asUser('member'),
    )
    t.equal(status, 201, "more than the host's limit")
    t.equal(body.description, description)
    t.not(body.id, 'mine')
    t.equal(body.unknown, undefined)
    const coerced = await ask('POST', '/api/projects', { name: ['Apollo'] }, asUser('member'))
    t.equal(coerced.status, 400, "the host's coercion does not reach it")
  },
)

t.test("the service's document and page work below the prefix, apart from the host's", async (t) => {
  const { ask, host } = await embed(t)
  const document = (await ask('GET', '/openapi.json')).body
  t.strictSame(document.servers, [{ url: '/board' }])
  t.equal(document.info.title, 'Phaseboard')
  t.ok(Object.keys(document.paths).includes('/api/projects/{id}'))
  t.notOk(Object.keys(document.paths).some((path) => path.startsWith('/board')))
  t.strictSame(Object.keys(document.components.schemas.ErrorResponse.properties), ['error'])
  t.ok(Object.keys(document.components.schemas.Project.properties).includes('kanbanItems'))
  t.notOk(document.components.schemas.Project.properties.codename)
  t.strictSame((await ask('GET', '/docs/json')).body, document)
  const page = await ask('GET', '/docs')
  t.match(page, { status: 200, headers: { 'content-type': /text\/html/ } })
  for (const [, path] of String(page.body).matchAll(/(?:href|src)="([^"]+)"/g)) {
    const { pathname } = new URL(`${path}`, 'http://host.example/board/docs')
    t.equal((await host.inject(pathname)).statusCode, 200, pathname)
  }

  const ofHost = (await host.inject('/host.json')).json()
  t.strictSame(Object.keys(ofHost.paths).sort(), ['/', '/checked', '/echo', '/fails'])
})

t.test("the host's document never contains the service", async (t) => {
  const info = { info: { title: 'The host', version: '1.0.0' } }
  for (const options of [{}, { exposeHeadRoutes: true }, { hideUntagged: true }, { swagger: info }]) {
    for (const order of ['before', 'after']) {
      const host = Fastify()
      t.teardown(() => host.close())
      const register = [
        () => host.register(swagger, { ...('swagger' in options ? {} : { openapi: info }), ...options }),
        () => host.register(phaseboard, { databaseUrl: ':memory:', prefix: '/board' }),
      ]
      for (const one of order === 'before' ? register : register.toReversed()) await one()
      host.addSchema({ $id: 'Project', type: 'object', properties: { codename: { type: 'string' } } })
      host.get('/own', { schema: { tags: ['own'], response: { 200: { $ref: 'Project#' } } } }, async () => ({
        codename: 'Apollo',
        hidden: true,
      }))
      await host.ready()
      const what = `${JSON.stringify(options)} ${order}`
      const { paths, components, definitions } = host.swagger() as unknown as Record<
        string,
        Record<string, object>
      >
      t.strictSame(Object.keys(paths ?? {}), ['/own'], what)
      t.equal(Object.keys(components?.schemas ?? definitions ?? {}).length, 1, what)
      t.match(host.swagger({ yaml: true }), /\/own/)
      t.strictSame((await host.inject('/own')).json(), { codename: 'Apollo' })
      const document = (await host.inject('/board/openapi.json')).json()
      t.ok(document.paths['/api/projects'].get, what)
      t.notOk(document.paths['/own'], what)
    }
  }
})

t.test('Location headers contain the prefix', async (t) => {
  for (const prefix of ['/board', '/deep/board', '']) {
    const { ask, host } = await embed(t, { resolveMember }, prefix)
    const made = await ask('POST', '/api/projects', { name: 'Apollo' }, asUser('admin'))
    t.equal(made.headers.location, `${prefix}/api/projects/${made.body.id}`)
    const url = String(made.headers.location)
    t.strictSame((await host.inject({ url, headers: asUser('admin') })).json(), made.body)
  }
})

t.test("later schemas of the host do not change the service's validation", async (t) => {
  const host = await createHost(t)
  await host.register(phaseboard, { databaseUrl: ':memory:', prefix: '/board', authMode: 'open' })
  host.addSchema({ $id: 'ValidationError', type: 'object' })
  const ask = (url: string, payload: object) => host.inject({ method: 'POST', url, payload })
  const refused = await ask('/board/api/projects', { name: 5 })
  t.strictSame(
    [refused.statusCode, refused.json()],
    [
      400,
      {
        error: 'Validation failed',
        details: { formErrors: [], fieldErrors: { name: ['must be string'] } },
      },
    ],
  )
  t.equal((await ask('/board/api/projects', { name: 'Apollo', metadata: '{}' })).statusCode, 201)
})

t.test('two instances have their own prefix, database and settings', async (t) => {
  const folder = t.testdir()
  const host = await createHost(t)
  const url = (name: string) => `file:${join(folder, name, 'board.db')}`
  await host.register(phaseboard, { prefix: '/one', databaseUrl: url('one'), resolveMember })
  await host.register(phaseboard, { prefix: '/two', databaseUrl: url('two'), authMode: 'open' })
  await host.inject({
    method: 'POST',
    url: '/one/api/projects',
    payload: { name: 'One' },
    headers: asUser('member'),
  })
  await host.inject({ method: 'POST', url: '/two/api/projects', payload: { name: 'Two' } })
  const names = async (prefix: string, headers = {}) =>
    (await host.inject({ url: `${prefix}/api/projects`, headers }))
      .json()
      .map(({ name }: { name: string }) => name)
  t.strictSame(await names('/one', asUser('member')), ['One'])
  t.strictSame(await names('/two'), ['Two'])
  t.equal((await host.inject('/one/api/projects')).statusCode, 401)
  for (const prefix of ['/one', '/two']) {
    const document = (await host.inject(`${prefix}/openapi.json`)).json()
    t.strictSame(document.servers, [{ url: prefix }])
    t.strictSame((await host.inject(`${prefix}/nothing`)).json(), { error: 'Not found' })
  }
  t.ok(existsSync(join(folder, 'two', 'board.db.initial-admin-password')))
  t.notOk(
    existsSync(join(folder, 'one', 'board.db.initial-admin-password')),
    'a host that tells its members needs no admin of ours',
  )
})

t.test("the host's cookies and cookie plugin do not change the session cookie", async (t) => {
  const parseOptions = {
    decode: (text: string) => text.toUpperCase(),
    encode: (text: string) => `${text}x`,
    domain: 'host.example',
    path: '/host',
    maxAge: 5,
    httpOnly: false,
    sameSite: 'none',
    partitioned: true,
    priority: 'high',
    signed: true,
  } as const
  const hosts: Record<string, (host: FastifyInstance, embedded: () => unknown) => Promise<unknown>> = {
    'registered before': async (host, embedded) => {
      await host.register(cookie, { secret: 'a secret of the host', parseOptions })
      await embedded()
    },
    'registered after': async (host, embedded) => {
      await embedded()
      await host.register(cookie, { secret: 'a secret of the host', parseOptions })
    },
    'of another kind': async (host, embedded) => {
      host.decorateRequest('cookies', null as never)
      host.decorateReply('setCookie', null as never)
      await embedded()
    },
  }
  for (const [how, setUp] of Object.entries(hosts)) {
    const host = await createHost(t)
    await setUp(host, () =>
      host.register(phaseboard, {
        databaseUrl: ':memory:',
        prefix: '/board',
        adminPassword: 'correct horse',
      }),
    )
    const url = '/board/api/session'
    const payload = { email: 'admin@localhost', password: 'correct horse' }
    const { headers } = await host.inject({ method: 'POST', url, payload })
    const attributes = '; Path=/board; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$'
    t.match(headers['set-cookie'], new RegExp(`^phaseboard_session=[\\w-]{43}${attributes}`), how)
    const cookie = `a=b; ${String(headers['set-cookie']).split(';', 1)[0]}`
    const whoAmI = await host.inject({ url, headers: { cookie } })
    t.match(whoAmI.json(), { via: 'session' }, how)
    const signedOut = await host.inject({ method: 'DELETE', url, headers: { cookie } })
    t.match(signedOut.headers['set-cookie'], new RegExp(`^phaseboard_session=${attributes}`), how)
  }
})

t.test("the session cookie is for the service's own paths", async (t) => {
  const hosts: [prefix: string, root: string, publicUrl: string | undefined, path: string][] = [
    ['', '', undefined, '/'],
    ['/board', '/board', undefined, '/board'],
    ['/board/', '/board', undefined, '/board'],
    ['/tafel für alle', '/tafel%20f%C3%BCr%20alle', undefined, '/tafel%20f%C3%BCr%20alle'],
    ['/:tenant/board', '/acme/board', undefined, '/acme/board'],
    ['/a;b', '/a;b', undefined, '/'],
    ['/:one/:two', '//other.example', undefined, '/other.example'],
    ['/board', '/board', 'https://intranet.example/tools/board/', '/tools/board'],
    ['/board', '/board', 'https://board.example', '/'],
  ]
  for (const [prefix, root, publicUrl, path] of hosts) {
    const host = await createHost(t)
    const payload = { email: 'admin@localhost', password: 'correct horse' }
    const options = {
      databaseUrl: ':memory:',
      adminPassword: payload.password,
      ...(publicUrl && { publicUrl }),
    }
    await host.register(phaseboard, { ...options, prefix })
    const url = `${root}/api/session`
    const pathOf = ({ headers }: { headers: Record<string, unknown> }) =>
      /; Path=([^;]+)/.exec(String(headers['set-cookie']))?.[1]
    const signedIn = await host.inject({ method: 'POST', url, payload })
    const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] ?? ''
    const signedOut = await host.inject({ method: 'DELETE', url, headers: { cookie } })
    const refused = await host.inject({ url, headers: { cookie } })
    t.strictSame([signedIn, signedOut, refused].map(pathOf), [path, path, path], `${prefix} ${publicUrl}`)
  }
})

t.test('without a prefix, the service has its paths, and the host all others', async (t) => {
  const { ask, host } = await embed(t, { resolveMember }, '')
  t.match(await ask('GET', '/healthz'), { status: 200, body: { status: 'ok' } })
  t.match(await ask('POST', '/api/projects', { name: 'A' }, asUser('member')), { status: 201 })
  t.match(await ask('GET', '/api/projects/unknown', undefined, asUser('member')), {
    status: 404,
    body: { error: 'Project not found' },
  })
  t.match(await ask('PUT', '/api/projects', {}), { status: 405, body: { error: 'Method not allowed' } })
  t.match(await ask('GET', '/openapi.json'), {
    body: { servers: [{ url: '/' }], info: { title: 'Phaseboard' } },
  })
  t.match(await ask('GET', '/api/nothing'), { status: 404, body: 'the host has no /api/nothing' })
  t.equal(
    (await host.inject({ method: 'DELETE', url: '/echo', headers: json, payload: '{"a":1}' })).body,
    '{"deleted":{"a":1}}',
  )
})

t.test("a proxy header can select a host's member, if the host trusts the proxy", async (t) => {
  const authProxyHeader = 'x-forwarded-email'
  const adminPassword = 'correct horse'
  const named = { [authProxyHeader]: 'ADMIN@localhost' }
  const known = await embed(t, { authProxyHeader, trustProxy: ['127.0.0.1'], adminPassword, resolveMember })
  t.match(await known.ask('GET', '/api/session', undefined, named), {
    status: 200,
    body: { member: { email: 'admin@localhost', role: 'admin' }, via: 'proxy' },
  })
  t.match(await known.ask('GET', '/api/session', undefined, { ...named, ...asUser('member') }), {
    body: { member: { id: 'ada' }, via: 'host' },
  })
  const unknown = await embed(t, { authProxyHeader, trustProxy: ['10.0.0.1'], adminPassword })
  t.match(await unknown.ask('GET', '/api/session', undefined, named), { status: 401 })
  // Only the host knows who can reach it, so it must name the trusted proxy.
  for (const trustProxy of [true, undefined]) {
    await t.rejects(embed(t, { authProxyHeader, ...(trustProxy && { trustProxy }) }), {
      message: /^AUTH_PROXY_HEADER needs/,
    })
  }
})

t.test('inside a host, every host name is accepted', async (t) => {
  const { ask } = await embed(t, { authMode: 'open' })
  t.equal((await ask('GET', '/api/projects', undefined, { host: 'board.example' })).status, 200)
})

t.test('a nested prefix works', async (t) => {
  const { ask } = await embed(t, { resolveMember }, '/apps/board')
  t.match(await ask('GET', '/api/session', undefined, asUser('member')), {
    status: 200,
    body: { via: 'host' },
  })
  t.match(await ask('GET', '/nothing'), { status: 404, body: { error: 'Not found' } })
  t.match((await ask('GET', '/openapi.json')).body.servers, [{ url: '/apps/board' }])
})

t.test('closing the host closes the database', async (t) => {
  const folder = t.testdir()
  const host = await createHost(t)
  await host.register(async (scope) => {
    await scope.register(phaseboard, { databaseUrl: `file:${join(folder, 'board.db')}`, resolveMember })
    await scope.register(async () => undefined)
  })
  await host.ready()
  t.ok(existsSync(join(folder, 'board.db-wal')))
  await host.close()
  t.notOk(existsSync(join(folder, 'board.db-wal')), 'its log was written back')
})

t.test('the host does not start if the service cannot open its database', async (t) => {
  const host = await createHost(t)
  const folder = t.testdir()
  await t.rejects(
    async () => host.register(phaseboard, { prefix: '/board', databaseUrl: `file:${folder}` }),
    {
      name: 'StartupError',
      message: `cannot open the database ${folder}: it is a directory`,
    },
  )
})

t.test("the host's serializer does not change the service's responses", async (t) => {
  const habits: ((host: FastifyInstance) => void)[] = [
    (host) => host.setReplySerializer((payload) => JSON.stringify({ wrapped: payload })),
    (host) => host.setSerializerCompiler(() => (payload) => JSON.stringify(payload)),
  ]
  for (const setUp of habits) {
    const host = Fastify()
    t.teardown(() => host.close())
    setUp(host)
    const options = {
      databaseUrl: ':memory:',
      adminEmail: 'root@example.test',
      adminPassword: 'correct horse',
    }
    await host.register(phaseboard, { prefix: '/board', ...options })
    const signIn = (password: string) =>
      host.inject({
        method: 'POST',
        url: '/board/api/session',
        payload: { email: 'root@example.test', password },
      })
    const { member, expiresAt, ...more } = (await signIn('correct horse')).json()
    t.match(member, { name: 'Admin', email: 'root@example.test', role: 'admin' })
    t.strictSame(
      Object.keys(member).sort(),
      ['email', 'id', 'name', 'role'],
      'least of all the password hash',
    )
    t.type(expiresAt, 'string')
    t.strictSame(more, {})
    t.strictSame((await signIn('wrong password')).json(), { error: 'Invalid email or password' })
    t.strictSame((await host.inject('/board/nothing')).json(), { error: 'Not found' })
  }
})

t.test('a host may use HTTP/2, where a body needs no header', async (t) => {
  const host = Fastify({ http2: true })
  t.teardown(() => host.close())
  await host.register(phaseboard, { databaseUrl: ':memory:', authMode: 'open' })
  const connection = connect(await host.listen({ port: 0 }))
  t.teardown(() => connection.close())
  const post = async (sent: string) => {
    const stream = connection.request({ ':method': 'POST', ':path': '/api/projects' })
    let status: number | undefined
    stream.on('response', (headers) => {
      status = headers[':status']
    })
    stream.end(sent)
    const body = JSON.parse(await text(stream))
    return { status, body }
  }
  const { status, body } = await post('{"name":"Streamed"}')
  t.equal(status, 201)
  t.equal(body.name, 'Streamed')
  t.strictSame(await post(''), { status: 500, body: { error: 'Failed to create project' } })
})

t.test('a mistyped option is logged, as it would otherwise do nothing unseen', async (t) => {
  const { logStream, lines } = keepLog()
  const warnings = () => {
    const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
    return logged.map(({ msg, options }) => ({ msg, options }))
  }
  const known = { databaseUrl: ':memory:', authMode: 'required', logLevel: 'warn' } as const
  const host = Fastify({ logger: { level: 'warn', stream: logStream } })
  t.teardown(() => host.close())
  await host.register(phaseboard, { ...known, prefix: '/board', resolveMember: () => null })
  const alone = await shipped.buildApp({ ...known, logStream })
  t.teardown(() => alone.close())
  t.strictSame(warnings(), [], 'none for settings, functions and options of Fastify')

  const mistyped = { authmode: 'required', databaseURL: 'file:other.db' } as object
  await host.register(phaseboard, { ...known, prefix: '/other', ...mistyped })
  const warning = { msg: 'unknown options are ignored', options: Object.keys(mistyped) }
  t.strictSame(warnings(), [warning])
  const other = await shipped.buildApp({ ...known, logStream, ...mistyped })
  t.teardown(() => other.close())
  t.strictSame(warnings(), [warning, warning])
})
