/** Refuses writes of callers who may only read a project. */
import type { FastifyRequest } from 'fastify'
import type { Principal } from '../access/policy.ts'
import type { ScopedRules } from './scoped-rules.ts'

/**
 * Creates the check of the record in the path of a write, which belongs to that of the member's role.
 * @param prefix the service's own
 * @returns the check, which throws ApiError 403
 */
export const createReaderCheck =
  (scoped: ScopedRules, prefix: string) =>
  (request: FastifyRequest, principal: Principal | undefined): void => {
    const { url = '' } = request.routeOptions
    const [, collection] = /^\/api\/([\w-]+)\/:id/.exec(url.slice(prefix.length)) ?? []
    if (principal === undefined || collection === undefined) return
    const { id } = request.params as { id: string }
    scoped.ensureRecordWritable(principal, collection, id)
  }
