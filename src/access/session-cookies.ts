/** The cookie with the token of a session. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type NewSession, SESSION_COOKIE } from '../members/sessions.ts'

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
  /** Clears the cookie: its session has ended. */
  clear: (request: FastifyRequest, reply: FastifyReply) => void
  /** The cookie of a pending sign-in with the OpenID provider, if any. */
  readSignIn: (request: FastifyRequest) => string | undefined
  /** Sets that cookie. @param maxAge milliseconds; 0 clears it */
  keepSignIn: (request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number) => void
}

/** The cookie of a pending sign-in with the OpenID provider. */
const SIGN_IN_COOKIE = 'phaseboard_sign_in'

const OVER = { token: '', expiresAt: new Date(0).toISOString() }

/** Creates the functions that read and write the session cookie. */
export function createSessionCookies(): SessionCookies {
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
      stringifySetCookie({
        name,
        value,
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: request.protocol === 'https',
        expires,
      }),
    )
  // An empty cookie counts as absent: some clients send one after it was cleared.
  const readCookie = ({ headers: { cookie } }: FastifyRequest, name: string) =>
    cookie === undefined ? undefined : parseCookie(cookie)[name] || undefined
  const set: SessionCookies['set'] = (request, reply, { token, expiresAt }) => {
    setCookie(request, reply, SESSION_COOKIE, token, new Date(expiresAt))
  }
  return {
    read: (request) => readCookie(request, SESSION_COOKIE),
    set,
    clear: (request, reply) => set(request, reply, OVER),
    readSignIn: (request) => readCookie(request, SIGN_IN_COOKIE),
    keepSignIn(request, reply, value, maxAge) {
      setCookie(request, reply, SIGN_IN_COOKIE, value, new Date(maxAge === 0 ? 0 : Date.now() + maxAge))
    },
  }
}
