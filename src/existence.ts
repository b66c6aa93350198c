import type { FastifyRequest } from 'fastify'
import { notFound } from './errors.ts'

/**
 * Makes the hook that refuses a request whose `:id` names nothing. Which hook it is mounted as decides the order
 * of checks: as `onRequest`, existence comes before everything about the body; as `preHandler`, after validation.
 * A rule that changes the row looks again, inside its transaction.
 * @param thing what the 404 calls it, e.g. `Project`
 * @param find looks for it; undefined when there is none
 */
export const mustExist =
  (thing: string, find: (id: string) => unknown) =>
  async (request: FastifyRequest): Promise<void> => {
    if (find((request.params as { id: string }).id) === undefined) throw notFound(thing)
  }
