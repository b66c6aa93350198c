/** The address of the service as browsers reach it, for shared links. */
import { isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * The service's root, without a trailing slash: as configured, else as this request has reached it.
 */
export const baseUrl = (
  request: FastifyRequest,
  { ownOrigin, prefix }: Pick<FastifyInstance, 'ownOrigin' | 'prefix'>,
  publicUrl: string | undefined,
): string => publicUrl ?? `${ownOrigin.of(request)}${prefix}`

/** Every address of the machine. */
const EVERYWHERE = ['0.0.0.0', '::']

/** The address of a listening service, as a browser on its machine reaches it. */
export function localUrl({ host, port }: { host: string; port: number }): string {
  const name = EVERYWHERE.includes(host) ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}`
}
