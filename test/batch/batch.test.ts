/** Routes may not do everything in a batch. A violation fails when the route is registered, or at its first batch. */
import type { FastifyRequest, RouteOptions } from 'fastify'
import t from 'tap'
import { type BatchedRequest, BatchRun, type BatchSurroundings } from '../../src/batch/batch.ts'
import { Operations } from '../../src/batch/operations.ts'
import type { Call } from '../../src/requests/calls.ts'
import { ref, Success } from '../../src/schemas/common.ts'

const call: Call = { path: 'board.items.get', args: ['x'] }

const routeOf = (fields: object): RouteOptions =>
  ({
    method: 'GET',
    url: '/board/api/x/:id',
    path: '/board/api/x/:id',
    schema: { operationId: 'getX', response: { 200: ref(Success) } },
    config: { access: 'own', failure: 'Failed to fetch x' },
    handler: () => call,
    ...fields,
  }) as unknown as RouteOptions

const operationsWith = (fields: object) => {
  const operations = new Operations()
  operations.add(routeOf(fields), '/board', () => () => true)
  return operations
}

const outer = {
  headers: { 'if-match': '"x"', 'idempotency-key': 'k', prefer: 'handling=strict' },
  getDecorator: () => ({ member: { id: 'ada', role: 'member' }, via: 'session', scope: 'write' }),
} as unknown as FastifyRequest

const REQUEST: BatchedRequest = { method: 'GET', path: '/api/x/a%20b?q=1' }

/** Runs a batch of one request to a route with these fields. @returns its step */
function stepOf(fields: object, request = REQUEST) {
  const operations = operationsWith(fields)
  const surroundings = { app: { prefix: '/board' }, operations, authMode: 'required', bodyLimit: 1000 }
  const run = new BatchRun(outer, [request], surroundings as unknown as BatchSurroundings)
  return run.steps().next().value
}

t.test('a route that does more than return a call has to declare it', async (t) => {
  const message = 'GET /api/x/:id does more than return a call: it must declare isSentAlone'
  const asynchronous = async () => undefined
  for (const fields of [
    { handler: asynchronous },
    { onRequest: asynchronous },
    { preValidation: [asynchronous] },
    { preHandler: asynchronous },
  ]) {
    t.throws(() => operationsWith(fields), { message })
    t.doesNotThrow(() => operationsWith({ ...fields, config: { access: 'own', isSentAlone: true } }))
  }
  t.doesNotThrow(() => operationsWith({ handler: asynchronous, config: { inBatch: () => call } }))
})

t.test('a route that does not declare it fails', async (t) => {
  t.throws(() => stepOf({ handler: () => ({}) }), { message: '/board/api/x/:id returned no call' })
  t.throws(() => stepOf({ onRequest: () => undefined }), {
    message: 'a hook of a batched route must be synchronous',
  })
  t.throws(() => stepOf({ handler: () => ({ ...call, afterwards: () => undefined }) }), {
    message: '/board/api/x/:id does something after its write: it must declare isSentAlone',
  })
  t.throws(() => stepOf({ config: { access: 'public' } }), {
    message: /is public: it must declare isSentAlone/,
  })
  t.throws(() => stepOf({ config: {} }), { message: /is public/ })
})

t.test('a route of a batch gets its own request', async (t) => {
  const seen: FastifyRequest[] = []
  const step = stepOf({
    handler: (request: FastifyRequest, reply: { header: (name: string, value: string) => unknown }) => {
      t.equal(reply.header('x', 'y'), reply)
      seen.push(request)
      return call
    },
  })
  t.match(step, { call: { path: 'board.items.get', args: ['x'] }, request: 0 })
  const [request] = seen
  t.strictSame(
    [request?.method, request?.url, { ...(request?.params as object) }, { ...(request?.query as object) }],
    ['GET', '/board/api/x/a%20b?q=1', { id: 'a b' }, { q: '1' }],
  )
  t.strictSame(request?.headers, { prefer: 'handling=strict' }, 'what is about the batch is not about it')
  t.equal(request?.body, undefined)
  t.equal(outer.headers['if-match'], '"x"')
})
