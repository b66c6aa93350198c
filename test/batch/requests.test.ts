/** How a batch handles each request: its hooks, its own request, its step, and the errors, without a server. */
import type { FastifyRequest, RouteOptions } from 'fastify'
import t from 'tap'
import {
  type BatchedRequest,
  BatchRun,
  type BatchSurroundings,
  type RunOptions,
} from '../../src/batch/batch.ts'
import { Operations } from '../../src/batch/operations.ts'
import { AWAIT, type NamedBodies, type Step, StepFailure } from '../../src/batch/steps.ts'
import { projects } from '../../src/db/schema.ts'
import { ApiError } from '../../src/errors.ts'
import { etagOf } from '../../src/etags.ts'
import type { Call } from '../../src/requests/calls.ts'
import { mustExist } from '../../src/requests/existence.ts'
import { keepUnchanged } from '../../src/requests/read-only.ts'
import { ref, Success } from '../../src/schemas/common.ts'
import { ProjectSchema } from '../../src/schemas/records.ts'

/** What an error has, at least. */
const status = (statusCode: number, fields: object = {}) => ({ message: /./, statusCode, ...fields })

const call: Call = { path: 'board.items.get', args: ['x'] }
const response = { 200: ref(Success) }

type Done = (error?: Error) => void

const routeOf = (method: string, url: string, fields: object): RouteOptions =>
  ({
    method,
    url: `/board${url}`,
    schema: { operationId: `${method} ${url}`, response },
    config: { access: 'own', failure: 'Failed to do it' },
    handler: () => call,
    ...fields,
  }) as unknown as RouteOptions

const record = {
  get: () => ({ path: 'projects.get', args: ['p'] }),
  shape: { name: 'Project', status: 200, schema: ref(ProjectSchema), kind: 'record' },
}

const GET: BatchedRequest = { method: 'GET', path: '/api/x' }
const POST: BatchedRequest = { method: 'POST', path: '/api/x', body: { title: 'Card' } }
const EMPTY: BatchedRequest = { method: 'POST', path: '/api/x' }

/** A batch of a member with these requests, to routes with these fields at `/api/x`. */
function batch(
  requests: readonly BatchedRequest[],
  fields: object = {},
  { role = 'member', ...options }: RunOptions & { role?: string } = {},
) {
  const operations = new Operations()
  const compiled: string[] = []
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
    operations.add(routeOf(method, '/api/x', fields), '/board', ({ httpPart }) => {
      compiled.push(String(httpPart))
      const check = (value: { title?: string } | null) => value?.title !== 'wrong'
      const errors = [
        { instancePath: '/title', keyword: 'x', message: 'is wrong', params: {}, schemaPath: '' },
      ]
      return Object.assign(check, { errors })
    })
  operations.add(routeOf('GET', '/api/x/:id', fields), '/board', () => () => true)
  const decorators = {
    member: { id: 'ada', role },
    via: 'session',
    scope: 'write',
    principal: { memberId: 'ada' },
  }
  const outer = {
    headers: { 'if-match': '"of the batch"', 'x-own': '1' },
    raw: { headers: { 'x-own': '1' } },
    getDecorator: () => decorators,
    setDecorator: () => undefined,
  } as unknown as FastifyRequest
  const checked: unknown[] = []
  const surroundings = {
    app: { prefix: '/board' },
    operations,
    authMode: 'required',
    bodyLimit: 1000,
    checkReader: (...args: unknown[]) => void checked.push(args[1]),
  } as unknown as BatchSurroundings
  const run = new BatchRun(outer, requests, surroundings, options)
  /** Decides all steps. @param named the result of each */
  const steps = (...named: NamedBodies[]) => {
    const generator = run.steps()
    const found: (Step | typeof AWAIT)[] = []
    for (let next = generator.next([]); !next.done; next = generator.next(named.shift() ?? []))
      found.push(next.value)
    return found
  }
  return { run, steps, checked, compiled }
}

/** The requests that handlers and hooks got. */
function seenBy(requests: readonly BatchedRequest[], fields: object = {}, options: RunOptions = {}) {
  const seen: FastifyRequest[] = []
  const handler = (request: FastifyRequest) => {
    seen.push(request)
    return call
  }
  batch(requests, { handler, ...fields }, options).steps()
  return seen
}

