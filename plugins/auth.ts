import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { addressOf, clientAt } from '../src/access/addresses.ts'
import { callerWith } from '../src/access/caller.ts'
import { type CredentialOptions, createCredentials, tokenInQuery } from '../src/access/credentials.ts'
import { createCsrfGuard } from '../src/access/csrf.ts'
import { hostIdentity } from '../src/access/host-member.ts'
import { CALLER, IDENTITY } from '../src/access/identity.ts'
import { createOwnOrigin, type OriginOptions, type OwnOrigin } from '../src/access/own-origin.ts'
import { createSessionCookies, registerCookies, type SessionCookies } from '../src/access/session-cookies.ts'
import { SignInLimits } from '../src/access/sign-in-limits.ts'
import { adminRequired } from '../src/errors.ts'
import { ensureFirstAdmin, type FirstAdmin, type FirstAdminMade } from '../src/members/first-admin.ts'
import { type Access, authorize, type Identity } from '../src/members/identity.ts'
import type { ResolveMember } from '../src/phaseboard.d.ts'
import type { Check, Checks } from '../src/requests/admit.ts'
import { createReaderCheck } from '../src/requests/readers.ts'

/** The options of the auth plugin. */
interface AuthOptions extends FirstAdmin, CredentialOptions, OriginOptions {
  ownsProcess: boolean
  resolveMember?: ResolveMember | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a foreign origin is refused even with a token, which browsers never add by themselves. */
    refusesForeignOrigins?: boolean
    /** Whether it responds under any host name, even in open mode. */
    takesAnyHost?: boolean
  }
  interface FastifyInstance {
    /** The origins at which browsers reach the service. */
    ownOrigin: OwnOrigin
    /** Reads and writes the session cookie. */
    sessionCookies: SessionCookies
    /** The admin that this start created, or undefined. */
    firstAdmin: FirstAdminMade | undefined
    /** The checks of who sends a request. */
    identityChecks: Pick<Checks, 'ensureKnownHost' | 'count' | 'guardPublic' | 'guard'>
    /** Limits of failed sign-ins, wherever a password is checked. */
    signInLimits: SignInLimits
    /**
     * Identifies the caller of a long-lived request, e.g. a stream, again, and checks read access. It is synchronous unless a
     * host identifies members.
     * @throws ApiError like the request itself would: 401, 403
     */
    identifyAgain: (request: FastifyRequest) => Identity | Promise<Identity>
  }
}

/** Whether an error is a 4xx, not a fault of the service or its host. */
const isClientError = (error: unknown) =>
  error instanceof Error && 'statusCode' in error && Number(error.statusCode) < 500

/** With the access `admin-or-403`, an invalid credential is 403, too. */
const errorFor = (access: Access, error: unknown) =>
  access === 'admin-or-403' && isClientError(error) ? adminRequired() : error

/**
 * Identifies each request's member and role, once, before its body is read, and checks them against the route's declared `access`.
 */
