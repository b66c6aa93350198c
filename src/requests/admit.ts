/** Admission: what a request passes before its handler, in the order of the contract. Each route gets only the checks that apply to it. */
import type { FastifyContextConfig, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Access, isSafe } from '../members/identity.ts'
import { isOfItem } from './existence.ts'
import { methodsOf, shapeOf } from './response-shapes.ts'
import { confirmStrictness } from './strictness.ts'

/** A check of a request. It throws an ApiError to refuse it, and returns a promise only if it must wait. */
export type Check = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>

/** The checks of an application. */
export interface Checks {
  /** Of the HTTP server; none inside a host. */
  ofServer: readonly Check[]
  /** Forgets what is known of commits of other connections, if the request came by another server. */
  noteArrival: Check
  /** Adds the headers of all responses of a route. */
  addHeaders: (config: FastifyContextConfig) => Check
  /** Against DNS rebinding, where no member is identified. */
  ensureKnownHost: Check | undefined
  /** Counts for the rate limit, where no member is identified. */
  count: Check | undefined
  /** Against CSRF, where no member is identified. */
  guardPublic: Check
  /** Replaces an item's number in the path, such as `WEB-12`, by its id. */
  resolveNumber: Check
  /**
   * Identifies the member, counts for the rate limit, checks the access, guards against CSRF, and refuses writes of readers.
   * @param isForAll whether a foreign origin is refused even with a token
   */
  guard: (access: Exclude<Access, 'public'>, isForAll: boolean) => Check
  /** Looks for the response to an earlier request with this `Idempotency-Key`. */
  findRepetition: Check
  hideBody: Check
  /** 404 or 405, if the service responds to paths without a route. */
  refuseUnknown: Check | undefined
}

/** A route, as far as its checks depend on it. */
interface Admitted {
  method: string | string[]
  url: string
  schema?: Parameters<typeof shapeOf>[0]
  config?: FastifyContextConfig
}

const present = (checks: readonly (Check | undefined | false)[]): Check[] =>
  checks.filter((check) => check !== undefined && check !== false)

/** Before CORS: also preflights and errors have these headers. */
export const arrivalOf = (config: FastifyContextConfig, checks: Checks): Check[] =>
  present([...checks.ofServer, checks.noteArrival, checks.addHeaders(config), confirmStrictness])

/** Before a route's own hooks and the body. */
export function admissionOf({ method, url, schema, config = {} }: Admitted, checks: Checks): Check[] {
  const methods = methodsOf({ method })
  const isWrite = !methods.every(isSafe)
  const {
    access = 'public',
    takesAnyHost,
    unlimited,
    failure,
    isRepeatable = true,
    ignoresBody,
    refusesForeignOrigins = false,
  } = config
  const isIgnoring = ignoresBody === true || (methods.includes('DELETE') && schema?.body === undefined)
  const hideBody = isIgnoring && checks.hideBody
  if (access === 'public') {
    return present([
      takesAnyHost !== true && checks.ensureKnownHost,
      unlimited !== true && checks.count,
      // Not for routes that only respond with an error, e.g. 405.
      isWrite && failure !== undefined && checks.guardPublic,
      hideBody,
    ])
  }
  const hasKey = isWrite && isRepeatable && shapeOf(schema) !== undefined
  return present([
    isOfItem(url) && checks.resolveNumber,
    checks.guard(access, refusesForeignOrigins),
    hasKey && checks.findRepetition,
    hideBody,
  ])
}

/** For a path without a route. */
export const admissionOfUnknown = (checks: Checks): Check[] =>
  present([checks.ensureKnownHost, checks.count, checks.refuseUnknown])

/** Runs checks in order: at once, or after those that must wait. */
export function inOrder(checks: readonly Check[]): Check {
  function run(request: FastifyRequest, reply: FastifyReply, from: number): void | Promise<void> {
    for (let index = from; index < checks.length; index++) {
      const waiting = (checks[index] as Check)(request, reply)
      if (waiting !== undefined) return waiting.then(() => run(request, reply, index + 1))
    }
  }
  return (request, reply) => run(request, reply, 0)
}

/** The hook that runs a check. It is not async: Fastify would wait for its promise. */
export const hookOf =
  (check: Check): onRequestHookHandler =>
  (request, reply, done) => {
    const waiting = check(request, reply)
    if (waiting === undefined) done()
    return waiting
  }
