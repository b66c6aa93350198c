import fp from 'fastify-plugin'

/** What the traffic plugin needs to know. */
export interface TrafficOptions {
  corsOrigins: string[]
  /** Requests a minute and client; 0 = no limit. */
  rateLimitMax: number
}

/** Answers to other origins, and the limit on requests per client. What is not configured is not even loaded. */
export default fp<TrafficOptions>(
  async (app, { corsOrigins, rateLimitMax }) => {
    if (corsOrigins.length > 0) {
      await app.register(import('@fastify/cors'), {
        origin: corsOrigins,
        credentials: true,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders: ['Link', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
      })
    }
    if (rateLimitMax > 0) {
      await app.register(import('@fastify/rate-limit'), {
        max: rateLimitMax,
        timeWindow: '1 minute',
        enableDraftSpec: true,
      })
    }
  },
  { name: 'traffic', fastify: '5.x', dependencies: ['errors'] },
)
