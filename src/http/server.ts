/** The HTTP server of the standalone service: its options, protocol errors, and graceful shutdown. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import type { Writable } from 'node:stream'
import { type FastifyHttpOptions, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { isPaced } from '../requests/uploads.ts'
import { createRequestLog } from './request-log.ts'
import { rewriteUrl } from './urls.ts'

const errorBody = (status: number) => JSON.stringify({ error: STATUS_CODES[status] })

/** Responds to malformed HTTP on the socket itself: there is no request to reply to. */
function rejectConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  // A file has its own limit, by its size. Node reports a request once.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isPaced(socket)) return
  // Thousands of idle connections may expire at once.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
    socket.destroy()
    return
  }
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

/** The number of Host headers: of several, Node uses the first, and a proxy may have used another. */
function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** Rejects requests with an `Expect` header, with the contract's error body: Node would send none. */
export function rejectExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request, response) => {
    const body = errorBody(417)
    const type = { 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(417, { ...type, 'content-length': Buffer.byteLength(body) }).end(body)
  })
}

/** The same for a wrong number of Host headers. @throws ApiError 400 */
export function ensureOneHost({ raw }: FastifyRequest): void {
  const count = hostHeaders(raw)
  if (count > 1 || (count === 0 && raw.httpVersion === '1.1')) throw new ApiError(400, 'Bad Request')
}

/** Milliseconds between warnings about too many connections. */
const REMINDER = 60_000

/** Limits the number of connections; further ones are closed at once. */
export function limitConnections(app: FastifyInstance, maxConnections: number): void {
  let warnedAt = Number.NEGATIVE_INFINITY
  app.server.maxConnections = maxConnections
  app.server.on('drop', () => {
    if (performance.now() - warnedAt < REMINDER) return
    warnedAt = performance.now()
    app.log.warn({ maxConnections }, 'too many connections: new ones are closed')
  })
}

/** Resolves when all that was written to the socket has been flushed, or the socket has closed. */
const allSent = (socket: Socket) =>
  new Promise((resolve) => {
    if (socket.writableEnded) socket.once('close', resolve)
    else socket.write('', resolve)
  })

/**
 * Graceful shutdown of connections: each ends with its response, and one without any request (browsers open some in
 * advance) ends at once, since it would only delay the exit.
 */
export function releaseConnections(app: FastifyInstance): void {
  let isStopping = false
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    isStopping = true
    // They would never end. A failed start has none.
    if (app.hasDecorator('changeReaders')) app.changeReaders.close()
    // Stop listening first: the rest may take a moment. Node's own http close() would also cut off slow clients.
    if (app.server.listening) TcpServer.prototype.close.call(app.server)
    app.server.keepAliveTimeout = 1
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    // To Node a connection is idle once its response is written; closing it would cut off what is not flushed yet.
    for (const socket of sockets) if (socket.writableLength > 0) await allSent(socket)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close')
    done(null, payload)
  })
}

/** Fastify's options for the standalone service. */
export const serverOptions = (
  config: Config,
  logStream: Writable | undefined,
): FastifyHttpOptions<Server> => ({
  logger: { level: config.logLevel, ...(logStream && { stream: logStream }) },
  logController: new LogController({ disableRequestLogging: true }),
  childLoggerFactory: createRequestLog,
  // The cast drops `readonly`; Fastify only reads it.
  trustProxy: config.trustProxy as boolean | string[],
  // A slow machine may need more than Fastify's 10 seconds, e.g. to hash the first admin's password.
  pluginTimeout: 60_000,
  // A request has a minute to arrive, except for files (see `src/requests/uploads.ts`): Fastify's default is no timeout.
  requestTimeout: 60_000,
  // Requests on open connections are still served while the service stops.
  return503OnClosing: false,
  // An id may be any string, up to the length of a request line, with any percent signs.
  routerOptions: { maxParamLength: 65_536 },
  rewriteUrl,
  clientErrorHandler: rejectConnection,
  // A missing Host header gets an error body of ours, not Node's empty one. And Node checks for request timeouts every 50 ms
  // instead of every 30 seconds: it closes all connections that have expired in one turn of the event loop, thousands of idle ones.
  http: { requireHostHeader: false, connectionsCheckingInterval: 50 },
})
