/** A write on the terms of its request: only if a record is unchanged, only once a key, and with its response kept. */
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from '@sinclair/typebox'
import type { SharedDatabase } from '../db/client.ts'
import { currentWrite } from '../db/current-write.ts'
import { isJsonPage } from '../db/pages.ts'
import { ApiError, preconditionFailed, validationFailed } from '../errors.ts'
import { etagOf, followed, isMatch, isNamed } from '../etags.ts'
import { createSerializer, type JsonBytes } from '../schemas/serialization.ts'
import { type CallOf, ruleAt } from './calls.ts'
import {
  BODY_BYTES,
  type IdempotencyStore,
  type RepeatableRequest,
  type StoredResponse,
} from './idempotency-store.ts'
import type { Rules } from './rules.ts'

/** How a route responds: what makes a response of a rule's result, in either thread. */
export interface ResponseShape {
  /** Names the schema: it is compiled once. */
  name: string
  status: number
  schema: TSchema
  /**
   * `success`: `{"success":true}`; `record`: one record, or a list that is as one, which has an ETag; `etag`: nothing but the ETag of what is not read
   * for a condition as a whole; `other`: a list, or several records.
   */
  kind: 'success' | 'record' | 'etag' | 'other'
  /** The record as it is read, where the response shows more than that: what its ETag is of. */
  record?: TSchema
  /** Whether the rule may result in nothing (null), which is 204 without a body. */
  mayBeEmpty?: boolean
}

/** On which terms a request writes. All of it is structured-cloneable. */
export interface WriteTerms {
  /** The member who acts; null for nobody. */
  actorId: string | null
  /** Whose turn it takes in the worker thread: see `Offload.perform`; absent for nobody's. */
  turn?: string | null
  /** The record that is written to: how it is read and serialised. */
  record?: { get: CallOf; shape: ResponseShape }
  /** The `If-Match` header (RFC 9110, section 13.1.1): what ETag the record must have. */
  ifMatch?: string
  /** The `If-None-Match` header (section 13.1.2): what ETag it must not have; `*`: it must not be there. */
  ifNoneMatch?: string
  /** Fields that only the service writes, as the request says that they are. */
  unchanged?: Record<string, unknown>
  /** Keeps the response for repetitions of the request. `isSecret`: all but its body. */
  repeatable?: { request: RepeatableRequest; shape: ResponseShape; isSecret: boolean }
}

/** What a write resulted in. */
export interface WriteOutcome<Result> {
  /** The rule's result; undefined where the request was a repetition. */
  value: Result
  /** The last change of the write; undefined where it made none. */
  seq: number | undefined
  /** The response, where it is kept. */
  response?: StoredResponse
  /** Whether the request was a repetition, and nothing was done. */
  isReplay?: boolean
}

const serializers = new Map<string, (value: unknown) => string>()

/** The serializer of a shape. */
function serializerOf({ name, status, schema }: ResponseShape): (value: unknown) => string {
  const key = `${name} ${status}`
  const known = serializers.get(key)
  if (known) return known
  const serializer = createSerializer(schema)
  serializers.set(key, serializer)
  return serializer
}

/** Whether a rule has resulted in nothing. */
export const isEmpty = ({ mayBeEmpty = false }: ResponseShape, value: unknown): boolean =>
  mayBeEmpty && value === null

/** The status of a response. @param value the rule's result */
export const statusOf = (shape: ResponseShape, value: unknown): number =>
  isEmpty(shape, value) ? 204 : shape.status

/** Whether a response is one record, which has an ETag. */
export const isRecord = (shape: ResponseShape, value: unknown): boolean =>
  shape.kind === 'record' && !isEmpty(shape, value)

/** The body of a response, as JSON; empty where the rule has resulted in nothing. @param value the rule's result: a value, or a page or bytes that are JSON already */
export function bodyOf(shape: ResponseShape, value: unknown): string | JsonBytes {
  if (shape.kind === 'success') return '{"success":true}'
  if (isEmpty(shape, value)) return ''
  if (isJsonPage(value)) return value.body
  return value instanceof Uint8Array ? value : serializerOf(shape)(value)
}

/** A body as text. */
export const toText = (body: string | JsonBytes) =>
  typeof body === 'string' ? body : Buffer.from(body).toString()

