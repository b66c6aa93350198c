/** The cookie in which the token of a session travels. */
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type NewSession, SESSION_COOKIE } from '../members/sessions.ts'

/** The session cookie of requests and replies. */
export interface SessionCookies {
  /** The token that the request's cookie holds, if any. */
  read: (request: FastifyRequest) => string | undefined
  /** Gives the client the cookie of a session. */
  set: (
    request: FastifyRequest,
    reply: FastifyReply,
    session: Pick<NewSession, 'token' | 'expiresAt'>,
  ) => void
  /** Takes the cookie away: its session is over. */
  clear: (request: FastifyRequest, reply: FastifyReply) => void
}

const OVER = { token: '', expiresAt: new Date(0).toISOString() }

/** What the plugin decorates replies with; requests get `cookies`. */
const REPLY_DECORATORS = ['cookie', 'setCookie', 'clearCookie']

/**
 * Registers `@fastify/cookie`. Where a host has it, or decorators of the same names, that would be an error, and the
 * options of a host's are its own (a `decode`, a `domain`): there it is registered apart.
 * @returns its functions
 */
async function registerCookie(
  app: FastifyInstance,
): Promise<Pick<FastifyInstance, 'parseCookie' | 'serializeCookie'>> {
  const isTaken =
    app.hasRequestDecorator('cookies') || REPLY_DECORATORS.some((name) => app.hasReplyDecorator(name))
  const home = isTaken ? Fastify() : app
  // Nearly all requests are read without a look at their cookies.
  await home.register(cookie, { hook: false })
  const { parseCookie, serializeCookie } = home
  return { parseCookie, serializeCookie }
}

/** Makes what reads and writes the session cookie. */
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
      // An empty one is none: some clients send that for a cookie that was taken away.
      return cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE] || undefined
    },
    set,
    clear: (request, reply) => set(request, reply, OVER),
  }
}
