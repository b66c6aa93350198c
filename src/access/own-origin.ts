/** The origins at which browsers reach the service. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../phaseboard.d.ts'
import { amongAddresses } from './addresses.ts'
import { isProxied } from './proxied.ts'

/** The public address, and the proxies whose headers count. Inside a host these are the host's. */
export type OriginOptions = Pick<Config, 'publicUrl' | 'trustProxy'>

/** A request, as far as its origin depends on it. */
type Asked = Pick<FastifyRequest, 'headers' | 'host' | 'ip' | 'ips' | 'protocol' | 'raw'>

/** The service's own origins. */
export interface OwnOrigin {
  /** The origin that a request has reached, e.g. `https://board.example`. */
  of: (request: Asked) => string
  /** The origin that a page of the service has, for a refusal. */
  expected: (request: Asked) => string
  /** Whether an `Origin` header is the service's own. */
  isOwn: (request: Asked, origin: string) => boolean
  /** Whether the browser has reached it by https. */
  isSecure: (request: Asked) => boolean
}

/** An origin as browsers write it: without a default port. Any other text stays. */
const originIn = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

/**
 * Creates the reader of `X-Forwarded-Proto` and `X-Forwarded-Host`. Each of several proxies may append its own value, and the first one of
 * the trusted proxies has what the browser used; Fastify reads the last.
 */
function createForwarded(trustProxy: OriginOptions['trustProxy']) {
  if (trustProxy === false) return (_request: Asked, _name: string, otherwise: string) => otherwise
  const isTrusted = trustProxy === true ? () => true : amongAddresses(trustProxy)
  return (request: Asked, name: 'x-forwarded-proto' | 'x-forwarded-host', otherwise: string): string => {
    const { headers, ips = [], raw } = request
    const text = headers[name]
    if (typeof text !== 'string' || !isTrusted(raw.socket.remoteAddress)) return otherwise
    const values = text.split(',').map((value) => value.trim())
    // The last address is the client's own. What the client has sent itself comes before the values of the proxies.
    const isCounted = trustProxy !== true && headers['x-forwarded-for'] !== undefined
    const proxies = isCounted ? Math.max(1, ips.length - 1) : values.length
    return values[Math.max(0, values.length - proxies)] || otherwise
  }
}

/** Creates the origins of a service. */
export function createOwnOrigin({ publicUrl, trustProxy }: OriginOptions): OwnOrigin {
  const forwarded = createForwarded(trustProxy)
  const known = publicUrl === undefined ? undefined : new URL(publicUrl)
  const of: OwnOrigin['of'] = (request) => {
    const { headers, protocol, host, raw } = request
    const name = forwarded(request, 'x-forwarded-host', host)
    const reached = originIn(`${forwarded(request, 'x-forwarded-proto', protocol)}://${name}`)
    if (known === undefined) return reached
    // A proxy may replace the name by its own name for the service, and say nothing of how it was reached itself.
    const isSilent = isProxied(raw) && headers['x-forwarded-proto'] === undefined
    const isPublic = name.toLowerCase() === known.host || headers.origin === known.origin || isSilent
    return isPublic ? known.origin : reached
  }
  return {
    of,
    expected: (request) => known?.origin ?? of(request),
    isOwn: (request, origin) => origin === known?.origin || origin === of(request),
    isSecure: (request) => of(request).startsWith('https:'),
  }
}
