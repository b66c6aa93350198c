import { Type } from '@sinclair/typebox'
import { addressOf } from '../src/access/addresses.ts'
import { removeAfterwards } from '../src/access/own-password.ts'
import { prepareInitialPasswordRemoval } from '../src/members/initial-password.ts'
import { hashPassword } from '../src/members/passwords.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, Email, ErrorBody, Name, Password, ref } from '../src/schemas/common.ts'
import { LinkDetailsSchema, SignedInSchema } from '../src/schemas/records.ts'

const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: 'The secret of the link' })
const CheckLink = CreateBody({ token: LinkToken })
const UseLink = CreateBody({
  token: LinkToken,
  password: Password,
  name: Type.Optional(Name),
  email: Type.Optional(Email),
})

/** Bytes of a body: unauthenticated clients must not make the service read more. */
const BODY_LIMIT = 16_384

/** The key for counting failures, which count like failed sign-ins; no account is known here. */
const ANY_LINK = 'one-time link'

/** Using one-time links. Bodies carry them, so no log of addresses contains them. */
const sessionLinkRoutes: Routes = async (app) => {
  const { signInLimits: limits, sessionCookies: cookies } = app
  const { links } = app.members
  const tags = ['Session']
  const config = { access: 'public', isSentAlone: true, caching: 'no-store' } as const

  app.post('/api/session/link/check', {
    bodyLimit: BODY_LIMIT,
    config: { ...config, failure: 'Failed to check link' },
    schema: {
      operationId: 'checkLink',
      summary: 'Check a one-time link',
      description: 'This does not use the link. A used, expired or revoked link is 401.',
      tags,
      body: CheckLink,
      example: { token: 'pbl_YW4gZXhhbXBsZSB0byBsb29rIGF0LCBubyByZWFsIG9u' },
      response: { 200: ref(LinkDetailsSchema), 401: ref(ErrorBody), 403: ref(ErrorBody) },
    },
    handler: async (request) => {
      const address = addressOf(request)
      limits.count(address, ANY_LINK)
      const found = app.rules.members.links.find(request.body.token)
      limits.forgive(address, ANY_LINK)
      return found
    },
  })

  app.post('/api/session/link', {
    bodyLimit: BODY_LIMIT,
    config: { ...config, failure: 'Failed to use link' },
    schema: {
      operationId: 'useLink',
      summary: 'Use a one-time link and sign in',
      description:
        'Sets the password of its member and ends all sessions of that member, or creates the invited member. `name` and `email` are for invitations; `email` only applies if the invitation has none. A link works once: a used, expired or revoked one is 401. A taken email is 409, and the invitation stays valid. The new session is set as a cookie; a session of the request ends.',
      tags,
      body: UseLink,
      example: {
        token: 'pbl_YW4gZXhhbXBsZSB0byB1c2UsIGFuZCBubyByZWFsIG9u',
        name: 'Noor',
        email: 'noor@example.org',
        password: 'correct horse battery staple',
      },
      response: { 201: SignedInSchema, 401: ref(ErrorBody), 403: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: async (request, reply) => {
      const { token, password, ...given } = request.body
      const address = addressOf(request)
      limits.count(address, ANY_LINK)
      const { memberId } = app.rules.members.links.find(token)
      const former = memberId === null ? null : app.rules.members.stored(memberId).passwordHash
      const removeInitial = await prepareInitialPasswordRemoval(app.db, former)
      const passwordHash = await hashPassword(password)
      const use = links.use(token, { ...given, passwordHash }, cookies.readToReplace(request), address)
      const { member, session } = (await app.perform(use, BY_SERVICE)).value
      limits.forgive(address, ANY_LINK)
      removeAfterwards(removeInitial, request.log)
      cookies.set(request, reply, session)
      return reply
        .code(201)
        .header('location', `${app.prefix}/api/session`)
        .send({ member, expiresAt: session.expiresAt })
    },
  })
}

export default sessionLinkRoutes
