/**
 * Sign-in with an account of an OpenID provider: authorization code flow with PKCE (OpenID Connect Core, section 3.1). The
 * protocol is openid-client's; here is what it leaves to us: where a sign-in that has begun is kept, and what its end means.
 */

import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { ProviderAccount } from '../members/provider-accounts.ts'
import type { Config } from '../phaseboard.d.ts'
import { type Member, ROLES } from '../schemas/records.ts'
import type * as Library from './openid-client.ts'
import { createCookieSeal } from './sealed-cookie.ts'

/** Which provider, and what counts of what it says. */
export type OpenIdSettings = Pick<
  Config,
  'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcScope' | 'oidcRoleClaim'
>

/** How long a sign-in may take, in milliseconds. */
export const SIGN_IN_TIME = 10 * 60 * 1000
/** Ended sign-ins that are remembered, at most: none ends twice. */
const ENDED = 10_000
/** How long the provider may take to respond, in seconds. */
const TIMEOUT = 10

/** A sign-in that has begun: what its end is held against. */
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

/** Whether an error is of the network, not of what the provider said. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'OAUTH_TIMEOUT') ||
    ['TimeoutError', 'AbortError'].includes(error.name) ||
    (error instanceof TypeError && error.message === 'fetch failed') ||
    (error.cause !== undefined && isUnreachable(error.cause)))

/** The highest of our roles among a claim's values. */
function roleOf(claim: unknown): Member['role'] | undefined {
  const values = [claim].flat()
  return ROLES.find((role) => values.includes(role))
}

const textOf = (claim: unknown) =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : undefined

/** Signs in with accounts of one provider. */
export class OpenId {
  readonly #settings: { [Name in keyof OpenIdSettings]-?: NonNullable<OpenIdSettings[Name]> | undefined }
  readonly #seal: ReturnType<typeof createCookieSeal>
  readonly #ended = new LRUCache<string, true>({ max: ENDED, ttl: SIGN_IN_TIME })
  #provider: Promise<{ library: typeof Library; config: Library.Configuration }> | undefined

  constructor(settings: OpenIdSettings) {
    this.#settings = settings
    this.#seal = createCookieSeal(`${settings.oidcClientSecret}`, `phaseboard sign-in ${settings.oidcIssuer}`)
  }

  /** The library, and the provider as it describes itself; asked again after a failure. */
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
      execute: [
        // Signatures are checked, although TLS to the provider would do.
        library.enableNonRepudiationChecks,
        // The configuration allows http for a provider on this machine alone.
        ...(issuer.protocol === 'http:' ? [library.allowInsecureRequests] : []),
      ],
    })
    return { library, config }
  }

  /**
   * Begins a sign-in.
   * @param redirectUri where the provider sends the browser back to
   * @param returnTo where the browser goes afterwards, a path as a header can hold it
   * @returns the provider's page to go to, and what the browser keeps meanwhile
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

  /**
   * Ends a sign-in, once: the state, the nonce, the code with its verifier, the issuer, and the ID token's signature,
   * audience and expiry are checked.
   * @param query what the provider sent back, in the query of the redirection
   * @param kept what the browser kept
   * @returns whose account it is, and where the browser goes
   * @throws ApiError 401 where anything does not fit; 503 when the provider does not respond
   */
  async end(
    query: string,
    kept: string | undefined,
    log: FastifyBaseLogger,
  ): Promise<{ account: ProviderAccount; returnTo: string }> {
    const begun = kept === undefined ? undefined : (this.#seal.open(kept) as Begun | undefined)
    if (begun === undefined || this.#ended.has(begun.state)) throw failed()
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

  /** What the provider says of the account: in the ID token, and where it has more, at its userinfo endpoint. */
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
    const more = await library.fetchUserInfo(config, tokens.access_token, claims.sub)
    return { ...more, ...claims }
  }

  #accountOf(claims: JsonObject): ProviderAccount {
    const { oidcIssuer, oidcRoleClaim } = this.#settings
    const email = textOf(claims.email)
    return {
      issuer: oidcIssuer as string,
      subject: claims.sub as string,
      email: claims.email_verified === true ? email : undefined,
      name: textOf(claims.name) ?? textOf(claims.preferred_username) ?? email,
      role: oidcRoleClaim === undefined ? undefined : (roleOf(claims[oidcRoleClaim]) ?? null),
    }
  }
}
