/** The existence check as a hook: where it is mounted decides the order of checks. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { thingOf } from '../db/existence.ts'
import { notFound } from '../errors.ts'
import { isRepeated } from './repeatable.ts'

/**
 * Creates the hook that responds 404 to an unknown `:id`. As `onRequest`, existence is checked before the body is read; as
 * `preHandler`, after validation. A repetition of a
 * request passes: what it was about may be gone. A rule that changes the record checks again, inside its write.
 * @param table the records' table, for the error message
 * @param exists whether there is a record with this id
 */
export const mustExist =
  (table: SQLiteTable, exists: (id: string) => boolean) =>
  (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    isRepeated(request) || exists((request.params as { id: string }).id)
      ? done()
      : done(notFound(thingOf(table)))
