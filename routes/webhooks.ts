import { Type } from '@sinclair/typebox'
import type { preHandlerHookHandler } from 'fastify'
import { actorOf } from '../src/access/identity.ts'
import { WEBHOOK_KINDS } from '../src/changes/told.ts'
import { invalidField } from '../src/errors.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  CreateBody,
  Description,
  ErrorBody,
  GoneErrorBody,
  IdParams,
  LIMITS,
  MissingErrorBody,
  Nullable,
  ref,
  Success,
  UpdateBody,
} from '../src/schemas/common.ts'
import { WebhookDeliverySchema, WebhookSchema, WebhookWithSecretSchema } from '../src/schemas/records.ts'
import { problemOfUrl } from '../src/webhooks/webhook-urls.ts'

/** Kinds that one webhook may name. */
const KINDS_LIMIT = 100

const Url = Type.String({
  maxLength: 2000,
  description: 'http or https, without credentials and fragment, at a public address',
})
const optionalFields = {
  description: Description,
  projectId: Nullable(
    Type.String({ maxLength: LIMITS.reference, description: 'Whose changes to send; null for those of all' }),
  ),
  kinds: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...WEBHOOK_KINDS] }), {
    maxItems: KINDS_LIMIT,
    description: 'Which kinds of changes to send; empty for all. Ideas are never sent',
  }),
  active: Type.Boolean({ description: '`true` also tries a delivery at once that waits to be tried again' }),
}
const CreateWebhook = CreateBody({ url: Url, ...Type.Partial(Type.Object(optionalFields)).properties })
const UpdateWebhook = UpdateBody({ url: Url, ...optionalFields })
const ReplayWebhook = CreateBody({
  after: Type.Integer({ minimum: 0, description: 'The change after which to go on' }),
})

/** Webhooks: for admins alone. */
const webhookRoutes: Routes<{ webhookAllowPrivate: boolean }> = async (app, { webhookAllowPrivate }) => {
  const { webhooks } = app
  const { deliverer } = app
  const tags = ['Webhooks']
  const config = { access: 'admin', caching: 'no-store' } as const

  /** @throws ApiError 400 on `url` */
  const checkUrl: preHandlerHookHandler = ({ body }, _reply, done) => {
    const { url } = body as { url?: string }
    const problem = url === undefined ? undefined : problemOfUrl(url, webhookAllowPrivate)
    done(problem === undefined ? undefined : invalidField('url', problem))
  }

  // A change here counts at once; one by another process, at the deliverer's next look.
  app.addHook('onResponse', async ({ method }) => {
    if (method !== 'GET') deliverer.refresh()
  })

  const record = recordOf(WebhookSchema, webhooks.get)

  app.get('/api/webhooks', {
    config: { ...config, failure: 'Failed to fetch webhooks' },
    schema: {
      operationId: 'listWebhooks',
      summary: 'List the webhooks by id',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(WebhookSchema)) },
    },
    handler: ({ query }) => webhooks.list(query),
  })

  app.post('/api/webhooks', {
    config: { ...config, failure: 'Failed to create webhook', isSentAlone: true, showsSecret: true },
    schema: {
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'It is told of what changes from now on. The answer has the secret that deliveries are signed with, and no other but that of a new secret does. At most 100: then 409.',
      tags,
      body: CreateWebhook,
      response: { 201: ref(WebhookWithSecretSchema), 404: ref(MissingErrorBody), 409: ref(ErrorBody) },
    },
    preHandler: checkUrl,
    handler: (request) => webhooks.create(request.body, actorOf(request)),
  })

  app.get('/api/webhooks/:id', {
    config: { ...config, failure: 'Failed to fetch webhook' },
    schema: {
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      tags,
      params: IdParams,
      response: { 200: ref(WebhookSchema), 404: ref(ErrorBody) },
    },
    handler: ({ params }) => webhooks.get(params.id),
  })

  app.patch('/api/webhooks/:id', {
    config: { ...config, failure: 'Failed to update webhook', record },
    schema: {
      operationId: 'updateWebhook',
      summary: 'Change a webhook',
      tags,
      params: IdParams,
      body: UpdateWebhook,
      response: { 200: ref(WebhookSchema), 404: ref(MissingErrorBody) },
    },
    preHandler: checkUrl,
    handler: (request) => webhooks.update(request.params.id, request.body, actorOf(request)),
  })

  app.delete('/api/webhooks/:id', {
    config: { ...config, failure: 'Failed to delete webhook', record },
    schema: {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      tags,
      params: IdParams,
      response: { 200: ref(Success), 404: ref(ErrorBody) },
    },
    handler: (request) => webhooks.delete(request.params.id, actorOf(request)),
  })

  app.post('/api/webhooks/:id/test', {
    config: {
      ...config,
      failure: 'Failed to test webhook',
      isSentAlone: true,
      isBodyOptional: true,
      record,
      // The message cannot be taken back, and meanwhile the webhook's place may have moved.
      comparesFirst: true,
    },
    schema: {
      operationId: 'testWebhook',
      summary: 'Send a webhook a test message',
      description:
        'Of the type `webhook.test`, also when it is not active. Whatever the receiver says is in the answer, which is 200.',
      tags,
      params: IdParams,
      response: { 200: ref(WebhookDeliverySchema), 404: ref(ErrorBody) },
    },
    handler: async ({ params }) => webhooks.tested(await deliverer.test(params.id)),
  })

  app.post('/api/webhooks/:id/rotate-secret', {
    config: {
      ...config,
      failure: 'Failed to rotate secret',
      isBodyOptional: true,
      isSentAlone: true,
      record,
      showsSecret: true,
    },
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook another secret',
      description:
        'It counts from the next delivery on; for 24 hours deliveries are signed with the one before it, too (two signatures, with a space between them). The answer is the only one that has it.',
      tags,
      params: IdParams,
      response: { 200: ref(WebhookWithSecretSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => webhooks.rotateSecret(request.params.id, actorOf(request)),
  })

  app.get('/api/webhooks/:id/deliveries', {
    config: { ...config, failure: 'Failed to fetch deliveries' },
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'List the latest attempts to deliver something, newest first',
      description: 'The last 200 are kept.',
      tags,
      params: IdParams,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(WebhookDeliverySchema)), 404: ref(ErrorBody) },
    },
    handler: ({ params, query }) => webhooks.deliveries(params.id, query),
  })

  app.post('/api/webhooks/:id/replay', {
    config: { ...config, failure: 'Failed to replay webhook', record },
    schema: {
      operationId: 'replayWebhook',
      summary: 'Set from where a webhook goes on',
      description:
        'The changes after `after` are delivered, once more where they were before. 410 where some of them are not kept any more.',
      tags,
      params: IdParams,
      body: ReplayWebhook,
      response: { 200: ref(WebhookSchema), 404: ref(ErrorBody), 410: ref(GoneErrorBody) },
    },
    handler: ({ params, body }) => webhooks.replay(params.id, body.after),
  })
}

export default webhookRoutes
