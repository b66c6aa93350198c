/** Whether a request came through a proxy. */
import type { IncomingMessage } from 'node:http'

/** Headers that proxies add, besides all of `X-Forwarded-*`. */
const ADDED = ['forwarded', 'via', 'x-real-ip'] as const

/**
 * Whether a proxy forwarded a request: then a local peer does not mean a local client. HTTP/1.0 counts too: nginx
 * uses it by default (before 1.29.7), with a local `Host` and no header at all, and hardly any local client does.
 */
export function isProxied({ headers, httpVersion }: IncomingMessage): boolean {
  if (httpVersion === '1.0' || ADDED.some((name) => headers[name] !== undefined)) return true
  for (const name in headers) if (name.startsWith('x-forwarded-')) return true
  return false
}
