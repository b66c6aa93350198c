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
}

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
  const set: SessionCookies['set'] = (request, reply, { token, expiresAt }) => {
    const value = serializeCookie(SESSION_COOKIE, token, {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure: request.protocol === 'https',
      expires: new Date(expiresAt),
    })
    reply.header('set-cookie', value)
  }
  return {
    read({ headers: { cookie } }) {
      // An empty cookie is none: some clients send one after it was cleared.
      return cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE] || undefined
    },
    set,
    clear: (request, reply) => set(request, reply, OVER),
  }
}
