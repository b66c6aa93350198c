import { Type } from '@sinclair/typebox'
import { actorOf, memberOf } from '../src/access/identity.ts'
import { baseUrl } from '../src/http/public-url.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, Expiry, IdParams, LIMITS, ref, Success } from '../src/schemas/common.ts'
import { NewShareLinkSchema, ShareLinkSchema } from '../src/schemas/records.ts'

const CreateShareLink = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: LIMITS.name, description: 'What it is for' })),
    expiresAt: Expiry,
  },
  { additionalProperties: false },
)

/** Share links of projects, created and revoked by members who may write the project, but not by guests. */
const shareLinkRoutes: Routes<{ publicUrl: string | undefined }> = async (app, { publicUrl }) => {
  const { shareLinks } = app.projects
  const tags = ['Share links']
  const config = { access: 'write', caching: 'no-store' } as const

  app.get('/api/projects/:id/share-links', {
    config: { ...config, failure: 'Failed to fetch share links' },
    schema: {
      operationId: 'listShareLinks',
      summary: 'List the share links of a project that are still valid',
      description: 'By id, without their secrets. Requires the right to write the project; 403 for guests.',
      tags,
      params: IdParams,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(ShareLinkSchema)), 404: ref(ErrorBody) },
    },
    handler: ({ params, query }) => shareLinks.list(params.id, query),
  })

  app.post('/api/projects/:id/share-links', {
    config: {
      ...config,
      failure: 'Failed to create share link',
      isBodyOptional: true,
      isSentAlone: true,
      showsSecret: true,
    },
    schema: {
      operationId: 'createShareLink',
      summary: 'Create a share link of a project',
      description:
        'Only this response contains the link. Anybody with the link can read the project, without signing in, until it expires or is revoked. More than 100 links of one project are 409. 403 for guests, and where the `shareLinks` of the project are for admins only or off.',
      tags,
      params: IdParams,
      body: CreateShareLink,
      example: { name: 'For the client', expiresAt: '2030-01-31' },
      response: { 201: ref(NewShareLinkSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) =>
      shareLinks.create(
        request.params.id,
        request.body ?? {},
        baseUrl(request, app, publicUrl),
        actorOf(request),
        memberOf(request),
      ),
  })

  app.get('/api/share-links/:id', {
    config: { ...config, failure: 'Failed to fetch share link' },
    schema: {
      operationId: 'getShareLink',
      summary: 'Get a share link',
      description: 'An expired or revoked one is 404.',
      tags,
      params: IdParams,
      response: { 200: ref(ShareLinkSchema), 404: ref(ErrorBody) },
    },
    handler: ({ params }) => shareLinks.get(params.id),
  })

  app.delete('/api/share-links/:id', {
    config: {
      ...config,
      failure: 'Failed to revoke share link',
      record: recordOf(ShareLinkSchema, shareLinks.get),
    },
    schema: {
      operationId: 'revokeShareLink',
      summary: 'Revoke a share link',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => shareLinks.revoke(request.params.id, actorOf(request)),
  })
}

export default shareLinkRoutes
