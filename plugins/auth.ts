import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { isLoopback } from '../src/config.ts'
import { authenticationRequired, forbidden } from '../src/errors.ts'
import { addressOf } from '../src/http/addresses.ts'
import { createHostCheck } from '../src/http/host-names.ts'
import { IDENTITY } from '../src/http/identity.ts'
import { createProxyHeader, type ProxyHeaderOptions, prepareNamedMember } from '../src/http/proxy-header.ts'
import { createSignInLimits, type SignInLimits } from '../src/http/sign-in-limits.ts'
import { type Access, authorize, type Identity, isSafe, type Via } from '../src/members/identity.ts'
import {
  ensureFirstAdmin,
  type FirstAdmin,
  type FirstAdminMade,
  type MemberRow,
} from '../src/members/members.ts'
import {
  isStale,
  prepareSessionChanges,
  prepareSessions,
  SESSION_COOKIE,
  type SessionCookie,
  useOfSession,
} from '../src/members/sessions.ts'
import type { HostMember, ResolveMember } from '../src/phaseboard.d.ts'
import { ROLES } from '../src/schemas/records.ts'

/** What the auth plugin needs to know. */
export interface AuthOptions extends FirstAdmin, ProxyHeaderOptions {
  /** The address the service listens on. */
  host: string
  authMode: 'open' | 'required'
  defaultMemberId: string
  corsOrigins: readonly string[]
  resolveMember?: ResolveMember | undefined
}

/** The current session as the session routes handle it. */
export interface SessionCookies {
  /**
   * Signs in a member whose password was found right: starts a session, ends the one that the request came with, and
   * gives the client its cookie.
   * @returns when the session ends
   */
  start: (request: FastifyRequest, reply: FastifyReply, member: MemberRow) => Promise<string>
  /** Signs out: ends the session of the request's cookie, if any, and takes the cookie away. */
  end: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Takes the cookie away: its session is over. */
  clear: (request: FastifyRequest, reply: FastifyReply) => void
}

declare module 'fastify' {
  interface FastifyInstance {
    sessionCookies: SessionCookies
    /** The admin whom this start had to make, or undefined. */
    firstAdmin: FirstAdminMade | undefined
    /** How often a password may be guessed, wherever one is asked for. */
    signInLimits: SignInLimits
  }
}

type NotPublic = Exclude<Access, 'public'>

/** Told apart from a fault of the service or its host, which is nobody's missing role. */
const isRefusal = (error: unknown) =>
  error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500
const roles: readonly unknown[] = ROLES

function hostIdentity(member: HostMember): Identity {
  const { id, role, name = id, email = null } = member
  if (typeof id !== 'string' || id === '' || !roles.includes(role)) {
    throw new TypeError(
      'resolveMember must return { id, role } with a non-empty id and a known role, or null',
    )
  }
  return { member: { id, name, email, role }, via: 'host', scope: 'write' }
}

/**
 * Resolves each request's current member and role, once, before anything else looks at the request, and
 * holds the route's declared `access` against it.
 */
