/** Runs batches of requests to routes of a test, with rules that return what they are given. */
import type { FastifyRequest, RouteOptions } from 'fastify'
import {
  type BatchedRequest,
  type BatchOptions,
  BatchRun,
  type BatchSurroundings,
  batchOf,
} from '../../src/batch/batch.ts'
import { Operations } from '../../src/batch/operations.ts'
import type { SharedDatabase } from '../../src/db/client.ts'
import type { Call } from '../../src/requests/calls.ts'
import type { Rules } from '../../src/requests/rules.ts'
import type { ChangeCheck } from '../../src/requests/scoped-rules.ts'
import { ref, Success } from '../../src/schemas/common.ts'

/** A call that results in a value. */
export const giving = (value: unknown): Call => ({ path: 'echo.give', args: [value] })

export const GET: BatchedRequest = { method: 'GET', path: '/api/x' }
export const POST: BatchedRequest = { method: 'POST', path: '/api/x', body: { title: 'Card' } }

/** A route, with these fields. */
export const routeOf = (method: string, url: string, fields: object): RouteOptions =>
  ({
    method,
    url: `/board${url}`,
    schema: { operationId: `${method} ${url}`, response: { 200: ref(Success) } },
    config: { access: 'own', failure: 'Failed to do it' },
    handler: () => giving({}),
    ...fields,
  }) as unknown as RouteOptions

interface RunOptions extends BatchOptions {
  role?: string
  isDryRun?: boolean
  check?: Partial<ChangeCheck>
}

/** A batch of a member with these requests, to routes with these fields at `/api/x`. */
export function batch(
  requests: readonly BatchedRequest[],
  fields: object = {},
  { role = 'member', isDryRun = false, check, ...options }: RunOptions = {},
) {
  const operations = new Operations()
  const compiled: string[] = []
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
    operations.add(routeOf(method, '/api/x', fields), '/board', ({ httpPart }) => {
      compiled.push(String(httpPart))
      const validate = (value: { title?: string } | null) => value?.title !== 'wrong'
      const errors = [
        { instancePath: '/title', keyword: 'x', message: 'is wrong', params: {}, schemaPath: '' },
      ]
      return Object.assign(validate, { errors })
    })
  operations.add(routeOf('GET', '/api/x/:id', fields), '/board', () => () => true)
  const identity = { member: { id: 'ada', role }, via: 'session', scope: 'write' }
  const outer = {
    headers: { 'if-match': '"of the batch"', 'idempotency-key': 'k', 'x-own': '1' },
    ip: '192.0.2.1',
    socket: {},
    getDecorator: (name: symbol) => (/identity/.test(String(name)) ? identity : undefined),
  } as unknown as FastifyRequest
  const checked: unknown[] = []
  const surroundings = {
    app: { prefix: '/board' },
    operations,
    authMode: 'required',
    bodyLimit: 1000,
    checkReader: (...args: unknown[]) => void checked.push(args[1]),
  } as unknown as BatchSurroundings
  const run = new BatchRun(batchOf(outer, requests, isDryRun, options), surroundings)

  const ran: unknown[] = []
  class Echo {
    static readonly reads = ['give']
    give(value: unknown) {
      ran.push(value)
      return value
    }
  }
  const place = {
    db: {} as SharedDatabase,
    rules: { echo: new Echo() } as unknown as Rules,
    check: check as ChangeCheck | undefined,
  }
  /** The sizes of the results before each request. */
  const sizes: number[] = []
  return {
    run,
    /** What rules were given. */
    ran,
    checked,
    compiled,
    outer,
    sizes,
    /** Runs it. @returns the response */
    text: () =>
      Buffer.from(
        run.run({
          ...place,
          within: (size, perform) => {
            sizes.push(size)
            perform()
          },
        }),
      ).toString(),
  }
}
