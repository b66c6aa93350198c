import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { Caller } from '../src/access/caller.ts'
import { callerOf, memberOf } from '../src/access/identity.ts'
import { CSV_FORMS, type CsvFormat } from '../src/board/csv-forms.ts'
import type { ItemFile } from '../src/board/item-files.ts'
import { othersAmong } from '../src/requests/hosted-people.ts'
import { ensureNamed, isNotModified } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { AnyObject, ErrorBody, IdParams, NotModified, ref } from '../src/schemas/common.ts'

/** The name of a downloaded file. Ids from other tools may contain any characters. */
const fileName = (id: string, ending: string) =>
  `phaseboard-${id.replaceAll(/[^\w-]/g, '_').slice(0, 100)}.${ending}`

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
  format: Type.Optional(
    Type.Unsafe<CsvFormat>({
      type: 'string',
      enum: Object.keys(CSV_FORMS),
      description:
        "The tool that imports the table: `linear`, as Linear's own export, for `@linear/import`; `github`, issues for `github-csv-tools`. Without one, every field in this service's own form",
    }),
  ),
})

/** What a board of Trello has, as far as this service writes it. Other tools define the parts. */
const TrelloBoard = Type.Object({
  id: Type.String(),
  name: Type.String(),
  desc: Type.String(),
  labels: Type.Array(AnyObject),
  lists: Type.Array(AnyObject),
  cards: Type.Array(AnyObject),
  checklists: Type.Array(AnyObject),
  actions: Type.Array(AnyObject, { description: 'The comments, those of a card newest first' }),
  members: Type.Array(AnyObject),
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
  const { itemCsv, trelloJson, itemCalendar } = app.board
  const tags = ['Kanban items']

  /** The people of a project without a row. Without a host, only the default member has none. */
  async function hostedIn(id: string, caller: Caller) {
    const ids = app.peopleOfHost ? await app.read(app.members.people.namedIn(id), caller) : []
    return othersAmong(app, ids)
  }

  /** Sends a file to be stored. */
  function download(reply: FastifyReply, name: string, type: string, file: ItemFile): FastifyReply {
    reply.header('content-disposition', `attachment; filename="${name}"`)
    return sendFile(reply, type, file)
  }

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
      const { bom, format } = request.query
      const caller = callerOf(request)
      const options = { hosted: await hostedIn(id, caller), hasMark: bom, format }
      const file = await app.read(itemCsv.ofProject(id, options), caller)
      return download(reply, fileName(id, 'csv'), 'text/csv; charset=utf-8; header=present', file)
    },
  })

  app.get('/api/projects/:id/export.json', {
    config: { access: 'read', failure: 'Failed to export project', isSentAlone: true },
    schema: {
      operationId: 'exportProjectAsJson',
      summary: 'Get a board for Planka',
      description:
        'A board in the form of Trello\'s export, which Planka imports ("From Trello"): columns, items by sortOrder, dismissed ones as archived cards, labels with the most similar of Trello\'s colours, subtasks as a checklist, and comments with the names of their authors.',
      tags,
      params: IdParams,
      response: {
        200: { description: 'The board', content: { 'application/json': { schema: TrelloBoard } } },
        304: NotModified,
        404: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const caller = callerOf(request)
      const file = await app.read(trelloJson.ofProject(id, await hostedIn(id, caller)), caller)
      return download(reply, fileName(id, 'json'), 'application/json; charset=utf-8', file)
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
