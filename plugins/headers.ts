import type { FastifyReply, FastifyRequest, onRequestHookHandler, onSendHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { createOwnOrigin, type OriginOptions, type OwnOrigin } from '../src/access/own-origin.ts'
import { DATA_POLICY } from '../src/http/missing-pages.ts'

/**
 * `Cache-Control` of a response (RFC 9111, section 5.2.2). `no-cache`: caches may store it, but must revalidate it each
 * time, which also checks the caller's credential. `no-store`: caches must not store it.
 */
type Caching = 'no-cache' | 'no-store'

/** The headers of an address that is a secret: neither search engines nor shared caches may store it. */
const OF_SECRET_ADDRESSES = { 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex' }

/** Headers by their lower-case names. */
type Headers = Readonly<Record<string, string>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `no-store` if the response depends on the member; the default of routes with the access `own`. */
    caching?: Caching
    /** Whether the address itself is a secret, e.g. of a share link: then the log omits it, too. */
    hasSecretAddress?: boolean
    /** The Content-Security-Policy of a page; errors keep the default one. */
    contentSecurityPolicy?: string
    /** The headers of all the route's responses; set by the headers plugin. */
    headers?: Headers
  }
}

/** The options of the headers plugin. */
interface HeadersOptions extends OriginOptions {
  /** Whether no host's hooks run before the service's. */
  hooksComeFirst: boolean
}

const POLICY = 'content-security-policy'

/** The headers of all responses of a kind. `cross-origin-resource-policy` does not affect CORS requests (`CORS_ORIGIN`). */
const headersFor = (caching: Caching, others: Headers = {}): Headers =>
  Object.freeze({
    [POLICY]: DATA_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': caching,
    ...others,
  })
const HEADERS = { 'no-cache': headersFor('no-cache'), 'no-store': headersFor('no-store') }
const SECRET = headersFor('no-cache', OF_SECRET_ADDRESSES)

/** HSTS for a year. */
const TLS_ONLY = 'max-age=31536000'

/** Paths without a route have no config. */
const headersOf = ({ routeOptions: { config } }: FastifyRequest): Headers =>
  config.headers ?? HEADERS['no-cache']

/** A host's own headers take precedence, except that `no-store` always applies, and all headers of a secret address. */
const addMissing: onRequestHookHandler = (request, reply, done) => {
  const headers = headersOf(request)
  for (const [name, value] of Object.entries(headers)) {
    if (!reply.hasHeader(name) || value === 'no-store' || headers === SECRET) reply.header(name, value)
  }
  done()
}

const addAll: onRequestHookHandler = (request, reply, done) => {
  reply.headers(headersOf(request))
  done()
}

/** Adds HSTS behind a proxy that terminates TLS. Never inside a host: HSTS applies to the whole host name. */
const addAllBehindProxy =
  ({ isSecure }: OwnOrigin): onRequestHookHandler =>
  (request, reply, done) => {
    reply.headers(headersOf(request))
    if (isSecure(request)) reply.header('strict-transport-security', TLS_ONLY)
    done()
  }

/** Sets the policy of a page, unless a host has set another. */
const withPolicy =
  (policy: string): onSendHookHandler =>
  (_request, reply: FastifyReply, payload, done) => {
    if (reply.statusCode < 400 && reply.getHeader(POLICY) === DATA_POLICY) reply.header(POLICY, policy)
    done(null, payload)
  }

/**
 * Security and cache headers of all responses, errors too. Register it before anything that may reject a request.
 */
export default fp<HeadersOptions>(
  async (app, { hooksComeFirst, publicUrl, trustProxy }) => {
    app.addHook('onRoute', (route) => {
      const { access, contentSecurityPolicy, caching, hasSecretAddress = false } = route.config ?? {}
      const usual = HEADERS[caching ?? (access === 'own' ? 'no-store' : 'no-cache')]
      const headers = hasSecretAddress ? SECRET : usual
      route.config = { ...route.config, headers }
      if (contentSecurityPolicy !== undefined) {
        route.onSend = [withPolicy(contentSecurityPolicy), route.onSend ?? []].flat()
      }
    })
    const addBehind =
      trustProxy === false ? addAll : addAllBehindProxy(createOwnOrigin({ publicUrl, trustProxy }))
    app.addHook('onRequest', hooksComeFirst ? addBehind : addMissing)
  },
  { name: 'headers', fastify: '5.x' },
)
