/** An OpenID provider in this process whose responses tests control, including invalid ones. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { Owner } from './process.ts'

/** The client that the provider knows. */
export const CLIENT = { oidcClientId: 'phaseboard', oidcClientSecret: 'kept between the two' }

export interface Provider {
  issuer: string
  /** The claims of the account that signs in. */
  account: JWTPayload
  /** Overrides of the ID token's claims. */
  token: JWTPayload
  /** The response of the userinfo endpoint; undefined for a provider without one. Set it before the first sign-in. */
  userinfo: JWTPayload | undefined
  /** Whether to sign with another key than the published one. */
  isForged: boolean
  /** The status of the token endpoint. */
  status: number
  /** The redeemed codes with their verifiers, and the client's secrets. */
  redeemed: { code: string | null; verifier: string | null; secret: string | null }[]
  /** The path whose responses never end, if any; `sent` counts their bytes. */
  endless: string | undefined
  sent: number
  /** The number of all requests. */
  requests: number
}

/** Starts a provider on this machine; it ends with the test. It accepts any code, any number of times. */
export async function provide(t: Owner): Promise<Provider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const { privateKey: otherKey } = await generateKeyPair('RS256')
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const server = createServer(async (request, response) => {
    const { issuer } = provider
    provider.requests += 1
    const answer = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === provider.endless) {
      const blanks = Buffer.alloc(65_536, ' ')
      response.writeHead(200, { 'content-type': 'application/json' })
      const send = () => {
        provider.sent += blanks.length
        if (response.write(blanks)) setImmediate(send)
      }
      response.on('drain', send)
      return send()
    }
    if (request.url === '/.well-known/openid-configuration') {
      return answer({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...(provider.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
      })
    }
    if (request.url === '/keys') return answer({ keys: [{ ...jwk, kid, alg: 'RS256', use: 'sig' }] })
    if (request.url === '/userinfo') return answer(provider.userinfo ?? {})
    const form = new URLSearchParams(await text(request))
    // The code is the nonce: a browser that returns it has been here.
    const code = form.get('code')
    const secret = form.get('client_secret')
    provider.redeemed.push({ code, verifier: form.get('code_verifier'), secret })
    if (provider.status !== 200) return answer({ error: 'invalid_grant' }, provider.status)
    const now = Math.floor(Date.now() / 1000)
    const claims: JWTPayload = {
      iss: issuer,
      aud: CLIENT.oidcClientId,
      iat: now,
      exp: now + 60,
      ...(code !== null && { nonce: code }),
      ...provider.account,
      ...provider.token,
    }
    const token = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid })
    answer({
      access_token: 'opaque',
      token_type: 'Bearer',
      id_token: await token.sign(provider.isForged ? otherKey : privateKey),
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const provider: Provider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: { sub: 'ada-7', email: 'ada@example.test', email_verified: true, name: 'Ada' },
    token: {},
    userinfo: undefined,
    isForged: false,
    status: 200,
    redeemed: [],
    endless: undefined,
    sent: 0,
    requests: 0,
  }
  return provider
}

/** Where the provider of {@link provide} redirects a browser to, given the URL of its authorization page. */
export function comeBack(page: string | URL, changes: Record<string, string | undefined> = {}): string {
  const { origin, searchParams } = new URL(page)
  const back = new URL(searchParams.get('redirect_uri') as string)
  const query = {
    code: searchParams.get('nonce') as string,
    state: searchParams.get('state') as string,
    iss: origin,
    ...changes,
  }
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) back.searchParams.set(name, value)
  }
  return back.href
}
