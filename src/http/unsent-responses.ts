/**
 * Limits responses not yet sent, which take memory until slow clients have read them. Clients that stop reading are
 * disconnected: after a minute, or under memory pressure after a few seconds. Beyond that, load shedding: 503.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../errors.ts'
import { isSafe } from '../members/identity.ts'
import { PartedBody } from '../requests/parted-body.ts'
import { Turns } from '../requests/turns.ts'

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
    /** How many bytes a response may have that is made now: any number where nothing waits to be sent. Absent inside a host. */
    roomForResponse?: () => number
  }
}

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
  /** Large bodies that wait for their turn, and how many replies each is of. */
  const queued = new Map<unknown, { size: number; replies: number }>()

  /** Bytes of bodies that wait for their turn, but for those that others get already. */
  function queuedBytes(): number {
    let bytes = 0
    for (const [body, { size }] of queued) if (!unsent.has(body)) bytes += size
    return bytes
  }

  /** A reply has got its turn. */
  function leave(body: unknown): void {
    const own = queued.get(body)
    if (own === undefined) return
    own.replies--
    if (own.replies === 0) queued.delete(body)
  }

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

  /** Whether so much more is too much, after disconnecting clients that do not read. By itself nothing is, nor what is in memory anyway. */
  function isTooMuch(body?: unknown, size = 0): boolean {
    const isInMemory = () => body !== undefined && unsent.has(body)
    const isOver = () => total > 0 && !isInMemory() && total + size > maxBytes
    sweep(patience)
    if (isOver()) sweep(patienceUnderPressure)
    return isOver()
  }
  const refusal = () => unavailable(RETRY_AFTER)
  app.decorate('roomForResponse', () => {
    const taken = () => total + queuedBytes()
    sweep(patience)
    // How large the response will be, nobody knows yet.
    if (taken() > maxBytes / 2) sweep(patienceUnderPressure)
    return taken() === 0 ? Number.POSITIVE_INFINITY : Math.max(SMALL, maxBytes - taken())
  })

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
    const body = memoryOf(payload)
    const send = () => {
      const { socket } = request.raw
      leave(body)
      if (size > SMALL && isSafe(request.method) && isTooMuch(body, size)) {
        reply.removeHeader('etag')
        reply.removeHeader('link')
        reply.removeHeader('content-length')
        done(refusal())
      } else {
        if (size > SMALL) bodies.set(socket, body)
        else bodies.delete(socket)
        done(null, payload)
      }
      return false
    }
    // The system copies some megabytes of it at once: many at a time would keep everybody else waiting.
    if (size > LARGE) {
      queued.set(body, { size, replies: (queued.get(body)?.replies ?? 0) + 1 })
      turns.add(request.ip, send)
    } else send()
  })
  app.addHook('onClose', async () => clearInterval(timer))
}
