/** Creates responses from results of rules, the same in either thread. */
import type { TSchema } from '@sinclair/typebox'
import { isJsonPage } from '../db/pages.ts'
import { etagOf, followed } from '../etags.ts'
import { createSerializer, type JsonBytes } from '../schemas/serialization.ts'

/** How a route turns a rule's result into a response, in either thread. */
export interface ResponseShape {
  /** The `$ref` of the schema, which is compiled once. */
  name: string
  status: number
  schema: TSchema
  /**
   * `success`: `{"success":true}`; `record`: one record, or a list with an ETag like a record; `etag`: only the ETag, where a
   * precondition does not need the record; `other`: a list, or several records.
   */
  kind: 'success' | 'record' | 'etag' | 'other'
  /** The record as read, for the ETag, if the response shows more. */
  record?: TSchema
  /** Whether the rule may return null, which is 204 without a body. */
  mayBeEmpty?: boolean
}

const serializers = new Map<string, (value: unknown) => string>()

function serializerOf({ name, status, schema }: ResponseShape): (value: unknown) => string {
  const key = `${name} ${status}`
  const known = serializers.get(key)
  if (known) return known
  const serializer = createSerializer(schema)
  serializers.set(key, serializer)
  return serializer
}

/** A response to send or store. */
export interface MadeResponse {
  status: number
  /** JSON: a text, or bytes written by a rule; empty if the rule returned null. */
  body: string | JsonBytes
  /** Of a single record; null otherwise. */
  etag: string | null
  /** The cursor of the next page, if any. */
  next?: string
}

/** Makes a response. @param value the rule's result */
export function responseOf(shape: ResponseShape, value: unknown): MadeResponse {
  const { status, kind, mayBeEmpty = false } = shape
  if (mayBeEmpty && value === null) return { status: 204, body: '', etag: null }
  const body = bodyOf(shape, value)
  // A route whose response may be one record or several: several have none.
  const isList = shape.record !== undefined && Array.isArray(value)
  const etag = kind === 'record' && !isList ? etagOfRecord(shape, value, body) : null
  if (!isJsonPage(value) || value.next === undefined) return { status, body, etag }
  return { status, body, etag, next: String(value.next) }
}

function bodyOf(shape: ResponseShape, value: unknown): string | JsonBytes {
  if (shape.kind === 'success') return '{"success":true}'
  if (isJsonPage(value)) return value.body
  return value instanceof Uint8Array ? value : serializerOf(shape)(value)
}

export const toText = (body: string | JsonBytes) =>
  typeof body === 'string' ? body : Buffer.from(body).toString()

/**
 * The ETag of a record as read, for comparison with `If-Match`. Warnings are about the request, not
 * the record, and a secret is shown once: they do not affect the ETag.
 * @param body the response's body, if known
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
