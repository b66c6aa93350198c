/** CSRF protection: browsers also send ambient credentials with requests from other sites' pages. */
import type { FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'
import { isSafe, type Via } from '../members/identity.ts'
import type { OwnOrigin } from './own-origin.ts'

/** Whether a request comes from another site's page. Without either header it does not come from a browser. */
function isCrossOrigin(
  request: FastifyRequest,
  via: Via | undefined,
  allowed: readonly string[],
  own: OwnOrigin,
): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && allowed.includes(origin)) return false
  if (site === 'cross-site') return true
  // Behind a host's proxies, `Sec-Fetch-Site` is more reliable than comparing origins.
  if (via === 'host' && site !== undefined) return false
  return origin !== undefined && !own.isOwn(request, origin)
}

/** The error for a request of another origin: for operators, too, whose proxy does not tell the service its own. */
function crossOrigin(request: FastifyRequest, own: OwnOrigin) {
  const expected = own.expected(request)
  // Not the origin itself: what others send is not for the log.
  const { host, 'x-forwarded-proto': proto, 'x-forwarded-host': forwarded } = request.headers
  request.log.warn(
    { expected, host, 'x-forwarded-proto': proto, 'x-forwarded-host': forwarded },
    'a cross-origin request was refused: if it came from a page of this service, set PUBLIC_URL, or TRUST_PROXY',
  )
  return forbidden(
    `cross-origin request: expected ${expected}; if that is not the address of the service, set PUBLIC_URL`,
    'cross_origin',
  )
}

/**
 * Creates the guard against CSRF. A browser sends some unsafe requests for any page, without a preflight (e.g. a POST of
 * plain text, which is parsed as JSON here), with all ambient credentials: cookies, credentials added by a proxy or host, access to
 * this machine. Such requests must come from an allowed origin. A token is no ambient credential.
 * @param corsOrigins allowed origins besides our own
 * @param own our own
 * @param hasAmbientCredential whether a request has one besides its token
 * @returns the guard, which takes how the member was identified, and whether even tokens must come from an allowed
 * origin; it throws an ApiError 403
 */
export function createCsrfGuard(
  corsOrigins: readonly string[],
  own: OwnOrigin,
  hasAmbientCredential: (request: FastifyRequest) => boolean,
): (request: FastifyRequest, via?: Via, isForAll?: boolean) => void {
  return (request, via, isForAll = false) => {
    const hasOnlyToken = !isForAll && via === 'token' && !hasAmbientCredential(request)
    if (isSafe(request.method) || hasOnlyToken) return
    if (isCrossOrigin(request, via, corsOrigins, own)) throw crossOrigin(request, own)
  }
}
