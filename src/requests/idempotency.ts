/** Requests with an Idempotency-Key, and detection of retries. */
import { createHash } from 'node:crypto'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { identityOf } from '../access/identity.ts'
import { validationFailed } from '../errors.ts'
import { KEY_PATTERN } from '../schemas/common.ts'
import type { IdempotencyStore, RepeatableRequest } from './idempotency-store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether the route accepts `Idempotency-Key`, as all writing routes do; `false` for sessions, and for routes that perform their own writes:
     * then the handler responds by itself.
     */
    isRepeatable?: boolean
    /**
     * Whether the route's rule checks the member's role, so that its hooks do not decide access to the response: a
     * retry then gets it only if the member's role is not lower than at the write.
     */
    dependsOnRole?: boolean
  }
}

/** Request decorator: the response is already stored. */
export const REPEATED = Symbol('phaseboard.repeated')

/** Whether the response to this request is stored: then nothing is repeated, and its record may be deleted. */
export const isRepeated = (request: FastifyRequest): boolean => request.getDecorator<boolean>(REPEATED)

const KEY = new RegExp(KEY_PATTERN)

/**
 * The key of a request with its member and route; undefined without a key.
 * @throws ApiError 400 for a key that is not 1 to 255 visible ASCII characters
 */
function keyOf(request: FastifyRequest): Omit<RepeatableRequest, 'bodyHash'> | undefined {
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

/** Creates the hook that runs before a route's own: the record may be deleted by the time of a retry. */
export function createRepetitionHook(store: IdempotencyStore): onRequestHookHandler {
  return (request, _reply, done) => {
    const key = keyOf(request)
    if (key !== undefined) request.setDecorator(REPEATED, store.isKept(key))
    done()
  }
}

/** Equal for equal JSON, whatever the order of keys. It omits passwords: not even a fast hash of these is stored. */
function canonical(name: string, value: unknown): unknown {
  if (name === 'password' || name === 'currentPassword') return null
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The hash of a request's body and query. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, canonical)).digest('hex')

/** The same with a hash of the request's body and query. */
export function repeatableOf(request: FastifyRequest): RepeatableRequest | undefined {
  const key = keyOf(request)
  if (key === undefined) return undefined
  return { ...key, bodyHash: hashOf([request.query ?? null, request.body ?? null]) }
}
