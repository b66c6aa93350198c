/**
 * Limits unsent responses, which take memory until slow clients have read them. Clients that stop reading are
 * disconnected: after a minute, or under memory pressure after a few seconds. Beyond that, load shedding: 503.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../errors.ts'
import { isSafe } from '../members/identity.ts'
import type { Check } from '../requests/admit.ts'
import { PartedBody } from '../requests/parted-body.ts'
import { Turns } from '../requests/turns.ts'

/** Limits of unsent responses. Times in milliseconds. */
export interface UnsentLimits {
  /**
   * Total size in bytes, roughly: beyond it, large responses and unsafe requests are 503. A body sent to many clients
   * counts once; a single response may be larger.
   */
  maxBytes: number
  /** Longest time without reading of a client ... */
  timeout: number
  /** ... and while `maxBytes` is exceeded. */
  timeoutUnderPressure: number
  /** Time between two checks of all connections. */
  interval: number
}

const LIMITS: UnsentLimits = {
  maxBytes: 64 * 1024 * 1024,
  timeout: 60_000,
  timeoutUnderPressure: 5000,
  interval: 1000,
}

/** Responses up to this size, in bytes, are always sent, e.g. a health check's. */
const SMALL = 65_536

/** Responses from this size on, in bytes, are sent in turns: handing one to the system takes milliseconds. */
const LARGE = 1024 * 1024

/** `Retry-After`, in seconds. */
const RETRY_AFTER = 5

const sizeOf = (payload: unknown): number => {
  if (typeof payload === 'string') return payload.length
  return payload instanceof Uint8Array || payload instanceof PartedBody ? payload.byteLength : 0
}

/** What a body has in memory: a view of the same bytes, as Fastify makes one for each reply, is the same body. */
function memoryOf(payload: unknown): unknown {
  if (payload instanceof PartedBody) return payload.memory
  return payload instanceof Uint8Array ? payload.buffer : payload
}

/** Bytes queued for the socket, which shrink as the client reads. Node's own timeouts use the same field. */
const queueOf = (socket: Socket & { _handle?: { writeQueueSize?: number } | null }) =>
  socket._handle?.writeQueueSize ?? socket.writableLength

declare module 'fastify' {
  interface FastifyInstance {
    /** Size limit of a new response, in bytes: unlimited if nothing is unsent. Absent inside a host. */
    roomForResponse?: () => number
  }
}

/**
 * Limits the unsent responses of a server. Call it before adding routes. Connections are checked at intervals,
 * and before a large response is sent: other responses cost nothing.
 * @returns the check of requests, which throws ApiError 503
 */
export function limitUnsentResponses(app: FastifyInstance, given: Partial<UnsentLimits> = {}): Check {
  const { maxBytes, timeout, timeoutUnderPressure, interval } = { ...LIMITS, ...given }
  const sockets = new Set<Socket>()
  /** Slow clients: the queued bytes when each last read, and when that was noticed. */
  const waiting = new Map<Socket, { queue: number; since: number }>()
  /** The latest large body of each connection. */
  const bodies = new WeakMap<Socket, unknown>()
  /** Unsent bytes, as of the latest sweep. */
  let total = 0
  /** The bodies of these bytes. */
  let unsent = new Set<unknown>()
  let timer: NodeJS.Timeout | undefined
  const turns = new Turns((err) => app.log.error({ err }, 'could not send a response'))
  /** Large bodies that wait for their turn, with their number of replies. */
  const queued = new Map<unknown, { size: number; replies: number }>()

  /** Bytes of bodies that wait for their turn, without those already being sent. */
  function queuedBytes(): number {
    let bytes = 0
    for (const [body, { size }] of queued) if (!unsent.has(body)) bytes += size
    return bytes
  }

  /** Gives a reply its turn. */
  function leave(body: unknown): void {
    const own = queued.get(body)
    if (own === undefined) return
    own.replies--
    if (own.replies === 0) queued.delete(body)
  }

  /** Counts the unsent bytes, and disconnects clients that have read nothing for `longest`. */
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

  /** Adds the unsent bytes of a connection: a response stays in memory as a whole until it is sent, once for all its clients. */
  function count(socket: Socket): void {
    const body = bodies.get(socket)
    if (body === undefined || !unsent.has(body)) total += socket.writableLength
    unsent.add(body)
  }

  /** Whether additional bytes exceed the limit, after disconnecting clients that do not read. A single response never does, nor a body already in memory. */
  function isTooMuch(body?: unknown, size = 0): boolean {
    const isInMemory = () => body !== undefined && unsent.has(body)
    const isOver = () => total > 0 && !isInMemory() && total + size > maxBytes
    sweep(timeout)
    if (isOver()) sweep(timeoutUnderPressure)
    return isOver()
  }
  const refusal = () => unavailable(RETRY_AFTER)
  app.decorate('roomForResponse', () => {
    const taken = () => total + queuedBytes()
    sweep(timeout)
    // The size of the response is not known yet.
    if (taken() > maxBytes / 2) sweep(timeoutUnderPressure)
    return taken() === 0 ? Number.POSITIVE_INFINITY : Math.max(SMALL, maxBytes - taken())
  })

  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    timer ??= setInterval(sweep, interval, timeout).unref()
    socket.once('close', () => {
      sockets.delete(socket)
      waiting.delete(socket)
      if (sockets.size > 0) return
      clearInterval(timer)
      timer = undefined
      total = 0
    })
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload)
    const body = memoryOf(payload)
    const send = () => {
      const { socket } = request.raw
      leave(body)
      if (size > SMALL && isSafe(request.method) && isTooMuch(body, size)) {
        reply.removeHeader('etag')
        reply.removeHeader('link')
        reply.removeHeader('content-length')
        reply.removeHeader('content-encoding')
        done(refusal())
      } else {
        if (size > SMALL) bodies.set(socket, body)
        else bodies.delete(socket)
        done(null, payload)
      }
      return false
    }
    // The system copies some megabytes of it at once: many at a time would delay all other requests.
    if (size > LARGE) {
      queued.set(body, { size, replies: (queued.get(body)?.replies ?? 0) + 1 })
      turns.add(request.ip, send)
    } else send()
  })
  app.addHook('onClose', async () => clearInterval(timer))
  // An unsafe request is rejected before it changes anything.
  return ({ method }) => {
    if (total > maxBytes && !isSafe(method) && isTooMuch()) throw refusal()
  }
}
