import type { onRequestHookHandler, preValidationHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { validationFailed } from '../src/errors.ts'
import { isStrict } from '../src/http/strictness.ts'
import { createStrictChecks } from '../src/http/validation.ts'

/** On every response, errors too. */
const confirm: onRequestHookHandler = (request, reply, done) => {
  if (isStrict(request)) reply.header('preference-applied', 'handling=strict')
  done()
}

const takesBody = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Strict handling of every request that prefers it: unknown fields, unknown query parameters and values that are not
 * listed are violations like any other. Columns are checked by the rules, inside the write. Register it before anything
 * that may reject a request.
 */
export default fp(
  async (app) => {
    const strictCheck = createStrictChecks()
    app.addHook('onRequest', confirm)
    app.addHook('onRoute', (route) => {
      const { body, querystring } = route.schema ?? {}
      const check = strictCheck({ body, query: querystring })
      const refuse: preValidationHookHandler = (request, _reply, done) => {
        if (!isStrict(request)) return done()
        const violations = check({
          query: request.query,
          ...(body !== undefined || takesBody.has(request.method) ? { body: request.body } : {}),
        })
        done(violations && (validationFailed(violations) as never))
      }
      route.preValidation = [refuse, route.preValidation ?? []].flat()
    })
  },
  { name: 'strictness', fastify: '5.x' },
)