/**
 * The ETag of a record as it is read, which is what `If-Match` will be compared with. Warnings are about the request, not
 * the record, and a secret is shown once: the ETag of a response with them is that of the record without.
 * @param body the response's body, where it is known
 */
export function etagOfRecord(shape: ResponseShape, value: unknown, body?: string | JsonBytes): string {
  if (shape.kind === 'etag') return value as string
  if (shape.record) {
    const { $ref } = shape.record
    return etagOf(serializerOf({ name: $ref, status: 200, schema: shape.record, kind: 'record' })(value))
  }
  if (!Object.hasOwn(Object(value), 'warnings')) {
    const etag = etagOf(body ?? bodyOf(shape, value))
    return isJsonPage(value) && value.next !== undefined ? followed(etag) : etag
  }
  const { warnings: _, ...record } = value as { warnings: unknown }
  return etagOf(toText(bodyOf(shape, record)))
}

/** Reads the record that is written to; undefined where there is none: then the rule itself says so, in its own words. */
function read(rules: Rules, { path, args }: CallOf): unknown {
  try {
    return ruleAt(rules, path).call(...args)
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return undefined
    throw error
  }
}

/** Checks that fields are as the record shows them. @throws ApiError 400 */
function ensureUnchanged(fields: Record<string, unknown>, shape: ResponseShape, current: unknown): void {
  const shown = JSON.parse(toText(bodyOf(shape, current)))
  const changed = Object.keys(fields).filter((name) => !isDeepStrictEqual(fields[name], shown[name]))
  if (changed.length === 0) return
  const fieldErrors = Object.fromEntries(changed.map((name) => [name, ['is read-only']]))
  throw validationFailed({ formErrors: [], fieldErrors })
}

/**
 * Checks that the record has an ETag that the request names, and none that it excludes, and that it is what the request says of what
 * only the service writes.
 * @throws ApiError 412, with its ETag; 400
 */
export function ensureMatch(
  rules: Rules,
  { record, ifMatch, ifNoneMatch, unchanged }: Partial<WriteTerms>,
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
  record: WriteTerms['record'],
  result: unknown,
): unknown => (result === undefined && record && shape.kind === 'record' ? read(rules, record.get) : result)

/**
 * Runs the work of a write on the request's terms.
 * @param work what it does; returns the rule's result
 * @returns the outcome without its `seq`, which the write path knows
 * @throws ApiError 412 with the current ETag, 422 or 409 (see {@link IdempotencyStore}), or whatever the work throws
 */
export function runOnTerms(
  db: SharedDatabase,
  rules: Rules,
  work: () => unknown,
  terms: WriteTerms,
): Omit<WriteOutcome<unknown>, 'seq'> {
  const { repeatable } = terms
  if (repeatable) {
    const response = rules.idempotencyStore.find(repeatable.request)
    if (response) return { value: undefined, response, isReplay: true }
  }
  ensureMatch(rules, terms)
  const value = work()
  return repeatable ? { value, response: keep(db, rules, value, repeatable) } : { value }
}

/** The work of a write that is a single call. */
export const callOf =
  (rules: Rules, { path, args }: CallOf): (() => unknown) =>
  () =>
    ruleAt(rules, path).call(...args)

/** The body and the ETag of a response; null where whoever responds reads the record: then it is too large to be kept, too. */
function storedParts(shape: ResponseShape, result: unknown): Pick<StoredResponse, 'body' | 'etag'> {
  if (result === undefined && shape.kind === 'record') return { body: null, etag: null }
  const body = toText(bodyOf(shape, result))
  return { body, etag: isRecord(shape, result) ? etagOfRecord(shape, result, body) : null }
}

/** Keeps the response to a write that has just been made. */
function keep(
  db: SharedDatabase,
  rules: Rules,
  result: unknown,
  { request, shape, isSecret }: NonNullable<WriteTerms['repeatable']>,
): StoredResponse {
  const last = rules.changes.sequence.last()
  const response = {
    status: statusOf(shape, result),
    ...storedParts(shape, result),
    seq: last > currentWrite(db).since ? last : null,
  }
  const isLarge = response.body === null || Buffer.byteLength(response.body) > BODY_BYTES
  // What changed nothing may be done again: that says more than that it was done.
  if (response.seq === null && isLarge) return response
  rules.idempotencyStore.keep(request, isSecret ? { ...response, body: null } : response)
  return response
}
