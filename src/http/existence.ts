/** Existence as a hook, so that where it is mounted decides the order of checks. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SharedDatabase } from '../db/client.ts'
import { thingOf } from '../db/existence.ts'
import { type Identified, prepareExists } from '../db/old-statements.ts'
import { notFound } from '../errors.ts'

/**
 * Makes the hook that refuses a request whose `:id` names no row of the table. As `onRequest`, existence comes before
 * everything about the body; as `preHandler`, after validation. A rule that changes the row looks again, inside its
 * transaction.
 */
export function mustExist(db: SharedDatabase, table: Identified) {
  const exists = prepareExists(db, table)
  const refusal = notFound(thingOf(table))
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    exists((request.params as { id: string }).id) ? done() : done(refusal)
}
