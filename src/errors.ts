/**
 * The one vocabulary of refusals. Hooks, handlers and rules throw these; the error handler alone turns them
 * into responses.
 */

import type { ErrorDetails, ValidationDetails } from './phaseboard.d.ts'

export type { ErrorDetails, ValidationDetails } from './phaseboard.d.ts'

/** An answer other than success that the contract names. `message` is the body's `error` string. */
export class ApiError extends Error {
  readonly statusCode: number
  readonly details: ErrorDetails | undefined
  readonly headers: Record<string, string>

  constructor(
    statusCode: number,
    message: string,
    extra: { details?: ErrorDetails; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.statusCode = statusCode
    this.details = extra.details
    this.headers = extra.headers ?? {}
  }
}

/** 400 with the flattened violations. */
export const validationFailed = (details: ValidationDetails) =>
  new ApiError(400, 'Validation failed', { details })

/** 400 with what is wrong below one top-level field. */
export const invalidField = (field: string, ...messages: string[]) =>
  validationFailed({ formErrors: [], fieldErrors: { [field]: messages } })

/** 401. The same words for a missing, unknown, expired or revoked credential: which one it was is nobody's business. */
export const authenticationRequired = (headers: Record<string, string> = {}) =>
  new ApiError(401, 'Authentication required', { headers: { 'www-authenticate': 'Bearer', ...headers } })

/** 403 with its reason, e.g. `Forbidden: admin access required`. */
export const forbidden = (reason: string) => new ApiError(403, `Forbidden: ${reason}`)

/** 404, e.g. `Project not found`; where several were asked for, with the ids of those that are missing. */
export const notFound = (thing: string, missing?: string[]) =>
  new ApiError(404, `${thing} not found`, missing && { details: { missing } })

/** 409: the request is valid, but what is there does not allow it. */
export const conflict = (message: string) => new ApiError(409, message)

/** 429 with the seconds after which another try makes sense. */
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new ApiError(429, message, { headers: { 'retry-after': String(Math.max(1, retryAfterSeconds)) } })

/**
 * A mistake of the client that the interface specification (section 7) nevertheless answers with the
 * endpoint's 500: a body that is not JSON, an unknown subtask. Told apart from a fault of the service so
 * that the log does not cry wolf.
 */
export class SpecifiedFailure extends Error {
  override readonly name = 'SpecifiedFailure'
}

/** Something the operator must mend before the service can start: configuration or the database file. Exit code 2. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
