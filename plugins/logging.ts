import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { logRequest } from '../src/http/request-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the response may wait for an event: then it is never logged as slow. */
    waits?: boolean
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
 * Logs requests: each at debug, slow ones as warnings. Only paths: query, headers and body contain user data and
 * credentials.
 */
export default fp(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      const line = () => ({ method: request.method, path: pathOf(request), status: reply.statusCode })
      logRequest(request.log, reply.elapsedTime, line, request.routeOptions.config.waits)
      done()
    })
  },
  { name: 'logging', fastify: '5.x' },
)
