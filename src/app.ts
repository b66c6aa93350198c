/** The service: the only Fastify() call, and the whole order of registration as one readable list. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import auth from '../plugins/auth.ts'
import bodies from '../plugins/bodies.ts'
import database from '../plugins/database.ts'
import errors from '../plugins/errors.ts'
import logging from '../plugins/logging.ts'
import openapi from '../plugins/openapi.ts'
import traffic from '../plugins/traffic.ts'
import docsRoutes from '../routes/docs.ts'
import healthRoutes from '../routes/health.ts'
import kanbanItemRoutes from '../routes/kanban-items.ts'
import kanbanSubtaskRoutes from '../routes/kanban-subtasks.ts'
import personalIdeaRoutes from '../routes/personal-ideas.ts'
import projectRoutes from '../routes/projects.ts'
import sessionRoutes from '../routes/session.ts'
import { type Config, loadConfig } from './config.ts'
import type { ResolveMember } from './identity.ts'
import { repairUrl } from './urls.ts'

export type { Config } from './config.ts'
export { ApiError, StartupError } from './errors.ts'
export type { HostMember, ResolveMember } from './identity.ts'

/** The settings that make sense inside a host application; those of {@link Config} that concern a server do not. */
export type PhaseboardOptions = Partial<
  Pick<
    Config,
    | 'databaseUrl'
    | 'authMode'
    | 'defaultMemberId'
    | 'adminEmail'
    | 'adminPassword'
    | 'bodyLimit'
    | 'corsOrigins'
    | 'rateLimitMax'
  >
> & {
  /** How the host tells who the member is. Where it returns nobody, tokens and sessions of this service count. */
  resolveMember?: ResolveMember
}

type ServiceOptions = Config & { resolveMember?: ResolveMember | undefined; answersUnknownRoutes: boolean }

/** Everything the service consists of, in the order in which a request meets it. */
async function registerService(instance: FastifyInstance, options: ServiceOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  await app.register(database, options)
  await app.register(logging)
  await app.register(errors, options)
  await app.register(bodies, options)
  await app.register(traffic, options)
  await app.register(auth, options)
  await app.register(openapi, options)

  await app.register(healthRoutes)
  await app.register(sessionRoutes)
  await app.register(projectRoutes)
  await app.register(kanbanItemRoutes)
  await app.register(kanbanSubtaskRoutes)
  await app.register(personalIdeaRoutes, { authMode: options.authMode })
  await app.register(docsRoutes)
  app.refuseOtherMethods()
}

/**
 * The service as a plugin that a host application registers, under a prefix of its choice. Everything stays
 * inside the plugin's own scope: the host's routes, error handler, body parsers and validators are untouched.
 * Unless told otherwise, every request needs a member.
 *
 * @example host.register(phaseboard, { prefix: '/board', resolveMember: (request) => request.user })
 */
export const phaseboard: FastifyPluginAsync<PhaseboardOptions> = async (app, options) => {
  await registerService(app, {
    ...loadConfig({ AUTH_MODE: 'required' }),
    rateLimitMax: 0,
    ...options,
    answersUnknownRoutes: app.prefix !== '',
  })
}

/** The answer to what is not even HTTP, written to the bare socket: there is no request to reply to. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400
  const body = JSON.stringify({ error: STATUS_CODES[status] })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

const serverOptions = (config: Config): FastifyServerOptions => ({
  logger: { level: config.logLevel },
  logController: new LogController({ disableRequestLogging: true }),
  trustProxy: config.trustProxy,
  // A request on a connection that was already open while the service stops is still answered properly.
  return503OnClosing: false,
  // An id may be any string: as long as a request line, and with any percent signs.
  routerOptions: { maxParamLength: 65_536 },
  rewriteUrl: ({ url = '/' }) => (url.includes('%') ? repairUrl(url) : url),
  clientErrorHandler: refuseConnection,
})

/**
 * Builds the standalone service: ready to `listen`, or to `inject` in tests.
 * @param config from {@link loadConfig}; absent settings have their defaults
 * @throws StartupError when the database cannot be opened
 */
export async function buildApp(config: Partial<Config> & Pick<PhaseboardOptions, 'resolveMember'> = {}) {
  const settings = { ...loadConfig(), ...config }
  const app = Fastify(serverOptions(settings))
  await registerService(app, { ...settings, answersUnknownRoutes: true })
  return app
}

export default phaseboard
