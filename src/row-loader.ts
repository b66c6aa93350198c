import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from './errors.ts'

/**
 * Makes the hook that loads the row a route's `:id` names. Which hook it is mounted as decides the order of
 * checks: as `onRequest`, existence comes before everything about the body; as `preHandler`, after validation.
 * @param app the plugin whose routes mount it
 * @param thing what the 404 calls the row, e.g. `Project`
 * @param find reads the row; undefined when there is none
 * @returns the hook, and how a handler gets at the row
 */
export function rowLoader<Row>(app: FastifyInstance, thing: string, find: (id: string) => Row | undefined) {
  const key = Symbol(`phaseboard.${thing}`)
  app.decorateRequest(key, null)
  return {
    load: async (request: FastifyRequest): Promise<void> => {
      const row = find((request.params as { id: string }).id)
      if (row === undefined) throw notFound(thing)
      request.setDecorator(key, row)
    },
    row: (request: FastifyRequest): Row => request.getDecorator<Row>(key),
  }
}
