/** CSRF: browsers send ambient credentials along with requests that other sites' pages make, too. */
import type { FastifyRequest } from 'fastify'
import { forbidden } from '../errors.ts'
import { isSafe, type Via } from '../members/identity.ts'

function isOwnOrigin(request: FastifyRequest, origin: string): boolean {
  const own = `${request.protocol}://${request.host}`
  return URL.canParse(own) && new URL(own).origin === origin
}

/** Whether another site's page makes a request. What says nothing of where it comes from is no browser's. */
function isCrossOrigin(request: FastifyRequest, via: Via | undefined, allowed: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin !== undefined && allowed.includes(origin)) return false
  if (site === 'cross-site') return true
  // Which origins are a host's own, behind its proxies, browsers know better.
  if (via === 'host' && site !== undefined) return false
  return origin !== undefined && !isOwnOrigin(request, origin)
}

/**
 * Makes the guard against CSRF. A browser sends some changing requests for any page, without a preflight (a POST of plain
 * text, say, which is as good as JSON here), with all ambient credentials: cookies, what a proxy or host adds, being on
 * this machine. So these must come from a page of ours. A token is no ambient credential.
 * @param corsOrigins other origins whose pages are ours
 * @param hasAmbientCredential whether a request has one besides its token
 * @returns the guard, which takes how the member was recognised; it throws an ApiError 403
 */
export function createCsrfGuard(
  corsOrigins: readonly string[],
  hasAmbientCredential: (request: FastifyRequest) => boolean,
): (request: FastifyRequest, via?: Via) => void {
  return (request, via) => {
    if (isSafe(request.method) || (via === 'token' && !hasAmbientCredential(request))) return
    if (isCrossOrigin(request, via, corsOrigins)) throw forbidden('cross-origin request')
  }
}
