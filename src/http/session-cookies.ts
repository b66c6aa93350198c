/** The cookie with the token of a session. */
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
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
  /** What the browser keeps of a sign-in with the OpenID provider, if any. */
  readSignIn: (request: FastifyRequest) => string | undefined
  /** Lets the browser keep that. @param maxAge milliseconds; 0 = not any more */
  keepSignIn: (request: FastifyRequest, reply: FastifyReply, value: string, maxAge: number) => void
}

/** The cookie of a sign-in with the OpenID provider that has begun. */
const SIGN_IN_COOKIE = 'phaseboard_sign_in'

const OVER = { token: '', expiresAt: new Date(0).toISOString() }

/** The plugin's reply decorators; requests get `cookies`. */
const REPLY_DECORATORS = ['cookie', 'setCookie', 'clearCookie']

/**
 * Registers `@fastify/cookie`. Where a host has it, or decorators of the same names, registering it again would be an
 * error, and the host's options (`decode`, `domain`) are not ours: there it is registered in a separate application.
 * @returns its functions
 */
async function registerCookie(
  app: FastifyInstance,
): Promise<Pick<FastifyInstance, 'parseCookie' | 'serializeCookie'>> {
  const isTaken =
    app.hasRequestDecorator('cookies') || REPLY_DECORATORS.some((name) => app.hasReplyDecorator(name))
  const home = isTaken ? Fastify() : app
  // Cookies are parsed on demand: most requests need none.
  await home.register(cookie, { hook: false })
  const { parseCookie, serializeCookie } = home
  return { parseCookie, serializeCookie }
}

/** Creates the functions that read and write the session cookie. */
export async function createSessionCookies(app: FastifyInstance): Promise<SessionCookies> {
  const { parseCookie, serializeCookie } = await registerCookie(app)
  /** Adds a cookie to a reply: Fastify collects those of several calls. */
  const setCookie = (
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    value: string,
    expires: Date,
  ) =>
    reply.header(
      'set-cookie',
      serializeCookie(name, value, {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: request.protocol === 'https',
        expires,
      }),
    )
  // An empty cookie is none: some clients send one after it was cleared.
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
