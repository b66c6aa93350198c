/** The names under which a service that only this machine reaches may be called. */
import { isLoopback } from '../config.ts'

/** Of a Host header (RFC 9110, section 7.2): the name or address, an IPv6 address without its brackets. */
function nameOf(host: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? []
  return (address ?? name).toLowerCase()
}

/**
 * Makes the test of the Host header of requests. A web page can have a name of its own lead to this machine, and would
 * then pass in the browser for a page of the service.
 * @param origins those whose names the service may have, too, e.g. that of a proxy in front
 * @returns the test; a request without the header comes from no browser
 */
export function createHostCheck(origins: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(origins.map((origin) => nameOf(new URL(origin).host)))
  // Nearly every request has the header of the one before.
  let latest: string | undefined
  return (host) => {
    if (host === latest || host === undefined) return true
    const name = nameOf(host)
    const isKnown = isLoopback(name) || names.has(name)
    if (isKnown) latest = host
    return isKnown
  }
}
