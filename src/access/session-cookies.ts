/** The cookie with the token of a session. */
import { fastifyCookie } from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createCache } from '../cache.ts'
import { hashToken } from '../members/secrets.ts'
import { type NewSession, SESSION_COOKIE } from '../members/sessions.ts'
import { memoizeAsync } from '../once.ts'
import type { OwnOrigin } from './own-origin.ts'

/** The session cookie of requests and replies. */
export interface SessionCookies {
  /** The token in the request's cookie, if any. */
  read: (request: FastifyRequest) => string | undefined
  /** Sets the cookie of a session. */
  set: (
    request: FastifyRequest,
    reply: FastifyReply,
    session: Pick<NewSession, 'token' | 'expiresAt'>,
  ) => void
  /** The same for a sign-in, which ends the session of that token. */
  readToReplace: (request: FastifyRequest) => string | undefined
  /**
   * Clears the cookie: its session has ended. Not if a sign-in has just replaced it: a late response to a request with the former cookie would
   * clear the new one.
   */
  clear: (request: FastifyRequest, reply: FastifyReply) => void
  /** The cookie of a pending sign-in with the OpenID provider, if any. */
  readSignIn: (request: FastifyRequest) => string | undefined
  /** Sets that cookie. @param maxAge milliseconds; 0 clears it */
  keepSignIn: (request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number) => void
}

/** Where browsers find the service. */
export interface CookieScope extends Pick<OwnOrigin, 'isSecure'> {
  /** Of the routes; empty for none. */
  prefix: string
  publicUrl: string | undefined
}

/** The cookie of a pending sign-in with the OpenID provider. */
const SIGN_IN_COOKIE = 'phaseboard_sign_in'

/** Replaced sessions that are known, and for how long: in milliseconds, longer than a request takes. */
const REPLACED = 1000
const KNOWN_FOR = 60 * 1000

const OVER = { token: '', expiresAt: new Date(0).toISOString() }

/** The characters of a `Path` attribute (RFC 6265, section 4.1.1). */
const COOKIE_PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/

/** The functions of `@fastify/cookie` work once it has been registered somewhere: here, for hosts, where nothing else is. */
const load = memoizeAsync(async () => {
  await Fastify().register(fastifyCookie)
})

/**
 * Registers `@fastify/cookie` in the service's own application. A host's application stays without it: the host may have
 * registered it itself, with options of its own, or use another library. The session cookie depends on neither, since only the
 * functions `parse` and `serialize` read and write it.
 */
export async function registerCookies(app: FastifyInstance, isInHost: boolean): Promise<void> {
  // No hook: few requests have a cookie, and `read` parses it.
  await (isInHost ? load() : app.register(fastifyCookie, { hook: false }))
}

/** The path of the service's root as browsers know it, without a trailing slash; empty for the root of the host. */
export function rootPathOf(
  { originalUrl }: FastifyRequest,
  { prefix, publicUrl }: Pick<CookieScope, 'prefix' | 'publicUrl'>,
): string {
  if (publicUrl !== undefined) return new URL(publicUrl).pathname.replace(/\/$/, '')
  const path = prefix.replace(/\/$/, '')
  if (!/[:*]/.test(path)) return encodeURI(path)
  // The parameters of a host's prefix are in the address of the request. Two slashes would begin another host's address.
  const own = originalUrl.split(/[?/]/, path.split('/').length).join('/')
  return own.replace(/^[/\\]+/, '/')
}

/** Creates the functions that read and write the session cookie. It is for the service only, not for its host's other paths. */
export function createSessionCookies(scope: CookieScope): SessionCookies {
  const pathFor = (request: FastifyRequest) => {
    const path = rootPathOf(request, scope)
    return COOKIE_PATH.test(path) ? path : '/'
  }
  /** Adds a cookie to a reply: Fastify collects those of several calls. No cache may store it, nor give it to others. */
  const setCookie = (
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    value: string,
    expires: Date,
  ) =>
    reply.header('cache-control', 'no-store').header(
      'set-cookie',
      fastifyCookie.serialize(name, value, {
        httpOnly: true,
        sameSite: 'lax',
        path: pathFor(request),
        secure: scope.isSecure(request),
        expires,
      }),
    )
  // An empty cookie counts as absent: some clients send one after it was cleared.
  const readCookie = ({ headers: { cookie } }: FastifyRequest, name: string) =>
    cookie === undefined ? undefined : fastifyCookie.parse(cookie)[name] || undefined
  const replaced = createCache<string, true>(REPLACED, KNOWN_FOR)
  const read: SessionCookies['read'] = (request) => readCookie(request, SESSION_COOKIE)
  const set: SessionCookies['set'] = (request, reply, { token, expiresAt }) => {
    setCookie(request, reply, SESSION_COOKIE, token, new Date(expiresAt))
  }
  return {
    read,
    readToReplace(request) {
      const token = read(request)
      if (token !== undefined) replaced.set(hashToken(token), true)
      return token
    },
    set,
    clear(request, reply) {
      const token = read(request)
      if (token === undefined || !replaced.has(hashToken(token))) set(request, reply, OVER)
    },
    readSignIn: (request) => readCookie(request, SIGN_IN_COOKIE),
    keepSignIn(request, reply, value, maxAge) {
      setCookie(request, reply, SIGN_IN_COOKIE, value, new Date(maxAge === 0 ? 0 : Date.now() + maxAge))
    },
  }
}
