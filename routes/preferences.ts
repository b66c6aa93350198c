import { Type } from '@sinclair/typebox'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { identityOf, memberOf } from '../src/access/identity.ts'
import { createTestMailLimit } from '../src/access/mail-limits.ts'
import { requireWholeAccount } from '../src/access/own-account.ts'
import { conflict, forbidden } from '../src/errors.ts'
import { accountOf } from '../src/members/identity.ts'
import { recordFor } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, ref, UpdateBody } from '../src/schemas/common.ts'
import { PreferencesSchema, TestMailSchema } from '../src/schemas/records.ts'

const UpdatePreferences = UpdateBody({
  email: PreferencesSchema.properties.email,
  timeZone: Type.String({
    maxLength: 100,
    format: 'time-zone',
    description: 'An IANA time zone',
    examples: ['Europe/Berlin'],
  }),
  language: PreferencesSchema.properties.language,
})

/** The id of the caller's row among the members. */
const ownIdOf = (request: FastifyRequest): string => accountOf(identityOf(request)) ?? ''

/** Mail goes to the addresses of members, and neither the default member nor a host's member has one here. @throws ApiError 403 */
const requireAccount: onRequestHookHandler = (request, _reply, done) => {
  const hasAccount = accountOf(identityOf(request)) !== null
  done(hasAccount ? undefined : forbidden('session required', 'session_required'))
}

/** Each member's own preferences. */
const preferenceRoutes: Routes = async (app) => {
  const { preferences } = app.mail
  const limit = createTestMailLimit()
  const tags = ['Preferences']
  const config = { access: 'own' } as const
  const isAvailable = () => app.sendTestMail !== undefined
  const own = (request: FastifyRequest) => preferences.get(accountOf(identityOf(request)), isAvailable())

  app.get('/api/me/preferences', {
    config: { ...config, failure: 'Failed to fetch preferences' },
    schema: {
      operationId: 'getPreferences',
      summary: "Get the current member's preferences",
      description:
        'Members without a row in this service have the defaults. A token limited to projects gets 403.',
      tags,
      response: { 200: ref(PreferencesSchema) },
    },
    onRequest: requireWholeAccount,
    handler: own,
  })

  app.patch('/api/me/preferences', {
    config: {
      ...config,
      failure: 'Failed to update preferences',
      record: recordFor(PreferencesSchema, (_id, request) => own(request)),
    },
    schema: {
      operationId: 'updatePreferences',
      summary: "Change the current member's preferences",
      description:
        'Only for members who sign in here: the default member of open mode and members of a host application have no address here (403). Setting `email`, even to the same value, resumes mail to a refused address.',
      tags,
      body: UpdatePreferences,
      example: { email: 'daily', timeZone: 'Europe/Berlin', language: 'de' },
      response: { 200: ref(PreferencesSchema) },
    },
    onRequest: [requireWholeAccount, requireAccount],
    handler: (request) => preferences.update(ownIdOf(request), request.body, isAvailable()),
  })

  app.post('/api/me/preferences/test-mail', {
    config: {
      ...config,
      failure: 'Failed to send test mail',
      isSentAlone: true,
      isBodyOptional: true,
      // A sent mail cannot be undone.
      comparesFirst: true,
    },
    schema: {
      operationId: 'sendTestMail',
      summary: "Send a test mail to the current member's address",
      description:
        'If the mail server refuses it, the response is also 200, and contains the reason. At most 5 an hour. Without a mail server it is 409.',
      tags,
      response: { 200: ref(TestMailSchema), 409: ref(ErrorBody) },
    },
    onRequest: [requireWholeAccount, requireAccount],
    handler: async (request) => {
      const { sendTestMail } = app
      if (sendTestMail === undefined) throw conflict('This service sends no e-mail', 'conflict')
      const id = ownIdOf(request)
      limit.count(id)
      const { email: address } = app.rules.members.get(id)
      const { language } = app.rules.mail.preferences.get(id, true)
      const failure = await sendTestMail({ name: memberOf(request).name, address }, language)
      return preferences.tested({ address, error: failure?.reason ?? null })
    },
  })
}

export default preferenceRoutes
