/**
 * Performs the calls that handlers return. A handler returns the call of a rule, as data; its request performs it, with its actor and
 * preconditions, and responds. So every declared route has attribution, `Phaseboard-Seq`, `ETag` with `If-None-Match`
 * and `If-Match` (RFC 9110), and `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
 */
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import { callerOf, memberOf } from '../access/identity.ts'
import { unlessTooMuch } from '../db/work-limits.ts'
import { preconditionFailed } from '../errors.ts'
import { isSafe } from '../members/identity.ts'
import { type Call, isCall } from './calls.ts'
import { isRepeated, repeatableOf } from './idempotency.ts'
import type { Dispatcher, Performable, WriteContext } from './perform.ts'
import { comparePreconditions, type Preconditions } from './preconditions.ts'
import { unchangedOf } from './read-only.ts'
import type { Responder, ResponseShape } from './respond.ts'
import { methodsOf, type RouteRecord } from './response-shapes.ts'
import type { ScopedRules } from './scoped-rules.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The record that the route writes to, or the list that it orders, for `If-Match`. */
    record?: RouteRecord
    /**
     * Whether preconditions are checked before the handler, and not again inside the write: for a handler with irreversible effects
     * before its write.
     */
    comparesFirst?: boolean
    /** Whether the response shows a secret, which must not be stored for retries. */
    showsSecret?: boolean
    /** Responds if the rule returned nothing and left reading a large record to the worker thread. */
    later?: (request: FastifyRequest, reply: FastifyReply) => unknown
  }
}

const isPerformable = (value: unknown): value is Performable =>
  typeof value === 'object' && value !== null && ('path' in value || 'perform' in value)

/** The preconditions of a request. @throws ApiError 412 if there is no record */
function preconditionsOf(request: FastifyRequest, { record }: FastifyContextConfig): Preconditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  const unchanged = unchangedOf(request)
  // Without a record, no ETag matches.
  if (ifMatch !== undefined && record === undefined && ifMatch.trim() !== '*') throw preconditionFailed()
  return {
    ...(record && { record: { get: record.get(request), shape: record.shape } }),
    ...(record && ifMatch !== undefined && { ifMatch }),
    ...(record && ifNoneMatch !== undefined && { ifNoneMatch }),
    ...(unchanged && { unchanged }),
  }
}

/** The context of a request's write. @param shape how its route responds @throws ApiError 412 */
function contextOf(
  request: FastifyRequest,
  config: FastifyContextConfig,
  shape: ResponseShape,
): WriteContext {
  const { headers } = request
  const { showsSecret = false, comparesFirst = false } = config
  const actor = { actorId: memberOf(request).id, ...callerOf(request) }
  const hasKey = headers['idempotency-key'] !== undefined
  const hasPreconditions = (headers['if-match'] ?? headers['if-none-match'] ?? headers.prefer) !== undefined
  if (!hasKey && !hasPreconditions) return actor
  const repeatable = repeatableOf(request)
  return {
    ...actor,
    ...(!comparesFirst && preconditionsOf(request, config)),
    ...(repeatable && { repeatable: { request: repeatable, shape, isSecret: showsSecret } }),
  }
}

/** The dependencies shared by all routes. */
interface HandlerParts {
  scoped: ScopedRules
  dispatcher: Dispatcher
  responder: Responder
}

/** Wraps a route's handler: performs the call that it returns. @param shape how the route responds */
export function performing(
  { scoped, dispatcher, responder }: HandlerParts,
  route: RouteOptions,
  shape: ResponseShape,
): RouteHandlerMethod {
  const { handler, url, config = {} } = route

  /** Performs the returned call as a read. */
  function read(request: FastifyRequest, reply: FastifyReply, call: Call): void {
    const value = dispatcher.read(call, callerOf(request))
    if (!(value instanceof Promise)) responder.toRead(reply, shape, value)
    else value.then((read) => responder.toRead(reply, shape, read)).catch((error) => reply.send(error))
  }

  /** Performs the returned or promised call. @throws Error for anything but a call or work */
  async function write(request: FastifyRequest, reply: FastifyReply, handled: unknown): Promise<void> {
    const work: unknown = handled instanceof Promise ? await handled : handled
    if (!isPerformable(work)) throw new Error(`${request.method} ${url} must return the call of its write`)
    const context = contextOf(request, config, shape)
    const { isReplay, response, value, seq } = await dispatcher.perform(work, context)
    if (isReplay && response) return responder.replay(reply, shape, response)
    if (seq !== undefined) reply.header('phaseboard-seq', String(seq))
    work.afterwards?.()
    if (value === undefined && config.later && !response?.body) await config.later(request, reply)
    else responder.toWrite(reply, shape, value, response)
  }

  /** The stored response to a retry. @throws ApiError 422, 409 */
  function storedFor(request: FastifyRequest) {
    if (request.headers['idempotency-key'] === undefined || !isRepeated(request)) return undefined
    const repeatable = repeatableOf(request)
    // The write looks for it again, in the worker thread then.
    return repeatable && unlessTooMuch(() => scoped.repetition(callerOf(request).principal, repeatable))
  }

  // Neither returns a promise to Fastify, which would await it, and listen for the end of each response.
  function performRead(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply): unknown {
    const handled: unknown = handler.call(this, request, reply)
    // A read may respond by itself.
    if (!isCall(handled)) return handled
    read(request, reply, handled)
    return undefined
  }

  function performWrite(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply): void {
    const stored = storedFor(request)
    if (stored) {
      responder.replay(reply, shape, stored)
      return
    }
    if (config.comparesFirst) {
      const { principal } = callerOf(request)
      scoped.read(principal, (rules) => comparePreconditions(rules, preconditionsOf(request, config)))
    }
    write(request, reply, handler.call(this, request, reply)).catch((error) => reply.send(error))
  }

  return methodsOf(route).every(isSafe) ? performRead : performWrite
}
