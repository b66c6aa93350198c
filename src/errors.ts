/**
 * Errors that become responses. Hooks, handlers and rules throw them; only the error handler turns them into
 * responses.
 */
import createError from 'http-errors'
import { codeOfStatus, type ErrorCode } from './error-codes.ts'
import type { Conflict, ErrorDetails, ValidationDetails } from './phaseboard.d.ts'

export type { Conflict, ErrorDetails, ValidationDetails } from './phaseboard.d.ts'

/**
 * An error response of the contract. `message` is the body's `error` string. It is an error of http-errors, with status
 * code and `expose`, so other handlers understand it too.
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  declare readonly statusCode: number
  declare readonly details: ErrorDetails | undefined
  declare readonly headers: Record<string, string>
  /** The code for programs; by default that of the status. */
  declare readonly code: ErrorCode

  constructor(
    statusCode: number,
    message: string,
    {
      details,
      headers = {},
      code = codeOfStatus(statusCode),
    }: { details?: ErrorDetails; headers?: Record<string, string>; code?: ErrorCode } = {},
  ) {
    // A response, not a fault: it needs no stack trace, which would cost ten times the rest.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    // It accepts only error statuses; a host may throw a redirect, too.
    if (statusCode >= 400 && statusCode < 600)
      createError(statusCode, this, { details, headers, code, expose: true })
    else Object.assign(this, { statusCode, details, headers, code })
  }
}

/** 400 with the flattened violations. */
export const validationFailed = (details: ValidationDetails) =>
  new ApiError(400, 'Validation failed', { details, code: 'validation_failed' })

/** 400 with the violations of one top-level field. */
export const invalidField = (field: string, ...messages: string[]) =>
  validationFailed({ formErrors: [], fieldErrors: { [field]: messages } })

/**
 * Checks several top-level fields.
 * @param problems the violation of each field, if any
 * @throws ApiError 400 with all of them
 */
export function ensureValid(problems: Readonly<Record<string, string | undefined>>): void {
  const violations = Object.entries(problems).flatMap(([field, problem]): [string, string[]][] =>
    problem === undefined ? [] : [[field, [problem]]],
  )
  if (violations.length === 0) return
  throw validationFailed({ formErrors: [], fieldErrors: Object.fromEntries(violations) })
}

/** 401. The same text for a missing, unknown, expired or revoked credential, so that none can be probed. */
export const authenticationRequired = () =>
  new ApiError(401, 'Authentication required', { headers: { 'www-authenticate': 'Bearer' } })

/** 403 with its reason, e.g. `Forbidden: admin access required`. */
export const forbidden = (reason: string, code?: ErrorCode) =>
  new ApiError(403, `Forbidden: ${reason}`, code && { code })

/** 403 for non-admins. */
export const adminRequired = () => forbidden('admin access required', 'admin_required')

/** 403 for a record that only its owner and admins may change, e.g. `another member's comment`. */
export const notOwner = (what: string) => forbidden(`another member's ${what}`, 'not_owner')

/** 403 for callers who may only read the project of a record. */
export const readOnlyProject = () => forbidden('read-only in this project', 'read_only_project')

/** 404, e.g. `Project not found`; in a bulk request with the ids of the missing records. */
export const notFound = (thing: string, missing?: string[]) =>
  new ApiError(404, `${thing} not found`, missing && { details: { missing } })

/** 409: the request is valid, but conflicts with the current state. */
export const conflict = (message: string, code: ErrorCode) => new ApiError(409, message, { code })

/** 410: the changes after a `seq` were pruned, except those from `oldest` on. */
export const changesGone = (oldest: number) => new ApiError(410, 'Changes are gone', { details: { oldest } })
/** 409 with the conflicts of an undo. */
export const changedSince = (conflicts: Conflict[]) =>
  new ApiError(409, 'Changed since', { details: { conflicts }, code: 'changed_since' })

/** 412, with the current ETag of the record, if any. */
export const preconditionFailed = (headers: Record<string, string> = {}) =>
  new ApiError(412, 'Precondition failed', { headers })

/** 429 with `Retry-After`. */
export const tooManyRequests = (message: string, retryAfterSeconds: number, code: ErrorCode) =>
  new ApiError(429, message, { headers: { 'retry-after': String(Math.max(1, retryAfterSeconds)) }, code })

/** 503 for a temporary lack of capacity. */
export const unavailable = (retryAfterSeconds: number) =>
  new ApiError(503, 'Service Unavailable', { headers: { 'retry-after': String(retryAfterSeconds) } })

/** 503 for abandoned work, e.g. `Search took too long`. */
export const tookTooLong = (what: string) =>
  new ApiError(503, `${what} took too long`, { headers: { 'retry-after': '5' }, code: 'took_too_long' })

/**
 * A client error that the interface specification (section 7) nevertheless answers with the endpoint's 500: a body
 * that is not JSON, an unknown subtask. Logged at debug, not as a fault of the service.
 */
export class SpecifiedFailure extends Error {
  override readonly name = 'SpecifiedFailure'
  readonly code: ErrorCode

  constructor(reason: string, code: ErrorCode) {
    super(reason)
    this.code = code
  }
}

/** An unexpected failure of one request of a batch: 500 with that request's own text. */
export class BatchFailure extends Error {
  override readonly name = 'BatchFailure'
  readonly failure: string
  readonly request: number
  readonly details: ErrorDetails

  /**
   * @param failure the `error` string of the request's route
   * @param request the index of the failed request, from 0
   */
  constructor(failure: string, request: number, cause: unknown) {
    super(failure, { cause })
    this.failure = failure
    this.request = request
    this.details = { request }
  }
}

/** The operator must fix something before the service can start: configuration or the database file. Exit code 2. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
