/**
 * Sign-in with an account of an OpenID provider: authorization code flow with PKCE (OpenID Connect Core, section 3.1). The
 * library openid-client implements the protocol; this module stores pending sign-ins and handles their results.
 */

import type { FastifyBaseLogger } from 'fastify'
import { createCache } from '../cache.ts'
import { ApiError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { ProviderAccount } from '../members/provider-accounts.ts'
import type { Config } from '../phaseboard.d.ts'
import { type Member, ROLES } from '../schemas/records.ts'
import type * as Library from './openid-client.ts'
import { createCookieSeal } from './sealed-cookie.ts'

/** The provider, and how to use its claims. */
export type OpenIdSettings = Pick<
  Config,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcScope' | 'oidcEmailVerified' | 'oidcRoleClaim'
>

/** Longest duration of a sign-in, in milliseconds. */
export const SIGN_IN_TIME = 10 * 60 * 1000
/** A subject: at most 255 ASCII characters (OpenID Connect Core, section 2). An empty one would be that of everybody. */
const SUBJECT = /^[ -~]{1,255}$/
/** Number of completed sign-ins to store, so that none completes twice. */
const ENDED = 10_000
/** Timeout of the provider's responses, in seconds. */
const TIMEOUT = 10
/** Largest body of its responses, in bytes. */
const LARGEST = 1024 * 1024

/** A pending sign-in: the values to check its result with. */
interface Begun {
  state: string
  nonce: string
  verifier: string
  redirectUri: string
  returnTo: string
}

const failed = () => new ApiError(401, 'Sign-in failed', { code: 'sign_in_failed' })
const refused = () => new ApiError(401, 'Sign-in was refused by the provider', { code: 'sign_in_refused' })
const unreachable = () =>
  new ApiError(503, 'The sign-in provider does not respond', {
    headers: { 'retry-after': '10' },
    code: 'provider_unavailable',
  })

/** Whether it is a network error, not an error response of the provider. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'OAUTH_TIMEOUT') ||
    ['TimeoutError', 'AbortError'].includes(error.name) ||
    (error instanceof TypeError && error.message === 'fetch failed') ||
    (error.cause !== undefined && isUnreachable(error.cause)))

/** Passes the bytes of a body, and fails beyond {@link LARGEST}. */
function limitBytes(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > LARGEST) throw new Error(`the provider's response is larger than ${LARGEST} bytes`)
      controller.enqueue(chunk)
    },
  })
}

/** Fetches a response of the provider; reading a body that is too large fails, and closes the connection. */
async function fetchLimited(url: string, options: Library.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit)
  return new Response(response.body?.pipeThrough(limitBytes()), response)
}

/** The highest of our roles among a claim's values. */
function roleOf(claim: unknown): Member['role'] | undefined {
  const values = [claim].flat()
  return ROLES.find((role) => values.includes(role))
}

/**
 * The first source that has an email and says whether it is verified, else the first that has one: what a source says about its own
 * email is not true of that of another.
 */
const sourceOfEmail = (sources: readonly JsonObject[]): JsonObject =>
  sources.find(({ email, email_verified }) => email !== undefined && email_verified !== undefined) ??
  sources.find(({ email }) => email !== undefined) ??
  {}

/** Why an account has no email that counts. */
const problemOf = ({ email, email_verified }: JsonObject): string => {
  if (typeof email !== 'string') return 'the provider sent no claim email'
  return email_verified === undefined
    ? 'the provider left out the claim email_verified'
    : `the provider sent the claim email_verified as ${JSON.stringify(email_verified).slice(0, 20)}`
}

const textOf = (claim: unknown) =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : undefined

/** Signs in with accounts of one provider. */
export class OpenId {
  readonly #settings: { [Name in keyof OpenIdSettings]-?: NonNullable<OpenIdSettings[Name]> | undefined }
  readonly #seal: ReturnType<typeof createCookieSeal>
  readonly #ended = createCache<string, true>(ENDED, SIGN_IN_TIME)
  #provider: Promise<{ library: typeof Library; config: Library.Configuration }> | undefined

  constructor(settings: OpenIdSettings) {
    this.#settings = settings
    this.#seal = createCookieSeal(`${settings.oidcClientSecret}`, `phaseboard sign-in ${settings.oidcIssuer}`)
  }

