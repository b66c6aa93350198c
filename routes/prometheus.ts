import { Type } from '@sinclair/typebox'
import type { Exposition } from '../src/http/prometheus.ts'
import { memoizeAsync } from '../src/once.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ensureNamed } from '../src/requests/send.ts'

/** The options of the route for Prometheus. */
export interface PrometheusOptions {
  databaseUrl: string
  /** Whether anybody may read the service's numbers. */
  metricsPublic: boolean
}

/** What Prometheus scrapes: the service's numbers. */
const prometheusRoutes: Routes<PrometheusOptions> = async (app, { databaseUrl, metricsPublic }) => {
  let made: Exposition | undefined
  const exposition = memoizeAsync(async () => {
    const { Exposition } = await import('../src/http/prometheus.ts')
    made = new Exposition(app, databaseUrl)
    return made
  })
  app.addHook('onClose', async () => made?.close())

  app.get('/metrics', {
    config: {
      access: metricsPublic ? 'public' : 'admin',
      failure: 'Failed to fetch metrics',
      caching: 'no-store',
    },
    schema: {
      operationId: 'scrapeMetrics',
      summary: "The service's own numbers, for Prometheus",
      description:
        'In its text format. Needs an admin, unless `METRICS_PUBLIC` is set. They name no member, project or address.',
      tags: ['Health'],
      response: {
        200: {
          description: 'The metrics',
          content: { 'text/plain': { schema: Type.String() } },
        },
      },
    },
    handler: async (request, reply) => {
      ensureNamed(request)
      const metrics = await exposition()
      return reply.type(metrics.contentType).send(await metrics.text())
    },
  })
}

export default prometheusRoutes
