import { Type } from '@sinclair/typebox'
import type { preHandlerHookHandler } from 'fastify'
import { actorOf } from '../src/access/identity.ts'
import { WEBHOOK_KINDS } from '../src/changes/api-changes.ts'
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
import {
  LANGUAGES,
  WebhookDeliverySchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from '../src/schemas/records.ts'
import { CHAT_FORMATS } from '../src/webhooks/chat-formats.ts'
import { CHAT_EVENTS } from '../src/webhooks/chat-messages.ts'
import { problemOfUrl } from '../src/webhooks/webhook-urls.ts'

/** Kinds per webhook, at most. */
const KINDS_LIMIT = 100

const Url = Type.String({
  maxLength: 2000,
  description: 'http or https, without credentials and fragment, at a public address',
})
const optionalFields = {
  description: Description,
  projectId: Nullable(
    Type.String({
      maxLength: LIMITS.reference,
      description: 'Send only changes of this project; null: of all',
    }),
  ),
  kinds: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...WEBHOOK_KINDS] }), {
    maxItems: KINDS_LIMIT,
    description: 'Kinds of changes to send; empty: all. Ideas are never sent',
  }),
  format: Type.Unsafe<string>({
    type: 'string',
    enum: ['standard', ...CHAT_FORMATS],
    description:
      '`standard`: signed changes. A chat tool: messages for people at the URL of its incoming webhook',
  }),
  events: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...CHAT_EVENTS] }), {
    maxItems: CHAT_EVENTS.length,
    description:
      'What a chat is told of; empty: all. `finished`: moved into a done column; `due`: the due date was set, changed or removed',
  }),
  language: Type.Unsafe<string>({
    type: 'string',
    enum: [...LANGUAGES],
    description: 'Of messages to a chat',
  }),
  active: Type.Boolean({ description: '`true` also retries a waiting delivery at once' }),
}
const CreateWebhook = CreateBody({ url: Url, ...Type.Partial(Type.Object(optionalFields)).properties })
const UpdateWebhook = UpdateBody({ url: Url, ...optionalFields })
const ReplayWebhook = CreateBody({
  after: Type.Integer({ minimum: 0, description: 'Deliveries continue after this change' }),
})

/** Webhooks, for admins. */
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

  // A change by this process applies at once; another process's at the deliverer's next poll.
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
        'It receives changes from now on. Only this response, and that of rotating it, contains the secret that signs deliveries. More than 100 webhooks are 409.',
      tags,
      body: CreateWebhook,
      example: {
        url: 'https://example.org/hooks/phaseboard',
        description: 'Posts finished work to the chat',
        kinds: ['kanban-item', 'kanban-comment'],
      },
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
      example: { kinds: ['kanban-item'], active: false },
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
      // A sent message cannot be rolled back, and the webhook's position may have moved meanwhile.
      comparesFirst: true,
    },
    schema: {
      operationId: 'testWebhook',
      summary: 'Send a test message to a webhook',
      description:
        "Its type is `webhook.test`; it is sent even if the webhook is inactive. The response is 200 and contains the receiver's response.",
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
      summary: 'Rotate the secret of a webhook',
      description:
        'It applies from the next delivery; for 24 hours deliveries are also signed with the previous one (two signatures, separated by a space). Only this response contains it.',
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
      summary: 'List the latest delivery attempts, newest first',
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
      summary: 'Set the position of a webhook',
      description:
        'The changes after `after` are delivered, again if necessary. Earlier failures are forgotten. 410 if some of the changes are no longer stored.',
      tags,
      params: IdParams,
      body: ReplayWebhook,
      example: { after: 0 },
      response: { 200: ref(WebhookSchema), 404: ref(ErrorBody), 410: ref(GoneErrorBody) },
    },
    handler: ({ params, body }) => webhooks.replay(params.id, body.after),
  })
}

export default webhookRoutes
