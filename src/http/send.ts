/** Answers whose bytes are written already: as they are, or as snapshots that a client may have already. */
import type { FastifyReply } from 'fastify'
import fresh from 'fresh'
import { etagOf, type MaybePromise, type PageSnapshot, type Snapshot } from '../reading/snapshots.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { linkNextPage } from './pages.ts'

/** Sends JSON in UTF-8 that is written already, by the same schema that documents the answer. */
export const sendJson = (reply: FastifyReply, body: JsonBytes): FastifyReply =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body)

/** Sends what is there at once, and the rest when it is. */
function whenThere<T>(made: MaybePromise<T>, send: (made: T) => void): void | Promise<void> {
  return made instanceof Promise ? made.then(send) : send(made)
}

function sendNow(reply: FastifyReply, { body, etag }: Snapshot): void {
  reply.header('etag', etag)
  if (fresh(reply.request.headers, { etag })) reply.code(304).send()
  else reply.header('content-type', 'application/json; charset=utf-8').send(body)
}

/** Answers with a snapshot, or with 304 when the client has it already (RFC 9110, section 13.1.2). */
export const sendSnapshot = (reply: FastifyReply, snapshot: MaybePromise<Snapshot>) =>
  whenThere(snapshot, (made) => sendNow(reply, made))

/** Answers with a page, as with any snapshot, and names the next one. */
export const sendPage = (reply: FastifyReply, page: MaybePromise<PageSnapshot>) =>
  whenThere(page, ({ body, etag, next }) => {
    linkNextPage(reply, next)
    // Whoever has a page already must learn when others have come to follow it, though it shows the same.
    sendNow(reply, { body, etag: next === undefined ? etag : etagOf(`${etag} and more`) })
  })
