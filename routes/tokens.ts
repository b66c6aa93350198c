import { Type } from '@sinclair/typebox'
import type { onRequestHookHandler, preHandlerHookHandler } from 'fastify'
import { actorOf, identityOf, memberOf } from '../src/access/identity.ts'
import { forbidden } from '../src/errors.ts'
import { accountOf } from '../src/members/identity.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import { recordFor } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  CreateBody,
  ErrorBody,
  Expiry,
  IdParams,
  Name,
  Nullable,
  ref,
  Success,
} from '../src/schemas/common.ts'
import { NewTokenSchema, TOKEN_SCOPES, type Token, TokenSchema } from '../src/schemas/records.ts'

const CreateToken = CreateBody({
  name: Name,
  scope: Type.Optional(
    Type.Unsafe<Token['scope']>({
      type: 'string',
      enum: [...TOKEN_SCOPES],
      default: 'read',
      description: 'The rights: to read like its member, also to write, or only to read the calendar',
    }),
  ),
  projectIds: Type.Optional(
    Nullable(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'The only projects that it may access; null or absent: all that its member sees',
      }),
    ),
  ),
  expiresAt: Expiry,
})

/** A leaked token must not create others; and a member without a session may have no row to own one. @throws ApiError 403 */
const requireSession: onRequestHookHandler = (request, _reply, done) => {
  done(identityOf(request).via === 'session' ? undefined : forbidden('session required', 'session_required'))
}

/** A viewer's token must not have more rights than the member. @throws ApiError 403 */
const rejectWriteScopeOfViewer: preHandlerHookHandler = (request, _reply, done) => {
  const { scope } = request.body as { scope?: string }
  const exceedsRole = scope === 'write' && memberOf(request).role === 'viewer'
  done(exceedsRole ? forbidden('read-only role', 'read_only_role') : undefined)
}

/** API tokens: each member's own. */
const tokenRoutes: Routes<{ authMode: 'open' | 'required' }> = async (app, { authMode }) => {
  const { tokens } = app.members
  const tags = ['Tokens']

  app.get('/api/tokens', {
    config: { access: 'own', failure: 'Failed to fetch tokens', isSentAlone: true },
    schema: {
      operationId: 'listTokens',
      summary: "List the current member's tokens",
      description:
        'By id, including expired ones. A member who does not sign in here has none. A token limited to projects only sees itself.',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(TokenSchema)) },
    },
    handler: (request) => tokens.list(identityOf(request), request.query),
  })

  app.post('/api/tokens', {
    config: { access: 'own', failure: 'Failed to create token', isSentAlone: true, showsSecret: true },
    schema: {
      operationId: 'createToken',
      summary: 'Create a token of the current member',
      description:
        'Needs a session, not a token. In required mode viewers can create only read tokens. Only this response contains the token.',
      tags,
      body: CreateToken,
      example: { name: 'Nightly report', scope: 'read', expiresAt: '2030-01-31' },
      response: { 201: ref(NewTokenSchema), 404: ref(ErrorBody) },
    },
    onRequest: requireSession,
    preHandler: authMode === 'required' ? rejectWriteScopeOfViewer : [],
    handler: (request) => tokens.create(accountOf(identityOf(request)) ?? '', request.body, actorOf(request)),
  })

  app.get('/api/tokens/:id', {
    config: { access: 'own', failure: 'Failed to fetch token', isSentAlone: true },
    schema: {
      operationId: 'getToken',
      summary: "Get one of the current member's tokens",
      description: "Another member's token is 404, even for admins.",
      tags,
      params: IdParams,
      response: { 200: ref(TokenSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => tokens.get(request.params.id, identityOf(request)),
  })

  app.delete('/api/tokens/:id', {
    config: {
      access: 'own',
      failure: 'Failed to delete token',
      isSentAlone: true,
      record: recordFor(TokenSchema, (id, request) => tokens.revocable(id, identityOf(request))),
      dependsOnRole: true,
    },
    schema: {
      operationId: 'revokeToken',
      summary: 'Revoke a token',
      description: "It is refused from then on. Another member's token is 404, except for admins.",
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => tokens.revoke(request.params.id, identityOf(request), actorOf(request)),
  })
}

export default tokenRoutes
