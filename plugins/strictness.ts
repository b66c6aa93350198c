import type { TSchema } from '@sinclair/typebox'
import type { preValidationHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { validationFailed } from '../src/errors.ts'
import { hasBody } from '../src/members/identity.ts'
import { keepUnchanged, partingOf } from '../src/requests/read-only.ts'
import { createStrictChecks } from '../src/requests/strict-checks.ts'
import { isStrict } from '../src/requests/strictness.ts'

/**
 * Strict handling for requests that prefer it: unknown fields, unknown query parameters and unlisted values are
 * violations. The rules check read-only fields and columns inside the write.
 */
export default fp(
  async (app) => {
    const strictCheck = createStrictChecks()
    app.addHook('onRoute', (route) => {
      const { body, querystring } = route.schema ?? {}
      const check = strictCheck({ body, query: querystring })
      const { record, takesFile = false } = route.config ?? {}
      const isChange = route.method === 'PATCH' && record !== undefined
      const part = isChange ? partingOf(record, body as TSchema) : undefined
      const refuse: preValidationHookHandler = (request, _reply, done) => {
        if (request.raw.headers.prefer === undefined || !isStrict(request)) return done()
        const { own, readOnly } = part?.(request.body) ?? { own: request.body, readOnly: {} }
        const violations = check({
          query: request.query,
          ...(body !== undefined || (hasBody(request.method) && !takesFile) ? { body: own } : {}),
        })
        if (violations === undefined) keepUnchanged(request, readOnly)
        done(violations && (validationFailed(violations) as never))
      }
      route.preValidation = [refuse, route.preValidation ?? []].flat()
    })
  },
  { name: 'strictness', fastify: '5.x' },
)
