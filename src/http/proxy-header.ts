/** The header in which a reverse proxy names the member whom it has recognised, by email. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { amongAddresses } from './addresses.ts'

/** Which header it is, and who may send it. */
export type ProxyHeaderOptions = Pick<Config, 'authProxyHeader' | 'trustProxy'>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of a header: Node shows each byte as a character, while proxies write UTF-8. */
function decode(value: string): string {
  if (/^\p{ASCII}*$/u.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

/**
 * Makes what reads the header. What counts is who sends the request itself, never what it says about its origin.
 * @returns the reader: the email; undefined when there is no such header, or none that counts; an empty text, which is
 * nobody's, when there are several
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
    // Names and values take turns there, each header as it was sent.
    const values = rawHeaders.filter(
      (_, index) => rawHeaders[index - 1]?.toLowerCase() === name && index % 2 === 1,
    )
    return values.length === 1 ? decode(values[0] as string) : ''
  }
}
