import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** A request slower than this, in milliseconds, is worth a warning. */
const SLOW = 1000

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0]

/**
 * What the log says about requests: a line each at debug, a warning for slow ones. Paths only: no query, no
 * header, no body, since those hold what people search for and sign in with.
 */
export default fp(
  async (app) => {
    app.addHook('onResponse', async (request, reply) => {
      const milliseconds = Math.round(reply.elapsedTime)
      const line = { method: request.method, path: pathOf(request), status: reply.statusCode, milliseconds }
      if (milliseconds > SLOW) request.log.warn(line, 'slow request')
      else request.log.debug(line, 'request')
    })
  },
  { name: 'logging', fastify: '5.x' },
)
