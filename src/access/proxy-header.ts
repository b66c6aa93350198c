/** The header in which a reverse proxy names the authenticated member by email. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { amongAddresses } from './addresses.ts'

/** The header, and the addresses that may send it. */
export type ProxyHeaderOptions = Pick<Config, 'authProxyHeader' | 'trustProxy'>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes a header as UTF-8, which proxies send; Node decodes it as Latin-1. */
function decode(value: string): string {
  if (/^\p{ASCII}*$/u.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

/**
 * Creates the function that reads the header. The peer's own address decides whether it is trusted, never a forwarded one.
 * @returns the function: the email; undefined without such a header, or if its sender is not trusted; an empty text,
 * which matches no member, for several headers
 */
export function createProxyHeader({
  authProxyHeader,
  trustProxy,
}: ProxyHeaderOptions): (request: FastifyRequest) => string | undefined {
  if (authProxyHeader === undefined) return () => undefined
  const name = authProxyHeader.toLowerCase()
  const isTrusted = trustProxy === true ? () => true : amongAddresses(trustProxy || [])
  return ({ raw: { headers, rawHeaders, socket } }) => {
    if (headers[name] === undefined || !isTrusted(socket.remoteAddress)) return undefined
    // Names and values alternate in `rawHeaders`, which does not join repeated headers.
    const values = rawHeaders.filter(
      (_, index) => rawHeaders[index - 1]?.toLowerCase() === name && index % 2 === 1,
    )
    return values.length === 1 ? decode(values[0] as string) : ''
  }
}
