/** The HTTP server around the standalone service: its options, what is not even a request, and how it stops. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import type { Writable } from 'node:stream'
import { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { repairUrl } from './urls.ts'

const errorBody = (status: number) => JSON.stringify({ error: STATUS_CODES[status] })

/** The answer to what is not even HTTP, written to the bare socket: there is no request to reply to. */
function rejectConnection(error: Error & { code?: string }, socket: Socket): void {
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

/** How many Host headers a request has: of several, Node shows the first, and a proxy may have gone by another. */
function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** Node answers some requests itself, without a body; here they get the contract's. */
export function rejectProtocolErrors(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request, response) => {
    const body = errorBody(417)
    const type = { 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(417, { ...type, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const count = hostHeaders(raw)
    if (count > 1 || (count === 0 && raw.httpVersion === '1.1')) done(new ApiError(400, 'Bad Request'))
    else done()
  })
}

/** How often the log says that there are too many connections, in milliseconds. */
const REMINDER = 60_000

/** Closes connections above a number of them as they come. */
export function limitConnections(app: FastifyInstance, maxConnections: number): void {
  let said = Number.NEGATIVE_INFINITY
  app.server.maxConnections = maxConnections
  app.server.on('drop', () => {
    if (performance.now() - said < REMINDER) return
    said = performance.now()
    app.log.warn({ maxConnections }, 'too many connections: new ones are closed')
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
export function releaseConnections(app: FastifyInstance): void {
  let isStopping = false
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    isStopping = true
    // Stop listening first: what follows may take a moment. Node's own close() would also cut off slow readers.
    if (app.server.listening) TcpServer.prototype.close.call(app.server)
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

/** Fastify's options for the standalone service. */
export const serverOptions = (
  config: Config,
  logStream: Writable | undefined,
): FastifyHttpOptions<Server> => ({
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
  clientErrorHandler: rejectConnection,
  // Not Node's bare answer to a request without a Host header, but one of ours.
  // Node looks every 30 seconds for requests that take too long; what is late ends sooner.
  http: { requireHostHeader: false, connectionsCheckingInterval: 5000 },
})
