/** Responses of routes whose handlers return calls: status, `ETag`, `Location`, `Link`, 304, and stored responses. */
import type { FastifyReply, RouteOptions } from 'fastify'
import { isJsonPage } from '../db/pages.ts'
import { isSafe } from '../members/identity.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import type { StoredResponse } from './idempotency-store.ts'
import { linkNextPage } from './pages.ts'
import { RecordUrls } from './record-urls.ts'
import { bodyOf, etagOfRecord, isRecord, type ResponseShape, statusOf } from './responses.ts'
import { ensureNamed, isNotModified } from './send.ts'

/** Sends the responses of all routes. */
export class Responder {
  readonly #urls = new RecordUrls()

  /** Takes note of a route: it may be that of a record, which `Location` names. */
  learn(route: RouteOptions, shape: ResponseShape): void {
    this.#urls.add(route, shape)
  }

  /** Responds with what a call resulted in. @throws ApiError 412 for a read whose `If-Match` names another ETag */
  respond(reply: FastifyReply, shape: ResponseShape, value: unknown): void {
    const { request } = reply
    if (isJsonPage(value)) linkNextPage(reply, value.next?.toString())
    const body = bodyOf(shape, value)
    const etag = isRecord(shape, value) ? etagOfRecord(shape, value, body) : null
    if (isSafe(request.method)) {
      ensureNamed(request, etag ?? undefined)
      if (etag !== null && isNotModified(request, etag)) {
        reply.code(304).header('etag', etag).send()
        return
      }
    }
    this.#send(reply, shape, statusOf(shape, value), body, etag)
  }

  /** Responds with what was stored for repetitions. */
  respondStored(reply: FastifyReply, shape: ResponseShape, { status, body, etag }: StoredResponse): void {
    this.#send(reply, shape, status, body as string, etag)
  }

  /** Responds to a repetition. */
  replay(reply: FastifyReply, shape: ResponseShape, response: StoredResponse): void {
    reply.header('idempotent-replayed', 'true')
    if (response.seq !== null) reply.header('phaseboard-seq', String(response.seq))
    this.respondStored(reply, shape, response)
  }

  #send(
    reply: FastifyReply,
    shape: ResponseShape,
    status: number,
    body: string | JsonBytes,
    etag: string | null,
  ): void {
    reply.code(status)
    if (status === 204) {
      reply.send()
      return
    }
    if (status === 201) this.#urls.tell(reply, shape, body)
    if (etag !== null) reply.header('etag', etag)
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  }
}
