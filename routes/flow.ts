import { Type } from '@sinclair/typebox'
import { memberOf } from '../src/access/identity.ts'
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
  from: Day('First day, at most three years before the last; 89 days before it if absent'),
  to: Day('Last day; today if absent, and at the latest'),
  label: AnyOf('Id or name of a label that the items have; `none`: they have no label'),
  assigneeId: AnyOf('Who the items are assigned to; `me`: whoever asks; `none`: nobody'),
  priority: AnyOf('Priority of the items', PRIORITIES),
})

/** The flow of boards: how much came, was finished, and how long it took. */
const flowRoutes: Routes = async (app) => {
  app.get('/api/projects/:id/flow', {
    config: { access: 'read', failure: 'Failed to fetch flow' },
    schema: {
      operationId: 'getFlow',
      summary: 'See how the items of a board flow',
      description:
        'Items in each column day by day, cycle and lead times, throughput, the age of what is being worked on, and a forecast of when the rest is done. Told from activity and the sequence of changes, as it was known at the end of the range: columns by their present names and stages, items by what they are now.',
      tags: ['Kanban items'],
      params: IdParams,
      querystring: FlowQuery,
      response: { 200: ref(FlowSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => app.flow.ofProject(request.params.id, request.query, memberOf(request).id),
  })
}

export default flowRoutes
