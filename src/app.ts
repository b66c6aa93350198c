/** The service: the Fastify() call, and the order of registration as one list. */

import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import attention from '../plugins/attention.ts'
import auth from '../plugins/auth.ts'
import batch from '../plugins/batch.ts'
import bodies from '../plugins/bodies.ts'
import changeIndex from '../plugins/change-index.ts'
import changes from '../plugins/changes.ts'
import database from '../plugins/database.ts'
import errors from '../plugins/errors.ts'
import files from '../plugins/files.ts'
import headers from '../plugins/headers.ts'
import imports from '../plugins/imports.ts'
import largeWrites from '../plugins/large-writes.ts'
import logging from '../plugins/logging.ts'
import mail from '../plugins/mail.ts'
import openapi from '../plugins/openapi.ts'
import operations from '../plugins/operations.ts'
import people from '../plugins/people.ts'
import requests from '../plugins/requests.ts'
import retention from '../plugins/retention.ts'
import rules from '../plugins/rules.ts'
import snapshots from '../plugins/snapshots.ts'
import strictness from '../plugins/strictness.ts'
import telemetry from '../plugins/telemetry.ts'
import traffic from '../plugins/traffic.ts'
import webhooks from '../plugins/webhooks.ts'
import attachmentRoutes from '../routes/attachments.ts'
import auditLogRoutes from '../routes/audit-log.ts'
import batchRoutes from '../routes/batch.ts'
import changeRoutes from '../routes/changes.ts'
import changeHistoryRoutes from '../routes/changes-history.ts'
import docsRoutes from '../routes/docs.ts'
import exportRoutes from '../routes/export.ts'
import flowRoutes from '../routes/flow.ts'
import healthRoutes from '../routes/health.ts'
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
import mcpRoutes from '../routes/mcp.ts'
import memberLinkRoutes from '../routes/member-links.ts'
import memberRoutes from '../routes/members.ts'
import metricRoutes from '../routes/metrics.ts'
import notificationRoutes from '../routes/notifications.ts'
import objectiveRoutes from '../routes/objectives.ts'
import pageRoutes from '../routes/page.ts'
import peopleRoutes from '../routes/people.ts'
import personalIdeaRoutes from '../routes/personal-ideas.ts'
import preferenceRoutes from '../routes/preferences.ts'
import projectRoutes from '../routes/projects.ts'
import prometheusRoutes from '../routes/prometheus.ts'
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
import { configure, loadConfig } from './config.ts'
import { compressResponses } from './http/compression.ts'
import { hideFromHostDocument, ignoreHostSchemas, noteDeclarations } from './http/embedding.ts'
import { limitConnections, rejectProtocolErrors, releaseConnections, serverOptions } from './http/server.ts'
import { limitUnsentResponses } from './http/unsent-responses.ts'
import type {
  BuildOptions,
  Config,
  ListMembers,
  OnNotification,
  PhaseboardOptions,
  ResolveMember,
} from './phaseboard.d.ts'
import type { RouteTypes } from './requests/route-types.ts'
import { SETTINGS } from './settings.ts'

export { ApiError, StartupError } from './errors.ts'
export type {
  BuildOptions,
  Config,
  Conflict,
  ErrorCode,
  ErrorDetails,
  HostMember,
  HostNotification,
  HostPerson,
  ListMembers,
  OnNotification,
  PhaseboardOptions,
  ResolveMember,
  ValidationDetails,
} from './phaseboard.d.ts'

type ServiceOptions = Config & {
  resolveMember?: ResolveMember | undefined
  listMembers?: ListMembers | undefined
  onNotification?: OnNotification | undefined
  /** Whether no host's hooks run before the service's. */
  hooksComeFirst: boolean
  /** Whether the service responds to paths without a route. */
  answersUnknownRoutes: boolean
  /** Whether the process is the service's own, and not a host's. */
  ownsProcess: boolean
  /** Whether the service sends CORS headers. */
  sendsCorsHeaders: boolean
}

/** Options that are no settings: a derived one, the functions of a host, and what Fastify itself takes with any plugin. */
const OTHER_OPTIONS = [
  'openOnNetwork',
  'resolveMember',
  'listMembers',
  'onNotification',
  'prefix',
  'logLevel',
  'logSerializers',
]

