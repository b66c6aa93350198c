/**
 * Allowed targets of webhooks: public addresses, unless configured otherwise. Otherwise a user who may create webhooks could make the
 * service connect to its internal network (SSRF).
 */
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import type { HostLookup, Seeker } from './host-lookup.ts'

/** All routed IPv6 addresses; IPv4-compatible ones (`::10.0.0.9`), which ipaddr.js does not classify, are outside. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** The message for any refused address; it reveals nothing, since the name may be of the internal network. */
export const REFUSED_ADDRESS = 'the address is private, or reserved, or of this machine'

/** Whether an address belongs to this machine, even if public. */
function isOwn(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((one) => ipaddr.parse(one.address).toNormalizedString() === address.toNormalizedString())
}

/**
 * Whether an address is not public: private, loopback, link-local, multicast, carrier-grade NAT, documentation,
 * benchmarks, broadcast; IPv4 in an IPv6 address (mapped, compatible, 6to4, Teredo, NAT64); or of this machine.
 * @param address IPv4 or IPv6, as text
 */
export function isRefusedAddress(address: string): boolean {
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return true
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return true
  return isOwn(parsed)
}

/** The address in a URL; undefined for a host name. */
function addressIn({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? undefined : host
}

/** Whether a URL contains a refused address, for which no lookup is made. */
export function hasRefusedAddress(url: URL): boolean {
  const address = addressIn(url)
  return address !== undefined && isRefusedAddress(address)
}

/**
 * The violation of a webhook's URL, or undefined. Each connection checks the addresses that its name resolves
 * to.
 */
export function problemOfUrl(text: string, allowsPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  if (text.includes('#')) return 'must not have a fragment'
  if (!allowsPrivate && hasRefusedAddress(url))
    return `must be public: ${REFUSED_ADDRESS} (WEBHOOK_ALLOW_PRIVATE=true allows that)`
  return undefined
}

/**
 * Creates the lookup of an attempt's connection. Unless private addresses are allowed, it refuses a name if any of its addresses is refused. The
 * connection goes to one of the checked addresses, which prevents DNS rebinding.
 */
export const guardedLookup =
  (lookup: HostLookup, allowsPrivate: boolean, seeker: Seeker): LookupFunction =>
  (host, options, done) => {
    const check: Parameters<HostLookup>[2] = (error, addresses) => {
      const [first] = addresses ?? []
      if (error || first === undefined) done(error ?? new Error(`${host} has no address`), [])
      else if (!allowsPrivate && addresses.some(({ address }) => isRefusedAddress(address)))
        done(new Error(REFUSED_ADDRESS), [])
      else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    }
    lookup(host, options, check, seeker)
  }
