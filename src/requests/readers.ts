/** Refuses writes of callers who may only read a project. */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../access/caller.ts'
import { CALLER } from '../access/identity.ts'
import type { ScopedRules } from './scoped-rules.ts'

/**
 * Creates the check of the record in a request's path. It comes before the body is validated, like that of the member's role.
 * @param prefix the service's own
 * @returns the check, which throws ApiError 403
 */
export const createReaderCheck =
  (scoped: ScopedRules, prefix: string) =>
  (request: FastifyRequest): void => {
    const { config, url = '' } = request.routeOptions
    const { principal } = request.getDecorator<Caller>(CALLER)
    if (principal === undefined || config.access !== 'write') return
    const [, collection] = /^\/api\/([\w-]+)\/:id/.exec(url.slice(prefix.length)) ?? []
    if (collection === undefined) return
    const { id } = request.params as { id: string }
    scoped.ensureRecordWritable(principal, collection, id)
  }
