/** What a request says of its write: who acts, under which preconditions, and whether it may be a repetition. */
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { IDENTITY, turnOf } from '../access/identity.ts'
import { preconditionFailed } from '../errors.ts'
import type { Identity } from '../members/identity.ts'
import { repeatableOf } from './idempotency.ts'
import type { Preconditions } from './preconditions.ts'
import { unchangedOf } from './read-only.ts'
import type { RouteRecord } from './response-shapes.ts'
import type { ResponseShape } from './responses.ts'
import type { WriteContext } from './write.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The record that the route writes to, or the list that it orders: what `If-Match` is compared with. */
    record?: RouteRecord
    /**
     * Whether preconditions are compared before the handler, and not again inside the write: for a handler that does, before its write, what
     * cannot be undone.
     */
    comparesFirst?: boolean
    /** Whether the response shows a secret, which must not be stored for repetitions. */
    showsSecret?: boolean
  }
}

/** The preconditions of a request. @throws ApiError 412 where there is no record */
export function preconditionsOf(
  request: FastifyRequest,
  { record }: Pick<FastifyContextConfig, 'record'>,
): Preconditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  const unchanged = unchangedOf(request)
  // Where there is no record, no ETag is its.
  if (ifMatch !== undefined && record === undefined && ifMatch.trim() !== '*') throw preconditionFailed()
  return {
    ...(record && { record: { get: record.get(request), shape: record.shape } }),
    ...(record && ifMatch !== undefined && { ifMatch }),
    ...(record && ifNoneMatch !== undefined && { ifNoneMatch }),
    ...(unchanged && { unchanged }),
  }
}

/** The context of a request's write. @param shape how its route responds @throws ApiError 412 */
export function contextOf(
  request: FastifyRequest,
  config: FastifyContextConfig,
  shape: ResponseShape,
): WriteContext {
  const { showsSecret = false, comparesFirst = false } = config
  const actorId = request.getDecorator<Identity | undefined>(IDENTITY)?.member.id ?? null
  const repeatable = repeatableOf(request)
  const turn = turnOf(request)
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers
  const isPlain = (ifMatch ?? ifNoneMatch ?? unchangedOf(request)) === undefined
  if (isPlain && repeatable === undefined) return { actorId, turn }
  return {
    actorId,
    turn,
    ...(!comparesFirst && preconditionsOf(request, config)),
    ...(repeatable && { repeatable: { request: repeatable, shape, isSecret: showsSecret } }),
  }
}