t.test('hooks run in order, and end the request', async (t) => {
  const order: string[] = []
  const hook = (name: string) => (_request: unknown, _reply: unknown, done: Done) => {
    order.push(name)
    done()
  }
  const stages = ['onRequest', 'preValidation', 'preHandler']
  batch(
    [GET],
    Object.fromEntries(stages.map((stage) => [stage, [hook(`${stage} 1`), hook(`${stage} 2`)]])),
  ).steps()
  t.strictSame(
    order,
    stages.flatMap((stage) => [`${stage} 1`, `${stage} 2`]),
  )
  const refused = new ApiError(403, 'Refused')
  const refuse = (_request: unknown, _reply: unknown, done: Done) => done(refused)
  for (const stage of stages) t.throws(() => batch([GET], { [stage]: refuse }).steps(), refused)
})

t.test('a body is validated, and there must be one', async (t) => {
  const schema = { operationId: 'x', response, body: {} }
  t.strictSame(
    seenBy([POST, GET, { ...GET, body: {} }], { schema: { operationId: 'x', response } }).map(
      ({ body }) => body,
    ),
    [{ title: 'Card' }, undefined, undefined],
  )
  const wrong = { ...POST, body: { title: 'wrong' } }
  const fieldErrors = { title: ['is wrong'] }
  t.throws(() => batch([wrong], { schema }).steps(), status(400, { details: { fieldErrors } }))
  const { steps, compiled } = batch([POST], { schema: { ...schema, querystring: {} } })
  t.equal(steps().length, 1)
  t.strictSame(compiled, ['body', 'querystring'])
  const inQuery = { ...POST, path: '/api/x?title=wrong' }
  t.throws(() => batch([inQuery], { schema: { ...schema, querystring: {} } }).steps(), status(400))
  t.equal(batch([inQuery], { schema }).steps().length, 1)
  t.throws(() => batch([EMPTY]).steps(), { code: 'not_json' })
  t.throws(() => batch([GET], { schema }).steps(), { code: 'not_json' }, 'the schema of a GET has a body')
  const config = { access: 'own', isBodyOptional: true }
  t.strictSame(
    seenBy([EMPTY, POST], { config }).map(({ body }) => body),
    [{}, { title: 'Card' }],
  )
})

t.test('a request has its own headers, address and handling', async (t) => {
  const [one, other] = seenBy([{ ...GET, ifMatch: '*' }, POST])
  t.strictSame(one?.headers, { 'if-match': '*', 'x-own': '1' })
  t.strictSame(other?.headers, { 'x-own': '1' })
  t.match(one, { method: 'GET', url: '/board/api/x', raw: { headers: { prefer: undefined } } })
  t.match(one?.routeOptions, { method: 'GET', url: '/board/api/x', config: { failure: 'Failed to do it' } })
  const [strict] = seenBy([GET], {}, { isStrict: true })
  t.strictSame(strict?.raw.headers, { 'x-own': '1', prefer: 'handling=strict' })
  const [lax] = seenBy([GET], {}, { isStrict: false })
  t.strictSame(lax?.raw.headers, { 'x-own': '1' })
})

t.test('a later request can use the result of an earlier one', async (t) => {
  const named: NamedBodies = [['p', '{"id":"7","title":"T"}']]
  const body = { title: '{{p.title}}' }
  const seen: unknown[] = []
  const handler = ({ body, params }: FastifyRequest) => {
    seen.push(body ?? { ...(params as object) })
    return call
  }
  const first = { ...GET, as: 'p' }
  for (const [request, expected] of [
    [{ ...GET, path: '/api/x/{{p.id}}' }, { id: '7' }],
    [{ ...POST, body }, { title: 'T' }],
  ] as const) {
    const late = batch([first, request], { handler }).steps([], named)
    t.match(late, [{ request: 0, as: 'p' }, AWAIT, { request: 1 }])
    t.notOk(Object.hasOwn(late[2] as Step, 'as'))
    t.strictSame(seen.splice(0).at(-1), expected)
    const early = batch([first, request], { handler }).steps(named)
    t.equal(early.length, 2, 'it came in time')
    t.strictSame(seen.splice(0).at(-1), expected)
  }
  t.equal(batch([first, POST]).steps().length, 2, 'one that uses none does not wait')
  t.equal(batch([first, EMPTY], { config: { access: 'own', isBodyOptional: true } }).steps().length, 2)
  t.throws(() => batch([GET, { ...POST, body }]).steps(), status(400), 'unnamed')
  const literal = seenBy([{ ...POST, body }], {}, { hasLiteralBodies: true })
  t.strictSame(literal[0]?.body, body)
})

