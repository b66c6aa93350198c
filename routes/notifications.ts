import { Type } from '@sinclair/typebox'
import { memberOf } from '../src/access/identity.ts'
import { NOTIFICATION_KINDS } from '../src/attention/notifications.ts'
import { PageParameters } from '../src/requests/pages.ts'
import { recordFor } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import {
  AnyOfThese,
  CreateBody,
  ErrorBody,
  EXAMPLE_ID,
  IdParams,
  MissingErrorBody,
  ref,
  UpdateBody,
  valuesOfList,
} from '../src/schemas/common.ts'
import { NotificationSchema, UnreadSchema } from '../src/schemas/records.ts'

const NotificationsQuery = Type.Object({
  unread: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: 'string',
      enum: ['true', 'false'],
      default: 'false',
      description: '`true`: only unread ones',
    }),
  ),
  kind: AnyOfThese('Only these kinds', NOTIFICATION_KINDS),
  ...PageParameters,
  limit: Type.Optional({ ...PageParameters.limit, default: 100, description: 'Notifications per page' }),
})

const UpdateNotification = UpdateBody({ read: Type.Boolean() })
const ReadNotifications = CreateBody({
  upTo: Type.String({ description: 'The id of the newest notification to mark' }),
})

/** The caller's notifications: a member, even an admin, can only read its own. */
const notificationRoutes: Routes = async (app) => {
  const { notifications } = app.attention
  const tags = ['Notifications']
  const caching = 'no-store'

  app.get('/api/notifications', {
    config: { access: 'read', failure: 'Failed to fetch notifications', caching },
    schema: {
      operationId: 'listNotifications',
      summary: "List the caller's notifications, newest first",
      description:
        'A notification of a project that the caller no longer sees is not listed. The `Link` header names the next page, if there is one.',
      tags,
      querystring: NotificationsQuery,
      response: { 200: Type.Array(ref(NotificationSchema)) },
    },
    handler: (request) => {
      const { unread, kind, ...page } = request.query
      const query = { ...page, isUnread: unread === 'true', kinds: valuesOfList(kind) }
      return notifications.page(memberOf(request).id, query)
    },
  })

  app.get('/api/notifications/count', {
    config: { access: 'read', failure: 'Failed to count notifications', caching },
    schema: {
      operationId: 'countNotifications',
      summary: "The number of the caller's unread notifications",
      tags,
      response: { 200: ref(UnreadSchema) },
    },
    handler: (request) => notifications.count(memberOf(request).id),
  })

  app.post('/api/notifications/read', {
    config: { access: 'own', failure: 'Failed to update notifications', caching },
    schema: {
      operationId: 'readNotifications',
      summary: "Mark the caller's notifications up to one as read",
      description:
        'That one and all older ones: the newest 2,000 unread of them. Returns how many are still unread; an unknown `upTo` is 404.',
      tags,
      body: ReadNotifications,
      example: { upTo: EXAMPLE_ID },
      response: { 200: ref(UnreadSchema), 404: ref(MissingErrorBody) },
    },
    handler: (request) => notifications.readUpTo(request.body.upTo, memberOf(request).id),
  })

  app.patch('/api/notifications/:id', {
    config: {
      access: 'own',
      failure: 'Failed to update notification',
      caching,
      record: recordFor(NotificationSchema, (id, request) => notifications.get(id, memberOf(request).id)),
    },
    schema: {
      operationId: 'updateNotification',
      summary: 'Mark a notification as read, or as unread',
      description: 'A read notification that is marked as read again keeps its `readAt`.',
      tags,
      params: IdParams,
      body: UpdateNotification,
      example: { read: true },
      response: { 200: ref(NotificationSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => {
      const { params, body } = request
      const { id: owner } = memberOf(request)
      return body.read === undefined
        ? notifications.get(params.id, owner)
        : notifications.setRead(params.id, owner, body.read)
    },
  })
}

export default notificationRoutes
