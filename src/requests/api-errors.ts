/** Converts thrown errors to the contract's errors. */
import { STATUS_CODES } from 'node:http'
import type { ErrorObject } from 'ajv'
import type { FastifyError } from 'fastify'
import { isHttpError } from 'http-errors'
import { databaseBusy, isBusy } from '../db/busy.ts'
import type { ErrorCode } from '../error-codes.ts'
import { ApiError, SpecifiedFailure, validationFailed } from '../errors.ts'
import { flattenErrors } from './violations.ts'

/** A body with a wrong Content-Length counts as one that is not JSON, not as a 400. */
const TRUNCATED_BODY = 'FST_ERR_CTP_INVALID_CONTENT_LENGTH'

/** The code of an unexpected failure: some are the client's fault, which the interface specification nevertheless answers with 500. */
export function codeOfFailure(cause: unknown): ErrorCode {
  if (cause instanceof SpecifiedFailure) return cause.code
  return Object(cause).code === TRUNCATED_BODY ? 'not_json' : 'internal_error'
}

/**
 * The contract's error for any thrown value: of rules, Fastify, ajv, or http-errors, which @fastify/sensible and hosts
 * use.
 * @returns undefined for an unexpected failure
 */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (!(error instanceof Error)) return undefined
  if (isBusy(error)) return databaseBusy()
  const { validation, statusCode = 500, code } = error as FastifyError
  if (validation) return validationFailed(flattenErrors(validation as ErrorObject[]))
  if (statusCode < 400 || statusCode >= 500 || code === TRUNCATED_BODY) return undefined
  // `expose`: the message is for the client. Any other message may leak internals.
  if (isHttpError(error) && error.expose) {
    return new ApiError(statusCode, error.message, { headers: { ...error.headers } })
  }
  return new ApiError(statusCode, STATUS_CODES[statusCode] ?? 'Request failed')
}
