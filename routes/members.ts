import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify'
import { addressOf } from '../src/access/addresses.ts'
import { actorOf, identityOf, memberOf } from '../src/access/identity.ts'
import { createPasswordCheck, removeAfterwards } from '../src/access/own-password.ts'
import { adminRequired } from '../src/errors.ts'
import { accountOf } from '../src/members/identity.ts'
import { prepareInitialPasswordRemoval } from '../src/members/initial-password.ts'
import type { NewPassword } from '../src/members/members.ts'
import { hashPassword } from '../src/members/passwords.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  CreateBody,
  Email,
  ErrorBody,
  IdParams,
  Name,
  PASSWORD_LENGTH,
  Password,
  ref,
  Success,
  UpdateBody,
} from '../src/schemas/common.ts'
import { MemberSchema, RoleSchema } from '../src/schemas/records.ts'

const CreateMember = CreateBody({
  name: Name,
  email: Email,
  role: Type.Optional(RoleSchema),
  password: Type.Optional(Password),
})

/** Fields that only an admin may set, on the own record too. */
const adminOnlyFields = { email: Email, role: RoleSchema, disabled: Type.Boolean() }
const UpdateMember = UpdateBody({
  name: Name,
  ...adminOnlyFields,
  password: Password,
  currentPassword: Type.String({
    minLength: 1,
    maxLength: PASSWORD_LENGTH.maxLength,
    description: 'Needed to change the own password',
  }),
})

const idOf = ({ params }: FastifyRequest) => (params as Static<typeof IdParams>).id
const isOwn = (request: FastifyRequest) => accountOf(identityOf(request)) === idOf(request)
const isAdmin = (request: FastifyRequest) => memberOf(request).role === 'admin'

/** Before the body is read, and before existence: only an admin may change other members. @throws ApiError 403 */
const requireOwnOrAdmin: onRequestHookHandler = (request, _reply, done) => {
  done(isOwn(request) || isAdmin(request) ? undefined : adminRequired())
}

/** Before the body is validated, so by the names of its fields alone. @throws ApiError 403 */
const requireAdminForFields: preValidationHookHandler = (request, _reply, done) => {
  const body = Object(request.body)
  const hasOne = Object.keys(adminOnlyFields).some((name) => Object.hasOwn(body, name))
  done(hasOne && !isAdmin(request) ? adminRequired() : undefined)
}

/** Hashing takes its time, in which no write may be open. */
const hasPassword = ({ body }: FastifyRequest) => Object.hasOwn(Object(body), 'password')

/** Members: every member may read them, admins manage them, and each may change the own name and password. */
const memberRoutes: Routes = async (app) => {
  const { members } = app
  const checkPassword = createPasswordCheck(app.rules.members, app.signInLimits)
  const tags = ['Members']

  /** Hashes a new password, and checks the current one, before the write, which must not wait for hashing. */
  async function toNewPassword(
    password: string,
    currentPassword: string | undefined,
    request: FastifyRequest,
  ): Promise<NewPassword> {
    if (!isOwn(request)) return { hash: await hashPassword(password) }
    const confirmed = await checkPassword(idOf(request), currentPassword, addressOf(request))
    const { sessionId } = identityOf(request)
    return { hash: await hashPassword(password), own: { confirmed, sessionId } }
  }

  async function changeWithPassword(
    request: FastifyRequest,
    fields: Omit<Static<typeof UpdateMember>, 'password' | 'currentPassword'>,
    password: string,
    currentPassword: string | undefined,
  ) {
    const newPassword = await toNewPassword(password, currentPassword, request)
    const id = idOf(request)
    const { passwordHash } = app.rules.members.stored(id)
    const removeInitial = await prepareInitialPasswordRemoval(app.db, passwordHash)
    const afterwards = () => removeAfterwards(removeInitial, request.log)
    return { ...members.update(id, fields, actorOf(request), newPassword), afterwards }
  }

  app.get('/api/members', {
    config: { access: 'read', failure: 'Failed to fetch members', caching: 'no-store' },
    schema: {
      operationId: 'listMembers',
      summary: 'List the members by id',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(MemberSchema)) },
    },
    handler: ({ query }) => members.page(query),
  })

  app.post('/api/members', {
    config: {
      access: 'admin',
      failure: 'Failed to create member',
      caching: 'no-store',
      isSentAlone: hasPassword,
    },
    schema: {
      operationId: 'createMember',
      summary: 'Create a member',
      description: 'Without a `password` the member cannot sign in with one. A taken email is 409.',
      tags,
      body: CreateMember,
      response: { 201: ref(MemberSchema), 409: ref(ErrorBody) },
    },
    handler: (request) => {
      const { password, ...fields } = request.body
      const create = (hash: string | null) => members.create(fields, hash, actorOf(request))
      return password === undefined ? create(null) : hashPassword(password).then(create)
    },
  })

  app.get('/api/members/:id', {
    config: { access: 'read', failure: 'Failed to fetch member', caching: 'no-store' },
    schema: {
      operationId: 'getMember',
      summary: 'Get a member',
      tags,
      params: IdParams,
      response: { 200: ref(MemberSchema), 404: ref(ErrorBody) },
    },
    handler: ({ params }) => members.get(params.id),
  })

  app.patch('/api/members/:id', {
    config: {
      access: 'own',
      failure: 'Failed to update member',
      isSentAlone: hasPassword,
      record: recordOf(MemberSchema, app.members.get),
    },
    schema: {
      operationId: 'updateMember',
      summary: 'Change a member',
      description:
        'An admin may change everything, everybody else the own `name` and `password`: with any other field 403. The own `password` needs `currentPassword` and ends all other sessions; a new password of somebody else ends all of theirs, and so does `disabled`, which refuses their tokens too. A role counts from the next request on. A taken email, and what would leave no admin, is 409.',
      tags,
      params: IdParams,
      body: UpdateMember,
      response: { 200: ref(MemberSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    onRequest: requireOwnOrAdmin,
    preValidation: requireAdminForFields,
    handler: (request) => {
      const { password, currentPassword, ...fields } = request.body
      if (password !== undefined) return changeWithPassword(request, fields, password, currentPassword)
      return members.update(request.params.id, fields, actorOf(request))
    },
  })

  app.delete('/api/members/:id', {
    config: {
      access: 'admin',
      failure: 'Failed to delete member',
      caching: 'no-store',
      record: recordOf(MemberSchema, app.members.get),
    },
    schema: {
      operationId: 'deleteMember',
      summary: 'Delete a member',
      description:
        'With its sessions, tokens and places in teams. What it made stays, under the same id. The last admin is 409.',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => members.delete(request.params.id, actorOf(request)),
  })
}

export default memberRoutes
