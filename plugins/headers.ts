import type { FastifyContextConfig, FastifyReply, onSendHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { createOwnOrigin, type OriginOptions, type OwnOrigin } from '../src/access/own-origin.ts'
import { DATA_POLICY } from '../src/http/missing-pages.ts'
import type { Check, Checks } from '../src/requests/admit.ts'

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
  }
  interface FastifyInstance {
    /** Security and cache headers of all responses of a route, errors too. */
    addHeaders: Checks['addHeaders']
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

/** The headers of all responses of a route. */
function headersOf({ access, caching, hasSecretAddress = false }: FastifyContextConfig): Headers {
  return hasSecretAddress ? SECRET : HEADERS[caching ?? (access === 'own' ? 'no-store' : 'no-cache')]
}

/** A host's own headers take precedence, except that `no-store` always applies, and all headers of a secret address. */
function addingMissing(headers: Headers): Check {
  const entries = Object.entries(headers)
  return (_request, reply) => {
    for (const [name, value] of entries) {
      if (!reply.hasHeader(name) || value === 'no-store' || headers === SECRET) reply.header(name, value)
    }
  }
}

/** @param origins where a proxy may terminate TLS: then HSTS, never inside a host, since it applies to the whole host name */
function addingAll(headers: Headers, origins: OwnOrigin | undefined): Check {
  return (request, reply) => {
    reply.headers(headers)
    if (origins?.isSecure(request)) reply.header('strict-transport-security', TLS_ONLY)
  }
}

/** Sets the policy of a page, unless a host has set another. */
const withPolicy =
  (policy: string): onSendHookHandler =>
  (_request, reply: FastifyReply, payload, done) => {
    if (reply.statusCode < 400 && reply.getHeader(POLICY) === DATA_POLICY) reply.header(POLICY, policy)
    done(null, payload)
  }

/** Security and cache headers of all responses, errors too. */
export default fp<HeadersOptions>(
  async (app, { hooksComeFirst, publicUrl, trustProxy }) => {
    app.addHook('onRoute', (route) => {
      const { contentSecurityPolicy } = route.config ?? {}
      if (contentSecurityPolicy !== undefined) {
        route.onSend = [withPolicy(contentSecurityPolicy), route.onSend ?? []].flat()
      }
    })
    const origins = trustProxy === false ? undefined : createOwnOrigin({ publicUrl, trustProxy })
    app.decorate('addHeaders', (config) =>
      hooksComeFirst ? addingAll(headersOf(config), origins) : addingMissing(headersOf(config)),
    )
  },
  { name: 'headers', fastify: '5.x' },
)
