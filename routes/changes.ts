import { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { identityOf, readerOf } from '../src/access/identity.ts'
import { type ChangeFilter, readKinds } from '../src/changes/filters.ts'
import { KIND_NAMES } from '../src/db/kinds.ts'
import { invalidField } from '../src/errors.ts'
import { EVENT_STREAM, ensureNamed, sendEvents, sendJson } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, GoneErrorBody, ref } from '../src/schemas/common.ts'
import { ChangeSchema } from '../src/schemas/records.ts'
import { pollChanges } from '../src/streams/change-poll.ts'
import { ChangeStream } from '../src/streams/change-stream.ts'

/** The default number of changes per page. */
const LIMIT = 100

/** A position in the sequence. */
const Place = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

const Filters = {
  projectId: Type.Optional(
    Type.String({ description: 'Only records that belong to this project, or were moved out of it' }),
  ),
  itemId: Type.Optional(Type.String({ description: 'Only this item and its child records' })),
  kind: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description: `Only these kinds, comma-separated or repeated: ${KIND_NAMES.join(', ')}`,
    }),
  ),
}
const FeedQuery = Type.Object({
  after: Place(
    'Continue after this `seq`: the `last` of the previous response; by default from the oldest stored change',
  ),
  ...Filters,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: LIMIT, description: 'Maximum number of changes' }),
  ),
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 30,
      default: 0,
      description: 'Seconds to wait for the next change if there is none yet',
    }),
  ),
})
const StreamQuery = Type.Object({
  after: Place('Continue after this `seq`, unless there is a `Last-Event-ID`; by default from now'),
  ...Filters,
})
const LastEventId = 'last-event-id'
const StreamHeaders = Type.Object({
  [LastEventId]: Type.Optional(
    Type.String({ description: 'Continue after this `seq`: browsers send it when they reconnect' }),
  ),
})
const FeedAnswer = Type.Object({
  changes: Type.Array(ref(ChangeSchema)),
  last: Type.Integer({ description: 'Where to continue: the last examined change' }),
})

type Asked = Pick<Static<typeof FeedQuery>, 'projectId' | 'itemId' | 'kind'>

/** The filter of a query; an empty value does not filter. @throws ApiError 400 for an unknown kind */
function filterOf({ projectId, itemId, kind }: Asked): ChangeFilter {
  const { kinds, unknown } = readKinds(kind)
  if (unknown !== undefined) throw invalidField('kind', `must be of ${KIND_NAMES.join(', ')}`)
  return { projectId: projectId || undefined, itemId: itemId || undefined, kinds }
}

/** The requested part of the sequence. @throws ApiError 400 */
function pageOf(request: FastifyRequest) {
  const { after, limit = LIMIT, wait: _, ...asked } = request.query as Static<typeof FeedQuery>
  return { ...filterOf(asked), after, limit }
}

/** Where a stream continues; undefined: from now. @throws ApiError 400 for an invalid Last-Event-ID */
function placeOf({ headers }: FastifyRequest, after: number | undefined): number | undefined {
  const id = headers[LastEventId]
  if (id === undefined || id === '') return after
  if (!/^\d{1,16}$/.test(String(id))) throw invalidField(LastEventId, 'must be the id of an event')
  return Number(id)
}

/** The sequence of changes, as pages, long polls and a stream. */
const changeRoutes: Routes = async (app) => {
  const tags = ['Changes']
  const config = { access: 'read', caching: 'no-store', waits: true } as const

  app.get('/api/changes', {
    config: {
      ...config,
      failure: 'Failed to fetch changes',
      isSentAlone: ({ query }) => Object.hasOwn(Object(query), 'wait'),
      inBatch: (request) => app.changes.feed.page(pageOf(request), readerOf(request)),
    },
    schema: {
      operationId: 'listChanges',
      summary: 'List changes, oldest first',
      description:
        'Changes of projects that the caller sees, or saw until their deletion; what happened while a project was `assigned` is only shown to admins and to those who were in it then. Request the next changes with `after` = `last`. A response may have fewer changes than `limit`, or none, although there are more: you have all changes when `last` does not grow. 410 if changes after the given `after` are no longer stored: then reload your data. With `wait`, 429 `Too many streams` if the member has too many waiting requests and streams, 503 if there are too many in all.',
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
      const { changeReaders } = app
      const { body } = await changeReaders.read(query, changeReaders.readerOf(identityOf(request)), isGone)
      return sendJson(reply, body)
    },
  })

  app.get('/api/changes/stream', {
    config: { ...config, failure: 'Failed to stream changes', isSentAlone: true },
    schema: {
      operationId: 'streamChanges',
      summary: 'Stream changes',
      description:
        'Server-Sent Events. An event `change` has the `seq` as its id and the change, as in `GET /api/changes`, as its data. After a lost connection, `Last-Event-ID` resumes without a gap; if that is no longer possible, an event `gone` with `{"oldest"}` is sent, and the stream ends. An event `access` with `{"projectId", "visible"}` is sent when the caller gains or loses access to a project: clients load it, or discard its data. Changes from a time in which it was not visible are not sent, and neither are events from a time without a connection. An event `notification` has a new notification of the caller, whatever the filters; those from a time without a connection are in `GET /api/notifications`. 429 if the member has too many streams and waiting requests, 503 if there are too many in all.',
      tags,
      querystring: StreamQuery,
      headers: StreamHeaders,
      response: {
        200: {
          description: 'A stream of events',
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
