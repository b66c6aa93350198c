/** Requests with an Idempotency-Key: which they are, and whether they are repetitions. */
import { createHash } from 'node:crypto'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { identityOf } from '../access/identity.ts'
import { validationFailed } from '../errors.ts'
import { KEY_PATTERN } from '../schemas/common.ts'
import type { IdempotencyStore, RepeatableRequest } from './idempotency-store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route takes `Idempotency-Key`, as all do that write; `false` for a session's, and for what performs its writes itself: then
     * its handler responds by itself.
     */
    isRepeatable?: boolean
    /**
     * Whether the route's rule looks at the member's role, so that its hooks do not say who may see its response: then a
     * repetition gets it as long as the member has a role no lower than then.
     */
    dependsOnRole?: boolean
  }
}

/** The decorator of a request whose response is kept already. */
export const REPEATED = Symbol('phaseboard.repeated')

/** Whether the response to this request is kept: then nothing is done again, and what it was about may be gone. */
export const isRepeated = (request: FastifyRequest): boolean => request.getDecorator<boolean>(REPEATED)

const KEY = new RegExp(KEY_PATTERN)

/**
 * The key of a request, and whose and which it is; undefined without a key.
 * @throws ApiError 400 for a key that is not 1 to 255 visible ASCII characters
 */
export function keyOf(request: FastifyRequest): Omit<RepeatableRequest, 'bodyHash'> | undefined {
  const { headers, method, url } = request
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw validationFailed({
      formErrors: ['Idempotency-Key must be 1 to 255 visible ASCII characters'],
      fieldErrors: {},
    })
  }
  const { member } = identityOf(request)
  const role = request.routeOptions.config.dependsOnRole === true ? member.role : null
  return { memberId: member.id, role, method, path: url.split('?', 1)[0] as string, key }
}

/** Creates the hook that comes before a route's own: what the request is about may be gone by the time of its repetition. */
export function createRepetitionHook(store: IdempotencyStore): onRequestHookHandler {
  return (request, _reply, done) => {
    const key = keyOf(request)
    if (key !== undefined) request.setDecorator(REPEATED, store.isKept(key))
    done()
  }
}

/** The same for the same JSON, whatever the order of its keys. Of a password not even a hash that is quick to try is kept. */
function canonical(name: string, value: unknown): unknown {
  if (name === 'password' || name === 'currentPassword') return null
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The hash of what a request says. */
export const hashOf = (said: unknown): string =>
  createHash('sha256').update(JSON.stringify(said, canonical)).digest('hex')

/** The same with a hash of what the request says. */
export function repeatableOf(request: FastifyRequest): RepeatableRequest | undefined {
  const key = keyOf(request)
  if (key === undefined) return undefined
  return { ...key, bodyHash: hashOf([request.query ?? null, request.body ?? null]) }
}
