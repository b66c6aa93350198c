import { Type } from '@sinclair/typebox'
import { actorOf } from '../src/access/identity.ts'
import { baseUrl } from '../src/http/public-url.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, Email, ErrorBody, IdParams, Name, ref, Success } from '../src/schemas/common.ts'
import { MemberLinkSchema, NewMemberLinkSchema, RoleSchema } from '../src/schemas/records.ts'

const CreateInvitation = CreateBody({
  name: Type.Optional(Name),
  email: Type.Optional(Email),
  role: RoleSchema,
})

const once = 'Only this response contains the link. It works once, for 24 hours, for anyone who has it.'

/** One-time links, created and revoked by admins: to set a password, or to become a member. */
const memberLinkRoutes: Routes<{ publicUrl: string | undefined }> = async (app, { publicUrl }) => {
  const { links } = app.members
  const tags = ['One-time links']
  const config = { access: 'admin', caching: 'no-store' } as const

  app.post('/api/members/:id/password-link', {
    config: {
      ...config,
      failure: 'Failed to create link',
      isBodyOptional: true,
      isSentAlone: true,
      showsSecret: true,
    },
    schema: {
      operationId: 'createPasswordLink',
      summary: 'Create a link to set a new password of a member',
      description: `${once} It revokes an earlier one of the member. A disabled member is 409.`,
      tags,
      params: IdParams,
      response: { 201: ref(NewMemberLinkSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) =>
      links.createForPassword(request.params.id, baseUrl(request, app, publicUrl), actorOf(request)),
  })

  app.post('/api/invitations', {
    config: { ...config, failure: 'Failed to create invitation', isSentAlone: true, showsSecret: true },
    schema: {
      operationId: 'createInvitation',
      summary: 'Create a link to become a member',
      description: `${once} Its user chooses a password and a name (\`name\` is a suggestion), and the email unless it is given here. A taken email is 409.`,
      tags,
      body: CreateInvitation,
      example: { name: 'Grace Hopper', email: 'grace@example.org', role: 'member' },
      response: { 201: ref(NewMemberLinkSchema), 409: ref(ErrorBody) },
    },
    handler: (request) => links.invite(request.body, baseUrl(request, app, publicUrl), actorOf(request)),
  })

  app.get('/api/member-links', {
    config: { ...config, failure: 'Failed to fetch links' },
    schema: {
      operationId: 'listMemberLinks',
      summary: 'List the one-time links that are still valid',
      description: 'By id, without their secrets.',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(MemberLinkSchema)) },
    },
    handler: ({ query }) => links.list(query),
  })

  app.get('/api/member-links/:id', {
    config: { ...config, failure: 'Failed to fetch link' },
    schema: {
      operationId: 'getMemberLink',
      summary: 'Get a one-time link',
      description: 'A used, expired or revoked link is 404.',
      tags,
      params: IdParams,
      response: { 200: ref(MemberLinkSchema), 404: ref(ErrorBody) },
    },
    handler: ({ params }) => links.get(params.id),
  })

  app.delete('/api/member-links/:id', {
    config: {
      ...config,
      failure: 'Failed to revoke link',
      record: recordOf(MemberLinkSchema, links.get),
    },
    schema: {
      operationId: 'revokeMemberLink',
      summary: 'Revoke a one-time link',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => links.revoke(request.params.id, actorOf(request)),
  })
}

export default memberLinkRoutes