  /** The library, and the provider's metadata; fetched again after a failure. */
  #load() {
    this.#provider ??= this.#discover().catch((error) => {
      this.#provider = undefined
      throw error
    })
    return this.#provider
  }

  async #discover() {
    const library = await import('./openid-client.ts')
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.#settings
    const issuer = new URL(oidcIssuer as string)
    const config = await library.discovery(issuer, oidcClientId as string, oidcClientSecret, undefined, {
      timeout: TIMEOUT,
      [library.customFetch]: fetchLimited,
      execute: [
        // Signatures are checked, although TLS to the provider would suffice.
        library.enableNonRepudiationChecks,
        // The configuration allows http only for a provider on this machine.
        ...(issuer.protocol === 'http:' ? [library.allowInsecureRequests] : []),
      ],
    })
    return { library, config }
  }

  /**
   * Begins a sign-in.
   * @param redirectUri the callback of the provider
   * @param returnTo the return path afterwards, encoded for a header
   * @returns the provider's page to redirect to, and the content of the browser's cookie
   * @throws ApiError 503 when the provider does not respond
   */
  async begin(
    redirectUri: string,
    returnTo: string,
    log: FastifyBaseLogger,
  ): Promise<{ url: string; kept: string }> {
    try {
      const { library, config } = await this.#load()
      const begun: Begun = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
        redirectUri,
        returnTo,
      }
      const url = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: this.#settings.oidcScope as string,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, kept: this.#seal.seal({ ...begun }, Date.now() + SIGN_IN_TIME) }
    } catch (error) {
      log.warn({ err: error }, 'cannot reach the sign-in provider')
      throw unreachable()
    }
  }

  /** The sign-in that a browser has begun. @param kept the content of its cookie @throws ApiError 401 for none */
  begunBy(kept: string | undefined): Begun {
    const begun = kept === undefined ? undefined : (this.#seal.open(kept) as Begun | undefined)
    if (begun === undefined) throw failed()
    return begun
  }

  /**
   * Completes a sign-in, once: the state, the nonce, the code with its verifier, the issuer, and the ID token's signature,
   * audience and expiry are checked.
   * @param query the query of the provider's redirect
   * @param begun from {@link begunBy}
   * @returns the account, and the return path
   * @throws ApiError 401 if any check fails; 503 if the provider does not respond
   */
  async end(
    query: string,
    begun: Begun,
    log: FastifyBaseLogger,
  ): Promise<{ account: ProviderAccount; returnTo: string }> {
    if (this.#ended.has(begun.state)) throw failed()
    this.#ended.set(begun.state, true)
    try {
      const claims = await this.#claimsOf(begun, query)
      return { account: this.#accountOf(claims), returnTo: begun.returnTo }
    } catch (error) {
      log.warn({ err: error }, 'a sign-in with the provider failed')
      if (isUnreachable(error)) throw unreachable()
      throw error instanceof Error && error.name === 'AuthorizationResponseError' ? refused() : failed()
    }
  }

  /** The account's claims: from the ID token, and from the userinfo endpoint if there is one. */
  async #claimsOf({ state, nonce, verifier, redirectUri }: Begun, query: string): Promise<JsonObject> {
    const { library, config } = await this.#load()
    const tokens = await library.authorizationCodeGrant(config, new URL(`?${query}`, redirectUri), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims() as JsonObject & { sub: string }
    if (config.serverMetadata().userinfo_endpoint === undefined) return claims
    // It must be about the same subject, or this throws.
    const more = await library.fetchUserInfo(config, tokens.access_token, claims.sub)
    const { email, email_verified } = sourceOfEmail([claims, more])
    return { ...more, ...claims, email, email_verified }
  }

  /** @throws Error without a valid subject */
  #accountOf(claims: JsonObject): ProviderAccount {
    const { oidcIssuer, oidcEmailVerified, oidcRoleClaim } = this.#settings
    const subject = claims.sub as string
    if (!SUBJECT.test(subject))
      throw new Error('the subject of the ID token must be 1 to 255 ASCII characters')
    const counts = oidcEmailVerified === 'trust' || claims.email_verified === true
    const email = counts && typeof claims.email === 'string' ? claims.email : undefined
    return {
      issuer: oidcIssuer as string,
      subject,
      email,
      problem: email === undefined ? problemOf(claims) : undefined,
      name: textOf(claims.name) ?? textOf(claims.preferred_username),
      role: oidcRoleClaim === undefined ? undefined : (roleOf(claims[oidcRoleClaim]) ?? null),
    }
  }
}
