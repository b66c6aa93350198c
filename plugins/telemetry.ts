import fp from 'fastify-plugin'
import { CLIENT_FAILURES, RequestCounters } from '../src/http/request-counters.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts of the requests since startup. */
    requestCounters: RequestCounters
  }
}

/** Counts and times requests. Register it before anything that may reject a request. */
export default fp(
  async (app) => {
    const { prefix } = app
    const requestCounters = new RequestCounters()
    app.decorate('requestCounters', requestCounters)
    app.addHook('onResponse', (request, reply, done) => {
      const { url, config } = request.routeOptions
      const path = request.is404 ? app.knownPaths.refusing(request.method, request.url)?.path : (url ?? '')
      const route = path && (path.slice(prefix.length) || '/')
      // The reader decides how long a stream lasts.
      const seconds = config.waits ? undefined : reply.elapsedTime / 1000
      const { statusCode } = reply
      const reason = statusCode === 500 ? CLIENT_FAILURES.get(request) : undefined
      requestCounters.add(route, request.method, statusCode, seconds, reason)
      done()
    })
  },
  { name: 'telemetry', fastify: '5.x' },
)
