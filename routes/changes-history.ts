import { Type } from '@sinclair/typebox'
import type { onSendHookHandler } from 'fastify'
import { actorOf, memberOf } from '../src/access/identity.ts'
import { ANSWERED } from '../src/changes/undo.ts'
import { linkNext, PageParameters } from '../src/requests/pages.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  ChangedSinceBody,
  ErrorBody,
  GoneErrorBody,
  IdParams,
  ref,
  ValidationErrorBody,
} from '../src/schemas/common.ts'
import { ChangeSchema, TrashEntrySchema, UndoneSchema } from '../src/schemas/records.ts'

const HistoryQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ ...PageParameters.limit, description: 'Changes on a page; without it, 100' }),
  ),
  cursor: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Changes before this one: from the `Link` of the page before' }),
  ),
})
const TrashQuery = Type.Object({
  projectId: Type.Optional(Type.String({ description: 'A project, deleted or not, and its items' })),
  ...HistoryQuery.properties,
})

/** The beginning of the answer to an undo. */
const GROUP = /^\{"group":(\d+),/

/**
 * Adds the `Link` to where the changes of an undo go on in the sequence, where the answer has not all of them. It is told by
 * the answer itself, which may be a repetition.
 */
const linkOtherChanges: onSendHookHandler = (request, reply, payload, done) => {
  const [, group] =
    GROUP.exec(
      Buffer.from(payload as Uint8Array)
        .subarray(0, 32)
        .toString(),
    ) ?? []
  const last = Number(reply.getHeader('phaseboard-seq'))
  const after = Number(group) + ANSWERED - 1
  if (group !== undefined && last > after)
    linkNext(
      reply,
      request.url.replace(/\/\d+\/undo.*$/, ''),
      new URLSearchParams(`after=${after}&limit=${ANSWERED}`),
    )
  done()
}

const description =
  'The newest first, with all that belongs to it, also once it is deleted, for as long as changes are kept. The `Link` header names the next page, if there is one.'

/** What happened to one project or item, undoing it, and what was deleted. */
const changeHistoryRoutes: Routes = async (app) => {
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
    handler: (request) => app.changes.history.ofProject(request.params.id, request.query, memberOf(request)),
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
    handler: (request) => app.changes.history.ofItem(request.params.id, request.query, memberOf(request)),
  })

  app.post('/api/changes/:seq/undo', {
    config: {
      access: 'write',
      failure: 'Failed to undo change',
      isBodyOptional: true,
      caching: 'no-store',
      dependsOnRole: true,
    },
    schema: {
      operationId: 'undoChange',
      summary: 'Undo the whole write that a change was part of',
      description:
        'All or nothing. The answer has the first 1,000 of the changes that it made; where there are more, `Link` says where they go on in the sequence. What it made goes, what it deleted comes back under its id with all that belonged to it, and changed fields get their former values. An undo can be undone. Who could not have made the change gets 403; changes of members and teams cannot be undone (400).',
      tags,
      params: Type.Object({ seq: Type.String({ description: 'The `seq` of one of its changes' }) }),
      response: {
        200: ref(UndoneSchema),
        400: ref(ValidationErrorBody),
        404: ref(ErrorBody),
        409: ref(ChangedSinceBody),
        410: ref(GoneErrorBody),
        413: ref(ErrorBody),
        503: ref(ErrorBody),
      },
    },
    onSend: linkOtherChanges,
    handler: (request) => app.changes.undo.group(request.params.seq, memberOf(request), actorOf(request)),
  })

  app.get('/api/trash', {
    config: { access: 'read', failure: 'Failed to fetch trash' },
    schema: {
      operationId: 'listTrash',
      summary: 'List the deleted projects and kanban items that can come back',
      description:
        'The newest first. Undo the change `seq` to get one back, with all that went with it; an item that went with its project comes back with that. The `Link` header names the next page, if there is one; a page may be short, or empty, before it.',
      tags,
      querystring: TrashQuery,
      response: { 200: Type.Array(ref(TrashEntrySchema)) },
    },
    handler: ({ query }) => app.changes.trash.answer(query),
  })
}

export default changeHistoryRoutes
