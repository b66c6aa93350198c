/** The host names of a service on a loopback address, against DNS rebinding. */
import { isLoopback } from '../config.ts'

/** The name or address in a Host header (RFC 9110, section 7.2), an IPv6 address without its brackets. */
function nameOf(host: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? []
  return (address ?? name).toLowerCase()
}

/**
 * Creates the check of the Host header against DNS rebinding: a foreign page whose host name resolves to this machine
 * would be same-origin with the service.
 * @param origins other origins of the service, e.g. its public address
 * @returns the check; true without the header, since browsers always send one
 */
export function createHostCheck(origins: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(origins.map((origin) => nameOf(new URL(origin).host)))
  // A cache with one entry: nearly every request has the same header as the previous one.
  let latest: string | undefined
  return (host) => {
    if (host === latest || host === undefined) return true
    const name = nameOf(host)
    const isKnown = isLoopback(name) || names.has(name)
    if (isKnown) latest = host
    return isKnown
  }
}
