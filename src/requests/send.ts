/** Sends serialised responses: as JSON, or as snapshots with conditional requests. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { preconditionFailed } from '../errors.ts'
import { followed, isMatch, isNamed } from '../etags.ts'
import { isSafe } from '../members/identity.ts'
import type { MaybePromise, PageSnapshot, Snapshot } from '../reading/snapshots.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { linkNextPage } from './pages.ts'
import { PartedBody } from './parted-body.ts'

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
