/**
 * Responses: made from results of rules, the same in either thread, and sent, with status, `ETag`, `Location` and `Link`, as 304, or
 * as replays.
 */

import type { Readable } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { isJsonPage } from '../db/pages.ts'
import { preconditionFailed } from '../errors.ts'
import { etagOf, followed, isMatch, isNamed } from '../etags.ts'
import { isSafe } from '../members/identity.ts'
import { getOrMake } from '../once.ts'
import type { MaybePromise, PageSnapshot, Snapshot } from '../reading/snapshots.ts'
import { ref } from '../schemas/common.ts'
import {
  ImportSchema,
  ImportStartedSchema,
  IngestedTranscriptSchema,
  KanbanItemSchema,
  KanbanItemWithPeopleSchema,
  ProjectSchema,
  ProjectWithPeopleSchema,
  TranscriptSummarySchema,
} from '../schemas/records.ts'
import { createSerializer, type JsonBytes } from '../schemas/serialization.ts'
import type { StoredResponse } from './idempotency-store.ts'
import { linkNextPage } from './pages.ts'
import { PartedBody } from './parted-body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Adds links that depend on the body, which is JSON, and may be that of a replay. */
    link?: (reply: FastifyReply, body: MadeResponse['body']) => void
  }
}

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
  return getOrMake(serializers, `${name} ${status}`, () => createSerializer(schema))
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

/** The media type of server-sent events. */
export const EVENT_STREAM = 'text/event-stream'

/** Sends JSON that was serialised by the response's schema. */
export const sendJson = (reply: FastifyReply, body: JsonBytes): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body)

const isPromise = <T>(made: MaybePromise<T>): made is Promise<T> =>
  typeof made === 'object' && made !== null && 'then' in made