export default fp<AuthOptions>(
  async (app, options) => {
    const { authMode, defaultMemberId, corsOrigins, resolveMember } = options
    const sessions = prepareSessions(app.db)
    const changes = prepareSessionChanges(app.db)
    const emailFromProxy = createProxyHeader(options)
    const findNamedMember = prepareNamedMember(app.db)

    const cookieOf = (request: FastifyRequest): string | undefined => {
      const { cookie } = request.headers
      // An empty one is none: some clients send that for a cookie that was taken away.
      return cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE] || undefined
    }
    const setCookie = (request: FastifyRequest, reply: FastifyReply, { token, expiresAt }: SessionCookie) =>
      reply.header(
        'set-cookie',
        stringifySetCookie({
          name: SESSION_COOKIE,
          value: token,
          httpOnly: true,
          sameSite: 'lax',
          path: '/',
          secure: request.protocol === 'https',
          expires: new Date(expiresAt),
        }),
      )
    const clearCookie = (request: FastifyRequest, reply: FastifyReply): void => {
      setCookie(request, reply, { token: '', expiresAt: new Date(0).toISOString() })
    }

    /** Credentials whose use is being noted, by id: requests that come meanwhile need not note it too. */
    const noting = new Set<string>()
    /** Noting that a credential is in use must cost a request neither its answer nor time, e.g. while the disk is full. */
    function note(request: FastifyRequest, id: string, touch: () => void): void {
      if (noting.has(id)) return
      noting.add(id)
      app
        .write(touch)
        .catch((error) => request.log.debug({ err: error }, 'could not note the use of a credential'))
        .finally(() => noting.delete(id))
    }

    function fromToken(request: FastifyRequest, token: string): Identity {
      const found = sessions.findToken(token)
      if (!found) throw authenticationRequired()
      const { token: row, ...member } = found
      if (isStale(row.lastUsedAt)) note(request, row.id, () => changes.touchToken(row.id))
      return { member, via: 'token', scope: row.scope }
    }

    function fromProxy(email: string): Identity {
      const member = findNamedMember(email)
      if (!member) throw authenticationRequired()
      return { member, via: 'proxy', scope: 'write' }
    }

    function fromSession(request: FastifyRequest, reply: FastifyReply, token: string): Identity {
      const found = sessions.findSession(token)
      if (!found) {
        clearCookie(request, reply)
        throw authenticationRequired()
      }
      const { session, ...member } = found
      if (isStale(session.lastUsedAt)) {
        const use = useOfSession(session)
        note(request, session.id, () => changes.touchSession(session.id, use))
        setCookie(request, reply, { token, expiresAt: use.expiresAt })
      }
      return { member, via: 'session', scope: 'write', sessionId: session.id }
    }

    const defaultMember = { id: defaultMemberId, name: defaultMemberId, email: null, role: 'member' } as const
    const defaultIdentity: Identity | undefined =
      authMode === 'open' ? { member: defaultMember, via: 'default', scope: 'write' } : undefined

    const isLocal = isLoopback(options.host)
    const isKnownHost = createHostCheck(corsOrigins)
    /**
     * Who asks without a credential. Where being on this machine is all that makes one the default member, a page under a
     * name of its own that leads here is in the browser, but not on the machine.
     */
    function withoutCredential({ headers }: FastifyRequest): Identity | undefined {
      if (defaultIdentity && isLocal && !isKnownHost(headers.host)) {
        throw forbidden('host name is neither local nor in CORS_ORIGIN')
      }
      return defaultIdentity
    }

    /**
     * Whom the request's own credential stands for: bearer token, the header of a proxy, session cookie, and in open mode
     * the default member.
     */
    function resolve(request: FastifyRequest, reply: FastifyReply): Identity | undefined {
      const { authorization } = request.headers
      // What another scheme presents is for somebody else, a proxy in front, say.
      if (authorization !== undefined && /^bearer(?:\s|$)/i.test(authorization))
        return fromToken(request, /^bearer +(.+)$/i.exec(authorization)?.[1] ?? '')
      const email = emailFromProxy(request)
      if (email !== undefined) return fromProxy(email)
      const cookie = cookieOf(request)
      return cookie === undefined ? withoutCredential(request) : fromSession(request, reply, cookie)
    }

    /** What a browser or the proxy behind it adds to a request, whoever's page it comes from. */
    const comesByItself = (request: FastifyRequest) =>
      cookieOf(request) !== undefined || emailFromProxy(request) !== undefined

    function isOwnOrigin(request: FastifyRequest, origin: string): boolean {
      const own = `${request.protocol}://${request.host}`
      return URL.canParse(own) && new URL(own).origin === origin
    }

    /** Whether a request comes from a page of somebody else. What says nothing of where it comes from is no browser's. */
    function isForeign(request: FastifyRequest, via: Via | undefined): boolean {
      const { origin, 'sec-fetch-site': site } = request.headers
      if (origin !== undefined && corsOrigins.includes(origin)) return false
      if (site === 'cross-site') return true
      // Which origins are a host's own, behind its proxies, browsers know better.
      if (via === 'host' && site !== undefined) return false
      return origin !== undefined && !isOwnOrigin(request, origin)
    }

    /**
     * CSRF: a browser sends some changing requests for any page, without asking first (a POST of plain text, say, which
     * is as good as JSON here), along with all that comes by itself: cookies, what a proxy or host adds, being on this
     * machine. So these must come from a page of ours. A token does not come by itself.
     */
    function refuseForeignOrigin(request: FastifyRequest, via?: Via): void {
      if (isSafe(request.method) || (via === 'token' && !comesByItself(request))) return
      if (isForeign(request, via)) throw forbidden('cross-origin request')
    }

    app.decorateRequest(IDENTITY, null)
    app.decorate('firstAdmin', undefined)
    app.decorate('signInLimits', createSignInLimits())
    app.decorate('sessionCookies', {
      start: async (request, reply, member) => {
        const session = await app.write(() => changes.signIn(member, cookieOf(request), addressOf(request)))
        setCookie(request, reply, session)
        return session.expiresAt
      },
      end: async (request, reply) => {
        const token = cookieOf(request)
        if (token !== undefined) await app.write(() => changes.end(token, addressOf(request)))
        clearCookie(request, reply)
      },
      clear: clearCookie,
    } satisfies SessionCookies)

    /** Whoever has no admin role gets 403 there, also with a credential that is worth nothing. */
    const refusalFor = (access: Access, error: unknown) =>
      access === 'admin-or-403' && isRefusal(error) ? forbidden('admin access required') : error

    function admit(access: NotPublic, identity: Identity | undefined, request: FastifyRequest): void {
      authorize(access, identity, { method: request.method, authMode })
      request.setDecorator(IDENTITY, identity)
      refuseForeignOrigin(request, identity?.via)
    }

    /** A promise also of what a host's function throws at once. */
    const hostMember = async (request: FastifyRequest) => resolveMember?.(request)

    /** The hook of a route: it resolves the member, once, and lets the request pass or throws. */
    function guard(access: Access): onRequestHookHandler | onRequestAsyncHookHandler {
      if (access === 'public') {
        return (request, _reply, done) => {
          refuseForeignOrigin(request)
          done()
        }
      }
      const identify = (request: FastifyRequest, reply: FastifyReply) => {
        try {
          return resolve(request, reply)
        } catch (error) {
          throw refusalFor(access, error)
        }
      }
      if (resolveMember === undefined) {
        return (request, reply, done) => {
          admit(access, identify(request, reply), request)
          done()
        }
      }
      return async (request: FastifyRequest, reply: FastifyReply) => {
        const hosted = await hostMember(request).catch((error) => {
          throw refusalFor(access, error)
        })
        admit(access, hosted ? hostIdentity(hosted) : identify(request, reply), request)
      }
    }

    app.addHook('onRoute', (route) => {
      const { access = 'public' } = route.config ?? {}
      if (route.config?.access === undefined && route.path.startsWith(`${app.prefix}/api/`)) {
        throw new Error(`${route.method} ${route.path} does not declare its access`)
      }
      route.config = { ...route.config, access }
      // What has nothing that could fail does nothing: the refusal of a method, say.
      const isHarmless = access === 'public' && route.config.failure === undefined
      if (!isHarmless) route.onRequest = [guard(access), route.onRequest ?? []].flat()
    })

    // A host that tells who its members are needs no first admin of ours, unless it asks for one.
    if (!resolveMember || options.adminPassword !== undefined) {
      app.firstAdmin = await ensureFirstAdmin(app.db, options)
      if (app.firstAdmin) app.log.info(app.firstAdmin, 'made the first admin')
    }
  },
  { name: 'auth', fastify: '5.x', dependencies: ['database', 'errors'] },
)
