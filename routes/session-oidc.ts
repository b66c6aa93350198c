import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { addressOf } from '../src/access/addresses.ts'
import { OpenId, type OpenIdSettings, SIGN_IN_TIME } from '../src/access/openid.ts'
import { ApiError, invalidField } from '../src/errors.ts'
import type { Config } from '../src/phaseboard.d.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { BY_SERVICE } from '../src/requests/write.ts'
import { ErrorBody, ref } from '../src/schemas/common.ts'

type Provider = OpenIdSettings & Pick<Config, 'oidcSignUp' | 'oidcRedirectUrl'>

/** Characters of the address to go back to: it has to find room in a cookie. */
const RETURN_TO = 2000

/** Where the browser goes afterwards: a path of this origin. Browsers take a backslash for a slash. */
const ReturnTo = Type.String({
  pattern: '^/(?![/\\\\])[^\\\\\\u0000-\\u001f\\u007f]*$',
  maxLength: RETURN_TO,
  description: `Where to go afterwards: a path of the same origin, at most ${RETURN_TO} characters with all that is no part of a URI percent-encoded.`,
})

/** What stands in no URI (RFC 3986, section 2) as it is; of percent signs, those that encode nothing. */
const NO_PART = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu

/**
 * A path as a header can hold it. Its segments stay as they are: joined, those of `/.//host` would be another host's.
 * @throws ApiError 400 where that is too long
 */
function toReference(path: string): string {
  const reference = path.toWellFormed().replace(NO_PART, encodeURIComponent)
  if (reference.length > RETURN_TO)
    throw invalidField('returnTo', `must be at most ${RETURN_TO} characters, encoded`)
  return reference
}

/** The account that sign-ins with the provider are counted for, beside the address. */
const ANY_ACCOUNT = 'openid'

const queryOf = ({ originalUrl }: FastifyRequest) => originalUrl.split('?').slice(1).join('?')

/** Signing in with an account of the configured OpenID provider. */
const openIdRoutes: Routes<{ provider: Provider }> = async (app, { provider: settings }) => {
  const { signInLimits: limits, sessionCookies: cookies } = app
  const openId = settings.oidcIssuer === undefined ? undefined : new OpenId(settings)
  const tags = ['Session']
  const config = {
    access: 'public',
    failure: 'Failed to create session',
    isSentAlone: true,
    caching: 'no-store',
  } as const

  const configured = (): OpenId => {
    if (openId === undefined) throw new ApiError(404, 'OpenID Connect is not configured')
    return openId
  }

  /** This route's other half, as the browser reaches it, unless the configuration says how. */
  const redirectUriOf = ({ protocol, host }: FastifyRequest) =>
    settings.oidcRedirectUrl ?? `${protocol}://${host}${app.prefix}/api/session/oidc/callback`

  app.get('/api/session/oidc', {
    config,
    schema: {
      operationId: 'beginOpenIdSignIn',
      summary: 'Sign in with the OpenID provider',
      description:
        "For a browser to go to: it leads to the provider's page, and from there back to `returnTo`.",
      tags,
      querystring: Type.Object({ returnTo: Type.Optional(ReturnTo) }),
      response: {
        302: Type.Null({ description: "To the provider's page." }),
        404: ref(ErrorBody),
        503: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      const { returnTo = `${app.prefix}/` } = request.query
      const provider = configured()
      const to = toReference(returnTo)
      const { url, kept } = await provider.begin(redirectUriOf(request), to, request.log)
      cookies.keepSignIn(request, reply, kept, SIGN_IN_TIME)
      return reply.redirect(url)
    },
  })

  app.get('/api/session/oidc/callback', {
    config,
    schema: {
      operationId: 'endOpenIdSignIn',
      summary: 'End of a sign-in with the OpenID provider',
      description:
        'The provider sends the browser here. The session travels in a cookie; a session that the browser had ends.',
      tags,
      querystring: Type.Object({
        code: Type.Optional(Type.String({ maxLength: 8192 })),
        state: Type.Optional(Type.String({ maxLength: 2048 })),
        iss: Type.Optional(Type.String({ maxLength: 2048 })),
        error: Type.Optional(Type.String({ maxLength: 200 })),
      }),
      response: {
        302: Type.Null({ description: 'Signed in; to where the sign-in began.' }),
        401: ref(ErrorBody),
        403: ref(ErrorBody),
        404: ref(ErrorBody),
        429: ref(ErrorBody),
        503: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      const provider = configured()
      const address = addressOf(request)
      const kept = cookies.readSignIn(request)
      cookies.keepSignIn(request, reply, '', 0)
      await limits.count(address, ANY_ACCOUNT)
      const { account, returnTo } = await provider.end(queryOf(request), kept, request.log)
      const { oidcSignUp } = settings
      const signIn = app.members.accounts.signIn(account, oidcSignUp, cookies.read(request), address)
      const { value: session } = await app.perform(signIn, BY_SERVICE)
      await limits.forgive(address, ANY_ACCOUNT)
      cookies.set(request, reply, session)
      return reply.redirect(returnTo)
    },
  })
}

export default openIdRoutes
