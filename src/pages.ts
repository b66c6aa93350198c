/**
 * Pages of ordered lists that people change while they are read. A page goes on after the last place of the one before;
 * what each walk through a list has shown is remembered, so that nothing that is moved meanwhile shows twice or never.
 */
import { randomBytes } from 'node:crypto'
import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Place } from './ordering.ts'

/** Records on one page, at most. */
export const PAGE_LIMIT = 500

/** More than any list has. */
const ALL = 1e9

/** Ids that all walks may remember together, some 100 bytes each; the least recently used walks are forgotten first. */
const REMEMBERED = 200_000

/** Which page of a list is asked for; the list as a whole when nothing is. */
export const PageQuery = {
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
export type PageQuery = Partial<{ limit: number; cursor: string }>

/** The answer of a list that is read page by page. */
export const PageOf = <T extends TSchema>(record: T) =>
  Type.Array(record, {
    headers: {
      link: { type: 'string', description: 'Where there is a next page: its address, `<...>; rel="next"`' },
    },
  })

/** How a list is read in parts. All that is read for one page must be of one state of the database. */
export interface PagedList {
  /** The first places after the given one, in order. */
  after: (place: Place, count: number) => Place[]
  /** The ids of all up to the given place, it included, in order. */
  upTo: (place: Place) => string[]
}

/** A page of a list. */
export interface Page {
  /** The ids of its records, in order. */
  ids: string[]
  /** The cursor of the next page, where there is more. */
  next?: string
}

/** Where a page begins: after which place, on which walk through the list, and which page of it that is. */
interface Cursor extends Place {
  walk: string
  page: number
}

/** Before every place: a `sortOrder` is finite. */
const BEGINNING: Place = { sortOrder: -Infinity, id: '' }

const encode = ({ sortOrder, id, walk, page }: Cursor) =>
  Buffer.from(JSON.stringify([sortOrder, id, walk, page])).toString('base64url')

/** @returns undefined for what is no cursor */
function decode(text: string): Cursor | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(parts)) return undefined
    const [sortOrder, id, walk, page] = parts
    const isCursor =
      Number.isFinite(sortOrder) &&
      typeof id === 'string' &&
      typeof walk === 'string' &&
      Number.isInteger(page)
    return isCursor ? { sortOrder, id, walk, page } : undefined
  } catch {
    return undefined
  }
}

/** Whether a text is a cursor: for the validator. */
export const isCursor = (text: string): boolean => decode(text) !== undefined

/** What a client has been shown on its way through a list. */
interface Walk {
  /** The page on which each record was shown, by id. */
  shown: Map<string, number>
  /** Pages so far. */
  pages: number
}

/** A page that is asked for again is shown anew, whatever it and later ones have shown. */
function goBack({ shown, pages }: Walk, page: number): void {
  if (page >= pages) return
  for (const [id, earlier] of shown) if (earlier >= page) shown.delete(id)
}

/**
 * Makes what divides lists into pages. Walks are remembered in memory: one that is forgotten, after a restart say, goes
 * on by place alone, so that what is moved meanwhile may show twice or not at all.
 * @returns the pager
 */
export function createPager() {
  const walks = new LRUCache<string, Walk>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ shown }) => shown.size + 1,
  })

  return (list: PagedList, { limit = ALL, cursor }: PageQuery): Page => {
    const from = cursor === undefined ? undefined : decode(cursor)
    const { walk: name, page } = from ?? { walk: randomBytes(9).toString('base64url'), page: 0 }
    const remembered = from && walks.get(name)
    const walk = remembered ?? { shown: new Map<string, number>(), pages: 0 }
    goBack(walk, page)

    const ids: string[] = []
    let place: Place = from ?? BEGINNING
    const isNew = (id: string) => !walk.shown.has(id)
    const show = (id: string) => {
      ids.push(id)
      walk.shown.set(id, page)
    }
    const goOn = () => {
      walk.pages = page + 1
      if (remembered || !from) walks.set(name, walk)
      return { ids, next: encode({ sortOrder: place.sortOrder, id: place.id, walk: name, page: page + 1 }) }
    }

    for (let isEnd = false; !isEnd; ) {
      const wanted = limit - ids.length + 1
      const places = list.after(place, wanted)
      isEnd = places.length < wanted
      for (const next of places) {
        if (isNew(next.id)) {
          if (ids.length === limit) return goOn()
          show(next.id)
        }
        place = next
      }
    }
    // What was moved meanwhile from after the reader to before it.
    const passedOver = remembered ? list.upTo(place).filter(isNew) : []
    for (const id of passedOver) {
      if (ids.length === limit) return goOn()
      show(id)
    }
    return { ids }
  }
}

/** How a request line names another server, as it does to a proxy (RFC 9112, section 3.2.2): whichever the client likes. */
const ORIGIN = /^https?:\/\/[^/?]*/i

/** Names the next page, if there is one, in a `Link` header (RFC 8288), relative to the server. */
export function linkNextPage(reply: FastifyReply, next: string | undefined): void {
  if (next === undefined) return
  const [path, query] = reply.request.url.replace(ORIGIN, '').split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', next)
  reply.header('link', `<${path}?${parameters}>; rel="next"`)
}
