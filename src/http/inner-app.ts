/** Plugins that load slowly, in a separate Fastify application that is created lazily. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memoizeAsync } from '../once.ts'

/** The library's errors for a path that cannot be a file: too long, with a NUL or a backslash, or outside its folder. */
const NO_FILE = new Set([400, 403, 404])

/**
 * Creates the handler of routes that another application serves, at the same URL.
 * @param make creates that application, at the first request. Its error handler is replaced: errors go to the service's own
 * @returns the handler; if that application has no such file, it responds as for an unknown path
 */
export function answerFrom(make: () => Promise<FastifyInstance>) {
  const inner = memoizeAsync(async () => {
    const made = await make()
    made.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
      if (NO_FILE.has(error.statusCode ?? 500)) return reply.code(404).send()
      // This rejects the `inject` below.
      return reply.hijack().raw.destroy(error)
    })
    return made
  })
  return async ({ url, headers }: FastifyRequest, reply: FastifyReply) => {
    const app = await inner()
    const { statusCode, headers: made, rawPayload } = await app.inject({ url, headers })
    if (NO_FILE.has(statusCode)) return reply.callNotFound()
    const { connection: _, ...own } = made
    return reply
      .code(statusCode)
      .headers(own)
      .send(rawPayload.length > 0 ? rawPayload : undefined)
  }
}
