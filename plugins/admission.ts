import type { Server } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../src/config.ts'
import {
  admissionOf,
  admissionOfUnknown,
  arrivalOf,
  type Check,
  type Checks,
  hookOf,
  inOrder,
} from '../src/requests/admit.ts'
import { createNumberResolver } from '../src/requests/existence.ts'
import { createRepetitionCheck } from '../src/requests/idempotency.ts'
import { hideBody } from '../src/requests/json-bodies.ts'

/** The options of the admission plugin. */
interface AdmissionOptions extends Pick<Config, 'corsOrigins'> {
  /** Whether to send CORS headers: inside a host, the host does. */
  sendsCorsHeaders: boolean
  /** The checks of the HTTP server; none inside a host. */
  checksOfServer: readonly Check[]
}

/** The checks of a route; `arrival` only where CORS comes in between. */
interface Admission {
  arrival?: Check
  admission: Check
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The checks before its own hooks; set by the admission plugin. */
    checks?: Admission
  }
}

/** The headers that pages of other origins may read. */
const EXPOSED_HEADERS = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Phaseboard-Seq',
  'Preference-Applied',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
]

/**
 * Admits requests: one hook runs the checks of the route, composed when it is registered (`src/requests/admit.ts`); with CORS two, because
 * a preflight has the usual headers, but no credential. Register it before the routes.
 */
export default fp<AdmissionOptions>(
  async (app, { corsOrigins, sendsCorsHeaders, checksOfServer }) => {
    const hasCors = sendsCorsHeaders && corsOrigins.length > 0
    const { freshness, server } = app
    const checks: Checks = {
      ofServer: checksOfServer,
      // Other servers do not report requests: `inject` has none, and `localhost` may have two.
      noteArrival: ({ raw }) => {
        if ((raw.socket as { server?: Server }).server !== server) freshness.forget()
      },
      addHeaders: app.addHeaders,
      ...app.identityChecks,
      resolveNumber: createNumberResolver(app.rules.board.numbers),
      findRepetition: createRepetitionCheck(app.rules.idempotencyStore),
      hideBody,
      refuseUnknown: app.refuseUnknown,
    }
    const compose = (arrival: readonly Check[], admission: readonly Check[]): Admission =>
      hasCors
        ? { arrival: inOrder(arrival), admission: inOrder(admission) }
        : { admission: inOrder([...arrival, ...admission]) }

    app.addHook('onRoute', (route) => {
      const { config = {} } = route
      route.config = { ...config, checks: compose(arrivalOf(config, checks), admissionOf(route, checks)) }
    })
    const unknown = compose(arrivalOf({}, checks), admissionOfUnknown(checks))
    const checksOf = ({ routeOptions: { config } }: FastifyRequest) => config.checks ?? unknown
    if (hasCors) {
      app.addHook(
        'onRequest',
        hookOf((request, reply) => checksOf(request).arrival?.(request, reply)),
      )
      const allowed = {
        origin: true,
        credentials: true,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders: EXPOSED_HEADERS,
        // With strict preflights, other OPTIONS requests would get a plain-text response.
        strictPreflight: false,
      }
      // A library is loaded only where its feature is configured.
      await app.register(import('../src/http/cors.ts'), {
        delegator: ({ headers }, decide) =>
          decide(null, corsOrigins.includes(headers.origin ?? '') ? allowed : { origin: false }),
      })
    }
    app.addHook(
      'onRequest',
      hookOf((request, reply) => checksOf(request).admission(request, reply)),
    )
  },
  {
    name: 'admission',
    fastify: '5.x',
    dependencies: ['auth', 'bodies', 'errors', 'headers', 'requests', 'rules'],
  },
)
