/** The service: the Fastify() call, and the order of registration as one list. */

import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify'
import admission from '../plugins/admission.ts'
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
import mail from '../plugins/mail.ts'
import missingNames from '../plugins/missing-names.ts'
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
import docsRoutes from '../routes/docs.ts'
import healthRoutes from '../routes/health.ts'
import mcpRoutes from '../routes/mcp.ts'
import pageRoutes from '../routes/page.ts'
import prometheusRoutes from '../routes/prometheus.ts'
import { configure, loadConfig } from './config.ts'
import { compressResponses } from './http/compression.ts'
import { hideFromHostDocument, ignoreHostSchemas, noteDeclarations } from './http/embedding.ts'
import {
  ensureOneHost,
  limitConnections,
  rejectExpectations,
  releaseConnections,
  serverOptions,
} from './http/server.ts'
import { limitUnsentResponses } from './http/unsent-responses.ts'
import type {
  BuildOptions,
  Config,
  ListMembers,
  OnNotification,
  PhaseboardOptions,
  ResolveMember,
} from './phaseboard.d.ts'
import type { Check } from './requests/admit.ts'
import type { RouteTypes } from './requests/route-types.ts'
import { registerRoutes } from './routes.ts'
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
  /** The checks of the HTTP server before all others. */
  checksOfServer: readonly Check[]
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
  await app.register(rules, options)
  await app.register(files, options)
  await app.register(retention, options)
  await app.register(changeIndex)
  await app.register(snapshots, options)
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
  await app.register(admission, options)
  await app.register(changes, options)
  await app.register(webhooks, options)
  await app.register(missingNames)
  await app.register(attention, options)
  await app.register(mail, options)
  await app.register(imports, options)
  await app.register(openapi, options)

  await app.register(healthRoutes)
  await app.register(prometheusRoutes, {
    databaseUrl: options.databaseUrl,
    metricsPublic: options.metricsPublic,
  })
  await registerRoutes(app, options)
  await app.register(mcpRoutes, { authMode: options.authMode, publicUrl: options.publicUrl })
  await app.register(docsRoutes)
  // Without a prefix, the root and the page's addresses belong to the host.
  if (options.webBoard && options.answersUnknownRoutes)
    await app.register(pageRoutes, { shareLinks: options.shareLinks, authMode: options.authMode })
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
    checksOfServer: [],
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
  rejectExpectations(app)
  compressResponses(app)
  const ensureRoom = limitUnsentResponses(app)
  await registerService(app, {
    ...settings,
    hooksComeFirst: true,
    answersUnknownRoutes: true,
    sendsCorsHeaders: true,
    checksOfServer: [ensureOneHost, ensureRoom],
    ownsProcess: true,
  })
  return app
}

export default phaseboard
