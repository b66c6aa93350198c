/** Sends responses: status, `ETag`, `Location` and `Link`, 304, and replays. */
import type { FastifyReply, RouteOptions } from 'fastify'
import type { StoredResponse } from './idempotency-store.ts'
import { linkNextPage } from './pages.ts'
import { RecordUrls } from './record-urls.ts'
import { type MadeResponse, type ResponseShape, responseOf } from './responses.ts'
import { ensureNamed, isNotModified } from './send.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Adds links that depend on the body, which is JSON, and may be that of a replay. */
    link?: (reply: FastifyReply, body: MadeResponse['body']) => void
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
