import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../src/config.ts'

/**
 * What a cache on the way may do with an answer (RFC 9111, section 5.2.2). `no-cache`: keep it, but ask each time whether it
 * still holds, which looks at the caller's credential, too. `no-store`: not even that.
 */
export type Caching = 'no-cache' | 'no-store'

/** Headers by their names in small letters. */
type Headers = Readonly<Record<string, string>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `no-store` where the answer depends on who asks. Routes with the access `own` need not say so. */
    caching?: Caching
    /** The policy of a page. It goes with the page, not with an error in its place. */
    contentSecurityPolicy?: string
    /** The headers of all the route's answers; the headers plugin puts them here. */
    headers?: Headers
  }
}

/** What the headers plugin needs to know. */
export interface HeadersOptions extends Pick<Config, 'trustProxy'> {
  /** Whether no host's hooks run before the service's. */
  hooksComeFirst: boolean
}

const POLICY = 'content-security-policy'

/** Answers are data: never a page, a script, or part of somebody else's page. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** The headers of all answers of a kind. The last but one does not concern requests with CORS, which `CORS_ORIGIN` decides on. */
const headersFor = (caching: Caching): Headers =>
  Object.freeze({
    [POLICY]: DATA_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': caching,
  })
const HEADERS = { 'no-cache': headersFor('no-cache'), 'no-store': headersFor('no-store') }

/** Behind TLS: for a year, no more requests without. */
const TLS_ONLY = 'max-age=31536000'

/** Paths without a route have no config. */
const headersOf = ({ routeOptions: { config } }: FastifyRequest): Headers =>
  config.headers ?? HEADERS['no-cache']

/** Inside a host: what it has decided for its answers holds for these, too, but nothing that is the caller's own is stored. */
const addMissing: onRequestHookHandler = (request, reply, done) => {
  for (const [name, value] of Object.entries(headersOf(request))) {
    if (!reply.hasHeader(name) || value === 'no-store') reply.header(name, value)
  }
  done()
}

const addAll: onRequestHookHandler = (request, reply, done) => {
  reply.headers(headersOf(request))
  done()
}

/** Only a proxy in front speaks TLS. Inside a host it is the host's to say: the header holds for all of its name. */
const addAllBehindProxy: onRequestHookHandler = (request, reply, done) => {
  reply.headers(headersOf(request))
  if (request.protocol === 'https') reply.header('strict-transport-security', TLS_ONLY)
  done()
}

/** Gives a page its policy, unless a host has decided on another. */
const withPolicy =
  (policy: string): onSendHookHandler =>
  (_request, reply: FastifyReply, payload, done) => {
    if (reply.statusCode < 400 && reply.getHeader(POLICY) === DATA_POLICY) reply.header(POLICY, policy)
    done(null, payload)
  }

/**
 * Headers that tell browsers and caches what not to do with answers, errors too. Register it before whatever may refuse a
 * request.
 */
export default fp<HeadersOptions>(
  async (app, { hooksComeFirst, trustProxy }) => {
    app.addHook('onRoute', (route) => {
      const { access, contentSecurityPolicy, caching } = route.config ?? {}
      const headers = HEADERS[caching ?? (access === 'own' ? 'no-store' : 'no-cache')]
      route.config = { ...route.config, headers }
      if (contentSecurityPolicy !== undefined) {
        route.onSend = [withPolicy(contentSecurityPolicy), route.onSend ?? []].flat()
      }
    })
    const addBehind = trustProxy === false ? addAll : addAllBehindProxy
    app.addHook('onRequest', hooksComeFirst ? addBehind : addMissing)
  },
  { name: 'headers', fastify: '5.x' },
)
