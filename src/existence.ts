import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from './errors.ts'

/**
 * Makes the hook that refuses a request whose `:id` names nothing. Which hook it is mounted as decides the order
 * of checks: as `onRequest`, existence comes before everything about the body; as `preHandler`, after validation.
 * A rule that changes the row looks again, inside its transaction.
 * @param thing what the 404 calls it, e.g. `Project`
 * @param exists looks for it by its id
 */
export const mustExist =
  (thing: string, exists: (id: string) => boolean) =>
  (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    exists((request.params as { id: string }).id) ? done() : done(notFound(thing))
