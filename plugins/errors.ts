import sensible, { httpErrors } from '@fastify/sensible'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isBusy } from '../src/db/busy.ts'
import type { ErrorCode } from '../src/error-codes.ts'
import { BatchFailure, type ErrorDetails, SpecifiedFailure } from '../src/errors.ts'
import { asksForProblems, PROBLEM_JSON, problemOf } from '../src/http/problems.ts'
import { CLIENT_FAILURES } from '../src/http/request-counters.ts'
import { codeOfFailure, toApiError } from '../src/requests/api-errors.ts'
import { missingRecordOf, SOUGHT } from '../src/requests/existence.ts'

/** The options of the errors plugin. */
export interface ErrorsOptions {
  /** Whether the service answers paths without a route. */
  answersUnknownRoutes: boolean
  /** Whether no host's hooks run before the service's. */
  hooksComeFirst: boolean
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The paths that a route matches. */
const toPattern = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)

/**
 * The innermost cause of a failure, for the log: Drizzle's wrapping error quotes the statement's parameters, which are the
 * users' data.
 */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}

/**
 * Sends an error without the route's response schemas: they describe the route's own errors, and a host's hook may reject
 * with the same status.
 */
function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { error, code, details }: { error: string; code: ErrorCode; details: ErrorDetails | undefined },
): void {
  const isProblem = asksForProblems(request.headers.accept)
  reply
    .serializer(JSON.stringify)
    .header('content-type', isProblem ? PROBLEM_JSON : 'application/json; charset=utf-8')
    .send(isProblem ? problemOf(reply.statusCode, error, code, details) : { error, details })
}

function handleError(failed: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const missing = missingRecordOf(request)
  // Fastify closes the connection of a body over the limit. One for an unknown record counts as unread, and Node drains it.
  if (missing) reply.removeHeader('connection')
  const error = missing ?? failed
  const apiError = toApiError(error)
  if (apiError) {
    const { statusCode, message, code, details, headers } = apiError
    if (isBusy(error)) request.log.warn({ err: causeOf(error) }, message)
    send(request, reply.code(statusCode).headers(headers), { error: message, code, details })
    return
  }
  const { failure = 'Internal server error' } =
    error instanceof BatchFailure ? error : request.routeOptions.config
  const details = error instanceof BatchFailure ? error.details : undefined
  const cause = causeOf(error)
  if (cause instanceof SpecifiedFailure) {
    CLIENT_FAILURES.set(request, cause.code === 'not_json' ? 'unparseable' : 'not_found')
    request.log.debug({ reason: cause.message }, failure)
  } else request.log.error({ err: cause }, failure)
  send(request, reply.code(500), { error: failure, code: codeOfFailure(cause), details })
}

/**
 * The error handler: turns all errors, Fastify's too, into the contract's error shape. Responds 404 to unknown routes and
 * 405 to other methods of known paths.
 */
export default fp<ErrorsOptions>(
  async (app, { answersUnknownRoutes, hooksComeFirst }) => {
    if (hooksComeFirst) await app.register(sensible)
    // Inside a host only its errors: the host may have request and reply decorators of these names.
    else app.decorate('httpErrors', httpErrors)
    const methods = new Map<string, Set<string>>()
    app.decorateRequest(SOUGHT, null)
    app.setErrorHandler(handleError)
    if (answersUnknownRoutes) {
      const unknown = app.httpErrors.notFound('Not found')
      app.setNotFoundHandler(async () => {
        throw unknown
      })
      // Before the body is parsed: an invalid body must not hide the 404.
      app.addHook('preParsing', (request, _reply, payload, done) =>
        request.is404 ? done(unknown) : done(null, payload),
      )
    }
    app.addHook('onRoute', (route) => {
      if (route.config?.failure === undefined) return
      const known = methods.get(route.path) ?? new Set()
      for (const method of [route.method].flat()) known.add(method)
      methods.set(route.path, known)
    })
    app.decorate('refuseOtherMethods', () => {
      // The root below a prefix is registered as one URL, and has two paths: with and without a slash.
      if (app.prefix !== '') methods.delete(`${app.prefix}/`)
      const others = [...methods].map(([path, known]) => ({ pattern: toPattern(path), known: [...known] }))
      for (const path of [...methods.keys()]) {
        // Including methods of routes with parameters that match this path, too.
        const matching = others.filter(({ pattern }) => pattern.test(path))
        const known = new Set(matching.flatMap((other) => other.known))
        const headers = { allow: [...known].join(', ') }
        const refusal = app.httpErrors.createError(405, 'Method not allowed', { headers })
        app.route({
          method: METHODS.filter((method) => !known.has(method)),
          url: path.slice(app.prefix.length) || '/',
          schema: { hide: true },
          config: { access: 'public' },
          onRequest: async () => {
            throw refusal
          },
          handler: async () => undefined,
        })
      }
    })
  },
  { name: 'errors', fastify: '5.x' },
)

declare module 'fastify' {
  interface FastifyInstance {
    /** Registers a 405 for the other methods of every endpoint's path. Call it after the last route. */
    refuseOtherMethods: () => void
  }
}
