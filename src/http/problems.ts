/** Errors as problem details (RFC 9457), for clients that accept them. */
import Negotiator from 'negotiator'
import type { ErrorCode } from '../error-codes.ts'
import type { ErrorDetails } from '../errors.ts'

export const PROBLEM_JSON = 'application/problem+json'

/** The documentation of the codes; a problem's `type` is a section there. A name and not a place: it identifies the problem, and leads to nobody. */
const DOCS = 'urn:phaseboard:docs/errors.md'

/** An error as problem details. */
export interface Problem {
  type: string
  title: string
  status: number
  code: ErrorCode
  details?: ErrorDetails | undefined
}

/** Whether an `Accept` header names problem details explicitly; wildcards do not count. */
export const asksForProblems = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes(PROBLEM_JSON) === true &&
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes(PROBLEM_JSON)

/** The address that identifies a kind of problem. */
export const typeOf = (code: ErrorCode): string => `${DOCS}#${code}`

/** The problem details of an error. @param title the body's `error` elsewhere */
export const problemOf = (
  status: number,
  title: string,
  code: ErrorCode,
  details: ErrorDetails | undefined,
): Problem => ({ type: typeOf(code), title, status, code, details })
