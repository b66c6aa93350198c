import fp from 'fastify-plugin'
import { CLIENT_FAILURES, RequestCounters } from '../src/http/request-counters.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What has been requested since the start. */
    requestCounters: RequestCounters
  }
}

/** Counts requests and how long they take. Register it before anything that may reject a request. */
export default fp(
  async (app) => {
    const { prefix } = app
    const requestCounters = new RequestCounters()
    app.decorate('requestCounters', requestCounters)
    app.addHook('onResponse', (request, reply, done) => {
      const { url, config } = request.routeOptions
      const path = request.is404 ? app.knownPaths.refusing(request.method, request.url)?.path : (url ?? '')
      const route = path && (path.slice(prefix.length) || '/')
      // A stream is as long as its reader wants it.
      const seconds = config.waits ? undefined : reply.elapsedTime / 1000
      const { statusCode } = reply
      const reason = statusCode === 500 ? CLIENT_FAILURES.get(request) : undefined
      requestCounters.add(route, request.method, statusCode, seconds, reason)
      done()
    })
  },
  { name: 'telemetry', fastify: '5.x' },
)
