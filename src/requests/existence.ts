/** Existence before the body: a request for an unknown record is 404, whatever else is wrong with it. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { thingOf } from '../db/kinds.ts'
import { type ApiError, notFound } from '../errors.ts'
import { isRepeated } from './idempotency.ts'

/** Whether there is a record with this id. */
type Exists = (id: string) => boolean

/** The decorator of a request for a record that has to exist: how to look for it. */
export const SOUGHT = Symbol('phaseboard.sought')

const checks = new WeakSet<object>()

/** Whether a hook is an existence check. A batch, whose own writes the hook would not see, reads the route's record instead. */
export const isExistenceCheck = (hook: object): boolean => checks.has(hook)

/**
 * Creates the `onRequest` hook of a route that is 404 for an unknown `:id` before anything about the body counts. It only takes
 * note: the rule looks for the record inside its write, and {@link missingRecordOf} does where a request fails earlier.
 * So a request that succeeds does not pay for looking twice.
 * @param table the records' table, for the error message
 */
export function mustExist(table: SQLiteTable, exists: Exists): onRequestHookHandler {
  const sought = (id: string) => (exists(id) ? undefined : notFound(thingOf(table)))
  const check: onRequestHookHandler = (request, _reply, done) => {
    request.setDecorator(SOUGHT, sought)
    done()
  }
  checks.add(check)
  return check
}

/** The 404 of a request that fails, if its record has to exist and does not. What a repetition was about may be gone. */
export function missingRecordOf(request: FastifyRequest): ApiError | undefined {
  const sought = request.getDecorator<((id: string) => ApiError | undefined) | null>(SOUGHT)
  if (sought === null || isRepeated(request)) return undefined
  try {
    return sought((request.params as { id: string }).id)
  } catch {
    // The database fails: that is what the request's own error says.
    return undefined
  }
}
