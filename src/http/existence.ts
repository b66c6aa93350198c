/** Checks of existence that come before a body's validation, and cost nothing where the body is valid. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { thingOf } from '../db/existence.ts'
import { notFound } from '../errors.ts'
import { isRepeated } from './repeatable.ts'

const checks = new WeakSet<object>()

/** What ensures that the records of requests exist, of requests whose bodies are still to be read. */
const due = new WeakMap<FastifyRequest, () => void>()

/** Whether a hook is an existence check. A batch, whose own writes the hook would not see, reads the route's record instead. */
export const isExistenceCheck = (hook: object): boolean => checks.has(hook)

/**
 * Creates the hook of a route that responds 404 to an unknown `:id`, whatever is wrong with the body. The rule that changes the record
 * looks for it anyway, inside its write: so that is asked only where the body is refused. A repetition of a request passes: what
 * it was about may be gone.
 * @param table the records' table, for the error message
 * @param exists whether there is a record with this id
 */
export function mustExist(table: SQLiteTable, exists: (id: string) => boolean): onRequestHookHandler {
  const check: onRequestHookHandler = (request, _reply, done) => {
    if (!isRepeated(request)) {
      due.set(request, () => {
        if (!exists((request.params as { id: string }).id)) throw notFound(thingOf(table))
      })
    }
    done()
  }
  checks.add(check)
  return check
}

/**
 * The error of a request that is refused.
 * @param refusal what is wrong with its body
 * @returns 404 where the request's record had to exist first, and does not
 */
export function errorBehindExistence(request: FastifyRequest, refusal: unknown): unknown {
  try {
    due.get(request)?.()
    return refusal
  } catch (error) {
    return error
  }
}
