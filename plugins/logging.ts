import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** A request slower than this, in milliseconds, is worth a warning. */
const SLOW = 1000

/** Levels of a log that shows each request. */
const VERBOSE = new Set(['debug', 'trace'])

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0]

/**
 * What the log says about requests: a line each at debug, a warning for slow ones. Paths only: no query, no
 * header, no body, since those hold what people search for and sign in with.
 */
export default fp(
  async (app) => {
    app.addHook('onResponse', (request, reply, done) => {
      const isSlow = reply.elapsedTime > SLOW
      // Nearly every request leaves no line: it should not pay for composing one.
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
