/** Unknown addresses: a browser gets the board page with a message, and any other client the error as JSON. */
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Responses are data: never a page, a script, or part of another site's page. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Sends the page for an unknown address. @param depth of the address below the service's root: 0 for `/nothing` */
export type SendMissingPage = (reply: FastifyReply, depth: number) => Promise<FastifyReply>

/** Paths of data and files, whose errors are data for browsers too. */
const DATA = /^\/(?:api|assets|docs|mcp|metrics|health|openapi\.json)(?:\/|$)/
/** The maximum depth of an address: the page is kept for each. */
const DEEPEST = 8

/** Whether a browser has sent a request to show its response as a page. */
export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '')

/**
 * The depth of an address at which a browser requests a page; undefined for all other requests.
 * @param prefix the path of the service's root, without a trailing slash
 */
export function depthOfPage(request: FastifyRequest, prefix: string): number | undefined {
  const { method, url } = request
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead || !wantsPage(request)) return undefined
  const path = (url.split('?', 1)[0] ?? '').slice(prefix.length)
  const depth = path.split('/').length - 2
  return DATA.test(path) || depth < 0 || depth > DEEPEST ? undefined : depth
}
