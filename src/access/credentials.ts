/** Credentials: which member a request acts for. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../config.ts'
import { ApiError, authenticationRequired, forbidden } from '../errors.ts'
import { type Identity, limitedRole } from '../members/identity.ts'
import { KeptCredentials } from '../members/kept-credentials.ts'
import { hashToken } from '../members/secrets.ts'
import { isStale, type SessionFound, useOfSession } from '../members/sessions.ts'
import type { TokenFound } from '../members/tokens.ts'
import { createHostCheck } from './host-names.ts'
import { isProxied } from './proxied.ts'
import { createProxyHeader, type ProxyHeaderOptions } from './proxy-header.ts'
import type { SessionCookies } from './session-cookies.ts'

/** The accepted credentials. */
export interface CredentialOptions extends ProxyHeaderOptions {
  /** The address the service listens on. */
  host: string
  authMode: 'open' | 'required'
  defaultMemberId: string
  corsOrigins: readonly string[]
  publicUrl: string | undefined
}

/** The credentials of requests. */
export interface Credentials {
  /**
   * The identity of a request's credential: bearer token, the header of a proxy, session cookie, and in open mode the
   * default member.
   * @param reply takes a renewed or cleared cookie; without one, the use of the credential is not recorded either
   * @returns undefined if there is none and one is required
   * @throws ApiError 401 for an invalid one; for the default member 401 through a proxy, 403 under a foreign host name
   */
  identify: (request: FastifyRequest, reply?: FastifyReply) => Identity | undefined
  /**
   * The same for a route that accepts a calendar token as the query parameter `token`, which takes precedence.
   * @throws ApiError 401; 403 for a token with another scope: addresses end up in logs and histories
   */
  identifyCalendar: (request: FastifyRequest, reply?: FastifyReply) => Identity | undefined
  /**
   * Checks the host name of a request without an identity, e.g. for a page or an unknown address. Absent if any name is allowed.
   * @throws ApiError 403 without a credential, under a foreign host name
   */
  ensureKnownHost: ((request: FastifyRequest) => void) | undefined
  /** Whether a request has an ambient credential: one that the browser or a proxy adds for any page. */
  hasAmbient: (request: FastifyRequest) => boolean
}

/** Records uses of credentials. Requests do not wait for it, and do not fail if it fails, e.g. on a full disk. */
function createUseRecorder() {
  /** Ids of credentials whose use is being written: concurrent requests need not write it too. */
  const noting = new Set<string>()
  return (request: FastifyRequest, id: string, touch: () => Promise<unknown>): void => {
    if (noting.has(id)) return
    noting.add(id)
    touch()
      .catch((error) => request.log.debug({ err: error }, 'could not record the use of a credential'))
      .finally(() => noting.delete(id))
  }
}

/** The token in a request's query, or undefined. @throws ApiError 401 for several */
export function tokenInQuery({ query }: FastifyRequest): string | undefined {
  const { token = '' } = query as { token?: unknown }
  if (typeof token !== 'string') throw authenticationRequired()
  return token === '' ? undefined : token
}

/** The error for operators who put a proxy in front of open mode. */
const behindProxy = () =>
  new ApiError(
    401,
    'Authentication required: the request came through a proxy, and open mode is for clients on this machine; set AUTH_MODE=required',
    { headers: { 'www-authenticate': 'Bearer' }, code: 'behind_proxy' },
  )

