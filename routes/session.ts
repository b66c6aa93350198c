import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { addressOf } from '../src/access/addresses.ts'
import { principalOf } from '../src/access/caller.ts'
import { identityOf } from '../src/access/identity.ts'
import type { Via } from '../src/members/identity.ts'
import { verifyPassword } from '../src/members/passwords.ts'
import { invalidCredentials } from '../src/members/sessions.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import { ensureNamed } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, ErrorBody, ref, Success } from '../src/schemas/common.ts'
import { CurrentMemberSchema, SignedInSchema } from '../src/schemas/records.ts'

const SignIn = CreateBody({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 200 }),
})
const WhoAmI = Type.Object({
  member: ref(CurrentMemberSchema),
  via: Type.Unsafe<Via>({ type: 'string', enum: ['session', 'token', 'proxy', 'default', 'host'] }),
  readOnlyProjects: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The projects that the caller may read but not write; absent if there are none, or the role is read-only',
    }),
  ),
})

/** Bytes of a sign-in's body: unauthenticated clients must not make the service read more. */
const BODY_LIMIT = 16_384

/** The session: signing in and out with email and password. */
const sessionRoutes: Routes<{ authMode: 'open' | 'required' }> = async (app, { authMode }) => {
  const { signInLimits: limits, sessionCookies: cookies } = app
  const { sessions, audit } = app.members
  const tags = ['Session']

  /**
   * Records a failed sign-in. Not awaited: it must neither fail the response, e.g. while the disk is full, nor be a timing
   * side channel for user enumeration. The given email is not recorded: it may be a password in the wrong field.
   */
  function recordFailure(request: FastifyRequest, member: { id: string; name: string } | undefined): void {
    const by = { id: null, address: addressOf(request) }
    const subject = { subjectId: member?.id ?? null, subject: member?.name ?? null }
    app
      .perform(audit.record({ action: 'sign-in-failed', by, ...subject }), BY_SERVICE)
      .catch((error) => request.log.warn({ err: error }, 'could not record a failed sign-in'))
  }

  app.post('/api/session', {
    bodyLimit: BODY_LIMIT,
    config: { access: 'public', failure: 'Failed to create session', isSentAlone: true, caching: 'no-store' },
    schema: {
      operationId: 'signIn',
      summary: 'Sign in',
      description:
        'Credentials of the request are ignored, but a session that it carries ends. The new session is set as a cookie.',
      tags,
      body: SignIn,
      example: { email: 'admin@localhost', password: 'correct horse battery staple' },
      response: { 201: SignedInSchema, 401: ref(ErrorBody), 403: ref(ErrorBody) },
    },
    handler: async (request, reply) => {
      const { email, password } = request.body
      const address = addressOf(request)
      limits.count(address, email)
      const found = app.rules.members.findByEmail(email)
      const matches = await verifyPassword(found?.passwordHash ?? null, password)
      if (!found || !matches || found.disabled) {
        recordFailure(request, found)
        throw invalidCredentials()
      }
      limits.forgive(address, email)
      const { id, name, role } = found
      const signIn = sessions.signIn(found, cookies.readToReplace(request), address)
      const { value: session } = await app.perform(signIn, BY_SERVICE)
      cookies.set(request, reply, session)
      return reply
        .code(201)
        .header('location', `${app.prefix}/api/session`)
        .send({ member: { id, name, email: found.email, role }, expiresAt: session.expiresAt })
    },
  })

  app.get('/api/session', {
    config: { access: 'own', failure: 'Failed to fetch session', isSentAlone: true },
    schema: {
      operationId: 'whoAmI',
      summary: 'Get the current member',
      tags,
      response: { 200: WhoAmI },
    },
    handler: async (request) => {
      ensureNamed(request)
      const identity = identityOf(request)
      const { projects = [] } = app.scoped.policy.scopeOf(principalOf(identity)) ?? {}
      const isReadOnly = authMode === 'required' && identity.member.role === 'viewer'
      if (isReadOnly) return identity
      const readOnlyProjects = [...projects].filter(([, right]) => right === 'read').map(([id]) => id)
      return { ...identity, ...(readOnlyProjects.length > 0 && { readOnlyProjects }) }
    },
  })

  app.delete('/api/session', {
    config: { access: 'own', failure: 'Failed to delete session', isRepeatable: false, isSentAlone: true },
    schema: {
      operationId: 'signOut',
      summary: 'Sign out',
      tags,
      response: { 200: ref(Success) },
    },
    handler: async (request, reply) => {
      const token = cookies.read(request)
      if (token !== undefined) await app.perform(sessions.signOut(token, addressOf(request)), BY_SERVICE)
      cookies.clear(request, reply)
      return { success: true as const }
    },
  })
}

export default sessionRoutes
