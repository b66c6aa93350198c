import { Type } from '@sinclair/typebox'
import { HISTORY_LIMIT, measurementFields } from '../src/projects/metrics.ts'
import { childRoutes } from '../src/requests/child-routes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { AnyArray, CreateBody, JsonText, Term, UpdateBody } from '../src/schemas/common.ts'
import { MetricSchema } from '../src/schemas/records.ts'

const fields = {
  ...measurementFields,
  trend: Type.Optional(Term(['up', 'down', 'stable'])),
  history: Type.Optional(JsonText(AnyArray)),
}
const CreateMetric = CreateBody(fields)
const UpdateMetric = UpdateBody(fields)

/** The metrics of a project. */
const metricRoutes: Routes = async (app) => {
  const metrics = childRoutes(app, app.projects.metrics, { record: MetricSchema, tag: 'Metrics' })

  metrics.list('/api/projects/:id/metrics', {
    operationId: 'listMetrics',
    summary: 'List the metrics of a project',
    failure: 'Failed to fetch metrics',
  })
  metrics.create('/api/projects/:id/metrics', {
    operationId: 'createMetric',
    summary: 'Create a metric',
    failure: 'Failed to create metric',
    body: CreateMetric,
    example: { name: 'Orders a week', value: 42, unit: 'orders', category: 'sales' },
  })
  metrics.get('/api/metrics/:id', {
    operationId: 'getMetric',
    summary: 'Get a metric',
    failure: 'Failed to fetch metric',
  })
  metrics.update('/api/metrics/:id', {
    operationId: 'updateMetric',
    summary: 'Change a metric',
    description: `A new \`value\` adds the old one to the \`history\`, which keeps the last ${HISTORY_LIMIT}, and sets the \`trend\`, unless the body sets them.`,
    failure: 'Failed to update metric',
    body: UpdateMetric,
    example: { value: 47 },
  })
  metrics.delete('/api/metrics/:id', {
    operationId: 'deleteMetric',
    summary: 'Delete a metric',
    failure: 'Failed to delete metric',
  })
}

export default metricRoutes
