import { Type } from '@sinclair/typebox'
import { childRoutes } from '../src/requests/child-routes.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, ErrorBody, LIMITS, ref, UpdateBody } from '../src/schemas/common.ts'
import { KanbanItemSchema, KanbanLabelSchema } from '../src/schemas/records.ts'

const LabelName = Type.String({
  minLength: 1,
  maxLength: LIMITS.label,
  description:
    'Unique in its project, without regard to case, accents, strokes and hooks; without white space at its ends, in NFC',
})
const LabelColor = Type.String({ maxLength: LIMITS.term, examples: ['#3b82f6'] })
const CreateKanbanLabel = CreateBody({ name: LabelName, color: Type.Optional(LabelColor) })
const UpdateKanbanLabel = UpdateBody({ name: LabelName, color: LabelColor })

const LabellingParams = Type.Object({ id: Type.String(), labelId: Type.String() })
const labellingResponses = { 200: ref(KanbanItemSchema), 404: ref(ErrorBody) }

/** The labels of a project's board. */
const kanbanLabelRoutes: Routes = async (app) => {
  const labels = childRoutes(app, app.board.labels, { record: KanbanLabelSchema, tag: 'Kanban labels' })
  const tags = ['Kanban labels']

  labels.list('/api/projects/:id/kanban-labels', {
    operationId: 'listKanbanLabels',
    summary: 'List the kanban labels of a project',
    failure: 'Failed to fetch kanban labels',
  })
  labels.create('/api/projects/:id/kanban-labels', {
    operationId: 'createKanbanLabel',
    summary: 'Create a kanban label',
    description: 'A taken name is 409.',
    failure: 'Failed to create kanban label',
    conflicts: true,
    body: CreateKanbanLabel,
    example: { name: 'Content', color: '#3b82f6' },
  })
  labels.get('/api/kanban-labels/:id', {
    operationId: 'getKanbanLabel',
    summary: 'Get a kanban label',
    failure: 'Failed to fetch kanban label',
  })
  labels.update('/api/kanban-labels/:id', {
    operationId: 'updateKanbanLabel',
    summary: 'Change a kanban label',
    description: 'A taken name is 409.',
    failure: 'Failed to update kanban label',
    conflicts: true,
    body: UpdateKanbanLabel,
    example: { color: '#ef4444' },
  })
  labels.delete('/api/kanban-labels/:id', {
    operationId: 'deleteKanbanLabel',
    summary: 'Delete a kanban label',
    description: 'It is removed from its items.',
    failure: 'Failed to delete kanban label',
  })

  app.put('/api/kanban-items/:id/labels/:labelId', {
    config: {
      access: 'write',
      failure: 'Failed to attach kanban label',
      isBodyOptional: true,
      record: recordOf(KanbanItemSchema, app.board.items.get),
    },
    schema: {
      operationId: 'attachKanbanLabel',
      summary: 'Add a label of the project to an item',
      description: 'No body is needed. Adding a label twice is no error; there is no activity entry.',
      tags,
      params: LabellingParams,
      response: labellingResponses,
    },
    handler: ({ params }) => app.board.items.attachLabel(params.id, params.labelId),
  })

  app.delete('/api/kanban-items/:id/labels/:labelId', {
    config: {
      access: 'write',
      failure: 'Failed to detach kanban label',
      record: recordOf(KanbanItemSchema, app.board.items.get),
    },
    schema: {
      operationId: 'detachKanbanLabel',
      summary: 'Remove a label from an item',
      description: 'A label that the item does not have is no error, if its project has it.',
      tags,
      params: LabellingParams,
      response: labellingResponses,
    },
    handler: ({ params }) => app.board.items.detachLabel(params.id, params.labelId),
  })
}

export default kanbanLabelRoutes
