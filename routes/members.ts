import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify'
import { addressOf } from '../src/access/addresses.ts'
import { actorOf, identityOf, memberOf } from '../src/access/identity.ts'
import { requireWholeAccount } from '../src/access/own-account.ts'
import { createPasswordCheck, removeAfterwards } from '../src/access/own-password.ts'
import { adminRequired } from '../src/errors.ts'
import { HANDLE_PATTERN } from '../src/members/handles.ts'
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

const Handle = Type.String({
  pattern: HANDLE_PATTERN,
  description: 'The name in mentions, as in `@ada`: 2 to 32 of `a-z0-9._-`, unique',
  examples: ['ada.lovelace'],
})

const CreateMember = CreateBody({
  name: Name,
  email: Email,
  role: Type.Optional(RoleSchema),
  handle: Type.Optional(Handle),
  password: Type.Optional(Password),
})

/** Fields that only an admin may set, even on the admin's own record. */
const adminOnlyFields = { email: Email, role: RoleSchema, disabled: Type.Boolean() }
const UpdateMember = UpdateBody({
  name: Name,
  handle: Handle,
  ...adminOnlyFields,
  password: Password,
  currentPassword: Type.String({
    minLength: 1,
    maxLength: PASSWORD_LENGTH.maxLength,
    description: 'Required to change your own password',
  }),
})

const idOf = ({ params }: FastifyRequest) => (params as Static<typeof IdParams>).id
const isOwn = (request: FastifyRequest) => accountOf(identityOf(request)) === idOf(request)
const isAdmin = (request: FastifyRequest) => memberOf(request).role === 'admin'

/** Runs before the body is read and existence is checked: only an admin may change other members. @throws ApiError 403 */
const requireOwnOrAdmin: onRequestHookHandler = (request, _reply, done) => {
  done(isOwn(request) || isAdmin(request) ? undefined : adminRequired())
}

/** Runs before the body is validated, so it checks only field names. @throws ApiError 403 */
const requireAdminForFields: preValidationHookHandler = (request, _reply, done) => {
  const body = Object(request.body)
  const hasOne = Object.keys(adminOnlyFields).some((name) => Object.hasOwn(body, name))
  done(hasOne && !isAdmin(request) ? adminRequired() : undefined)
}

/** Hashing is slow, and no write may be open meanwhile. */
const hasPassword = ({ body }: FastifyRequest) => Object.hasOwn(Object(body), 'password')

/** Members: every member may read them, admins manage them, and each may change their own name, handle and password. */
const memberRoutes: Routes = async (app) => {
  const { members } = app
  const checkPassword = createPasswordCheck(app.rules.members, app.signInLimits)
  const tags = ['Members']

  /** Hashes a new password and checks the current one before the write, which must not wait for hashing. */
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
      description:
        'Only admins and the member itself see an email. Guests get the members assigned to their projects, and of others only `id`, `name` and `handle`: other fields have the same values for every member (`role` is `member`, `disabled` false, and times are those of 1970).',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(MemberSchema)) },
    },
    handler: (request) => members.page(request.query, memberOf(request)),
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
      description:
        'Without a `password` the member cannot sign in with one. Without a `handle`, the service creates one from the name, with a number if that is taken. A taken email or handle is 409.',
      tags,
      body: CreateMember,
      example: {
        name: 'Ada Lovelace',
        email: 'ada@example.org',
        role: 'member',
        password: 'correct horse battery staple',
      },
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
      description: 'With the same fields as in the list.',
      tags,
      params: IdParams,
      response: { 200: ref(MemberSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => members.seen(request.params.id, memberOf(request)),
  })

  app.patch('/api/members/:id', {
    config: {
      access: 'own',
      failure: 'Failed to update member',
      isSentAlone: hasPassword,
      record: recordOf(MemberSchema, (id) => app.members.get(id)),
    },
    schema: {
      operationId: 'updateMember',
      summary: 'Change a member',
      description:
        "Admins may change everything, others only their own `name`, `handle` and `password`: any other field is 403. Changing your own `password` needs `currentPassword` and ends your other sessions; changing another member's ends all of theirs, and so does `disabled`, which also refuses their tokens. A role applies from the next request. A token limited to projects gets 403. 409 for a taken email or handle, and for the last admin.",
      tags,
      params: IdParams,
      body: UpdateMember,
      example: { name: 'Ada King', role: 'viewer' },
      response: { 200: ref(MemberSchema), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    onRequest: [requireWholeAccount, requireOwnOrAdmin],
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
      record: recordOf(MemberSchema, (id) => app.members.get(id)),
    },
    schema: {
      operationId: 'deleteMember',
      summary: 'Delete a member',
      description:
        'Also deletes sessions, tokens and team memberships. Records of the member stay, under the same id. The last admin is 409.',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody), 409: ref(ErrorBody) },
    },
    handler: (request) => members.delete(request.params.id, actorOf(request)),
  })
}

export default memberRoutes
