import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import { IDENTITY, turnOf } from '../src/access/identity.ts'
import { isJsonPage } from '../src/db/pages.ts'
import { preconditionFailed } from '../src/errors.ts'
import type { Identity } from '../src/members/identity.ts'
import { isSafe } from '../src/members/identity.ts'
import { Call } from '../src/requests/calls.ts'
import type { StoredResponse } from '../src/requests/idempotency-store.ts'
import { linkNextPage } from '../src/requests/pages.ts'
import { unchangedOf } from '../src/requests/read-only.ts'
import { RecordUrls } from '../src/requests/record-urls.ts'
import { isRepeated, keyOf, REPEATED, repeatableOf } from '../src/requests/repeatable.ts'
import { methodsOf, type RouteRecord, shapeOf } from '../src/requests/response-shapes.ts'
import { ensureNamed, isNotModified } from '../src/requests/send.ts'
import {
  bodyOf,
  ensureMatch,
  etagOfRecord,
  isRecord,
  type ResponseShape,
  statusOf,
  type WriteOutcome,
  type WriteTerms,
} from '../src/requests/writes.ts'
import type { JsonBytes } from '../src/schemas/serialization.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The record that the route writes to, or the list that it orders: what `If-Match` is compared with. */
    record?: RouteRecord
    /** Responds where the rule returned nothing, having left reading a large record to the worker thread. */
    later?: (request: FastifyRequest, reply: FastifyReply) => unknown
    /** Whether the route takes `Idempotency-Key`, as all do that write; `false` for a session's. */
    isRepeatable?: boolean
    /**
     * Whether the route's rule looks at the member's role, so that its hooks do not say who may see its response: then a
     * repetition gets it as long as the member has a role no lower than then.
     */
    dependsOnRole?: boolean
    /** Whether the response shows a secret, which must not be kept for repetitions. */
    showsSecret?: boolean
  }
  interface FastifyInstance {
    /**
     * Performs a call on the request's terms, for handlers that do more than return it.
     * @param isMatched whether {@link ensureMatch} has compared the condition already
     * @returns the rule's result
     */
    performFor: <Result>(reply: FastifyReply, call: Call<Result>, isMatched?: boolean) => Promise<Result>
    /**
     * Compares the record of the route with `If-Match` and `If-None-Match`: for handlers that do, before their write, what cannot be undone.
     * @throws ApiError 412, with the record's ETag
     */
    ensureMatch: (request: FastifyRequest) => void
  }
}

/** The decorator of a request with the outcome of its write. */
const OUTCOME = Symbol('phaseboard.outcome')

/** The response to an earlier request with the same key, on its way to whoever performs this one. */
class Replay {
  readonly response: StoredResponse
  constructor(response: StoredResponse) {
    this.response = response
  }
}

/** The call as it is posted and run, without what performs it. */
const plain = ({ path, args }: Call<unknown>) => ({ path, args })

/** The condition of a request, and the record that it is about. @throws ApiError 412 where there is no record */
function conditionOf(
  request: FastifyRequest,
): Pick<WriteTerms, 'record' | 'ifMatch' | 'ifNoneMatch' | 'unchanged'> {
  const { record } = request.routeOptions.config
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  const unchanged = unchangedOf(request)
  // Where there is no record, no ETag is its.
  if (ifMatch !== undefined && record === undefined && ifMatch.trim() !== '*') throw preconditionFailed()
  return {
    ...(record && { record: { get: plain(record.get(request)), shape: record.shape } }),
    ...(record && ifMatch !== undefined && { ifMatch }),
    ...(record && ifNoneMatch !== undefined && { ifNoneMatch }),
    ...(unchanged && { unchanged }),
  }
}

function termsOf(request: FastifyRequest, shape: ResponseShape): WriteTerms {
  const { showsSecret = false } = request.routeOptions.config
  const actorId = request.getDecorator<Identity | undefined>(IDENTITY)?.member.id ?? null
  const repeatable = repeatableOf(request)
  const turn = turnOf(request)
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  const isPlain = (ifMatch ?? ifNoneMatch ?? unchangedOf(request)) === undefined
  if (isPlain && repeatable === undefined) return { actorId, turn }
  return {
    actorId,
    turn,
    ...conditionOf(request),
    ...(repeatable && { repeatable: { request: repeatable, shape, isSecret: showsSecret } }),
  }
}