t.test('each request needs the rights of its route', async (t) => {
  const write = { config: { access: 'write' } }
  t.throws(() => batch([POST], write, { role: 'viewer' }).steps(), status(403))
  t.throws(() => batch([POST], { config: { access: 'admin' } }).steps(), status(403))
  const { steps, checked } = batch([POST], write)
  steps()
  t.strictSame(checked, [{ memberId: 'ada' }], 'also to the project of the record')
  const own = batch([POST])
  own.steps()
  t.strictSame(own.checked, [])
  const config = { access: 'own', isSentAlone: ({ method }: FastifyRequest) => method === 'POST' }
  t.equal(batch([GET], { config }).steps().length, 1)
  t.throws(() => batch([POST], { config }).steps(), status(400))
})

t.test('a record that must exist is read first', async (t) => {
  const onRequest = mustExist(projects, () => t.fail('it does not ask here'))
  const config = { access: 'own', record }
  const found = batch([GET], { onRequest, config }).steps()
  t.match(found, [
    { request: 0, call: { path: 'projects.get' } },
    { request: 0, call, record: { shape: {} } },
  ])
  t.notOk(Object.hasOwn(found[0] as Step, 'shape'))
  t.equal(batch([GET], { onRequest }).steps().length, 1, 'unless the route has none')
})

t.test('a step has what its request depends on', async (t) => {
  const of = (request: BatchedRequest, fields: object = {}) => batch([request], fields).steps()[0] as Step
  t.strictSame(Object.keys(of(GET)).sort(), ['call', 'request', 'shape'])
  const config = { access: 'own', record }
  t.strictSame(of({ ...POST, ifMatch: '"x"' }, { config }).ifMatch, '"x"')
  t.strictSame(of({ ...GET, ifMatch: '"x"' }).ifMatch, '"x"')
  t.equal(of({ ...POST, ifMatch: ' * ' }).ifMatch, undefined, 'anything matches what has no tag')
  t.notOk(Object.hasOwn(of(GET, { config }), 'ifMatch'))
  t.throws(() => of({ ...POST, ifMatch: '"x"' }), status(412))
  t.throws(() => of({ ...POST, path: '/api/x', method: 'DELETE', ifMatch: '"x"' }), status(412))
  const preHandler = (request: FastifyRequest, _reply: unknown, done: Done) => {
    keepUnchanged(request, { id: 'p' })
    done()
  }
  t.strictSame(of(POST, { preHandler, config }).unchanged, { id: 'p' })
  const inBatch = () => ({ path: 'projects.list', args: [] })
  t.match(of(GET, { config: { access: 'own', inBatch } }), { call: { path: 'projects.list' } })
})

t.test('an error names its request, and an unexpected one has the text of its route', async (t) => {
  const broken = new Error('broken')
  const handler = ({ body }: FastifyRequest) => {
    if (body) throw broken
    return call
  }
  const { run, steps } = batch([GET, POST], { handler })
  t.throws(() => steps(), broken)
  t.match(run.errorOf(broken), { name: 'BatchFailure', failure: 'Failed to do it', details: { request: 1 } })
  const other = new Error('of the commit')
  t.equal(run.errorOf(other), other)
  const refusal = new ApiError(409, 'Full', { details: { missing: ['x'] } })
  const named = { statusCode: 409, message: 'Full', details: { request: 0, missing: ['x'] } }
  t.match(run.errorOf(new StepFailure(0, refusal)), named)
  t.match(run.errorOf(new StepFailure(0, broken)), { failure: 'Failed to do it', details: { request: 0 } })
  const early = batch([{ ...GET, path: '/api/{{p.id}}' }])
  t.throws(() => early.steps())
  t.equal(batch([GET]).run.errorOf(broken), broken, 'nothing has failed')
  const nameless = batch([GET], { config: { access: 'own' }, handler: () => undefined })
  t.throws(() => nameless.steps())
  t.match(nameless.run.errorOf(new StepFailure(0, broken)), { failure: 'Internal server error' })
})