/** Streams events, preventing proxies from buffering them. */
export const sendEvents = (reply: FastifyReply, body: Readable): FastifyReply =>
  reply.headers({ 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' }).send(body)

/** Streams a zip file as a download with this name. */
export const sendZip = (reply: FastifyReply, body: Readable, name: string): FastifyReply =>
  reply
    .headers({ 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${name}"` })
    .send(body)

/** Sends a value, synchronously unless it is a promise. */
function whenReady<T>(
  reply: FastifyReply,
  made: MaybePromise<T>,
  send: (made: T) => void,
): void | Promise<void> {
  if (!isPromise(made)) return send(made)
  return made.then(async (value) => {
    send(value)
    // Large bodies are sent in turns: Fastify would take a finished handler for an empty response.
    await reply
  })
}

/**
 * Whether a request's `If-None-Match` matches an ETag, which is 304. `Cache-Control: no-cache` is for intermediate
 * caches; `fetch` adds it to any `If-None-Match` that its caller sets.
 */
export const isNotModified = (
  { headers: { 'if-none-match': named } }: FastifyRequest,
  etag: string,
): boolean => named !== undefined && isNamed(named, etag)

/**
 * Checks the ETag of a read against `If-Match` (RFC 9110, section 13.1.1).
 * @param etag undefined if there is none: then only `*` matches
 * @throws ApiError 412, with the ETag
 */
export function ensureNamed({ headers }: FastifyRequest, etag?: string): void {
  const { 'if-match': ifMatch } = headers
  if (ifMatch !== undefined && !isMatch(ifMatch, etag))
    throw preconditionFailed(etag === undefined ? {} : { etag })
}

/** A snapshot, or one in parts. */
type Sendable = Omit<Snapshot, 'body'> & { body: Snapshot['body'] | PartedBody }

function sendNow(reply: FastifyReply, { body, etag }: Sendable): void {
  const { request } = reply
  // A write has checked its preconditions already.
  const isRead = isSafe(request.method)
  if (isRead) ensureNamed(request, etag)
  reply.header('etag', etag)
  if (isRead && isNotModified(request, etag)) return void reply.code(304).send()
  if (body instanceof PartedBody) reply.header('content-length', body.byteLength)
  reply.header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Sends a snapshot, or 304 when it matches `If-None-Match` (RFC 9110, section 13.1.2). */
export const sendSnapshot = (reply: FastifyReply, snapshot: MaybePromise<Sendable>) =>
  whenReady(reply, snapshot, (made) => sendNow(reply, made))

/** Sends a page like {@link sendSnapshot}, with the `Link` header of the next page. */
export const sendPage = (reply: FastifyReply, page: MaybePromise<PageSnapshot>) =>
  whenReady(reply, page, ({ body, etag, next }) => {
    linkNextPage(reply, next)
    sendNow(reply, { body, etag: next === undefined ? etag : followed(etag) })
  })

/** The URL of a route of one record. */
const OF_RECORD = /^[^:]*\/:id$/

/**
 * Responses whose record has another schema than the response: several records created together, and an import that has only begun.
 */
const FIRST = new Map([
  [ref(ImportStartedSchema).$ref, ref(ImportSchema).$ref],
  [ref(IngestedTranscriptSchema).$ref, ref(TranscriptSummarySchema).$ref],
  [ref(KanbanItemWithPeopleSchema).$ref, ref(KanbanItemSchema).$ref],
  [ref(ProjectWithPeopleSchema).$ref, ref(ProjectSchema).$ref],
])

/** The id of a record, or of the first of several, as JSON: every record begins with it. */
const ID = /^\[?\{(?:"\w+":\{)?"id":("(?:[^"\\]|\\.)*")/

/** The name of the schema of the record that a response shows. */
const recordOf = ({ schema, record = schema }: ResponseShape): string => FIRST.get(record.$ref) ?? record.$ref

/** The URLs of records, by schema, from the routes that read one, e.g. `/api/teams/:id`, below the service's prefix. */
class RecordUrls {
  readonly #urls = new Map<string, string>()

  /** Adds a route, if it reads one record. */
  add({ url, method }: { url: string; method: string | string[] }, shape: ResponseShape): void {
    const isOfRecord = method === 'GET' && shape.kind === 'record' && OF_RECORD.test(url)
    if (isOfRecord) this.#urls.set(recordOf(shape), url)
  }

  /** Sets `Location` to the absolute path of a created record. @param body the record, as JSON */
  setLocation(reply: FastifyReply, shape: ResponseShape, body: string | JsonBytes): void {
    const url = this.#urls.get(recordOf(shape))
    const [, id] = ID.exec(toText(body)) ?? []
    if (url && id) reply.header('location', url.replace(':id', encodeURIComponent(JSON.parse(id))))
  }
}

/** Sends the responses of routes whose handlers return calls. */
export class Responder {
  readonly #urls = new RecordUrls()

  /** Adds a route, for `Location`. */
  learn(route: RouteOptions, shape: ResponseShape): void {
    this.#urls.add(route, shape)
  }

  /** Responds to a read. @param value the rule's result @throws ApiError 412 if `If-Match` does not match */
  toRead(reply: FastifyReply, shape: ResponseShape, value: unknown): void {
    const { request } = reply
    const response = responseOf(shape, value)
    const { etag, next } = response
    linkNextPage(reply, next)
    ensureNamed(request, etag ?? undefined)
    if (etag !== null && isNotModified(request, etag)) reply.code(304).header('etag', etag).send()
    else this.#send(reply, shape, response)
  }

  /** Responds to a write. @param stored the response, if it was stored */
  toWrite(reply: FastifyReply, shape: ResponseShape, value: unknown, stored?: StoredResponse): void {
    this.#send(reply, shape, stored?.body ? (stored as MadeResponse) : responseOf(shape, value))
  }

  /** Responds to a retry. */
  replay(reply: FastifyReply, shape: ResponseShape, stored: StoredResponse): void {
    reply.header('idempotent-replayed', 'true')
    if (stored.seq !== null) reply.header('phaseboard-seq', String(stored.seq))
    this.#send(reply, shape, stored as MadeResponse)
  }

  #send(reply: FastifyReply, shape: ResponseShape, { status, body, etag }: MadeResponse): void {
    reply.code(status)
    if (status === 201 || status === 202) this.#urls.setLocation(reply, shape, body)
    if (etag !== null) reply.header('etag', etag)
    if (status === 204) {
      reply.send()
      return
    }
    reply.routeOptions.config.link?.(reply, body)
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  }
}
