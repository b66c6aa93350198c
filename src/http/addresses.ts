/**
 * Network addresses, in whatever form a socket or a proxy writes them. By Node's own means: ipaddr.js takes `::10.0.0.9` for
 * `::ffff:10.0.0.9`, which is somebody else.
 */
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'
import type { FastifyRequest } from 'fastify'

const IPV6_GROUPS = 8
const GROUPS_OF_A_NETWORK = 4

/** The groups of an IPv6 address in its canonical form (RFC 5952). */
function groupsOf(address: string): string[] {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  return [...head, ...Array<string>(IPV6_GROUPS - head.length - tail.length).fill('0'), ...tail]
}

/**
 * Where a request comes from: what the proxies that are trusted say, as long as that is an address, else the peer's own.
 * A header is whatever somebody wrote: nothing else of it may get into a log or a limit.
 */
export function addressOf({
  ip,
  socket: { remoteAddress = '' },
}: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // The zone of a link-local address (RFC 4007) is free text, and means something on one machine only.
  const [address = ''] = (ip ?? '').split('%', 1)
  return isIP(address) === 0 ? remoteAddress : address
}

/**
 * What counts as one client: an IPv4 address or, since whoever has one IPv6 address usually has the 2^64 of its
 * network, an IPv6 network of 64 bits.
 * @param address an IPv4 address inside an IPv6 one (`::ffff:192.0.2.1`) is the IPv4 address; what is no address stands
 * for itself
 */
export function clientAt(address: string): string {
  if (!isIPv6(address)) return address
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  const [, inside] = /^::ffff:([\d.]+)$/.exec(canonical) ?? []
  return inside ?? `${groupsOf(canonical).slice(0, GROUPS_OF_A_NETWORK).join(':')}::/64`
}

/**
 * Makes the test whether an address is among others, whichever of them are IPv4 addresses inside IPv6 ones.
 * @param addresses addresses and subnets
 * @returns the test; a connection that is gone has no address, and that is among none
 */
export function amongAddresses(addresses: readonly string[]): (address: string | undefined) => boolean {
  const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
  const known = new BlockList()
  for (const entry of addresses) {
    const [address = '', bits] = entry.split('/')
    if (bits === undefined) known.addAddress(address, family(address))
    else known.addSubnet(address, Number(bits), family(address))
  }
  return (address = '') => isIP(address) !== 0 && known.check(address, family(address))
}