/** Logs unknown options, e.g. mistyped ones. They are no errors, since a host may pass the same options to all its plugins. */
function warnOfUnknown(app: FastifyInstance, options: object): void {
  const known = new Set([...Object.keys(SETTINGS), ...OTHER_OPTIONS])
  const unknown = Object.keys(options).filter((name) => !known.has(name))
  if (unknown.length > 0) app.log.warn({ options: unknown }, 'unknown options are ignored')
}

/** Registers the service; a failed start leaves nothing behind. */
async function registerService(app: FastifyInstance, options: ServiceOptions): Promise<void> {
  try {
    await registerInOrder(app, options)
  } catch (error) {
    // If opening the database failed, it has cleaned up after itself.
    if (app.hasDecorator('discardDatabase')) app.discardDatabase(app.firstAdmin?.passwordFile)
    throw error
  }
}

/** All parts of the service, in the order in which a request meets them. */
async function registerInOrder(instance: FastifyInstance, options: ServiceOptions): Promise<void> {
  const app = instance.withTypeProvider<RouteTypes>()
  await app.register(database, options)
  await app.register(largeWrites, options)
  await app.register(rules, options)
  await app.register(files, options)
  await app.register(retention, options)
  await app.register(changeIndex)
  await app.register(snapshots, options)
  await app.register(logging)
  await app.register(telemetry)
  await app.register(headers, options)
  await app.register(strictness)
  await app.register(errors, options)
  await app.register(operations)
  await app.register(bodies, options)
  await app.register(traffic, options)
  await app.register(requests)
  await app.register(batch, options)
  await app.register(people, options)
  await app.register(auth, options)
  await app.register(changes, options)
  await app.register(webhooks, options)
  await app.register(attention, options)
  await app.register(mail, options)
  await app.register(imports, options)
  await app.register(openapi, options)

  await app.register(healthRoutes)
  await app.register(prometheusRoutes, {
    databaseUrl: options.databaseUrl,
    metricsPublic: options.metricsPublic,
  })
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
  await app.register(changeHistoryRoutes)
  await app.register(auditLogRoutes)
  await app.register(exportRoutes)
  await app.register(batchRoutes)
  await app.register(mcpRoutes, { authMode: options.authMode, publicUrl: options.publicUrl })
  await app.register(changeRoutes)
  await app.register(docsRoutes)
  // Without a prefix, the root and the page's addresses belong to the host.
  if (options.webBoard && options.answersUnknownRoutes)
    await app.register(pageRoutes, { shareLinks: options.shareLinks })
  app.refuseOtherMethods()
}

/**
 * The service as a plugin that a host application registers, under a prefix of its choice. Everything stays
 * inside the plugin's own scope: the host's routes, error handler, body parsers, validators and schemas are
 * untouched. By default every request needs a member.
 *
 * @example host.register(phaseboard, { prefix: '/board', resolveMember: (request) => request.user })
 */
export const phaseboard: FastifyPluginAsync<PhaseboardOptions> = async (app, options) => {
  warnOfUnknown(app, options)
  ignoreHostSchemas(app)
  hideFromHostDocument(app)
  noteDeclarations(app)
  // Responses are serialised by their schemas, not by a host's reply serializer.
  app.setReplySerializer(undefined as never)
  await registerService(app, {
    // The host's address is unknown: assume a network.
    ...configure(options, { ...loadConfig({ HOST: '0.0.0.0' }), rateLimitMax: 0 }),
    hooksComeFirst: false,
    answersUnknownRoutes: app.prefix !== '',
    sendsCorsHeaders: false,
    ownsProcess: false,
  })
}

/**
 * Builds the standalone service: ready to `listen`, or to `inject` in tests.
 * @param config absent settings have the defaults of the environment variables; `logStream` takes the log
 * @throws StartupError for an unusable setting, or when the database cannot be opened
 */
export async function buildApp({
  logStream,
  ...config
}: Partial<Config> & BuildOptions = {}): Promise<FastifyInstance> {
  const settings = configure(config)
  const app = Fastify(serverOptions(settings, logStream))
  warnOfUnknown(app, config)
  limitConnections(app, settings.maxConnections)
  releaseConnections(app)
  rejectProtocolErrors(app)
  compressResponses(app)
  limitUnsentResponses(app)
  await registerService(app, {
    ...settings,
    hooksComeFirst: true,
    answersUnknownRoutes: true,
    sendsCorsHeaders: true,
    ownsProcess: true,
  })
  return app
}

export default phaseboard
