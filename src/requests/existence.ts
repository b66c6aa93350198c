/** The existence check precedes validation: a request for an unknown record is 404, whatever else is wrong with it. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { CardNumbers } from '../board/card-numbers.ts'
import { thingOf } from '../db/kinds.ts'
import { type ApiError, notFound } from '../errors.ts'
import { isRepeated } from './idempotency.ts'

/** Whether a route's path names an item: its number may stand there for its id. */
export const isOfItem = (url: string): boolean => url.includes('/api/kanban-items/:id')

/** What may be a number: most ids are none, and need no lookup. */
const MAY_BE_NUMBER = /^[a-z][a-z0-9]{1,5}-[1-9]/i

/**
 * Creates the check that replaces an item's number in the path of a request, such as `WEB-12`, by its id. Whether the caller sees the item is a
 * later question.
 */
export const createNumberResolver =
  (numbers: CardNumbers) =>
  ({ params }: { params: unknown }): void => {
    const named = params as { id: string }
    if (MAY_BE_NUMBER.test(named.id)) named.id = numbers.find(named.id) ?? named.id
  }

/** Whether the caller of a request sees a record with this id. */
type Exists = (id: string, request: FastifyRequest) => boolean

/** Request decorator with the existence check of its record. */
export const SOUGHT = Symbol('phaseboard.sought')

const checks = new WeakSet<object>()

/** Whether a hook is an existence check. A batch reads the route's record instead, since the hook would not see the batch's own writes. */
export const isExistenceCheck = (hook: object): boolean => checks.has(hook)

/**
 * Creates the `onRequest` hook of a route that is 404 for an unknown `:id`, whatever the body. It only stores the
 * check: the rule looks up the record inside its write, and {@link missingRecordOf} does if a request fails earlier.
 * So successful requests do not pay for two lookups.
 * @param table the records' table, for the error message
 */
export function mustExist(table: SQLiteTable, exists: Exists): onRequestHookHandler {
  const sought = (request: FastifyRequest) => {
    const { id } = request.params as { id: string }
    return exists(id, request) ? undefined : notFound(thingOf(table))
  }
  const check: onRequestHookHandler = (request, _reply, done) => {
    request.setDecorator(SOUGHT, sought)
    done()
  }
  checks.add(check)
  return check
}

/** The 404 of a failed request, if its record must exist and does not. The record of a retry may be deleted. */
export function missingRecordOf(request: FastifyRequest): ApiError | undefined {
  const sought = request.getDecorator<((request: FastifyRequest) => ApiError | undefined) | null>(SOUGHT)
  if (sought === null || isRepeated(request)) return undefined
  try {
    return sought(request)
  } catch {
    // The database fails, which the request's own error reports.
    return undefined
  }
}
