import { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { memberOf } from '../src/access/identity.ts'
import { type ChangeFilter, readKinds } from '../src/changes/filters.ts'
import { KIND_NAMES } from '../src/db/kinds.ts'
import { invalidField } from '../src/errors.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { EVENT_STREAM, ensureNamed, sendEvents, sendJson } from '../src/requests/send.ts'
import { ErrorBody, GoneErrorBody, ref } from '../src/schemas/common.ts'
import { ChangeSchema } from '../src/schemas/records.ts'
import { pollChanges } from '../src/streams/change-poll.ts'
import { ChangeStream } from '../src/streams/change-stream.ts'

/** Changes of a page, where nothing is said. */
const LIMIT = 100

/** A place in the sequence. */
const Place = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

const Filters = {
  projectId: Type.Optional(Type.String({ description: 'Only what belongs to this project, or left it' })),
  itemId: Type.Optional(Type.String({ description: 'Only what belongs to this item' })),
  kind: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description: `Only these kinds, with commas between them or given several times: ${KIND_NAMES.join(', ')}`,
    }),
  ),
}
const FeedQuery = Type.Object({
  after: Place(
    'Go on after this `seq`: the `last` of the answer before; from the oldest change that is kept if absent',
  ),
  ...Filters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: LIMIT, description: 'Changes, at most' }),
  ),
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 30,
      default: 0,
      description: 'Seconds that an empty answer waits for the next change',
    }),
  ),
})
const StreamQuery = Type.Object({
  after: Place('Go on after this `seq`, unless there is a `Last-Event-ID`; from now if absent'),
  ...Filters,
})
const LastEventId = 'last-event-id'
const StreamHeaders = Type.Object({
  [LastEventId]: Type.Optional(
    Type.String({ description: 'Go on after this `seq`: browsers send it when they connect again' }),
  ),
})
const FeedAnswer = Type.Object({
  changes: Type.Array(ref(ChangeSchema)),
  last: Type.Integer({ description: 'Where to go on: the last change that was looked at' }),
})

type Asked = Pick<Static<typeof FeedQuery>, 'projectId' | 'itemId' | 'kind'>

/** The filter of a query; an empty value does not filter. @throws ApiError 400 for a kind that is none */
function filterOf({ projectId, itemId, kind }: Asked): ChangeFilter {
  const { kinds, unknown } = readKinds(kind)
  if (unknown !== undefined) throw invalidField('kind', `must be of ${KIND_NAMES.join(', ')}`)
  return { projectId: projectId || undefined, itemId: itemId || undefined, kinds }
}

/** The part of the sequence that is asked for. @throws ApiError 400 */
function pageOf(request: FastifyRequest) {
  const { after, limit = LIMIT, wait: _, ...asked } = request.query as Static<typeof FeedQuery>
  return { ...filterOf(asked), after, limit }
}

/** Where a stream goes on; undefined: from now. @throws ApiError 400 for a Last-Event-ID that was never one */
function placeOf({ headers }: FastifyRequest, after: number | undefined): number | undefined {
  const id = headers[LastEventId]
  if (id === undefined || id === '') return after
  if (!/^\d{1,16}$/.test(String(id))) throw invalidField(LastEventId, 'must be the id of an event')
  return Number(id)
}

/** The sequence of changes: a page at a time, or as it grows. */
const changeRoutes: Routes = async (app) => {
  const tags = ['Changes']
  const config = { access: 'read', caching: 'no-store', waits: true } as const

  app.get('/api/changes', {
    config: {
      ...config,
      failure: 'Failed to fetch changes',
      isSentAlone: ({ query }) => Object.hasOwn(Object(query), 'wait'),
      inBatch: (request) => app.changes.feed.page(pageOf(request), memberOf(request)),
    },
    schema: {
      operationId: 'listChanges',
      summary: 'List what has changed, oldest first',
      description:
        'Ask again with `after` = `last`. An answer may have fewer changes than `limit`, or none, although there are more: it has all there are where `last` stays what it was. 410 where changes after the `after` that is given are not kept any more: then load again what you show. With `wait`, 429 `Too many streams` where the member has its share of waiting requests and streams, 503 where there are too many in all.',
      tags,
      querystring: FeedQuery,
      response: { 200: FeedAnswer, 410: ref(GoneErrorBody), 429: ref(ErrorBody), 503: ref(ErrorBody) },
    },
    handler: async (request, reply) => {
      ensureNamed(request)
      const { wait = 0 } = request.query
      const query = pageOf(request)
      if (wait > 0) {
        return sendJson(reply, await pollChanges(app.changeReaders, request, reply, query, wait * 1000))
      }
      const isGone = () => reply.raw.destroyed
      const { body } = await app.changeReaders.read(query, memberOf(request), isGone)
      return sendJson(reply, body)
    },
  })

  app.get('/api/changes/stream', {
    config: { ...config, failure: 'Failed to stream changes', isSentAlone: true },
    schema: {
      operationId: 'streamChanges',
      summary: 'Follow what changes',
      description:
        'Server-Sent Events. An event `change` has the `seq` as its id and the change, as in `GET /api/changes`, as its data. After a connection is lost, `Last-Event-ID` goes on without a gap; an event `gone` with `{"oldest"}` comes, and the stream ends, where that is not possible any more. 429 where the member has its share of streams and waiting requests, 503 where there are too many in all.',
      tags,
      querystring: StreamQuery,
      headers: StreamHeaders,
      response: {
        200: {
          description: 'Events, as they come',
          content: { [EVENT_STREAM]: { schema: Type.String() } },
        },
        429: ref(ErrorBody),
        503: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      const { after, ...asked } = request.query
      const filter = filterOf(asked)
      const place = placeOf(request, after)
      ensureNamed(request)
      if (request.method === 'HEAD') return sendEvents(reply, Readable.from([]))
      return sendEvents(reply, new ChangeStream(app.changeReaders, request, reply, filter, place).body)
    },
  })
}

export default changeRoutes
