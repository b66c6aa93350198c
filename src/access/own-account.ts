/** Routes for the whole account of a member: its profile, preferences and sessions. */
import type { onRequestHookHandler } from 'fastify'
import { forbidden } from '../errors.ts'
import { identityOf } from './identity.ts'

/** A token for some projects, such as an agent's, must not act on anything else of its member. @throws ApiError 403 */
export const requireWholeAccount: onRequestHookHandler = (request, _reply, done) => {
  const isLimited = Array.isArray(identityOf(request).projectIds)
  done(isLimited ? forbidden('a token limited to projects cannot access its account') : undefined)
}
