/** The address of the service, as browsers reach it: for links that are passed on. */
import { isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Where the service's root is, without a slash at its end: as configured, else as this request has reached it.
 * @param prefix below which the routes are registered
 */
export const baseUrl = (
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
  prefix: string,
  publicUrl: string | undefined,
): string => publicUrl ?? `${protocol}://${host}${prefix}`

/** Every address of the machine. */
const EVERYWHERE = ['0.0.0.0', '::']

/** The address of a service that listens there, as a browser on its machine reaches it. */
export function localUrl({ host, port }: { host: string; port: number }): string {
  const name = EVERYWHERE.includes(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}`
}
