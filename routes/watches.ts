import { memberOf } from '../src/access/identity.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, IdParams, ref } from '../src/schemas/common.ts'
import { KanbanItemSchema, ProjectSchema, WatchSchema } from '../src/schemas/records.ts'

/** The caller's watches of items and projects. */
const watchRoutes: Routes = async (app) => {
  const { watchers } = app.attention
  const response = { 200: ref(WatchSchema), 404: ref(ErrorBody) }
  const schema = { tags: ['Notifications'], params: IdParams }
  const own = { access: 'own', caching: 'no-store' } as const
  // A watch has no ETag. As for labels, preconditions use that of the item or project.
  const ofProject = { ...own, record: recordOf(ProjectSchema, (id) => app.projects.get(id)) }
  const ofItem = { ...own, record: recordOf(KanbanItemSchema, app.board.items.get) }

  app.get('/api/projects/:id/watch', {
    config: { ...own, access: 'read', failure: 'Failed to fetch watch' },
    schema: {
      ...schema,
      operationId: 'getProjectWatch',
      summary: 'Whether the caller watches a project',
      response,
    },
    handler: (request) => watchers.project(request.params.id, memberOf(request).id),
  })

  app.put('/api/projects/:id/watch', {
    config: { ...ofProject, failure: 'Failed to watch project', isBodyOptional: true },
    schema: {
      ...schema,
      operationId: 'watchProject',
      summary: 'Watch all items of a project',
      description:
        'The caller gets notifications of later comments and moves. No body is needed; repeating it is no error.',
      response,
    },
    handler: (request) => watchers.setProject(request.params.id, memberOf(request).id, true),
  })

  app.delete('/api/projects/:id/watch', {
    config: { ...ofProject, failure: 'Failed to unwatch project' },
    schema: {
      ...schema,
      operationId: 'unwatchProject',
      summary: 'Stop watching a project',
      description: 'Watches of single items stay.',
      response,
    },
    handler: (request) => watchers.setProject(request.params.id, memberOf(request).id, false),
  })

  app.get('/api/kanban-items/:id/watch', {
    config: { ...own, access: 'read', failure: 'Failed to fetch watch' },
    schema: {
      ...schema,
      operationId: 'getKanbanItemWatch',
      summary: 'Whether the caller watches an item',
      description: 'True if the caller watches the item itself or its project, or is its assignee.',
      response,
    },
    handler: (request) => watchers.item(request.params.id, memberOf(request).id),
  })

  app.put('/api/kanban-items/:id/watch', {
    config: { ...ofItem, failure: 'Failed to watch kanban item', isBodyOptional: true },
    schema: {
      ...schema,
      operationId: 'watchKanbanItem',
      summary: 'Watch an item',
      description:
        'The caller gets notifications of later comments, moves and reminders. Members who create an item, are assigned to it, comment on it or are mentioned in it watch it automatically. No body is needed; repeating it is no error.',
      response,
    },
    handler: (request) => watchers.setItem(request.params.id, memberOf(request).id, true),
  })

  app.delete('/api/kanban-items/:id/watch', {
    config: { ...ofItem, failure: 'Failed to unwatch kanban item' },
    schema: {
      ...schema,
      operationId: 'unwatchKanbanItem',
      summary: 'Stop watching an item',
      description:
        'Only an explicit watch starts it again. Assignments and mentions still cause notifications.',
      response,
    },
    handler: (request) => watchers.setItem(request.params.id, memberOf(request).id, false),
  })
}

export default watchRoutes
