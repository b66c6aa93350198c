import { Type } from '@sinclair/typebox'
import { actorOf, identityOf } from '../src/access/identity.ts'
import { requireWholeAccount } from '../src/access/own-account.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import { recordFor } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, IdParams, ref, Success } from '../src/schemas/common.ts'
import { SessionSchema } from '../src/schemas/records.ts'

const onlyOwn = "Another member's session is 404, even for admins."

/** The sessions of the current member. */
const ownSessionRoutes: Routes = async (app) => {
  const { sessions } = app.members
  const tags = ['Session']

  app.get('/api/sessions', {
    config: { access: 'own', failure: 'Failed to fetch sessions', isSentAlone: true },
    schema: {
      operationId: 'listSessions',
      summary: "List the current member's sessions",
      description:
        'Active sessions by id. A member who does not sign in here has none. A token limited to projects gets 403.',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(SessionSchema)) },
    },
    onRequest: requireWholeAccount,
    handler: (request) => sessions.list(identityOf(request), request.query),
  })

  app.get('/api/sessions/:id', {
    config: { access: 'own', failure: 'Failed to fetch session', isSentAlone: true },
    schema: {
      operationId: 'getSession',
      summary: "Get one of the current member's sessions",
      description: onlyOwn,
      tags,
      params: IdParams,
      response: { 200: ref(SessionSchema), 404: ref(ErrorBody) },
    },
    onRequest: requireWholeAccount,
    handler: (request) => sessions.get(request.params.id, identityOf(request)),
  })

  app.delete('/api/sessions/:id', {
    config: {
      access: 'own',
      failure: 'Failed to delete session',
      isSentAlone: true,
      record: recordFor(SessionSchema, (id, request) => sessions.get(id, identityOf(request))),
    },
    schema: {
      operationId: 'revokeSession',
      summary: "Revoke one of the current member's sessions",
      description: `Revoking the current one signs out. ${onlyOwn}`,
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    onRequest: requireWholeAccount,
    handler: (request, reply) => {
      const { id } = request.params
      const identity = identityOf(request)
      const afterwards = () => {
        if (id === identity.sessionId) app.sessionCookies.clear(request, reply)
      }
      return { ...sessions.revoke(id, identity, actorOf(request)), afterwards }
    },
  })
}

export default ownSessionRoutes
