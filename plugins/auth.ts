import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { forbidden } from '../src/errors.ts'
import { type CredentialOptions, createCredentials } from '../src/http/credentials.ts'
import { createCsrfGuard } from '../src/http/csrf.ts'
import { IDENTITY } from '../src/http/identity.ts'
import { createSessionCookies, type SessionCookies } from '../src/http/session-cookies.ts'
import { createSignInLimits, type SignInLimits } from '../src/http/sign-in-limits.ts'
import { ensureFirstAdmin, type FirstAdmin, type FirstAdminMade } from '../src/members/first-admin.ts'
import { type Access, authorize, type Identity, isSafe } from '../src/members/identity.ts'
import type { HostMember, ResolveMember } from '../src/phaseboard.d.ts'
import { ROLES } from '../src/schemas/records.ts'

/** What the auth plugin needs to know. */
export interface AuthOptions extends FirstAdmin, CredentialOptions {
  resolveMember?: ResolveMember | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The cookie that makes a client that of a session. */
    sessionCookies: SessionCookies
    /** The admin whom this start had to make, or undefined. */
    firstAdmin: FirstAdminMade | undefined
    /** How often a password may be guessed, wherever one is asked for. */
    signInLimits: SignInLimits
  }
}

type Guard = onRequestHookHandler | onRequestAsyncHookHandler

/** Told apart from a fault of the service or its host, which is nobody's missing role. */
const isRefusal = (error: unknown) =>
  error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500

/** Whoever has no admin role gets 403 there, also with a credential that is worth nothing. */
const refusalFor = (access: Access, error: unknown) =>
  access === 'admin-or-403' && isRefusal(error) ? forbidden('admin access required') : error

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
    const { authMode, corsOrigins, resolveMember } = options
    const cookies = await createSessionCookies(app)
    const { identify, hasAmbient } = createCredentials(app, cookies, options)
    const guardAgainstCsrf = createCsrfGuard(corsOrigins, hasAmbient)

    app.decorateRequest(IDENTITY, null)
    app.decorate('firstAdmin', undefined)
    app.decorate('signInLimits', createSignInLimits())
    app.decorate('sessionCookies', cookies)

    /** The guard of public routes: no credential is looked at. */
    const guardPublic: onRequestHookHandler = (request, _reply, done) => {
      guardAgainstCsrf(request)
      done()
    }

    /** A promise also of what a host's function throws at once. */
    const hostMember = async (request: FastifyRequest) => resolveMember?.(request)

    /** Makes the guard of other routes: it identifies the member, once, and lets the request pass or throws. */
    function guard(access: Exclude<Access, 'public'>): Guard {
      const identified: typeof identify = (request, reply) => {
        try {
          return identify(request, reply)
        } catch (error) {
          throw refusalFor(access, error)
        }
      }
      const admit = (request: FastifyRequest, identity: Identity | undefined): void => {
        authorize(access, identity, request.method, authMode)
        request.setDecorator(IDENTITY, identity)
        guardAgainstCsrf(request, identity?.via)
      }
      if (resolveMember === undefined) {
        return (request, reply, done) => {
          admit(request, identified(request, reply))
          done()
        }
      }
      return async (request: FastifyRequest, reply: FastifyReply) => {
        const hosted = await hostMember(request).catch((error) => {
          throw refusalFor(access, error)
        })
        admit(request, hosted ? hostIdentity(hosted) : identified(request, reply))
      }
    }

    app.addHook('onRoute', (route) => {
      const { access = 'public', failure } = route.config ?? {}
      if (route.config?.access === undefined && route.path.startsWith(`${app.prefix}/api/`)) {
        throw new Error(`${route.method} ${route.path} does not declare its access`)
      }
      route.config = { ...route.config, access }
      // Nothing to guard: what changes nothing, and what has nothing that could fail, the refusal of a method, say.
      const isHarmless = failure === undefined || [route.method].flat().every(isSafe)
      if (access === 'public' && isHarmless) return
      route.onRequest = [access === 'public' ? guardPublic : guard(access), route.onRequest ?? []].flat()
    })

    // A host that tells who its members are needs no first admin of ours, unless it asks for one.
    if (!resolveMember || options.adminPassword !== undefined) {
      app.firstAdmin = await ensureFirstAdmin(app.db, app.rules.members, options)
      if (app.firstAdmin) app.log.info(app.firstAdmin, 'made the first admin')
    }
  },
  { name: 'auth', fastify: '5.x', dependencies: ['errors', 'rules'] },
)
