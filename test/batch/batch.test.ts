/** Routes may not do everything in a batch. A violation fails when the route is registered, or at its first batch. */
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { Operations } from '../../src/batch/operations.ts'
import { batch, GET, giving, routeOf } from './runs.ts'

const call = giving({})

const operationsWith = (fields: object) => {
  const operations = new Operations()
  operations.add(routeOf('GET', '/api/x/:id', fields), '/board', () => () => true)
  return operations
}

/** Runs a batch of one request to a route with these fields. */
const runWith = (fields: object) => batch([{ ...GET, path: '/api/x/a%20b?q=1' }], fields).text()

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
  t.throws(() => runWith({ handler: () => ({}) }), { message: '/board/api/x/:id returned no call' })
  t.throws(() => runWith({ onRequest: () => undefined }), {
    message: 'a hook of a batched route must be synchronous',
  })
  t.throws(() => runWith({ handler: () => ({ ...call, afterwards: () => undefined }) }), {
    message: '/board/api/x/:id does something after its write: it must declare isSentAlone',
  })
  t.throws(() => runWith({ config: { access: 'public' } }), {
    message: /is public: it must declare isSentAlone/,
  })
  t.throws(() => runWith({ config: {} }), { message: /is public/ })
})

t.test('a route of a batch gets its own request', async (t) => {
  const seen: FastifyRequest[] = []
  const { text, outer } = batch([{ ...GET, path: '/api/x/a%20b?q=1' }], {
    handler: (request: FastifyRequest, reply: { header: (name: string, value: string) => unknown }) => {
      t.equal(reply.header('x', 'y'), reply)
      seen.push(request)
      return call
    },
  })
  text()
  const [request] = seen
  t.strictSame(
    [request?.method, request?.url, { ...(request?.params as object) }, { ...(request?.query as object) }],
    ['GET', '/board/api/x/a%20b?q=1', { id: 'a b' }, { q: '1' }],
  )
  t.strictSame(request?.headers, { 'x-own': '1' }, 'what is about the batch is not about it')
  t.equal(request?.body, undefined)
  t.equal(outer.headers['if-match'], '"of the batch"')
})
