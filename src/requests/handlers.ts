/**
 * Handlers return calls, and this performs them for their requests: dispatches each, with who acts and under which preconditions, and
 * responds. So every route has, by being declared: whose its changes are, `Phaseboard-Seq`, `ETag` with `If-None-Match` and `If-Match` (RFC
 * 9110), and `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import { turnOf } from '../access/identity.ts'
import { isSafe } from '../members/identity.ts'
import { type Call, isCall } from './calls.ts'
import { isRepeated, repeatableOf } from './idempotency.ts'
import { type Dispatcher, isPerformable } from './perform.ts'
import { comparePreconditions } from './preconditions.ts'
import { contextOf, preconditionsOf } from './request-context.ts'
import type { Responder } from './respond.ts'
import type { ResponseShape } from './responses.ts'
import type { Rules } from './rules.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Responds where the rule returned nothing, having left reading a large record to the worker thread. */
    later?: (request: FastifyRequest, reply: FastifyReply) => unknown
  }
}

/** What handlers are performed with. */
export interface HandlerParts {
  rules: Rules
  dispatcher: Dispatcher
  responder: Responder
}

/** Creates the handler of a route that performs what the route's own handler returns. @param shape how the route responds */
export function performing(
  { rules, dispatcher, responder }: HandlerParts,
  { handler, url, config = {} }: RouteOptions,
  shape: ResponseShape,
): RouteHandlerMethod {
  /** The stored response to a repetition. @throws ApiError 422, 409 */
  function storedFor(request: FastifyRequest) {
    const repeatable = isRepeated(request) ? repeatableOf(request) : undefined
    return repeatable && rules.idempotencyStore.find(repeatable)
  }

  function read(request: FastifyRequest, reply: FastifyReply, call: Call): void {
    const value = dispatcher.read(call, turnOf(request))
    if (!(value instanceof Promise)) responder.respond(reply, shape, value)
    else value.then((read) => responder.respond(reply, shape, read)).catch((error) => reply.send(error))
  }

  async function write(request: FastifyRequest, reply: FastifyReply, handled: unknown): Promise<void> {
    const call = handled instanceof Promise ? await handled : handled
    if (!isPerformable(call)) throw new Error(`${request.method} ${url} must return the call of its write`)
    const context = contextOf(request, config, shape)
    const { isReplay, response, value, seq } = await dispatcher.perform(call, context)
    if (isReplay && response) return responder.replay(reply, shape, response)
    if (seq !== undefined) reply.header('phaseboard-seq', String(seq))
    if (isCall(call)) call.afterwards?.()
    if (response?.body) responder.respondStored(reply, shape, response)
    else if (value === undefined && config.later) await config.later(request, reply)
    else responder.respond(reply, shape, value)
  }

  return function perform(this: FastifyInstance, request, reply): unknown {
    const isRead = isSafe(request.method)
    const stored = isRead ? undefined : storedFor(request)
    if (stored) return responder.replay(reply, shape, stored)
    if (config.comparesFirst) comparePreconditions(rules, preconditionsOf(request, config))
    const handled: unknown = handler.call(this, request, reply)
    // Nothing is returned to Fastify: it would wait for a promise, and listen for the end of each response.
    if (!isRead) write(request, reply, handled).catch((error) => reply.send(error))
    else if (isCall(handled)) read(request, reply, handled)
    // What reads may respond by itself.
    else return handled
  }
}
