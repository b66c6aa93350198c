/** The routes under /api, in one list: registered by the service, and by the worker thread for its batches. */
import type { FastifyInstance } from 'fastify'
import attachmentRoutes from '../routes/attachments.ts'
import auditLogRoutes from '../routes/audit-log.ts'
import batchRoutes from '../routes/batch.ts'
import changeRoutes from '../routes/changes.ts'
import changeHistoryRoutes from '../routes/changes-history.ts'
import exportRoutes from '../routes/export.ts'
import flowRoutes from '../routes/flow.ts'
import importRoutes from '../routes/imports.ts'
import ingestRoutes from '../routes/ingest.ts'
import itemFileRoutes from '../routes/item-files.ts'
import kanbanActivityRoutes from '../routes/kanban-activity.ts'
import kanbanClaimRoutes from '../routes/kanban-claims.ts'
import kanbanColumnRoutes from '../routes/kanban-columns.ts'
import kanbanCommentRoutes from '../routes/kanban-comments.ts'
import kanbanItemRoutes from '../routes/kanban-items.ts'
import kanbanLabelRoutes from '../routes/kanban-labels.ts'
import kanbanSubtaskRoutes from '../routes/kanban-subtasks.ts'
import memberLinkRoutes from '../routes/member-links.ts'
import memberRoutes from '../routes/members.ts'
import metricRoutes from '../routes/metrics.ts'
import notificationRoutes from '../routes/notifications.ts'
import objectiveRoutes from '../routes/objectives.ts'
import peopleRoutes from '../routes/people.ts'
import personalIdeaRoutes from '../routes/personal-ideas.ts'
import preferenceRoutes from '../routes/preferences.ts'
import projectRoutes from '../routes/projects.ts'
import searchRoutes from '../routes/search.ts'
import sessionRoutes from '../routes/session.ts'
import sessionLinkRoutes from '../routes/session-link.ts'
import openIdRoutes from '../routes/session-oidc.ts'
import ownSessionRoutes from '../routes/sessions.ts'
import shareLinkRoutes from '../routes/share-links.ts'
import sharedProjectRoutes from '../routes/shared-projects.ts'
import teamAssignmentRoutes from '../routes/team-assignments.ts'
import teamRoutes from '../routes/teams.ts'
import tokenRoutes from '../routes/tokens.ts'
import transcriptSummaryRoutes from '../routes/transcript-summaries.ts'
import unsubscribeRoutes from '../routes/unsubscribe.ts'
import watchRoutes from '../routes/watches.ts'
import webhookRoutes from '../routes/webhooks.ts'
import type { Config } from './phaseboard.d.ts'
import type { SettingName } from './settings.ts'

/** Registers the routes. */
export async function registerRoutes(
  app: FastifyInstance,
  options: Pick<Config, SettingName>,
): Promise<void> {
  await app.register(sessionRoutes, { authMode: options.authMode })
  await app.register(openIdRoutes, { provider: options, publicUrl: options.publicUrl })
  await app.register(sessionLinkRoutes)
  await app.register(ownSessionRoutes)
  await app.register(tokenRoutes, { authMode: options.authMode })
  await app.register(teamRoutes)
  await app.register(memberRoutes)
  await app.register(peopleRoutes)
  await app.register(preferenceRoutes)
  await app.register(unsubscribeRoutes)
  await app.register(memberLinkRoutes, { publicUrl: options.publicUrl })
  await app.register(projectRoutes)
  await app.register(kanbanColumnRoutes)
  await app.register(kanbanClaimRoutes)
  await app.register(kanbanItemRoutes)
  await app.register(itemFileRoutes)
  await app.register(flowRoutes)
  await app.register(kanbanSubtaskRoutes)
  await app.register(kanbanCommentRoutes)
  await app.register(attachmentRoutes)
  await app.register(kanbanActivityRoutes)
  await app.register(kanbanLabelRoutes)
  await app.register(watchRoutes)
  await app.register(notificationRoutes)
  await app.register(objectiveRoutes)
  await app.register(metricRoutes)
  await app.register(transcriptSummaryRoutes)
  await app.register(teamAssignmentRoutes)
  if (options.shareLinks) {
    await app.register(shareLinkRoutes, { publicUrl: options.publicUrl })
    await app.register(sharedProjectRoutes)
  }
  await app.register(ingestRoutes)
  await app.register(importRoutes, { importLimit: options.importLimit })
  await app.register(personalIdeaRoutes, { authMode: options.authMode })
  await app.register(searchRoutes)
  await app.register(webhookRoutes, { webhookAllowPrivate: options.webhookAllowPrivate })
  await app.register(changeHistoryRoutes, { importRecords: options.importRecords })
  await app.register(auditLogRoutes)
  await app.register(exportRoutes)
  await app.register(batchRoutes)
  await app.register(changeRoutes)
}
