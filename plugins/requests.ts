import fp from 'fastify-plugin'
import { isSafe } from '../src/members/identity.ts'
import { performing } from '../src/requests/handlers.ts'
import { createRepetitionHook, REPEATED } from '../src/requests/idempotency.ts'
import { Responder } from '../src/requests/respond.ts'
import { methodsOf, shapeOf } from '../src/requests/response-shapes.ts'

/**
 * Performs the calls that the handlers of routes under `/api` return. Register it before the auth plugin, so that its hook
 * comes after that plugin's.
 */
export default fp(
  async (app) => {
    const { rules, scoped, dispatcher } = app
    const responder = new Responder()
    app.decorateRequest(REPEATED, false)
    const findRepetition = createRepetitionHook(rules.idempotencyStore)

    app.addHook('onRoute', (route) => {
      const { access = 'public', isRepeatable = true } = route.config ?? {}
      const shape = shapeOf(route.schema)
      if (shape) responder.learn(route, shape)
      if (access === 'public' || shape === undefined || !isRepeatable) return
      route.handler = performing({ scoped, dispatcher, responder }, route, shape)
      const isWrite = !methodsOf(route).every(isSafe)
      if (isWrite) route.onRequest = [findRepetition, route.onRequest ?? []].flat()
    })
  },
  { name: 'requests', fastify: '5.x', dependencies: ['rules'] },
)
