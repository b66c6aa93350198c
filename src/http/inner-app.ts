/** Plugins that take long to load, in a Fastify application of their own that is made when it is first asked. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memoizeAsync } from '../once.ts'

/** What the library says of a path that can be no file's: too long, with a NUL or a backslash, or out of its folder. */
const NO_FILE = new Set([400, 403, 404])

/**
 * Creates the handler of routes that another application answers, at the same URL.
 * @param make makes that application, at the first request. Its error handler is replaced: errors go to the service's own
 * @returns the handler; where that application has nothing, it answers as for an unknown path
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
