/** The existence check as a hook: where it is mounted decides the order of checks. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { thingOf } from '../db/existence.ts'
import { notFound } from '../errors.ts'
import { isRepeated } from './repeatable.ts'

const checks = new WeakSet<object>()

/** Whether a hook is an existence check. A batch, whose own writes the hook would not see, reads the route's record instead. */
export const isExistenceCheck = (hook: object): boolean => checks.has(hook)

/**
 * Creates the hook that responds 404 to an unknown `:id`. As `onRequest`, existence is checked before the body is read; as
 * `preHandler`, after validation. A repetition of a
 * request passes: what it was about may be gone. A rule that changes the record checks again, inside its write.
 * @param table the records' table, for the error message
 * @param exists whether there is a record with this id
 */
export function mustExist(table: SQLiteTable, exists: (id: string) => boolean) {
  const check = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    isRepeated(request) || exists((request.params as { id: string }).id)
      ? done()
      : done(notFound(thingOf(table)))
  checks.add(check)
  return check
}
