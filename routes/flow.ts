import { Type } from '@sinclair/typebox'
import { readerOf } from '../src/access/identity.ts'
import { keepFromCaches } from '../src/requests/own-lists.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { AnyOf, ErrorBody, IdParams, PRIORITIES, ref } from '../src/schemas/common.ts'
import { FlowSchema } from '../src/schemas/flow.ts'

const Day = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'timestamp',
      description: `${description}: a date, or a date-time for its day in UTC`,
      examples: ['2026-01-31'],
    }),
  )

const FlowQuery = Type.Object({
  from: Day('First day, at most three years before the last; by default 89 days before it'),
  to: Day('Last day, at the latest today, the default'),
  label: AnyOf('Id or name of a label; `none`: items without a label'),
  assigneeId: AnyOf('One of the assignees of the items; `me`: the caller; `none`: unassigned items'),
  priority: AnyOf('Priority of the items', PRIORITIES),
})

/** Flow metrics of boards: arrivals, throughput and times. */
const flowRoutes: Routes = async (app) => {
  app.get('/api/projects/:id/flow', {
    config: { access: 'read', failure: 'Failed to fetch flow' },
    schema: {
      operationId: 'getFlow',
      summary: 'Get the flow metrics of a board',
      description:
        'Items per column and day, cycle and lead times, throughput, the age of work in progress, and a forecast of when the rest is done. Computed from activity and the sequence of changes as of the end of the range, with the current names and stages of columns and the current fields of items.',
      tags: ['Kanban items'],
      params: IdParams,
      querystring: FlowQuery,
      response: { 200: ref(FlowSchema), 404: ref(ErrorBody) },
    },
    handler: (request, reply) => {
      const { params, query } = request
      keepFromCaches(reply, query)
      return app.flow.ofProject(params.id, query, readerOf(request))
    },
  })
}

export default flowRoutes
