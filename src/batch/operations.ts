/** The operations under /api: declared routes, looked up by method and path like the server's routing. */
import type {
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifySchemaCompiler,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import findMyWay from 'find-my-way'
import { ApiError, invalidField } from '../errors.ts'
import { repairUrl } from '../http/urls.ts'
import { once } from '../once.ts'
import type { Call } from '../requests/calls.ts'
import type { ResponseShape } from '../requests/respond.ts'
import { methodsOf, shapeOf } from '../requests/response-shapes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether batches refuse the request: it does more than one call, shows a secret, or is long-lived. */
    isSentAlone?: true | ((request: FastifyRequest) => boolean)
    /** The call that replaces a read from snapshots inside a batch. */
    inBatch?: (request: FastifyRequest) => Call<unknown>
  }
}

/** A hook of a route: synchronous, with a callback. */
export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** The parts of a request that are validated, in this order. */
const PARTS = ['params', 'body', 'querystring'] as const
type Part = (typeof PARTS)[number]

/** The validator of a part of requests, and the name of the part. */
interface PartCheck {
  of: 'params' | 'body' | 'query'
  validate: ReturnType<FastifySchemaCompiler<unknown>>
}

export interface Operation {
  route: RouteOptions
  handler: RouteHandlerMethod
  shape: ResponseShape
  /** The route's own hooks, by stage. */
  hooks: Record<'onRequest' | 'preValidation' | 'preHandler', readonly Hook[]>
  /** The validators of its requests, compiled lazily. */
  checks: () => PartCheck[]
}

/** An operation with the path's parameters. */
export interface Found {
  operation: Operation
  params: Record<string, string | undefined>
  query: Record<string, unknown>
}

export const BATCH_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type BatchMethod = (typeof BATCH_METHODS)[number]

/** The root of all operations. */
const ROOT = '/api/'

const isBatchMethod = (method: string): method is BatchMethod => BATCH_METHODS.includes(method as BatchMethod)

const isAsync = (one: unknown) => Object.prototype.toString.call(one) === '[object AsyncFunction]'

const checksOf = (schema: FastifySchema, compile: FastifySchemaCompiler<unknown>): PartCheck[] =>
  PARTS.filter((part) => schema[part] !== undefined).map((httpPart: Part) => ({
    of: httpPart === 'querystring' ? 'query' : httpPart,
    validate: compile({ schema: schema[httpPart], httpPart, method: '', url: '' }),
  }))

const notAlone = () => invalidField('path', 'must not be part of a batch')

export class Operations {
  readonly #operations: { methods: BatchMethod[]; path: string; operation: Operation }[] = []
  /** Built lazily, by the first batch. */
  readonly #router = once(() => {
    const router = findMyWay({ maxParamLength: 65_536 })
    for (const { methods, path, operation } of this.#operations)
      router.on(methods, path, () => undefined, operation)
    return router
  })
  readonly #schemas = new Map<string, FastifySchema>()

  /**
   * Adds a route, before other plugins wrap its handler and its hooks. Of those that a host has changed, it takes the declared ones.
   * @param prefix the service's own
   * @param compile the validator compiler of the service
   * @throws Error for a route that works in no batch, but does not declare it
   */
  add(route: RouteOptions, prefix: string, compile: FastifySchemaCompiler<unknown>): void {
    const { schema, config } = route
    const { handler, ...stages } = config?.declared ?? route
    const path = route.url.slice(prefix.length)
    const shape = shapeOf(schema)
    if (schema === undefined || !path.startsWith(ROOT)) return
    // A route whose response is not a record can only be refused.
    if (shape === undefined && config?.isSentAlone !== true) return
    const hooksAt = (stage: keyof Operation['hooks']) => [stages[stage] ?? []].flat() as Hook[]
    const hooks = {
      onRequest: hooksAt('onRequest'),
      preValidation: hooksAt('preValidation'),
      preHandler: hooksAt('preHandler'),
    }
    const performs = config?.inBatch === undefined ? handler : undefined
    const all = [performs, ...hooks.onRequest, ...hooks.preValidation, ...hooks.preHandler]
    if (config?.isSentAlone !== true && all.some(isAsync)) {
      throw new Error(`${route.method} ${path} does more than return a call: it must declare isSentAlone`)
    }
    const operation: Operation = {
      route,
      handler,
      shape: shape as ResponseShape,
      hooks,
      checks: once(() => checksOf(schema, compile)),
    }
    if (shape !== undefined) this.#schemas.set(shape.name, schema)
    this.#operations.push({ methods: methodsOf(route).filter(isBatchMethod), path, operation })
  }

  /** The schemas of the operation with this id. @throws Error if there is none */
  schemaOf(operationId: string): FastifySchema {
    const schema = this.#schemas.get(operationId)
    if (schema === undefined) throw new Error(`there is no operation ${operationId}`)
    return schema
  }

  /**
   * Finds the operation of a request.
   * @param url path and query, relative to the service's prefix
   * @throws ApiError 400 for an invalid path; 404, 405
   */
  find(method: BatchMethod, url: string): Found {
    if (!url.startsWith(ROOT)) throw invalidField('path', `must begin with ${ROOT}`)
    const target = repairUrl(url)
    const found = this.#router().find(method, target)
    if (found === null) throw this.#refusalOf(target)
    const operation: Operation = found.store
    if (operation.route.config?.isSentAlone === true) throw notAlone()
    return { operation, params: found.params, query: found.searchParams }
  }

  #refusalOf(url: string): ApiError {
    const known = BATCH_METHODS.filter((method) => this.#router().find(method, url) !== null)
    if (known.length === 0) return new ApiError(404, 'Not found')
    return new ApiError(405, 'Method not allowed', { headers: { allow: known.join(', ') } })
  }
}

/** Refuses a request that batches do not support. @throws ApiError 400 */
export function ensureMayBeBatched({ route }: Operation, request: FastifyRequest): void {
  const { isSentAlone } = route.config ?? {}
  if (typeof isSentAlone === 'function' && isSentAlone(request)) throw notAlone()
}
