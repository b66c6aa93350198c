/** What a batch does with each of its requests: what the server does with a request to the same route. */
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import type { BatchedRequest } from '../../src/batch/batch.ts'
import { Operations } from '../../src/batch/operations.ts'
import { projects } from '../../src/db/schema.ts'
import { ApiError } from '../../src/errors.ts'
import { etagOf } from '../../src/etags.ts'
import type { Call } from '../../src/requests/calls.ts'
import { mustExist } from '../../src/requests/existence.ts'
import { ref, Success } from '../../src/schemas/common.ts'
import { ProjectSchema } from '../../src/schemas/records.ts'
import { batch, GET, giving, POST, routeOf } from './runs.ts'

/** What an error has, at least. */
const status = (statusCode: number, fields: object = {}) => ({ message: /./, statusCode, ...fields })

const response = { 200: ref(Success) }

type Done = (error?: Error) => void

const record = {
  get: () => giving(Buffer.from('{}')),
  shape: { name: 'Project', status: 200, schema: ref(ProjectSchema), kind: 'record' },
}

const EMPTY: BatchedRequest = { method: 'POST', path: '/api/x' }

/** The number of results of a batch. */
const resultsOf = ({ text }: ReturnType<typeof batch>): number => JSON.parse(text()).results.length

/** The requests that handlers and hooks got. */
function seenBy(requests: readonly BatchedRequest[], fields: object = {}, options: object = {}) {
  const seen: FastifyRequest[] = []
  const handler = (request: FastifyRequest) => {
    seen.push(request)
    return giving({})
  }
  batch(requests, { handler, ...fields }, options).text()
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
  ).text()
  t.strictSame(
    order,
    stages.flatMap((stage) => [`${stage} 1`, `${stage} 2`]),
  )
  const refused = new ApiError(403, 'Refused')
  const refuse = (_request: unknown, _reply: unknown, done: Done) => done(refused)
  for (const stage of stages) t.throws(() => batch([GET], { [stage]: refuse }).text(), refused)
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
  t.throws(() => batch([wrong], { schema }).text(), status(400, { details: { fieldErrors } }))
  const { text, compiled } = batch([POST], { schema: { ...schema, querystring: {} } })
  text()
  t.strictSame(compiled, ['body', 'querystring'])
  const inQuery = { ...POST, path: '/api/x?title=wrong' }
  t.throws(() => batch([inQuery], { schema: { ...schema, querystring: {} } }).text(), status(400))
  t.equal(resultsOf(batch([inQuery], { schema })), 1)
  t.throws(() => batch([EMPTY]).text(), { code: 'not_json' })
  t.throws(() => batch([GET], { schema }).text(), { code: 'not_json' }, 'the schema of a GET has a body')
  const config = { access: 'own', isBodyOptional: true }
  t.strictSame(
    seenBy([EMPTY, POST], { config }).map(({ body }) => body),
    [{}, { title: 'Card' }],
  )
})

t.test('a request has its own headers, address and handling', async (t) => {
  const [one, other] = seenBy([{ ...POST, ifMatch: '*' }, POST])
  t.strictSame(one?.headers, { 'if-match': '*', 'x-own': '1' })
  t.strictSame(other?.headers, { 'x-own': '1' })
  t.match(one, { method: 'POST', url: '/board/api/x', raw: { headers: { prefer: undefined } } })
  t.match(one?.routeOptions, { method: 'POST', url: '/board/api/x', config: { failure: 'Failed to do it' } })
  const [strict] = seenBy([GET], {}, { isStrict: true })
  t.strictSame(strict?.raw.headers, { 'x-own': '1', prefer: 'handling=strict' })
  const [lax] = seenBy([GET], {}, { isStrict: false })
  t.strictSame(lax?.raw.headers, { 'x-own': '1' })
})

t.test('a later request can use the result of an earlier one', async (t) => {
  const body = { title: '{{p.title}}' }
  const seen: unknown[] = []
  const schema = { operationId: 'x', response: { 200: { type: 'object', additionalProperties: true } } }
  const handler = ({ body, params }: FastifyRequest) => {
    seen.push(body ?? { ...(params as object) })
    return giving({ id: '7', title: 'T' })
  }
  const first = { ...GET, as: 'p' }
  for (const [request, expected] of [
    [{ ...GET, path: '/api/x/{{p.id}}' }, { id: '7' }],
    [{ ...POST, body }, { title: 'T' }],
  ] as const) {
    t.equal(resultsOf(batch([first, request], { handler, schema })), 2)
    t.strictSame(seen.splice(0).at(-1), expected)
  }
  t.throws(() => batch([GET, { ...POST, body }]).text(), status(400), 'unnamed')
  const literal = seenBy([{ ...POST, body }], {}, { hasLiteralBodies: true })
  t.strictSame(literal[0]?.body, body)
})

