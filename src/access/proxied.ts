/** Whether a request came through a proxy. */
import type { IncomingMessage } from 'node:http'

/** Headers that proxies add, beside all of `X-Forwarded-*`. */
const ADDED = ['forwarded', 'via', 'x-real-ip'] as const

/**
 * Whether a proxy has passed a request on: then its peer being this machine says nothing of who sent it. HTTP/1.0 counts too: nginx
 * speaks it by default (before 1.29.7), with a local `Host` and no header at all, and hardly any client on this machine does.
 */
export function isProxied({ headers, httpVersion }: IncomingMessage): boolean {
  if (httpVersion === '1.0' || ADDED.some((name) => headers[name] !== undefined)) return true
  for (const name in headers) if (name.startsWith('x-forwarded-')) return true
  return false
}
