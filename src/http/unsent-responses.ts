/**
 * Limits responses not yet sent, which take memory until slow clients have read them. Clients that stop reading are
 * disconnected: after a minute, or under memory pressure after a few seconds. Beyond that, load shedding: 503.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { isSafe } from '../members/identity.ts'
import { Turns } from './turns.ts'

/** Limits of responses not yet sent. Times in milliseconds. */
export interface UnsentLimits {
  /**
   * Bytes of all of them together, roughly: beyond it, large responses and unsafe requests are 503. What was sent to many
   * counts once; a single response may be larger.
   */
  maxBytes: number
  /** How long a client may read nothing of its response ... */
  patience: number
  /** ... and how long while `maxBytes` is exceeded. */
  patienceUnderPressure: number
  /** Time between two checks of all connections. */
  interval: number
}

const LIMITS: UnsentLimits = {
  maxBytes: 64 * 1024 * 1024,
  patience: 60_000,
  patienceUnderPressure: 5000,
  interval: 1000,
}

/** Bytes of a response that is always sent, e.g. a health check's. */
const SMALL = 65_536

/** Bytes of a response that is sent in turn with others: handing it to the system takes milliseconds. */
const LARGE = 1024 * 1024

/** `Retry-After`, in seconds. */
const RETRY_AFTER = 5

const sizeOf = (payload: unknown): number => {
  if (typeof payload === 'string') return payload.length
  return payload instanceof Uint8Array ? payload.byteLength : 0
}

/** Bytes queued for the socket, which shrink as the client reads. Node's own timeouts use the same field. */
const queueOf = (socket: Socket & { _handle?: { writeQueueSize?: number } | null }) =>
  socket._handle?.writeQueueSize ?? socket.writableLength

/**
 * Limits the responses not yet sent of a server. Call it before routes are added. Connections are checked at intervals,
 * and before a large response is sent: other responses cost nothing.
 */
export function limitUnsentResponses(app: FastifyInstance, given: Partial<UnsentLimits> = {}): void {
  const { maxBytes, patience, patienceUnderPressure, interval } = { ...LIMITS, ...given }
  const sockets = new Set<Socket>()
  /** The slow clients: how much was queued when each last read, and when that was noticed. */
  const waiting = new Map<Socket, { queue: number; since: number }>()
  /** The latest large body of each connection. */
  const bodies = new WeakMap<Socket, unknown>()
  /** Bytes not yet sent, as of the latest sweep. */
  let total = 0
  /** The bodies that they belong to. */
  let unsent = new Set<unknown>()
  let timer: NodeJS.Timeout | undefined
  const turns = new Turns()

  /** Counts the bytes not yet sent, and disconnects clients that have read nothing for `longest`. */
  function sweep(longest: number): void {
    const now = performance.now()
    unsent = new Set()
    total = 0
    for (const socket of sockets) {
      const queue = queueOf(socket)
      if (queue === 0) waiting.delete(socket)
      else if (waiting.get(socket)?.queue !== queue) waiting.set(socket, { queue, since: now })
      else if (now - (waiting.get(socket)?.since ?? now) >= longest) socket.destroy()
      if (!socket.destroyed && socket.writableLength > 0) count(socket)
    }
  }

  /** Adds what a connection has not sent: a response stays in memory as a whole until then, and once for all who get it. */
  function count(socket: Socket): void {
    const body = bodies.get(socket)
    if (body === undefined || !unsent.has(body)) total += socket.writableLength
    unsent.add(body)
  }

  /** Whether a body is too much, after disconnecting clients that do not read. By itself it never is. */
  function isTooMuch(body?: unknown): boolean {
    const isOver = () => total > 0 && total + (unsent.has(body) ? 0 : sizeOf(body)) > maxBytes
    sweep(patience)
    if (isOver()) sweep(patienceUnderPressure)
    return isOver()
  }
  const refusal = () =>
    new ApiError(503, 'Service Unavailable', { headers: { 'retry-after': String(RETRY_AFTER) } })

  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    timer ??= setInterval(sweep, interval, patience).unref()
    socket.once('close', () => {
      sockets.delete(socket)
      waiting.delete(socket)
      if (sockets.size > 0) return
      clearInterval(timer)
      timer = undefined
      total = 0
    })
  })
  // An unsafe request is rejected before it changes anything.
  app.addHook('onRequest', (request, _reply, done) => {
    if (total > maxBytes && !isSafe(request.method) && isTooMuch()) done(refusal())
    else done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload)
    const send = () => {
      const { socket } = request.raw
      if (size > SMALL && isSafe(request.method) && isTooMuch(payload)) {
        reply.removeHeader('etag')
        reply.removeHeader('link')
        done(refusal())
      } else {
        if (size > SMALL) bodies.set(socket, payload)
        else bodies.delete(socket)
        done(null, payload)
      }
      return false
    }
    // The system copies some megabytes of it at once: many at a time would keep everybody else waiting.
    if (size > LARGE) turns.add(request.ip, send)
    else send()
  })
  app.addHook('onClose', async () => clearInterval(timer))
}
