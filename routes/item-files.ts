import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { callerOf, memberOf } from '../src/access/identity.ts'
import type { ItemFile } from '../src/board/item-files.ts'
import { hostedAmong } from '../src/requests/hosted-people.ts'
import { ensureNamed, isNotModified } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, IdParams, NotModified, ref } from '../src/schemas/common.ts'

/** The name of a downloaded file. Ids from other tools may contain any characters. */
const fileName = (id: string) => `phaseboard-${id.replaceAll(/[^\w-]/g, '_').slice(0, 100)}.csv`

/** Sends a file, or 304 when it matches `If-None-Match`. */
function sendFile(reply: FastifyReply, type: string, { body, etag }: ItemFile): FastifyReply {
  ensureNamed(reply.request, etag)
  reply.header('etag', etag)
  if (isNotModified(reply.request, etag)) return reply.code(304).send()
  return reply.type(type).send(body)
}

const Filter = (description: string) => Type.Optional(Type.String({ description }))

const CsvQuery = Type.Object({
  bom: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Whether the table begins with a byte order mark, by which Excel knows UTF-8',
    }),
  ),
})

const CalendarQuery = Type.Object({
  token: Filter('An API token with the scope `calendar`, for programs that cannot send headers'),
  projectId: Filter('Only items of this project; empty does not filter'),
  assigneeId: Filter(
    'Only items assigned to this member, among others perhaps; `me`: the caller; empty does not filter',
  ),
})

/** Items as CSV and iCalendar files. */
const itemFileRoutes: Routes = async (app) => {
  const { itemCsv, itemCalendar } = app.board
  const tags = ['Kanban items']

  app.get('/api/projects/:id/export.csv', {
    config: { access: 'read', failure: 'Failed to export project', isSentAlone: true },
    schema: {
      operationId: 'exportProjectAsCsv',
      summary: "Get a project's items as CSV",
      description:
        'RFC 4180 in UTF-8, with a byte order mark and a header: all items, dismissed ones too, by sortOrder. `labels` are separated by `, ` (commas and backslashes in names are escaped with a backslash), `subtasks` are lines of `[x] title` or `[ ] title`. Text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or CR) is prefixed with an apostrophe.',
      tags,
      params: IdParams,
      querystring: CsvQuery,
      response: {
        200: { description: 'The table', content: { 'text/csv': { schema: Type.String() } } },
        304: NotModified,
        404: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const caller = callerOf(request)
      // Without a host, all people are in the file.
      const ids = app.peopleOfHost ? await app.read(app.members.people.namedIn(id), caller) : []
      const { bom = true } = request.query
      const file = await app.read(itemCsv.ofProject(id, await hostedAmong(app, ids), bom), caller)
      reply.header('content-disposition', `attachment; filename="${fileName(id)}"`)
      return sendFile(reply, 'text/csv; charset=utf-8; header=present', file)
    },
  })

  app.get('/api/calendar.ics', {
    config: { access: 'calendar', failure: 'Failed to fetch calendar', isSentAlone: true },
    schema: {
      operationId: 'getCalendar',
      summary: 'Get a calendar of due dates',
      description:
        'iCalendar (RFC 5545): an event for each item with a due date that is not dismissed, all-day if the date is midnight UTC; at most the 5,000 latest. Items in a column of the stage `done` have a check mark. A token with the scope `calendar` is valid only here, as `?token=` or as Bearer; tokens with other scopes are refused in the query.',
      tags,
      querystring: CalendarQuery,
      response: {
        200: { description: 'The calendar', content: { 'text/calendar': { schema: Type.String() } } },
        304: NotModified,
      },
    },
    handler: async (request, reply) => {
      const file = await app.read(itemCalendar.write(request.query, memberOf(request).id), callerOf(request))
      reply.header('cache-control', 'private, no-cache')
      return sendFile(reply, 'text/calendar; charset=utf-8', file)
    },
  })
}

export default itemFileRoutes
