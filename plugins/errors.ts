import sensible, { httpErrors } from '@fastify/sensible'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isBusy } from '../src/db/busy.ts'
import type { ErrorCode } from '../src/error-codes.ts'
import { BatchFailure, type ErrorDetails, SpecifiedFailure } from '../src/errors.ts'
import { type KnownPath, KnownPaths, METHODS } from '../src/http/known-paths.ts'
import { depthOfPage, type SendMissingPage } from '../src/http/missing-pages.ts'
import { asksForProblems, PROBLEM_JSON, problemOf } from '../src/http/problems.ts'
import { CLIENT_FAILURES } from '../src/http/request-counters.ts'
import type { Check } from '../src/requests/admit.ts'
import { codeOfFailure, toApiError } from '../src/requests/api-errors.ts'
import { missingRecordOf, SOUGHT } from '../src/requests/existence.ts'

/** The options of the errors plugin. */
interface ErrorsOptions {
  /** Whether the service responds to paths without a route. */
  answersUnknownRoutes: boolean
  /** Whether no host's hooks run before the service's. */
  hooksComeFirst: boolean
}

/**
 * The innermost cause of a failure, for the log: Drizzle's wrapper quotes the statement's parameters, which are user
 * data.
 */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}

/**
 * Sends an error without the route's response schemas: they describe only the route's own errors, and a host's hook may
 * reject with the same status.
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
    // Without its stack: the first stack trace of a process takes 60 ms, and this is no fault.
    if (isBusy(error)) request.log.warn({ code: Object(causeOf(error)).code }, message)
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
 * The error handler: turns all errors, including Fastify's, into the contract's error shape. Responds with 404 to unknown
 * routes and 405 to other methods of known paths.
 */
export default fp<ErrorsOptions>(
  async (app, { answersUnknownRoutes, hooksComeFirst }) => {
    if (hooksComeFirst) await app.register(sensible)
    // Inside a host only its errors: the host may have request and reply decorators of these names.
    else app.decorate('httpErrors', httpErrors)
    const { routerOptions = {} } = app.initialConfig
    const knownPaths = new KnownPaths(routerOptions)
    app.decorate('knownPaths', knownPaths)
    app.addHook('onRoute', ({ config, path, method }) => {
      if (config?.failure === undefined) return
      knownPaths.add(path, [method].flat())
      // Below a prefix the root is one route with two paths, unless a host's router takes them for the same.
      if (path !== '' && path === app.prefix && routerOptions.ignoreTrailingSlash !== true)
        knownPaths.add(`${path}/`, [method].flat())
    })
    const refusalOf = ({ methods }: KnownPath) =>
      app.httpErrors.createError(405, 'Method not allowed', { headers: { allow: methods.join(', ') } })
    const missingPage: { send: SendMissingPage | undefined } = { send: undefined }
    app.decorate('missingPage', missingPage)
    app.decorateRequest(SOUGHT, null)
    app.setErrorHandler(handleError)
    app.decorate('refuseUnknown', undefined)
    if (answersUnknownRoutes) {
      const unknown = app.httpErrors.notFound('Not found')
      const failureOf = ({ method, url }: FastifyRequest) => {
        const known = knownPaths.refusing(method, url)
        return known ? refusalOf(known) : unknown
      }
      const pageFor = (request: FastifyRequest) =>
        missingPage.send && failureOf(request) === unknown ? depthOfPage(request, app.prefix) : undefined
      app.setNotFoundHandler(async (request, reply) => {
        const depth = pageFor(request)
        if (missingPage.send === undefined || depth === undefined) throw failureOf(request)
        return missingPage.send(reply.code(404), depth)
      })
      app.refuseUnknown = (request) => {
        if (pageFor(request) === undefined) throw failureOf(request)
      }
    }
    app.decorate('refuseOtherMethods', () => {
      if (answersUnknownRoutes) return
      for (const known of knownPaths.all()) {
        const refusal = refusalOf(known)
        app.route({
          method: METHODS.filter((method) => !known.methods.includes(method)),
          url: known.path,
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
    /** The paths of all endpoints. */
    knownPaths: KnownPaths
    /** The 404 or 405 of a path without a route, before the body is parsed: an invalid body must not hide it. Undefined if a host responds. */
    refuseUnknown: Check | undefined
    /** Sends the page for unknown addresses; undefined if the service has no page. */
    missingPage: { send: SendMissingPage | undefined }
    /**
     * If a host handles unknown paths, registers a 405 for the other methods of every endpoint's path. Call it after the last
     * route.
     */
    refuseOtherMethods: () => void
  }
}
