import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { childRoutes } from '../src/http/old-child-routes.ts'
import { HISTORY_LIMIT, measurementFields, prepareMetrics } from '../src/projects/metrics.ts'
import { AnyArray, CreateBody, JsonText, Term, UpdateBody } from '../src/schemas/common.ts'
import { MetricSchema } from '../src/schemas/records.ts'

const fields = {
  ...measurementFields,
  trend: Type.Optional(Term(['up', 'down', 'stable'])),
  history: Type.Optional(JsonText(AnyArray)),
}

/** Metrics: numbers that a project watches. */
const metricRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const routes = childRoutes(app, {
    thing: 'Metric',
    parent: 'project',
    record: MetricSchema,
    create: CreateBody(fields),
    update: UpdateBody(fields),
    rules: prepareMetrics(app.db),
    notes: {
      update: `Another \`value\` than before puts the old one into the \`history\`, which keeps the last ${HISTORY_LIMIT}, and sets the \`trend\`: unless the body says what they are to be.`,
    },
  })

  app.get('/api/projects/:id/metrics', routes.list)
  app.post('/api/projects/:id/metrics', routes.create)
  app.get('/api/metrics/:id', routes.get)
  app.patch('/api/metrics/:id', routes.update)
  app.delete('/api/metrics/:id', routes.delete)
}

export default metricRoutes