export default fp<AuthOptions>(
  async (app, options) => {
    const { authMode, corsOrigins, resolveMember, publicUrl } = options
    await registerCookies(app, !options.ownsProcess)
    const ownOrigin = createOwnOrigin(options)
    const cookies = createSessionCookies({ prefix: app.prefix, publicUrl, isSecure: ownOrigin.isSecure })
    const { identify, identifyCalendar, ensureKnownHost, hasAmbient } = createCredentials(
      app,
      cookies,
      options,
    )
    const guardAgainstCsrf = createCsrfGuard(corsOrigins, ownOrigin, hasAmbient)
    const checkReader = createReaderCheck(app.scoped, app.prefix)

    app.decorateRequest(IDENTITY, null)
    app.decorateRequest(CALLER, null)
    app.decorate('firstAdmin', undefined)
    app.decorate('signInLimits', new SignInLimits())
    app.decorate('sessionCookies', cookies)
    app.decorate('ownOrigin', ownOrigin)

    const { countRequest } = app
    /**
     * Counts a request for its member. Without a valid credential it counts for its address, so that guesses do, too, and so do all requests
     * of open mode, where everybody is the default member.
     */
    const countFor = (request: FastifyRequest, reply: FastifyReply, identity: Identity | undefined): void => {
      const isMember = identity !== undefined && identity.via !== 'default'
      countRequest?.(
        isMember ? `member ${identity.member.id}` : `address ${clientAt(addressOf(request))}`,
        reply,
      )
    }

    /** Counts a request of a public route, where credentials are ignored. */
    const count: Check = (request, reply) => {
      let identity: Identity | undefined
      try {
        identity = identify(request)
      } catch {
        // A credential that is not accepted counts as absent.
      }
      countFor(request, reply, identity)
    }

    /** The identity that the host gives a request, if any. Async, so that a synchronous throw of its function becomes a rejection. */
    const hostedIn = async (request: FastifyRequest) => {
      const member = await resolveMember?.(request)
      return member
        ? { member, identity: hostIdentity(member, (problem) => request.log.error(problem)) }
        : undefined
    }

    /** Creates the check of other routes: it identifies the member and checks its access. */
    function guard(access: Exclude<Access, 'public'>, isForAll: boolean): Check {
      const takesQuery = access === 'calendar'
      const identifyOne = takesQuery ? identifyCalendar : identify

      function admit(request: FastifyRequest, reply: FastifyReply, identity: Identity | undefined): void {
        countFor(request, reply, identity)
        authorize(access, identity, request.method, authMode)
        const caller = identity && callerWith(identity)
        request.setDecorator(IDENTITY, identity)
        request.setDecorator(CALLER, caller)
        guardAgainstCsrf(request, identity?.via, isForAll)
        if (access === 'write') checkReader(request, caller?.principal)
      }

      /** The error for a request that no member can be found for. It counts, too. */
      function refusal(request: FastifyRequest, reply: FastifyReply, error: unknown): unknown {
        countFor(request, reply, undefined)
        return errorFor(access, error)
      }

      function admitOwn(request: FastifyRequest, reply: FastifyReply): void {
        let identity: Identity | undefined
        try {
          identity = identifyOne(request, reply)
        } catch (error) {
          throw refusal(request, reply, error)
        }
        admit(request, reply, identity)
      }
      if (resolveMember === undefined) return admitOwn

      const hostedMember = async (request: FastifyRequest) => {
        // Calendar programs do not have the host's credentials.
        const hasToken = takesQuery && tokenInQuery(request) !== undefined
        return hasToken ? undefined : hostedIn(request)
      }
      return async (request, reply) => {
        const hosted = await hostedMember(request).catch((error) => {
          throw refusal(request, reply, error)
        })
        if (hosted === undefined) return admitOwn(request, reply)
        admit(request, reply, hosted.identity)
        app.seePerson(hosted.member)
      }
    }

    app.decorate('identityChecks', {
      // Other routes identify their callers; inside a host, the host checks names.
      ensureKnownHost: resolveMember === undefined ? ensureKnownHost : undefined,
      count: countRequest && count,
      guardPublic: (request) => guardAgainstCsrf(request),
      guard,
    })

    const admitAgain = (request: FastifyRequest, identity: Identity | undefined): Identity => {
      authorize('read', identity, request.method, authMode)
      return identity as Identity
    }
    const identifyAgain = (request: FastifyRequest): Identity | Promise<Identity> =>
      resolveMember === undefined
        ? admitAgain(request, identify(request))
        : hostedIn(request).then((hosted) => admitAgain(request, hosted?.identity ?? identify(request)))
    app.decorate('identifyAgain', identifyAgain as () => Identity)

    app.addHook('onRoute', (route) => {
      const { access = 'public' } = route.config ?? {}
      if (route.config?.access === undefined && route.path.startsWith(`${app.prefix}/api/`)) {
        throw new Error(`${route.method} ${route.path} does not declare its access`)
      }
      route.config = { ...route.config, access }
    })

    // A host that identifies its members needs no first admin of ours, unless it configures one.
    if (!resolveMember || options.adminPassword !== undefined) {
      app.firstAdmin = await ensureFirstAdmin(app.db, app.rules.members, options)
      if (app.firstAdmin) app.log.info(app.firstAdmin, 'created the first admin')
    }
  },
  { name: 'auth', fastify: '5.x', dependencies: ['errors', 'rules', 'people', 'traffic'] },
)
