/** Outcomes of work in the worker thread, as posted back: errors lose their class on the way. */
import { databaseBusy, isBusy } from '../db/busy.ts'
import { faultOf } from '../db/faults.ts'
import type { ErrorCode } from '../error-codes.ts'
import { ApiError, BatchFailure, type ErrorDetails, SpecifiedFailure } from '../errors.ts'

/** The outcome of work. */
export type Outcome =
  | { value: unknown }
  | {
      refusal: {
        statusCode: number
        message: string
        details: ErrorDetails | undefined
        headers: Record<string, string>
        code: ErrorCode
      }
    }
  /** Of a request of a batch. */
  | { failed: { failure: string; request: number; cause: Outcome } }
  | { specified: { reason: string; code: ErrorCode } }
  | {
      error: unknown
      /** SQLite's error code of a fault, which an error loses on the way. */
      code?: unknown
    }

/** The outcome of work that failed. */
function outcomeOfError(thrown: unknown): Outcome {
  // SQLite's error code is lost on the way.
  const error = isBusy(thrown) ? databaseBusy() : thrown
  if (error instanceof BatchFailure) {
    const { failure, request, cause } = error
    return { failed: { failure, request, cause: outcomeOfError(cause) } }
  }
  if (error instanceof SpecifiedFailure) return { specified: { reason: error.message, code: error.code } }
  if (!(error instanceof ApiError)) return { error, code: faultOf(error)?.code }
  const { statusCode, message, details, headers, code } = error
  return { refusal: { statusCode, message, details, headers, code } }
}

/** Runs work, and returns its outcome. */
export function outcomeOf(work: () => unknown): Outcome {
  try {
    return { value: work() }
  } catch (error) {
    return outcomeOfError(error)
  }
}

/** The outcome of work that is under way. */
export const outcomeOfPromise = (work: Promise<unknown>): Promise<Outcome> =>
  work.then((value) => ({ value }), outcomeOfError)

/** The error of an outcome; undefined if it has a value. */
function errorOf(outcome: Outcome): unknown {
  try {
    unwrap(outcome)
  } catch (error) {
    return error
  }
  return undefined
}

/** The value of an outcome. @throws its error */
export function unwrap(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value
  if ('failed' in outcome) {
    const { failure, request, cause } = outcome.failed
    throw new BatchFailure(failure, request, errorOf(cause))
  }
  if ('specified' in outcome) throw new SpecifiedFailure(outcome.specified.reason, outcome.specified.code)
  if ('error' in outcome) {
    const { error, code } = outcome
    throw error instanceof Error && code !== undefined ? Object.assign(error, { code }) : error
  }
  const { statusCode, message, details, headers, code } = outcome.refusal
  throw new ApiError(statusCode, message, { headers, code, ...(details && { details }) })
}