t.test('several reads are separate, and their answers are limited in total', async (t) => {
  const schema = { operationId: 'x', response: { 200: { type: 'object', additionalProperties: true } } }
  const reading = (
    requests: BatchedRequest[],
    perform: (call: Call) => Promise<unknown>,
    fields: object = { schema },
  ) => batch(requests, fields).run.read(perform)
  const answers = await reading([GET, GET], async () => ({ a: 1 }))
  t.match(answers, [
    { status: 200, body: '{"a":1}' },
    { status: 200, body: '{"a":1}' },
  ])
  const page = { body: Buffer.from('[1]'), next: 'cursor', etag: '"x"' }
  const [one] = await reading([GET], async () => page)
  t.match(one, { next: 'cursor', body: Buffer.from('[1]') })
  t.notOk(Object.hasOwn(answers[0] as object, 'next'))
  const [success] = await reading([GET], async () => undefined, {})
  t.strictSame(success, { status: 200, body: '{"success":true}' }, 'without a tag')
  const tagged = { schema: { operationId: 'y', response: { 200: ref(ProjectSchema) } } }
  const [project] = await reading([GET], async () => Buffer.from('{}'), tagged)
  t.equal(project?.etag, etagOf('{}'))
  await t.rejects(
    reading([GET, POST], async () => ({})),
    { message: 'these requests only read' },
  )
  const broken = new Error('broken')
  await t.rejects(
    reading([GET], async () => Promise.reject(broken)),
    broken,
  )
  const half = { body: Buffer.alloc(2 * 1024 * 1024) }
  t.equal((await reading([GET, GET], async () => half)).length, 2)
  const tooMuch = { statusCode: 413, message: 'Too much to read at once' }
  await t.rejects(
    reading([GET, GET, GET], async () => half),
    tooMuch,
  )
  const onRequest = mustExist(projects, () => true)
  const config = { access: 'own', record }
  const paths: string[] = []
  const seen = async ({ path }: Call) => {
    paths.push(path)
    return {}
  }
  t.equal((await reading([GET], seen, { schema, onRequest, config })).length, 1)
  t.strictSame(paths, ['projects.get', 'board.items.get'], 'what must exist is no answer')
})

t.test('operations are found by method and path', async (t) => {
  const operations = new Operations()
  const add = (method: string, url: string, fields: object = {}) =>
    operations.add(routeOf(method, url, fields), '/board', () => () => true)
  add('GET', '/api/x')
  add('POST', '/api/x')
  add('HEAD', '/api/head')
  add('GET', '/other/x')
  add('GET', '/api/page', { schema: { operationId: 'page', response: {} } })
  add('GET', '/api/alone', { config: { isSentAlone: true }, schema: { operationId: 'alone', response: {} } })
  add('GET', '/api/own', { config: { isSentAlone: true } })
  add('GET', '/api/none', { schema: undefined })
  t.match(operations.find('GET', '/api/x?a=1'), {
    operation: { route: { url: '/board/api/x' }, shape: { name: 'GET /api/x', kind: 'success' } },
    query: { a: '1' },
  })
  const path = (problem: string) => status(400, { details: { fieldErrors: { path: [problem] } } })
  t.throws(() => operations.find('GET', '/other/x'), path('must begin with /api/'))
  for (const url of ['/api/alone', '/api/own'])
    t.throws(() => operations.find('GET', url), path('must not be part of a batch'))
  for (const url of ['/api/page', '/api/none', '/api/head', '/api/y'])
    t.throws(() => operations.find('GET', url), { statusCode: 404, message: 'Not found' })
  const refused = { statusCode: 405, message: 'Method not allowed', headers: { allow: 'GET, POST' } }
  t.throws(() => operations.find('PUT', '/api/x'), refused)
  t.equal(operations.schemaOf('GET /api/x').operationId, 'GET /api/x')
  t.equal(operations.schemaOf('GET /api/own').operationId, 'GET /api/own', 'also one that is sent alone')
  for (const id of ['alone', 'GET /other/x'])
    t.throws(() => operations.schemaOf(id), { message: `there is no operation ${id}` })
})
