import { Type } from '@sinclair/typebox'
import { PagesQuery } from '../src/requests/pages.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, IdParams, ref } from '../src/schemas/common.ts'
import { KanbanActivitySchema } from '../src/schemas/records.ts'

/** Kanban activity: the changes of an item's tracked fields. */
const kanbanActivityRoutes: Routes = async (app) => {
  app.get('/api/kanban-items/:id/activity', {
    config: { access: 'read', failure: 'Failed to fetch kanban activity' },
    schema: {
      operationId: 'listKanbanActivity',
      summary: 'List the activity entries of an item, newest first',
      tags: ['Kanban items'],
      params: IdParams,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(KanbanActivitySchema)), 404: ref(ErrorBody) },
    },
    handler: (request) => app.board.activity.list(request.params.id, request.query),
  })
}

export default kanbanActivityRoutes
