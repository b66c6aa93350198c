import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { prepareKanbanItems } from '../src/board/items.ts'
import { prepareKanbanLabels, prepareLabelling } from '../src/board/labels.ts'
import { childRoutes } from '../src/http/old-child-routes.ts'
import { CreateBody, ErrorBody, LIMITS, ref, UpdateBody } from '../src/schemas/common.ts'
import { KanbanItemSchema, KanbanLabelSchema } from '../src/schemas/records.ts'

const LabelName = Type.String({ minLength: 1, maxLength: LIMITS.label, description: 'Unique in its project' })
const LabelColor = Type.String({ maxLength: LIMITS.term, examples: ['#3b82f6'] })
const KanbanLabelCreateSchema = CreateBody({ name: LabelName, color: Type.Optional(LabelColor) })
const KanbanLabelUpdateSchema = UpdateBody({ name: LabelName, color: LabelColor })

const LabellingParams = Type.Object({ id: Type.String(), labelId: Type.String() })
const labellingAnswers = { 200: ref(KanbanItemSchema), 404: ref(ErrorBody) }

/** Kanban labels: the coloured words of a project's board. */
const kanbanLabelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const items = prepareKanbanItems(app.db)
  const { attach, detach } = prepareLabelling(app.db)
  const routes = childRoutes(app, {
    thing: 'Kanban label',
    parent: 'project',
    record: KanbanLabelSchema,
    create: KanbanLabelCreateSchema,
    update: KanbanLabelUpdateSchema,
    rules: prepareKanbanLabels(app.db),
    notes: {
      create: 'A taken name is 409.',
      update: 'A taken name is 409.',
      delete: 'It leaves its items.',
    },
    conflicts: ['create', 'update'],
  })
  const tags = ['Kanban labels']

  app.get('/api/projects/:id/kanban-labels', routes.list)
  app.post('/api/projects/:id/kanban-labels', routes.create)
  app.get('/api/kanban-labels/:id', routes.get)
  app.patch('/api/kanban-labels/:id', {
    ...routes.update,
    handler: async ({ params, body }) => app.perform('updateLabel', params.id, body),
  })
  app.delete('/api/kanban-labels/:id', {
    ...routes.delete,
    handler: async ({ params }) => {
      await app.perform('deleteLabel', params.id)
      return { success: true as const }
    },
  })

  app.put('/api/kanban-items/:id/labels/:labelId', {
    config: { access: 'write', failure: 'Failed to attach kanban label', isBodyOptional: true },
    schema: {
      operationId: 'attachKanbanLabel',
      summary: 'Give an item a label of its project',
      description:
        'It needs no body. A label that the item has already is no error; there is no activity entry.',
      tags,
      params: LabellingParams,
      response: { ...labellingAnswers, 413: ref(ErrorBody) },
    },
    handler: async ({ params: { id, labelId } }) =>
      app.write(() => {
        attach(id, labelId)
        return items.get(id)
      }),
  })

  app.delete('/api/kanban-items/:id/labels/:labelId', {
    config: { access: 'write', failure: 'Failed to detach kanban label' },
    schema: {
      operationId: 'detachKanbanLabel',
      summary: 'Take a label off an item',
      description: 'A label that the item does not have is no error, as long as its project has it.',
      tags,
      params: LabellingParams,
      response: labellingAnswers,
    },
    handler: async ({ params: { id, labelId } }) =>
      app.write(() => {
        detach(id, labelId)
        return items.get(id)
      }),
  })
}

export default kanbanLabelRoutes
