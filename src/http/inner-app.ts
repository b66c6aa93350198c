/** Plugins that take long to load, in a Fastify application of their own that is made when it is first asked. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { memoizeAsync } from '../once.ts'

/**
 * Creates the handler of routes that another application answers, at the same URL.
 * @param make makes that application, at the first request. Its error handler is replaced: errors go to the service's own
 * @returns the handler; where that application has nothing, it answers as for an unknown path
 */
export function answerFrom(make: () => Promise<FastifyInstance>) {
  const inner = memoizeAsync(async () => {
    const made = await make()
    // This rejects the `inject` below.
    made.setErrorHandler((error: Error, _request, reply) => {
      reply.hijack().raw.destroy(error)
    })
    return made
  })
  return async ({ url, headers }: FastifyRequest, reply: FastifyReply) => {
    const app = await inner()
    const { statusCode, headers: made, rawPayload } = await app.inject({ url, headers })
    if (statusCode === 404) return reply.callNotFound()
    const { connection: _, ...own } = made
    return reply
      .code(statusCode)
      .headers(own)
      .send(rawPayload.length > 0 ? rawPayload : undefined)
  }
}
