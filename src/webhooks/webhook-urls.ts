/**
 * Where webhooks may point: to public addresses, unless told otherwise. Whoever may make a webhook would otherwise have the
 * service knock at doors of its own network (SSRF).
 */
import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** All of IPv6 that is routed; IPv4-compatible addresses (`::10.0.0.9`) are outside, which ipaddr.js knows no name for. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** What is said of an address that is not allowed, whatever it is: it may be a name's of the inner network. */
export const REFUSED_ADDRESS = 'the address is private, or reserved, or of this machine'

/** Whether an address is one of this machine's, public ones included. */
function isOwn(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((one) => ipaddr.parse(one.address).toNormalizedString() === address.toNormalizedString())
}

/**
 * Whether an address is no public one: private, loopback, link-local, multicast, carrier-grade NAT, documentation,
 * benchmarks, broadcast; IPv4 in an IPv6 address (mapped, compatible, 6to4, Teredo, NAT64); or of this machine.
 * @param address IPv4 or IPv6, as text
 */
export function isRefusedAddress(address: string): boolean {
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return true
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return true
  return isOwn(parsed)
}

/** The address that a URL names instead of a host; undefined for a host name. */
function addressIn({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? undefined : host
}

/** Whether a URL names a refused address: for these nothing is looked up. */
export function hasRefusedAddress(url: URL): boolean {
  const address = addressIn(url)
  return address !== undefined && isRefusedAddress(address)
}

/**
 * What is wrong with the URL of a webhook; undefined for a good one. What its name resolves to is checked by each
 * connection.
 */
export function problemOfUrl(text: string, allowsPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  if (text.includes('#')) return 'must not have a fragment'
  if (!allowsPrivate && hasRefusedAddress(url)) return `must be public: ${REFUSED_ADDRESS}`
  return undefined
}

type Resolve = (
  host: string,
  options: object,
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Creates what a connection looks names up with: it refuses a name when any of its addresses is refused. The connection
 * goes to one of the addresses that were checked, so that a name which is resolved anew gains nothing (DNS rebinding).
 */
export const publicLookup =
  (resolve: Resolve = lookup as Resolve): LookupFunction =>
  (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || first === undefined) done(error ?? new Error(`${host} has no address`), [])
      else if (addresses.some(({ address }) => isRefusedAddress(address)))
        done(new Error(REFUSED_ADDRESS), [])
      else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
