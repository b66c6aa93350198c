import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { addressOf } from '../src/access/addresses.ts'
import { OpenId, type OpenIdSettings, SIGN_IN_TIME } from '../src/access/openid.ts'
import { rootPathOf } from '../src/access/session-cookies.ts'
import { ApiError, invalidField } from '../src/errors.ts'
import { wantsPage } from '../src/http/missing-pages.ts'
import { baseUrl } from '../src/http/public-url.ts'
import type { ProviderAccount } from '../src/members/provider-accounts.ts'
import type { Config } from '../src/phaseboard.d.ts'
import { plainPage } from '../src/plain-page.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, ref } from '../src/schemas/common.ts'

type Provider = OpenIdSettings & Pick<Config, 'oidcSignUp' | 'oidcRedirectUrl'>

/** Longest return address, in characters: it must fit into a cookie. */
const RETURN_TO = 2000

/** The return address: a path of this origin. Browsers treat a backslash as a slash. */
const ReturnTo = Type.String({
  pattern: '^/(?![/\\\\])[^\\\\\\u0000-\\u001f\\u007f]*$',
  maxLength: RETURN_TO,
  description: `Where to return afterwards: a path of the same origin, at most ${RETURN_TO} characters after percent-encoding.`,
})

/** Characters that a URI must encode (RFC 3986, section 2), and percent signs that encode nothing. */
const NO_PART = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu

/**
 * Encodes a path for a header. Its segments stay unnormalised: `/.//host` would become another host's address.
 * @throws ApiError 400 if the result is too long
 */
function toReference(path: string): string {
  const reference = path.toWellFormed().replace(NO_PART, encodeURIComponent)
  if (reference.length > RETURN_TO)
    throw invalidField('returnTo', `must be at most ${RETURN_TO} characters, encoded`)
  return reference
}

/** The key for counting sign-ins with the provider, besides the address. */
const ANY_ACCOUNT = 'openid'

const queryOf = ({ originalUrl }: FastifyRequest) => originalUrl.split('?').slice(1).join('?')

/** Sends a browser an error as a page, with a link to try again: a person has come here from the provider. */
const showFailure: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (reply.statusCode < 400 || !wantsPage(request)) return done(null, payload)
  // Problem details, for a client that accepts these too, call it the title.
  const { error, title = error } = JSON.parse(String(payload))
  reply.type('text/html; charset=utf-8')
  done(null, plainPage('Sign in to Phaseboard', title, '<p><a href="../oidc">Try again</a></p>'))
}

/** Signing in with an account of the configured OpenID provider. */
const openIdRoutes: Routes<{ provider: Provider; publicUrl: string | undefined }> = async (
  app,
  { provider: settings, publicUrl },
) => {
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

  /** The callback's address as the browser reaches it, unless it is configured. */
  const redirectUriOf = (request: FastifyRequest) =>
    settings.oidcRedirectUrl ?? `${baseUrl(request, app, publicUrl)}/api/session/oidc/callback`

  /** Tells operators why an account cannot sign in. It never fails. */
  async function recordRefusal(request: FastifyRequest, account: ProviderAccount): Promise<void> {
    const { issuer, subject, problem } = account
    request.log.warn({ issuer, subject, problem }, 'a sign-in was refused: see OIDC_EMAIL_VERIFIED')
    const by = { id: null, address: addressOf(request) }
    const metadata = { issuer, subject, problem }
    await app
      .perform(
        app.members.audit.record({ action: 'sign-in-failed', by, subjectId: null, subject: null, metadata }),
        BY_SERVICE,
      )
      .catch((error) => request.log.warn({ err: error }, 'could not record a failed sign-in'))
  }

  app.get('/api/session/oidc', {
    config,
    schema: {
      operationId: 'beginOpenIdSignIn',
      summary: 'Sign in with the OpenID provider',
      description:
        "Open it in a browser: it redirects to the provider's page, and from there back to `returnTo`. HEAD begins no sign-in: it is 204 if there is a provider.",
      tags,
      querystring: Type.Object({ returnTo: Type.Optional(ReturnTo) }),
      response: {
        302: Type.Null({ description: "To the provider's page." }),
        404: ref(ErrorBody),
        503: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      const { returnTo = `${rootPathOf(request, { prefix: app.prefix, publicUrl })}/` } = request.query
      const provider = configured()
      const to = toReference(returnTo)
      // Its cookie would replace that of a pending sign-in, which the page's question must not end. The cast: the schema describes GET.
      if (request.method === 'HEAD') return (reply as FastifyReply).code(204).send()
      const { url, kept } = await provider.begin(redirectUriOf(request), to, request.log)
      cookies.keepSignIn(request, reply, kept, SIGN_IN_TIME)
      return reply.redirect(url)
    },
  })

  app.get('/api/session/oidc/callback', {
    config,
    schema: {
      operationId: 'endOpenIdSignIn',
      summary: 'Finish a sign-in with the OpenID provider',
      description:
        'The provider redirects the browser here. The new session is set as a cookie; an earlier session of the browser ends. With `text/html` in `Accept`, an error is a page.',
      tags,
      querystring: Type.Object({
        code: Type.Optional(Type.String({ maxLength: 8192 })),
        state: Type.Optional(Type.String({ maxLength: 2048 })),
        iss: Type.Optional(Type.String({ maxLength: 2048 })),
        error: Type.Optional(Type.String({ maxLength: 200 })),
      }),
      response: {
        302: Type.Null({ description: 'Signed in; redirects to `returnTo`.' }),
        401: ref(ErrorBody),
        403: ref(ErrorBody),
        404: ref(ErrorBody),
        429: ref(ErrorBody),
        503: ref(ErrorBody),
      },
    },
    onSend: showFailure,
    handler: async (request, reply) => {
      const provider = configured()
      const address = addressOf(request)
      const kept = cookies.readSignIn(request)
      cookies.keepSignIn(request, reply, '', 0)
      // Before it is counted: any page can make a browser send a callback that nobody has begun.
      const begun = provider.begunBy(kept)
      limits.count(address, ANY_ACCOUNT)
      const { account, returnTo } = await provider.end(queryOf(request), begun, request.log)
      const { oidcSignUp } = settings
      const signIn = app.members.accounts.signIn(account, oidcSignUp, cookies.readToReplace(request), address)
      const { value: session } = await app.perform(signIn, BY_SERVICE).catch(async (error) => {
        if (error instanceof ApiError && error.code === 'email_not_verified')
          await recordRefusal(request, account)
        throw error
      })
      limits.forgive(address, ANY_ACCOUNT)
      cookies.set(request, reply, session)
      return reply.redirect(returnTo)
    },
  })
}

export default openIdRoutes