function send(
  reply: FastifyReply,
  status: number,
  body: string | JsonBytes,
  etag: string | null,
): FastifyReply {
  if (status === 204) return reply.code(status).send()
  if (etag !== null) reply.header('etag', etag)
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

/**
 * Performs the calls that handlers return, on the terms of their requests, and responds. So every route has, by being
 * declared: whose its changes are, `Phaseboard-Seq`, `ETag` with `If-None-Match` and `If-Match` (RFC 9110), and
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
 *
 * Register it before the auth plugin, whose hook then comes before this one's.
 */
export default fp(
  async (app) => {
    const urls = new RecordUrls()

    function sendKept(
      reply: FastifyReply,
      shape: ResponseShape,
      { status, body, etag, seq }: StoredResponse,
    ): FastifyReply {
      reply.header('idempotent-replayed', 'true')
      if (seq !== null) reply.header('phaseboard-seq', String(seq))
      urls.tell(reply, shape, status, body as string)
      return send(reply, status, body as string, etag)
    }

    app.decorateRequest(OUTCOME, null)
    app.decorateRequest(REPEATED, false)

    /** Before the route's own hooks: what the request is about may be gone by the time of its repetition. */
    const findKept: onRequestHookHandler = (request, _reply, done) => {
      const key = keyOf(request)
      if (key !== undefined) request.setDecorator(REPEATED, app.rules.idempotencyStore.isKept(key))
      done()
    }

    const outcomeOf = (request: FastifyRequest) => request.getDecorator<WriteOutcome<unknown> | null>(OUTCOME)

    /** A call that a handler awaits itself is nobody's: it has to go through `performFor`. */
    function ensurePerformed({ request }: FastifyReply): void {
      const { config, url } = request.routeOptions
      if (isSafe(request.method) || config.isRepeatable === false || outcomeOf(request) !== null) return
      throw new Error(`${request.method} ${url} does not perform its call on the request's terms`)
    }

    async function write<Result>(
      reply: FastifyReply,
      shape: ResponseShape,
      call: Call<Result>,
      isMatched = false,
    ): Promise<Result> {
      const terms = termsOf(reply.request, shape)
      if (isMatched) {
        delete terms.ifMatch
        delete terms.ifNoneMatch
      }
      const outcome = await call.write(terms)
      if (outcome.isReplay && outcome.response) throw new Replay(outcome.response)
      if (outcome.seq !== undefined) reply.header('phaseboard-seq', String(outcome.seq))
      reply.request.setDecorator(OUTCOME, outcome)
      return outcome.value
    }

    // Only handlers of routes that declare a response are given a reply to perform for.
    app.decorate('performFor', (reply, call, isMatched) =>
      write(reply, shapeOf(reply.request.routeOptions.schema) as ResponseShape, call, isMatched),
    )
    app.decorate('ensureMatch', (request) => ensureMatch(app.rules, conditionOf(request)))

    /** Responds with the result of a route's call. */
    function respond(reply: FastifyReply, shape: ResponseShape, value: unknown): FastifyReply {
      const { request } = reply
      const kept = outcomeOf(request)?.response
      if (kept?.body) {
        urls.tell(reply, shape, shape.status, kept.body)
        return send(reply, shape.status, kept.body, kept.etag)
      }
      if (isJsonPage(value)) linkNextPage(reply, value.next?.toString())
      const body = bodyOf(shape, value)
      const etag = isRecord(shape, value) ? etagOfRecord(shape, value, body) : null
      urls.tell(reply, shape, statusOf(shape, value), body)
      const isRead = isSafe(request.method)
      if (isRead) ensureNamed(request, etag ?? undefined)
      const isUnchanged = etag !== null && isRead && isNotModified(request, etag)
      return isUnchanged
        ? reply.code(304).header('etag', etag).send()
        : send(reply, statusOf(shape, value), body, etag)
    }

    /** Performs what a handler has returned: a call, or a promise of what came of one. */
    async function settle(
      reply: FastifyReply,
      shape: ResponseShape,
      handled: unknown,
    ): Promise<FastifyReply> {
      try {
        const isWrite = handled instanceof Call && !handled.isRead
        const isRead = handled instanceof Call && handled.isRead
        // What reads although its method does not say so.
        if (isRead && !isSafe(reply.request.method)) conditionOf(reply.request)
        const value: unknown = isWrite
          ? await write(reply, shape, handled)
          : await (isRead ? handled.read(turnOf(reply.request)) : handled)
        if (!isRead) ensurePerformed(reply)
        if (reply.sent) return reply
        const { later } = reply.request.routeOptions.config
        if (value === undefined && later && !outcomeOf(reply.request)?.response?.body) {
          await later(reply.request, reply)
          return reply
        }
        return respond(reply, shape, value)
      } catch (error) {
        if (error instanceof Replay) return sendKept(reply, shape, error.response)
        throw error
      }
    }

    /** The response to a repetition. @throws ApiError 422, 409 */
    function keptOf(request: FastifyRequest): StoredResponse | undefined {
      const repeatable = isRepeated(request) ? repeatableOf(request) : undefined
      return repeatable && app.rules.idempotencyStore.find(repeatable)
    }

    /** A route's handler that performs what the route's own returns. */
    const performing = (handler: RouteHandlerMethod, shape: ResponseShape): RouteHandlerMethod =>
      function perform(this: typeof app, request, reply) {
        const kept = keptOf(request)
        if (kept) return sendKept(reply, shape, kept)
        const handled = handler.call(this, request, reply)
        const isSent = handled === reply || handled === undefined
        // A read that is no call responds itself.
        const isOwn = isSent || (isSafe(request.method) && !(handled instanceof Call))
        return isOwn ? handled : settle(reply, shape, handled)
      }

    app.addHook('onRoute', (route) => {
      const { access = 'public', isRepeatable = true } = route.config ?? {}
      const shape = shapeOf(route.schema)
      if (shape) urls.add(route, shape)
      if (access === 'public' || shape === undefined) return
      route.handler = performing(route.handler, shape)
      if (isRepeatable && !methodsOf(route).every(isSafe))
        route.onRequest = [findKept, route.onRequest ?? []].flat()
    })
  },
  { name: 'requests', fastify: '5.x', dependencies: ['rules'] },
)
