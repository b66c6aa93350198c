import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the response may wait for an event: then it is never logged as slow. */
    waits?: boolean
  }
}

/** Requests that take at least this long, in milliseconds, are logged as slow. */
const SLOW = 1000

/** Log levels at which each request is logged. */
const VERBOSE = new Set(['debug', 'trace'])

/** A segment of a path, with any of its letters percent-encoded. */
const encoded = (segment: string) =>
  [...segment].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join('')

/** The rest of a path after the segment of shared projects, also of an unknown address. */
const SHARED = new RegExp(`(/${encoded('shared')}/).*`, 'i')

/** The path of a request, without a secret. */
function pathOf({ url, routeOptions }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1)
  return routeOptions.config.hasSecretAddress ? String(routeOptions.url) : path.replace(SHARED, '$1...')
}

/**
 * Logs requests: each at debug, slow ones as warnings. Only paths: query, headers and body contain user data and
 * credentials.
 */
export default fp(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      const isSlow = reply.elapsedTime > SLOW && !request.routeOptions.config.waits
      // Nearly every request logs nothing: it should not pay for formatting a line.
      if (isSlow || VERBOSE.has(request.log.level)) {
        const milliseconds = Math.round(reply.elapsedTime)
        const line = { method: request.method, path: pathOf(request), status: reply.statusCode, milliseconds }
        if (isSlow) request.log.warn(line, 'slow request')
        else request.log.debug(line, 'request')
      }
      done()
    })
  },
  { name: 'logging', fastify: '5.x' },
)
