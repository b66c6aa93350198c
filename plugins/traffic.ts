import fp from 'fastify-plugin'
import type { Config } from '../src/config.ts'
import { tooManyRequests } from '../src/errors.ts'

/** The options of the traffic plugin. */
interface TrafficOptions extends Pick<Config, 'corsOrigins' | 'rateLimitMax'> {
  /** Whether to send CORS headers: inside a host, the host does. */
  sendsCorsHeaders: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Exempt from the rate limit, e.g. health checks, and the files of the page. */
    unlimited?: boolean
  }
  interface FastifyInstance {
    /**
     * Counts a request of a client, and adds the headers of the limit. Undefined without a limit. The auth plugin calls it, once it knows
     * whose request it is.
     * @throws ApiError 429 above the limit
     */
    countRequest: ((client: string, reply: FastifyReply) => Promise<void>) | undefined
  }
}

/** The window of the rate limit, in seconds. */
const WINDOW = 60

/**
 * CORS and the rate limit per client. A library is loaded only where its feature is configured.
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
          'Idempotent-Replayed',
          'Link',
          'Location',
          'Phaseboard-Seq',
          'Preference-Applied',
          'Retry-After',
          'RateLimit-Limit',
          'RateLimit-Remaining',
          'RateLimit-Reset',
        ],
        // With strict preflights, other OPTIONS requests would get a plain-text response.
        strictPreflight: false,
      }
      await app.register(import('../src/http/cors.ts'), {
        delegator: ({ headers }, decide) =>
          decide(null, corsOrigins.includes(headers.origin ?? '') ? allowed : { origin: false }),
      })
    }
    app.decorate('countRequest', undefined)
    if (rateLimitMax > 0) {
      const { RateLimiterMemory } = await import('../src/access/rate-limiter.ts')
      type Verdict = Awaited<ReturnType<InstanceType<typeof RateLimiterMemory>['consume']>>
      const limiter = new RateLimiterMemory({ points: rateLimitMax, duration: WINDOW })
      app.countRequest = async (client, reply) => {
        const { consumedPoints, remainingPoints, msBeforeNext } = await limiter
          .consume(client)
          .catch((refusal: Verdict) => refusal)
        // Windows end by a monotonic clock, but the library computes the remaining time by the system clock, which may be set back.
        const seconds = Math.min(Math.ceil(msBeforeNext / 1000), WINDOW)
        // draft-ietf-httpapi-ratelimit-headers-06, which clients support; later drafts keep changing.
        reply.headers({
          'ratelimit-limit': rateLimitMax,
          'ratelimit-remaining': remainingPoints,
          'ratelimit-reset': seconds,
        })
        if (consumedPoints > rateLimitMax) throw tooManyRequests('Too Many Requests', seconds, 'rate_limited')
      }
    }
  },
  { name: 'traffic', fastify: '5.x', dependencies: ['errors'] },
)
