import fp from 'fastify-plugin'
import type { Config } from '../src/config.ts'
import { tooManyRequests } from '../src/errors.ts'
import { addressOf, clientAt } from '../src/http/addresses.ts'

/** What the traffic plugin needs to know. */
export interface TrafficOptions extends Pick<Config, 'corsOrigins' | 'rateLimitMax'> {
  /** Whether to send the headers for other origins: inside a host that is the host's business. */
  sendsCorsHeaders: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests to this route do not count: those of supervisors, say. */
    unlimited?: boolean
  }
}

/** The window of the limit, in seconds. */
const WINDOW = 60

/**
 * Answers to other origins, and the limit on requests per client. What is not configured is not even loaded.
 */
export default fp<TrafficOptions>(
  async (app, { corsOrigins, sendsCorsHeaders, rateLimitMax }) => {
    if (sendsCorsHeaders && corsOrigins.length > 0) {
      const allowed = {
        origin: true,
        credentials: true,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders: [
          'ETag',
          'Link',
          'Retry-After',
          'RateLimit-Limit',
          'RateLimit-Remaining',
          'RateLimit-Reset',
        ],
        // An OPTIONS request that is no preflight is not answered in plain text.
        strictPreflight: false,
      }
      await app.register(import('../src/http/cors.ts'), {
        delegator: ({ headers }, decide) =>
          decide(null, corsOrigins.includes(headers.origin ?? '') ? allowed : { origin: false }),
      })
    }
    if (rateLimitMax > 0) {
      const { RateLimiterMemory } = await import('../src/http/rate-limiter.ts')
      type Verdict = Awaited<ReturnType<InstanceType<typeof RateLimiterMemory>['consume']>>
      const limiter = new RateLimiterMemory({ points: rateLimitMax, duration: WINDOW })
      // A hook of its own, before the credentials are looked at: guessing them counts too.
      app.addHook('onRequest', async (request, reply) => {
        if (request.routeOptions.config.unlimited) return
        const { consumedPoints, remainingPoints, msBeforeNext } = await limiter
          .consume(clientAt(addressOf(request)))
          .catch((refusal: Verdict) => refusal)
        // Counts end by a monotonic clock, but what is left of them is told by the system's, which may be set back.
        const seconds = Math.min(Math.ceil(msBeforeNext / 1000), WINDOW)
        // Of draft-ietf-httpapi-ratelimit-headers-06, which clients know; the drafts since then differ from one to the next.
        reply.headers({
          'ratelimit-limit': rateLimitMax,
          'ratelimit-remaining': remainingPoints,
          'ratelimit-reset': seconds,
        })
        if (consumedPoints > rateLimitMax) throw tooManyRequests('Too Many Requests', seconds)
      })
    }
  },
  { name: 'traffic', fastify: '5.x', dependencies: ['errors'] },
)
