/** Requests with an Idempotency-Key, and detection of retries. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { identityOf } from '../access/identity.ts'
import { validationFailed } from '../errors.ts'
import { isObjectOrArray, type JsonObject } from '../json.ts'
import { KEY_PATTERN } from '../schemas/common.ts'
import type { Check } from './admit.ts'
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

/** Creates the check that runs before a route's own hooks: the record may be deleted by the time of a retry. */
export function createRepetitionCheck(store: IdempotencyStore): Check {
  return (request) => {
    const key = keyOf(request)
    if (key !== undefined) request.setDecorator(REPEATED, store.isKept(key))
  }
}

/** Deepest nesting of a request: more than any field may have. */
const DEPTH_LIMIT = 1000

/** Whether JavaScript orders a name by its number, before all others. */
const isIndex = (name: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1

/** The names of an object's fields, in an order that does not depend on its own. */
function namesOf(value: JsonObject): string[] {
  const names = Object.keys(value)
  const first = names.findIndex((name) => !isIndex(name))
  return first === -1 ? names : names.slice(0, first).concat(names.slice(first).sort())
}

/**
 * A value as JSON that is equal for equal JSON, whatever the order of keys. It omits passwords: not even a fast hash of these is stored.
 * A body may have half a million values: a replacer, called for each, would block the event loop.
 * @throws ApiError 400
 */
function canonical(value: unknown, levels = DEPTH_LIMIT): string | undefined {
  if (!isObjectOrArray(value)) return JSON.stringify(value)
  if (levels === 0) {
    const formErrors = [`must NOT be nested deeper than ${DEPTH_LIMIT} levels`]
    throw validationFailed({ formErrors, fieldErrors: {} })
  }
  if (Array.isArray(value)) {
    if (!value.some(isObjectOrArray)) return JSON.stringify(value)
    return `[${value.map((one) => canonical(one, levels - 1) ?? 'null').join(',')}]`
  }
  const texts: string[] = []
  for (const name of namesOf(value)) {
    const isSecret = name === 'password' || name === 'currentPassword'
    const text = isSecret ? 'null' : canonical(value[name], levels - 1)
    if (text !== undefined) texts.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${texts.join(',')}}`
}

/** The hash of a request's body and query. @throws ApiError 400 if it is nested too deep */
export const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(String(canonical(value)))
    .digest('hex')

/** The paths in the body of a batch. */
function pathsOf(body: unknown): Pick<RepeatableRequest, 'paths'> {
  const requests = isObjectOrArray(body) ? body.requests : undefined
  if (!Array.isArray(requests)) return {}
  return { paths: requests.flatMap((one) => (typeof one?.path === 'string' ? [one.path] : [])) }
}

/** The same with a hash of the request's body and query. */
export function repeatableOf(request: FastifyRequest): RepeatableRequest | undefined {
  const key = keyOf(request)
  if (key === undefined) return undefined
  const { query, body } = request
  return { ...key, bodyHash: hashOf([query ?? null, body ?? null]), ...pathsOf(body) }
}
