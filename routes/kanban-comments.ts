import { Type } from '@sinclair/typebox'
import { childRoutes } from '../src/requests/child-routes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, LIMITS, UpdateBody } from '../src/schemas/common.ts'
import { KanbanCommentSchema } from '../src/schemas/records.ts'

const fields = { content: Type.String({ minLength: 1, maxLength: LIMITS.comment }) }
const CreateKanbanComment = CreateBody(fields)
const UpdateKanbanComment = UpdateBody(fields)

const onlyTheAuthor = 'Only for its author and admins; others get 403.'

/** The comments of kanban items. */
const kanbanCommentRoutes: Routes = async (app) => {
  const comments = childRoutes(app, app.board.comments, {
    record: KanbanCommentSchema,
    tag: 'Kanban comments',
  })

  comments.list('/api/kanban-items/:id/comments', {
    operationId: 'listKanbanComments',
    summary: 'List the kanban comments of an item',
    description: 'Oldest first.',
    failure: 'Failed to fetch kanban comments',
  })
  comments.create('/api/kanban-items/:id/comments', {
    operationId: 'createKanbanComment',
    summary: 'Create a kanban comment',
    description: 'Its author is the current member.',
    failure: 'Failed to create kanban comment',
    body: CreateKanbanComment,
    example: { content: 'The texts are ready, the pictures are not.' },
  })
  comments.get('/api/kanban-comments/:id', {
    operationId: 'getKanbanComment',
    summary: 'Get a kanban comment',
    failure: 'Failed to fetch kanban comment',
  })
  comments.update('/api/kanban-comments/:id', {
    operationId: 'updateKanbanComment',
    summary: 'Change a kanban comment',
    description: `${onlyTheAuthor} Sets \`editedAt\`.`,
    failure: 'Failed to update kanban comment',
    dependsOnRole: true,
    body: UpdateKanbanComment,
    example: { content: 'Texts and pictures are ready.' },
  })
  comments.delete('/api/kanban-comments/:id', {
    operationId: 'deleteKanbanComment',
    summary: 'Delete a kanban comment',
    description: onlyTheAuthor,
    failure: 'Failed to delete kanban comment',
    dependsOnRole: true,
  })
}

export default kanbanCommentRoutes
