import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { actorOf, readerOf } from '../src/access/identity.ts'
import { ANSWERED } from '../src/changes/undo.ts'
import { linkNext, PageParameters } from '../src/requests/pages.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  ChangedSinceBody,
  ErrorBody,
  GoneErrorBody,
  IdParams,
  ref,
  TooMuchToUndoBody,
  ValidationErrorBody,
} from '../src/schemas/common.ts'
import { ChangeSchema, TrashEntrySchema, UndoneSchema } from '../src/schemas/records.ts'
import type { JsonBytes } from '../src/schemas/serialization.ts'

const HistoryQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ ...PageParameters.limit, description: 'Changes per page; 100 by default' }),
  ),
  cursor: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Changes before this one: from the `Link` of the previous page',
    }),
  ),
})
const TrashQuery = Type.Object({
  projectId: Type.Optional(Type.String({ description: 'A project, even if deleted, and its items' })),
  ...HistoryQuery.properties,
})

/** The beginning of the response to an undo. */
const GROUP = /^\{"group":(\d+),/

/** Adds a `Link` to the remaining changes of an undo, if the response does not have all of them. */
function linkOtherChanges(reply: FastifyReply, body: string | JsonBytes): void {
  const [, group] = GROUP.exec(Buffer.from(body.slice(0, 32)).toString()) ?? []
  const last = Number(reply.getHeader('phaseboard-seq'))
  const after = Number(group) + ANSWERED - 1
  if (group !== undefined && last > after)
    linkNext(
      reply,
      // Without the last two segments, `/{seq}/undo`.
      (reply.request.url.split('?', 1)[0] ?? '').split('/').slice(0, -2).join('/'),
      new URLSearchParams(`after=${after}&limit=${ANSWERED}`),
    )
}

const description =
  'Newest first, including everything that belongs to it, even after its deletion, as long as changes are kept. What happened while the project was `assigned` is only shown to admins and to those who were in it then. The `Link` header names the next page, if there is one.'

/** The history of a project or item, undo, and the trash. */
const changeHistoryRoutes: Routes<{ importRecords: number }> = async (app, { importRecords }) => {
  const tags = ['Changes']

  app.get('/api/projects/:id/changes', {
    config: { access: 'read', failure: 'Failed to fetch changes' },
    schema: {
      operationId: 'listProjectChanges',
      summary: 'List the changes of a project',
      description,
      tags,
      params: IdParams,
      querystring: HistoryQuery,
      response: { 200: Type.Array(ref(ChangeSchema)), 404: ref(ErrorBody) },
    },
    handler: (request) => app.changes.history.ofProject(request.params.id, request.query, readerOf(request)),
  })

  app.get('/api/kanban-items/:id/changes', {
    config: { access: 'read', failure: 'Failed to fetch changes' },
    schema: {
      operationId: 'listKanbanItemChanges',
      summary: 'List the changes of a kanban item',
      description,
      tags,
      params: IdParams,
      querystring: HistoryQuery,
      response: { 200: Type.Array(ref(ChangeSchema)), 404: ref(ErrorBody) },
    },
    handler: (request) => app.changes.history.ofItem(request.params.id, request.query, readerOf(request)),
  })

  app.post('/api/changes/:seq/undo', {
    config: {
      access: 'write',
      failure: 'Failed to undo change',
      isBodyOptional: true,
      link: linkOtherChanges,
      caching: 'no-store',
      dependsOnRole: true,
    },
    schema: {
      operationId: 'undoChange',
      summary: 'Undo the whole write that contains a change',
      description:
        'All or nothing. Created records are deleted, deleted records return under their ids with everything that belonged to them, and changed fields get their former values. The response has the first 1,000 changes of the undo; if there are more, `Link` leads to the rest in the sequence. An undo can be undone. 403 if the caller may not make such changes; changes of members and teams cannot be undone (400), and no more records at once than `IMPORT_RECORDS` allows (413, with their number).',
      tags,
      params: Type.Object({ seq: Type.String({ description: 'The `seq` of any change of the write' }) }),
      response: {
        200: ref(UndoneSchema),
        400: ref(ValidationErrorBody),
        404: ref(ErrorBody),
        409: ref(ChangedSinceBody),
        410: ref(GoneErrorBody),
        413: ref(TooMuchToUndoBody),
        503: ref(ErrorBody),
      },
    },
    handler: (request) =>
      app.changes.undo.group(request.params.seq, readerOf(request), actorOf(request), importRecords),
  })

  app.get('/api/trash', {
    config: { access: 'read', failure: 'Failed to fetch trash' },
    schema: {
      operationId: 'listTrash',
      summary: 'List the deleted projects and kanban items that can be restored',
      description:
        'Newest first. Undo the change `seq` to restore a record with everything deleted with it; an item deleted with its project is restored with the project. The `Link` header names the next page, if there is one; even then a page may be short or empty.',
      tags,
      querystring: TrashQuery,
      response: { 200: Type.Array(ref(TrashEntrySchema)) },
    },
    handler: (request) => app.changes.trash.answer(request.query, readerOf(request)),
  })
}

export default changeHistoryRoutes
