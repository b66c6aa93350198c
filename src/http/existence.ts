/** Existence as a hook, so that where it is mounted decides the order of checks. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { thingOf } from '../db/existence.ts'
import { notFound } from '../errors.ts'

/**
 * Makes the hook that refuses a request whose `:id` names nothing. As `onRequest`, existence comes before everything about
 * the body; as `preHandler`, after validation. A rule that changes the record looks again, inside its write.
 * @param table whose records they are, for the words of the refusal
 * @param exists whether there is one with this id
 */
export const mustExist =
  (table: SQLiteTable, exists: (id: string) => boolean) =>
  (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    exists((request.params as { id: string }).id) ? done() : done(notFound(thingOf(table)))
