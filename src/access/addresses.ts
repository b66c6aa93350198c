/**
 * Network addresses, in any form that sockets and proxies use. It uses Node's own functions: ipaddr.js takes `::10.0.0.9` for
 * `::ffff:10.0.0.9`, which is another address.
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
 * The client's address: the one forwarded by trusted proxies, if valid, else the peer's own. A header may contain any
 * text, which must not get into logs or limits.
 */
export function addressOf({
  ip,
  socket: { remoteAddress = '' },
}: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  // The zone of a link-local address (RFC 4007) is free text, and meaningful on one machine only.
  const [address = ''] = (ip ?? '').split('%', 1)
  return isIP(address) === 0 ? remoteAddress : address
}

/**
 * The client for limits: an IPv4 address or, since one client usually has a network of 2^64
 * addresses, an IPv6 network of 64 bits.
 * @param address an IPv4-mapped one (`::ffff:192.0.2.1`) counts as IPv4; other text is returned as it is
 */
export function clientAt(address: string): string {
  if (!isIPv6(address)) return address
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  const [, inside] = /^::ffff:([\d.]+)$/.exec(canonical) ?? []
  return inside ?? `${groupsOf(canonical).slice(0, GROUPS_OF_A_NETWORK).join(':')}::/64`
}

/**
 * Creates the check whether an address is in a list, IPv4-mapped IPv6 addresses included.
 * @param addresses addresses and subnets
 * @returns the check; false for the undefined address of a closed connection
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
