import fp from 'fastify-plugin'
import { performing } from '../src/requests/handlers.ts'
import { REPEATED } from '../src/requests/idempotency.ts'
import { Responder } from '../src/requests/respond.ts'
import { shapeOf } from '../src/requests/response-shapes.ts'

/**
 * Performs the calls that the handlers of routes under `/api` return.
 */
export default fp(
  async (app) => {
    const { scoped, dispatcher } = app
    const responder = new Responder()
    app.decorateRequest(REPEATED, false)

    app.addHook('onRoute', (route) => {
      const { access = 'public', isRepeatable = true } = route.config ?? {}
      const shape = shapeOf(route.schema)
      if (shape) responder.learn(route, shape)
      if (access === 'public' || shape === undefined || !isRepeatable) return
      route.handler = performing({ scoped, dispatcher, responder }, route, shape)
    })
  },
  { name: 'requests', fastify: '5.x', dependencies: ['rules'] },
)
