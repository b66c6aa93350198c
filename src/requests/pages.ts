/** Lists over HTTP: the query parameters of sorts and pages, and the `Link` header with the next page (RFC 8288). */
import { type TProperties, Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { DEFAULT_SORT, PAGE_LIMIT } from '../db/pages.ts'
import type { Sorts } from '../db/sorting.ts'
import { FilterByDate } from '../schemas/common.ts'

/** The query parameters of a paginated list; without any, the whole list. */
export const PageParameters = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_LIMIT, description: 'Records per page; all by default' }),
  ),
  cursor: Type.Optional(
    Type.String({
      format: 'cursor',
      description: 'Where the page begins: from the `Link` of the previous page',
    }),
  ),
}

/** The query of a list without filters. */
export const PagesQuery = Type.Object(PageParameters)

const Sort = (sorts: Sorts) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: Object.keys(sorts),
      default: DEFAULT_SORT,
      description:
        'The sort key, then by id; with `-` descending. Empty values come last in both directions. A `cursor` belongs to one sort',
    }),
  )

/**
 * The query of a sortable list: its own and common filters, sorts and pages.
 * @param sorts as declared by the list's rules
 */
export const ListQuery = <Filters extends TProperties>(filters: Filters, sorts: Sorts) =>
  Type.Object(
    {
      ...filters,
      updatedAfter: FilterByDate('Changed later than that'),
      sort: Sort(sorts),
      ...PageParameters,
    },
    { 'x-cursor-of-sort': true },
  )

/** The origin of a request target in absolute-form (RFC 9112, section 3.2.2): the client chooses its host. */
const ORIGIN = /^https?:\/\/[^/?]*/i

/** Adds the `Link` header of the next page, if there is one, relative to the server. */
export function linkNextPage(reply: FastifyReply, next: string | undefined): void {
  if (next === undefined) return
  const [path, query] = reply.request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', next)
  linkNext(reply, path as string, parameters)
}

/** Adds the `Link` header of a continuation at another URL. @param url its path */
export function linkNext(reply: FastifyReply, url: string, parameters: URLSearchParams): void {
  reply.header('link', `<${url.replace(ORIGIN, '')}?${parameters}>; rel="next"`)
}
