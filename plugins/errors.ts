import { STATUS_CODES } from 'node:http'
import sensible, { httpErrors } from '@fastify/sensible'
import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isHttpError } from 'http-errors'
import { ApiError, type ErrorDetails, SpecifiedFailure, validationFailed } from '../src/errors.ts'
import { flattenErrors } from '../src/http/validation.ts'

/** What the errors plugin needs to know. */
export interface ErrorsOptions {
  /** Whether paths without a route are the service's to answer. */
  answersUnknownRoutes: boolean
  /** Whether no host's hooks run before the service's. */
  hooksComeFirst: boolean
}

/** A body that did not arrive as announced cannot be parsed either: not a refusal, but "no JSON". */
const TRUNCATED_BODY = 'FST_ERR_CTP_INVALID_CONTENT_LENGTH'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Which paths a route's path stands for. */
const toPattern = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)

/**
 * What a thrown value answers, whoever made it: the rules, Fastify, ajv, or http-errors, which @fastify/sensible and hosts
 * use.
 * @returns the refusal; undefined for an unexpected failure
 */
function refusalOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (!(error instanceof Error)) return undefined
  const { validation, statusCode = 500, code } = error as FastifyError
  if (validation) return validationFailed(flattenErrors(validation as ErrorObject[]))
  if (statusCode < 400 || statusCode >= 500 || code === TRUNCATED_BODY) return undefined
  // `expose` says that the message is for the client. Others' may tell anything.
  if (isHttpError(error) && error.expose) {
    return new ApiError(statusCode, error.message, { headers: { ...error.headers } })
  }
  return new ApiError(statusCode, STATUS_CODES[statusCode] ?? 'Request failed')
}

/**
 * A failure in a form fit for the log: what went wrong and where. Only the innermost cause is kept, because a
 * query builder's wrapper quotes the statement's parameters, and those are the users' data.
 */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}

/**
 * Not through the route's schemas: they describe the errors that the route itself makes, and a host's hook may
 * refuse with the same status for reasons of its own.
 */
const send = (reply: FastifyReply, body: { error: string; details?: ErrorDetails | undefined }) =>
  reply.serializer(JSON.stringify).header('content-type', 'application/json; charset=utf-8').send(body)

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error)
  if (refusal) {
    const { statusCode, message, details, headers } = refusal
    send(reply.code(statusCode).headers(headers), { error: message, details })
    return
  }
  const failure = request.routeOptions.config.failure ?? 'Internal server error'
  if (error instanceof SpecifiedFailure) request.log.debug({ reason: error.message }, failure)
  else request.log.error({ err: causeOf(error) }, failure)
  send(reply.code(500), { error: failure })
}

/**
 * Turns whatever is thrown anywhere, by Fastify too, into the contract's error shape; answers unknown routes
 * and, where a path is known but not with that method, 405.
 */
export default fp<ErrorsOptions>(
  async (app, { answersUnknownRoutes, hooksComeFirst }) => {
    if (hooksComeFirst) await app.register(sensible)
    // Inside a host only its errors: requests and replies may have decorators of these names already.
    else app.decorate('httpErrors', httpErrors)
    const methods = new Map<string, Set<string>>()
    app.setErrorHandler(answerError)
    if (answersUnknownRoutes) {
      const unknown = app.httpErrors.notFound('Not found')
      app.setNotFoundHandler(async () => {
        throw unknown
      })
      // Before the body is read: what is wrong with a body does not matter where nobody wants one.
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
      const others = [...methods].map(([path, known]) => ({ pattern: toPattern(path), known: [...known] }))
      for (const path of [...methods.keys()]) {
        // Also those of a path with a parameter that this one is an instance of: they are answered there.
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
    /** Registers, for the path of every endpoint so far, a 405 for the methods it does not have. Call it after the last route. */
    refuseOtherMethods: () => void
  }
}
