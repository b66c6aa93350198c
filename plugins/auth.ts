import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { authenticationRequired, forbidden } from '../src/errors.ts'
import {
  type Access,
  authorize,
  type HostMember,
  IDENTITY,
  type Identity,
  isSafe,
  type ResolveMember,
} from '../src/identity.ts'
import { ensureFirstAdmin, type FirstAdmin, type FirstAdminMade } from '../src/members.ts'
import { ROLES } from '../src/schemas/records.ts'
import { prepareSessions, SESSION_COOKIE, type SessionCookie } from '../src/sessions.ts'

/** What the auth plugin needs to know. */
export interface AuthOptions extends FirstAdmin {
  authMode: 'open' | 'required'
  defaultMemberId: string
  corsOrigins: readonly string[]
  resolveMember?: ResolveMember | undefined
}

/** The current session as the session routes handle it. */
export interface SessionCookies {
  /** Signs a member in: starts a session and gives the client its cookie. @returns when it ends */
  start: (request: FastifyRequest, reply: FastifyReply, memberId: string) => string
  /** Signs out: ends the session of the request's cookie, if any, and takes the cookie away. */
  end: (request: FastifyRequest, reply: FastifyReply) => void
}

declare module 'fastify' {
  interface FastifyInstance {
    sessionCookies: SessionCookies
    /** The admin whom this start had to make, or undefined. */
    firstAdmin: FirstAdminMade | undefined
  }
}

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

    const cookieOf = (request: FastifyRequest): string | undefined => {
      const { cookie } = request.headers
      return cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE]
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
    const expired = (token = ''): SessionCookie => ({ token, expiresAt: new Date(0).toISOString() })

    /** Noting that a credential is in use must not cost a request its answer, e.g. while the disk is full. */
    const note = <T>(request: FastifyRequest, touch: () => T): T | undefined => {
      try {
        return touch()
      } catch (error) {
        request.log.debug({ err: error }, 'could not note the use of a credential')
        return undefined
      }
    }

    function fromToken(request: FastifyRequest, token: string): Identity {
      const found = sessions.findToken(token)
      if (!found) throw authenticationRequired()
      const { token: row, ...member } = found
      note(request, () => sessions.touchToken(row))
      return { member, via: 'token', scope: row.scope }
    }

    function fromSession(request: FastifyRequest, reply: FastifyReply, token: string): Identity {
      const found = sessions.findSession(token)
      if (!found) {
        setCookie(request, reply, expired())
        throw authenticationRequired()
      }
      const { session, ...member } = found
      const expiresAt = note(request, () => sessions.touchSession(session))
      if (expiresAt !== undefined) setCookie(request, reply, { token, expiresAt })
      return { member, via: 'session', scope: 'write' }
    }

    /** The order of the contract: the host's word, bearer token, session cookie, and in open mode the default member. */
    async function resolve(request: FastifyRequest, reply: FastifyReply): Promise<Identity | undefined> {
      const hosted = await resolveMember?.(request)
      if (hosted) return hostIdentity(hosted)
      const { authorization } = request.headers
      // Whatever else an Authorization header holds is presented, and worth nothing.
      if (authorization !== undefined)
        return fromToken(request, /^bearer +(.+)$/i.exec(authorization)?.[1] ?? '')
      const cookie = cookieOf(request)
      if (cookie !== undefined) return fromSession(request, reply, cookie)
      if (authMode !== 'open') return undefined
      const member = { id: defaultMemberId, name: defaultMemberId, email: null, role: 'member' } as const
      return { member, via: 'default', scope: 'write' }
    }

    /** A browser sends the cookie along whoever's page asks: a changing request must come from a page of ours. */
    function refuseForeignOrigin(request: FastifyRequest): void {
      const { origin } = request.headers
      if (origin === undefined || isSafe(request.method) || cookieOf(request) === undefined) return
      const own = `${request.protocol}://${request.host}`
      const isOwn = URL.canParse(own) && new URL(own).origin === origin
      if (!isOwn && !corsOrigins.includes(origin)) throw forbidden('cross-origin request')
    }

    app.decorateRequest(IDENTITY, null)
    app.decorate('firstAdmin', undefined)
    app.decorate('sessionCookies', {
      start: (request, reply, memberId) => {
        const session = sessions.start(memberId)
        setCookie(request, reply, session)
        return session.expiresAt
      },
      end: (request, reply) => {
        const token = cookieOf(request)
        if (token !== undefined) sessions.end(token)
        setCookie(request, reply, expired())
      },
    } satisfies SessionCookies)

    app.addHook('onRoute', (route) => {
      if (route.config?.access !== undefined) return
      if (route.path.startsWith(`${app.prefix}/api/`)) {
        throw new Error(`${route.method} ${route.path} does not declare its access`)
      }
      route.config = { ...route.config, access: 'public' }
    })

    app.addHook('onRequest', async (request, reply) => {
      const { access = 'public' } = request.routeOptions.config
      if (access !== 'public') request.setDecorator(IDENTITY, await identify(access, request, reply))
      refuseForeignOrigin(request)
    })

    async function identify(access: Exclude<Access, 'public'>, request: FastifyRequest, reply: FastifyReply) {
      let identity: Identity | undefined
      try {
        identity = await resolve(request, reply)
      } catch (error) {
        // Whoever has no admin role gets 403 there, also with a credential that is worth nothing.
        if (access === 'admin-or-403' && isRefusal(error)) throw forbidden('admin access required')
        throw error
      }
      authorize(access, identity, { method: request.method, authMode })
      return identity
    }

    // A host that tells who its members are needs no first admin of ours, unless it asks for one.
    if (!resolveMember || options.adminPassword !== undefined) {
      app.firstAdmin = await ensureFirstAdmin(app.db, options)
      if (app.firstAdmin) app.log.info(app.firstAdmin, 'made the first admin')
    }
  },
  { name: 'auth', fastify: '5.x', dependencies: ['database', 'errors'] },
)
