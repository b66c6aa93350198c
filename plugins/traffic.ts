import fp from 'fastify-plugin'
import { RequestCounts, rateLimited } from '../src/access/request-counts.ts'
import type { Config } from '../src/config.ts'

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
    countRequest: ((client: string, reply: FastifyReply) => void) | undefined
  }
}

/** The window of the rate limit, in seconds. */
const WINDOW = 60

/** The rate limit per client. */
export default fp<Pick<Config, 'rateLimitMax'>>(
  async (app, { rateLimitMax }) => {
    app.decorate('countRequest', undefined)
    if (rateLimitMax > 0) {
      const counts = new RequestCounts(WINDOW)
      app.countRequest = (client, reply) => {
        const { count, seconds } = counts.count(client)
        // draft-ietf-httpapi-ratelimit-headers-06, which clients support; later drafts keep changing.
        reply.headers({
          'ratelimit-limit': rateLimitMax,
          'ratelimit-remaining': Math.max(0, rateLimitMax - count),
          'ratelimit-reset': seconds,
        })
        if (count > rateLimitMax) throw rateLimited(seconds)
      }
    }
  },
  { name: 'traffic', fastify: '5.x' },
)