t.test('each request needs the rights of its route', async (t) => {
  const write = { config: { access: 'write' } }
  t.throws(() => batch([POST], write, { role: 'viewer' }).text(), status(403))
  t.throws(() => batch([POST], { config: { access: 'admin' } }).text(), status(403))
  const { text, checked } = batch([POST], write)
  text()
  t.match(checked, [{ memberId: 'ada' }], 'also to the project of the record')
  const own = batch([POST])
  own.text()
  t.strictSame(own.checked, [])
  const config = { access: 'own', isSentAlone: ({ method }: FastifyRequest) => method === 'POST' }
  t.equal(resultsOf(batch([GET], { config })), 1)
  t.throws(() => batch([POST], { config }).text(), status(400))
})

t.test('a record that must exist is read first', async (t) => {
  const onRequest = mustExist(projects, () => t.fail('it does not ask here'))
  const sought = { ...record, get: () => giving('the record') }
  const config = { access: 'own', record: sought }
  const found = batch([GET], { onRequest, config, handler: () => giving({}) })
  t.equal(resultsOf(found), 1)
  t.strictSame(found.ran, ['the record', {}])
  const none = batch([GET], { onRequest })
  none.text()
  t.strictSame(none.ran, [{}], 'unless the route has none')
})

t.test('a precondition is of the record, or of what is read', async (t) => {
  const run = (request: BatchedRequest, fields: object = {}) => resultsOf(batch([request], fields))
  const config = { access: 'own', record }
  t.equal(run({ ...POST, ifMatch: etagOf('{}') }, { config }), 1)
  t.throws(() => run({ ...POST, ifMatch: '"x"' }, { config }), status(412))
  t.equal(run({ ...POST, ifMatch: ' * ' }), 1, 'anything matches what has no tag')
  t.throws(() => run({ ...GET, ifMatch: '"x"' }), status(412))
  t.throws(() => run({ ...POST, ifMatch: '"x"' }), status(412))
  t.throws(() => run({ ...POST, path: '/api/x', method: 'DELETE', ifMatch: '"x"' }), status(412))
  const instead = batch([GET], { config: { access: 'own', inBatch: () => giving('instead') } })
  instead.text()
  t.strictSame(instead.ran, ['instead'])
})

t.test('an error names its request, and an unexpected one has the text of its route', async (t) => {
  /** The error that a batch is answered with. */
  function errorOf({ run, text }: ReturnType<typeof batch>): unknown {
    try {
      text()
    } catch (error) {
      return run.errorOf(error)
    }
    return undefined
  }
  const throwing = (error: Error) => ({
    handler: ({ body }: FastifyRequest) => {
      if (body) throw error
      return giving({})
    },
  })
  const broken = new Error('broken')
  const unexpected = {
    name: 'BatchFailure',
    failure: 'Failed to do it',
    details: { request: 1 },
    cause: broken,
  }
  t.match(errorOf(batch([GET, POST], throwing(broken))), unexpected)
  const refusal = new ApiError(409, 'Full', { details: { missing: ['x'] } })
  const named = { statusCode: 409, message: 'Full', details: { request: 1, missing: ['x'] } }
  t.match(errorOf(batch([GET, POST], throwing(refusal))), named)
  const nameless = batch([GET], { config: { access: 'own' }, handler: () => undefined })
  t.match(errorOf(nameless), { failure: 'Internal server error', details: { request: 0 } })
  const lost = batch([GET, { ...GET, path: '/api/{{p.id}}' }])
  t.match(errorOf(lost), { statusCode: 400, details: { request: 1 } })
  t.equal(lost.run.errorOf(broken), broken, 'that of the commit is nobody’s')
  t.equal(batch([GET]).run.errorOf(broken), broken, 'nothing has failed')
})

t.test('several reads are separate, and their answers are limited in total', async (t) => {
  const schema = { operationId: 'x', response: { 200: { type: 'object', additionalProperties: true } } }
  const reading = (
    requests: BatchedRequest[],
    perform: (call: Call) => Promise<unknown>,
    fields: object = { schema },
    lookUp: (call: Call) => void = () => undefined,
  ) => batch(requests, fields).run.read(perform, lookUp)
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
  const seen: unknown[] = []
  const lookUp = ({ args }: Call) => void seen.push(args[0])
  const fields = { schema, onRequest, config, handler: () => giving('the answer') }
  const perform = async ({ args }: Call) => {
    seen.push(args[0])
    return {}
  }
  t.equal((await reading([GET], perform, fields, lookUp)).length, 1)
  t.strictSame(seen, [Buffer.from('{}'), 'the answer'], 'what must exist is no answer')
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
