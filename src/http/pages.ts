/** Pagination over HTTP: the query parameters, and the `Link` header with the next page (RFC 8288). */
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { PAGE_LIMIT } from '../db/pages.ts'

/** The query parameters of a paginated list; without any, the whole list. */
export const PageParameters = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_LIMIT, description: 'Records on a page; without it, all' }),
  ),
  cursor: Type.Optional(
    Type.String({
      format: 'cursor',
      description: 'Where the page begins: from the `Link` of the one before',
    }),
  ),
}

/** The origin of a request target in absolute-form (RFC 9112, section 3.2.2): its host is the client's choice. */
const ORIGIN = /^https?:\/\/[^/?]*/i

/** Adds the `Link` header of the next page, if there is one, relative to the server. */
export function linkNextPage(reply: FastifyReply, next: string | undefined): void {
  if (next === undefined) return
  const [path, query] = reply.request.url.replace(ORIGIN, '').split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', next)
  reply.header('link', `<${path}?${parameters}>; rel="next"`)
}
