import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { CLIENT_FAILURES, RequestCounters } from '../src/http/request-counters.ts'
import { logRequest } from '../src/http/request-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the response may wait for an event: then it is never logged as slow. */
    waits?: boolean
  }
  interface FastifyInstance {
    /** Counts of the requests since startup. */
    requestCounters: RequestCounters
  }
}

/** A segment of a path, with any of its letters percent-encoded. */
const encoded = (segment: string) =>
  [...segment].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join('')

/** The segments before a secret: of shared projects, and of links to unsubscribe. */
const SEGMENTS = ['shared', 'unsubscribe'].map(encoded).join('|')

/** A slash, percent-encoded any number of times. */
const SLASH = '(?:/|%(?:25)*2f)'

/** The rest of a path after such a segment, also of an unknown address. */
const SECRET = new RegExp(`(${SLASH}(?:${SEGMENTS})${SLASH}).*`, 'i')

/** The path of a request, without a secret. */
function pathOf({ url, routeOptions }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1)
  return routeOptions.config.hasSecretAddress ? String(routeOptions.url) : path.replace(SECRET, '$1...')
}

/**
 * Counts, times and logs requests: each at debug, slow ones as warnings. The log has only paths: query, headers and body contain user data and
 * credentials.
 */
export default fp(
  async (app) => {
    const { prefix } = app
    const requestCounters = new RequestCounters()
    app.decorate('requestCounters', requestCounters)
    app.addHook('onResponse', (request, reply, done) => {
      const { url, config } = request.routeOptions
      const milliseconds = reply.elapsedTime
      const path = request.is404 ? app.knownPaths.refusing(request.method, request.url)?.path : (url ?? '')
      const route = path && (path.slice(prefix.length) || '/')
      // The reader decides how long a stream lasts.
      const seconds = config.waits ? undefined : milliseconds / 1000
      const { statusCode } = reply
      const reason = statusCode === 500 ? CLIENT_FAILURES.get(request) : undefined
      requestCounters.add(route, request.method, statusCode, seconds, reason)
      const line = () => ({ method: request.method, path: pathOf(request), status: statusCode })
      logRequest(request.log, milliseconds, line, config.waits)
      done()
    })
  },
  { name: 'telemetry', fastify: '5.x' },
)
