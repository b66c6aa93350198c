/** Preconditions of writes: what the record has to be that is written to, compared inside the write. */
import { isDeepStrictEqual } from 'node:util'
import { ApiError, preconditionFailed, validationFailed } from '../errors.ts'
import { isMatch, isNamed } from '../etags.ts'
import { type Call, run } from './calls.ts'
import { etagOfRecord, type ResponseShape, responseOf, toText } from './responses.ts'
import type { Rules } from './rules.ts'

/** What a request says of the record that it writes to. All of it is structured-cloneable. */
export interface Preconditions {
  /** The record: how it is read and serialised. */
  record?: { get: Call; shape: ResponseShape }
  /** The `If-Match` header (RFC 9110, section 13.1.1): what ETag the record must have. */
  ifMatch?: string
  /** The `If-None-Match` header (section 13.1.2): what ETag it must not have; `*`: it must not be there. */
  ifNoneMatch?: string
  /** Fields that only the service writes, as the request says that they are. */
  unchanged?: Record<string, unknown>
}

/** Reads the record that is written to; undefined where there is none: then the rule itself says so, in its own words. */
function read(rules: Rules, call: Call): unknown {
  try {
    return run(rules, call)
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return undefined
    throw error
  }
}

/** Checks that fields are as the record shows them. @throws ApiError 400 */
function ensureUnchanged(fields: Record<string, unknown>, shape: ResponseShape, current: unknown): void {
  const shown = JSON.parse(toText(responseOf(shape, current).body))
  const changed = Object.keys(fields).filter((name) => !isDeepStrictEqual(fields[name], shown[name]))
  if (changed.length === 0) return
  const fieldErrors = Object.fromEntries(changed.map((name) => [name, ['is read-only']]))
  throw validationFailed({ formErrors: [], fieldErrors })
}

/**
 * Compares preconditions: checks that the record has an ETag that the request names, and none that it excludes, and that it is what the request says of what
 * only the service writes.
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

/** What a response says: some rules leave reading a large record to whoever responds. */
export const resultOf = (
  rules: Rules,
  shape: ResponseShape,
  record: Preconditions['record'],
  result: unknown,
): unknown => (result === undefined && record && shape.kind === 'record' ? read(rules, record.get) : result)
