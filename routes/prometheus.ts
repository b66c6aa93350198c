import { Type } from '@sinclair/typebox'
import type { Exposition } from '../src/http/prometheus.ts'
import { memoizeAsync } from '../src/once.ts'
import { ensureNamed } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'

/** The options of the route for Prometheus. */
interface PrometheusOptions {
  databaseUrl: string
  /** Whether clients without credentials may read the metrics. */
  metricsPublic: boolean
}

/** The service's metrics, for Prometheus. */
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
      summary: "Get the service's metrics, for Prometheus",
      description:
        'In its text format. Only for admins, unless `METRICS_PUBLIC` is set. They contain no members, projects or addresses.',
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
