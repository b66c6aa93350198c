/** The service: the only Fastify() call, and the whole order of registration as one readable list. */
import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyPluginAsync,
  LogController,
  type RouteOptions,
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
import { ApiError } from './errors.ts'
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

type Schemas = Record<string, unknown>

/** Shared schemas are inherited, and the host's may have the same names: the service starts with none. */
function leaveHostSchemas(app: FastifyInstance): void {
  const theirs = new Set(Object.values(app.getSchemas()))
  app.setSchemaController({
    bucket: (inherited) => {
      const ours = Object.entries(inherited as Schemas).filter(([, schema]) => !theirs.has(schema))
      const schemas: Schemas = Object.fromEntries(ours)
      return {
        add(schema) {
          const { $id } = schema as { $id: string }
          schemas[$id] = structuredClone(schema)
          return app
        },
        getSchema: (id) => schemas[id],
        getSchemas: () => ({ ...schemas }),
      }
    },
  })
}

/**
 * Keeps the service out of the host's own OpenAPI document: the hooks of the host's `@fastify/swagger` see every
 * scope below it. They collect schemas as the host gets ready, which is before this scope does, and look at the
 * routes when the document is asked for; by then this service's own document is written.
 */
function stayOutOfHostDocument(app: FastifyInstance) {
  const reveal: (() => void)[] = []
  const routes: RouteOptions[] = []
  const hide = (scope: FastifyInstance) => {
    const { getSchemas } = scope
    scope.getSchemas = () => ({})
    reveal.push(() => {
      scope.getSchemas = getSchemas
    })
  }
  hide(app)
  app.addHook('onRegister', hide)
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.addHook('onReady', async () => {
    for (const show of reveal) show()
  })
  return {
    /** Call it after the service is registered. */
    finish: () =>
      app.addHook('onReady', async () => {
        app.swagger()
        app.swagger({ yaml: true })
        for (const route of routes) route.schema = { ...route.schema, hide: true }
      }),
  }
}

/**
 * The service as a plugin that a host application registers, under a prefix of its choice. Everything stays
 * inside the plugin's own scope: the host's routes, error handler, body parsers, validators and schemas are
 * untouched. Unless told otherwise, every request needs a member.
 *
 * @example host.register(phaseboard, { prefix: '/board', resolveMember: (request) => request.user })
 */
export const phaseboard: FastifyPluginAsync<PhaseboardOptions> = async (app, options) => {
  leaveHostSchemas(app)
  // Answers are written by their schemas, whatever the host has for its own.
  app.setReplySerializer(undefined as never)
  const hostDocument = stayOutOfHostDocument(app)
  await registerService(app, {
    ...loadConfig({ AUTH_MODE: 'required' }),
    rateLimitMax: 0,
    ...options,
    answersUnknownRoutes: app.prefix !== '',
  })
  hostDocument.finish()
}

const errorBody = (status: number) => JSON.stringify({ error: STATUS_CODES[status] })

/** The answer to what is not even HTTP, written to the bare socket: there is no request to reply to. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400
  const body = errorBody(status)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

/** Node answers some requests itself, without a body; here they get the contract's. */
function refuseLikeEverything(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request, response) => {
    const body = errorBody(417)
    const type = { 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(417, { ...type, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  app.addHook('onRequest', ({ raw, headers }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1') done(new ApiError(400, 'Bad Request'))
    else done()
  })
}

/** Resolves when what was written to the socket has been handed to the network, or never will be. */
const allSent = (socket: Socket) =>
  new Promise((resolve) => {
    if (socket.writableEnded) socket.once('close', resolve)
    else socket.write('', resolve)
  })

/**
 * While the service stops, every connection ends with its answer, and one that has not asked for anything (browsers
 * open some in advance) ends at once: idle, they would only hold up the exit.
 */
function releaseConnections(app: FastifyInstance): void {
  let isStopping = false
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    isStopping = true
    app.server.keepAliveTimeout = 1
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    // Node takes a connection for idle once its answer is written, and would cut off what is not sent yet.
    for (const socket of sockets) if (socket.writableLength > 0) await allSent(socket)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close')
    done(null, payload)
  })
}

const serverOptions = (config: Config, logStream: Writable | undefined): FastifyHttpOptions<Server> => ({
  logger: { level: config.logLevel, ...(logStream && { stream: logStream }) },
  logController: new LogController({ disableRequestLogging: true }),
  // Fastify only reads it.
  trustProxy: config.trustProxy as boolean | string[],
  // A request has a minute to arrive whole: Fastify's default is to wait for ever.
  requestTimeout: 60_000,
  // A request on a connection that was already open while the service stops is still answered properly.
  return503OnClosing: false,
  // An id may be any string: as long as a request line, and with any percent signs.
  routerOptions: { maxParamLength: 65_536 },
  rewriteUrl: ({ url = '/' }) => (url.includes('%') ? repairUrl(url) : url),
  clientErrorHandler: refuseConnection,
  // Not Node's bare answer to a request without a Host header, but one of ours.
  http: { requireHostHeader: false },
})

/** What only whoever builds the standalone service can give it. */
export interface BuildOptions extends Pick<PhaseboardOptions, 'resolveMember'> {
  /** Where the log goes instead of standard output. */
  logStream?: Writable
}

/**
 * Builds the standalone service: ready to `listen`, or to `inject` in tests.
 * @param config from {@link loadConfig}; absent settings have their defaults
 * @throws StartupError when the database cannot be opened
 */
export async function buildApp({ logStream, ...config }: Partial<Config> & BuildOptions = {}) {
  const settings = { ...loadConfig(), ...config }
  const app = Fastify(serverOptions(settings, logStream))
  releaseConnections(app)
  refuseLikeEverything(app)
  await registerService(app, { ...settings, answersUnknownRoutes: true })
  return app
}

export default phaseboard
