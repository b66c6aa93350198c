/** Preconditions of writes on the state of the record, checked inside the write. */
import { isDeepStrictEqual } from 'node:util'
import { ApiError, preconditionFailed, validationFailed } from '../errors.ts'
import { isMatch, isNamed } from '../etags.ts'
import { type Call, run } from './calls.ts'
import { etagOfRecord, type ResponseShape, responseOf, toText } from './respond.ts'
import type { Rules } from './rules.ts'

/** The preconditions of a request; structured-cloneable. */
export interface Preconditions {
  /** The record: how it is read and serialised. */
  record?: { get: Call; shape: ResponseShape }
  /** The `If-Match` header (RFC 9110, section 13.1.1): the ETag that the record must have. */
  ifMatch?: string
  /** The `If-None-Match` header (section 13.1.2): the ETag that it must not have; `*`: it must not exist. */
  ifNoneMatch?: string
  /** The request's values of read-only fields. */
  unchanged?: Record<string, unknown>
}

/** Reads the record; undefined if there is none: the rule itself reports that. */
function read(rules: Rules, call: Call): unknown {
  try {
    return run(rules, call)
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return undefined
    throw error
  }
}

/** Checks read-only fields against the record. @throws ApiError 400 */
function ensureUnchanged(fields: Record<string, unknown>, shape: ResponseShape, current: unknown): void {
  const shown = JSON.parse(toText(responseOf(shape, current).body))
  const changed = Object.keys(fields).filter((name) => !isDeepStrictEqual(fields[name], shown[name]))
  if (changed.length === 0) return
  const fieldErrors = Object.fromEntries(changed.map((name) => [name, ['is read-only']]))
  throw validationFailed({ formErrors: [], fieldErrors })
}

/**
 * Checks preconditions: the record's ETag matches `If-Match` and not `If-None-Match`, and read-only fields in the request equal
 * the record's.
 * @throws ApiError 412, with its ETag; 400
 */
export function comparePreconditions(
  rules: Rules,
  { record, ifMatch, ifNoneMatch, unchanged }: Preconditions,
): void {
  const isAsked = (ifMatch ?? ifNoneMatch ?? unchanged) !== undefined
  if (record === undefined || !isAsked) return
  const current = read(rules, record.get)
  if (current === undefined) return
  const etag = etagOfRecord(record.shape, current)
  const isRefused =
    (ifMatch !== undefined && !isMatch(ifMatch, etag)) ||
    (ifNoneMatch !== undefined && isNamed(ifNoneMatch, etag))
  if (isRefused) throw preconditionFailed({ etag })
  if (unchanged) ensureUnchanged(unchanged, record.shape, current)
}

/** The content of a response: some rules leave reading a large record to the responder. */
export const resultOf = (
  rules: Rules,
  shape: ResponseShape,
  record: Preconditions['record'],
  result: unknown,
): unknown => (result === undefined && record && shape.kind === 'record' ? read(rules, record.get) : result)
