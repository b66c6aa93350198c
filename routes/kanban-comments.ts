import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { prepareKanbanComments } from '../src/board/comments.ts'
import { childRoutes } from '../src/http/child-routes.ts'
import { CreateBody, LIMITS, UpdateBody } from '../src/schemas/common.ts'
import { KanbanCommentSchema } from '../src/schemas/records.ts'

const fields = { content: Type.String({ minLength: 1, maxLength: LIMITS.comment }) }

const onlyTheAuthor = 'For its author and admins; others get 403.'

/** Kanban comments: what people say about an item. */
const kanbanCommentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const routes = childRoutes(app, {
    thing: 'Kanban comment',
    parent: 'item',
    record: KanbanCommentSchema,
    create: CreateBody(fields),
    update: UpdateBody(fields),
    rules: prepareKanbanComments(app.db),
    notes: {
      list: 'The oldest first.',
      create: 'Its author is the current member.',
      update: `${onlyTheAuthor} Sets \`editedAt\`.`,
      delete: onlyTheAuthor,
    },
  })

  app.get('/api/kanban-items/:id/comments', routes.list)
  app.post('/api/kanban-items/:id/comments', routes.create)
  app.get('/api/kanban-comments/:id', routes.get)
  app.patch('/api/kanban-comments/:id', routes.update)
  app.delete('/api/kanban-comments/:id', routes.delete)
}

export default kanbanCommentRoutes
