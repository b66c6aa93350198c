/** The member a request acts for: the decorator that the auth hook sets, and the access that a route declares. */
import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import type { Actor } from '../members/audit-log.ts'
import type { Access, Identity } from '../members/identity.ts'
import type { CurrentMember } from '../schemas/records.ts'
import { addressOf, clientAt } from './addresses.ts'
import { type Caller, principalOf, turnWith } from './caller.ts'
import { makesProjects, noNewProjects } from './policy.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access that the route requires. Registering a route under /api without it is an error. */
    access?: Access
    /** The `error` string of the route's 500. */
    failure?: string
  }
}

/** The decorator with the request's identity, set by the auth hook; a symbol, so that it cannot collide with a host's. */
export const IDENTITY = Symbol('phaseboard.identity')

/** The decorator with the request's caller, which the auth hook derives from the identity. */
export const CALLER = Symbol('phaseboard.caller')

/** The member making this request. Only in handlers and route hooks of routes that are not public. */
export const identityOf = (request: FastifyRequest): Identity => request.getDecorator<Identity>(IDENTITY)

/**
 * The member whose turn this request takes in the worker thread; null for the default member, which all users of
 * the host share, and on public routes.
 */
export function turnOf(request: FastifyRequest): string | null {
  const identity = request.getDecorator<Identity | null>(IDENTITY)
  return identity && turnWith(identity)
}

/** Whose share of something limited this request takes: its member's or, for a request without an own one, that of its address. */
export const shareOf = (request: FastifyRequest): string =>
  turnOf(request) ?? `address ${clientAt(addressOf(request))}`

/** A hook of routes that create a project. @throws ApiError 403 for callers who would not see it */
export const refuseUnseenProjects: preValidationHookHandler = (request, _reply, done) => {
  if (!makesProjects(identityOf(request))) throw noNewProjects()
  done()
}

/** Whether two identities have the same access, apart from assignments to projects. */
export const reachSame = (one: Identity, other: Identity): boolean =>
  isDeepStrictEqual(principalOf(one), principalOf(other))

/** The caller of this request. Only in handlers and route hooks of routes that are not public. */
export const callerOf = (request: FastifyRequest): Caller => request.getDecorator<Caller>(CALLER)

/** The member and address of this request, for the audit log. Only in handlers of routes that are not public. */
export const actorOf = (request: FastifyRequest): Actor => ({
  id: memberOf(request).id,
  name: memberOf(request).name,
  address: addressOf(request),
})

/** The member of this request as a reader of changes. Only in handlers of routes that are not public. */
export const readerOf = (request: FastifyRequest): CurrentMember & { isUnlimited: boolean } => ({
  ...memberOf(request),
  isUnlimited: callerOf(request).principal === undefined,
})

/** The member a request acts for. Only in handlers and route hooks of routes that are not public. */
export const memberOf = (request: FastifyRequest): CurrentMember => identityOf(request).member