/** Creates the credentials of requests. */
export function createCredentials(
  app: FastifyInstance,
  cookies: SessionCookies,
  options: CredentialOptions,
): Credentials {
  const { sessions, tokens } = app.rules.members
  const { members } = app.rules
  const emailFromProxy = createProxyHeader(options)
  const noteUse = createUseRecorder()
  const version = () => app.freshness.version()
  const keptTokens = new KeptCredentials<TokenFound>(app.db, 'api_tokens', version)
  const keptSessions = new KeptCredentials<SessionFound>(app.db, 'sessions', version)

  function fromToken(request: FastifyRequest, secret: string, reply: FastifyReply | undefined): Identity {
    const hash = hashToken(secret)
    const found = keptTokens.find(hash, () => tokens.find(hash))
    if (!found) throw authenticationRequired()
    const { member, token } = found
    if (reply && isStale(token.lastUsedAt))
      noteUse(request, token.id, () => app.perform(app.members.tokens.touch(token.id), { actorId: null }))
    const { id, scope, projectIds } = token
    const identity: Identity = { member, via: 'token', scope, tokenId: id }
    if (projectIds === null) return identity
    const limited = { ...member, role: limitedRole(member.role) }
    return { ...identity, member: limited, projectIds, ...(member.role === 'admin' && { isOfAdmin: true }) }
  }

  function fromProxy(email: string): Identity {
    const member = members.findVouched(email)
    if (!member) throw authenticationRequired()
    return { member, via: 'proxy', scope: 'write' }
  }

  function fromSession(request: FastifyRequest, token: string, reply: FastifyReply | undefined): Identity {
    const hash = hashToken(token)
    const found = keptSessions.find(hash, () => sessions.find(hash))
    if (!found) {
      if (reply) cookies.clear(request, reply)
      throw authenticationRequired()
    }
    const { member, session } = found
    if (reply && isStale(session.lastUsedAt)) {
      const use = useOfSession(session)
      noteUse(request, session.id, () =>
        app.perform(app.members.sessions.touch(session.id, use), { actorId: null }),
      )
      cookies.set(request, reply, { token, expiresAt: use.expiresAt })
    }
    return { member, via: 'session', scope: 'write', sessionId: session.id }
  }

  const { authMode, defaultMemberId: id } = options
  const defaultIdentity: Identity | undefined =
    authMode === 'open'
      ? { member: { id, name: id, email: null, role: 'member' }, via: 'default', scope: 'write' }
      : undefined
  const isOnlyLocal = defaultIdentity !== undefined && isLoopback(options.host)
  const publicOrigin = options.publicUrl && new URL(options.publicUrl).origin
  const isKnownHost = createHostCheck([...options.corsOrigins, ...(publicOrigin ? [publicOrigin] : [])])
  const isLocalHost = createHostCheck([])

  function foreignHost({ headers: { host }, log }: FastifyRequest): ApiError {
    const expected = publicOrigin ?? 'localhost'
    log.warn(
      { expected, host },
      'a request under a foreign host name was refused: if it is a name of this service, set PUBLIC_URL',
    )
    return forbidden(
      `host name is neither local nor that of PUBLIC_URL or CORS_ORIGIN: expected ${expected}`,
      'foreign_host',
    )
  }

  /**
   * The default member is only for clients on this machine. Guards against DNS rebinding, where a foreign page's host name resolves to this
   * machine, and against a proxy that forwards requests from the network.
   * @throws ApiError 401, 403
   */
  function withoutCredential(request: FastifyRequest): Identity | undefined {
    if (defaultIdentity === undefined) return undefined
    const { host } = request.headers
    if (isOnlyLocal && !isLocalHost(host)) {
      throw isKnownHost(host) ? behindProxy() : foreignHost(request)
    }
    if (isProxied(request.raw)) throw behindProxy()
    return defaultIdentity
  }

  function ensureKnownHost(request: FastifyRequest): void {
    if (isKnownHost(request.headers.host)) return
    try {
      identify(request)
    } catch (error) {
      // A credential that is not accepted counts as absent.
      throw error instanceof ApiError && error.code === 'foreign_host' ? error : foreignHost(request)
    }
  }

  function identify(request: FastifyRequest, reply?: FastifyReply): Identity | undefined {
    const { authorization } = request.headers
    // Another scheme is meant for another server, e.g. a proxy in front.
    if (authorization !== undefined && /^bearer(?:\s|$)/i.test(authorization)) {
      return fromToken(request, /^bearer +(\S.*)$/i.exec(authorization)?.[1] ?? '', reply)
    }
    const email = emailFromProxy(request)
    if (email !== undefined) return fromProxy(email)
    const token = cookies.read(request)
    return token === undefined ? withoutCredential(request) : fromSession(request, token, reply)
  }

  return {
    identify,
    ensureKnownHost: isOnlyLocal ? ensureKnownHost : undefined,
    identifyCalendar(request, reply) {
      const token = tokenInQuery(request)
      if (token === undefined) return identify(request, reply)
      const identity = fromToken(request, token, reply)
      if (identity.scope !== 'calendar') throw forbidden('only a calendar token may be in an address')
      return identity
    },
    hasAmbient: (request) => cookies.read(request) !== undefined || emailFromProxy(request) !== undefined,
  }
}
