/**
 * Answers that are not sent yet take memory until their clients have read them. Here they are counted, and clients that
 * stop reading are cut off: after a minute, or after a few seconds while all of it together is too much.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { isSafe } from '../members/identity.ts'

/** What clients may leave unread. Times in milliseconds. */
export interface UnsentLimits {
  /** Bytes of all answers together, roughly: beyond it there are no more large ones. */
  maxBytes: number
  /** How long a client may take nothing of its answer ... */
  patience: number
  /** ... and how long while there is too much. */
  patienceUnderPressure: number
  /** How often each is looked at. */
  interval: number
}

const LIMITS: UnsentLimits = {
  maxBytes: 128 * 1024 * 1024,
  patience: 60_000,
  patienceUnderPressure: 5000,
  interval: 1000,
}

/** Bytes of an answer that is always sent: it helps nobody to refuse a health check. */
const SMALL = 65_536

/** When another try makes sense, in seconds. */
const RETRY_AFTER = 5

const sizeOf = (payload: unknown): number => {
  if (typeof payload === 'string') return payload.length
  return payload instanceof Uint8Array ? payload.byteLength : 0
}

/** Bytes that the system has not taken yet; it takes them as the client reads. Node itself looks there, too. */
const queueOf = (socket: Socket & { _handle?: { writeQueueSize?: number } | null }) =>
  socket._handle?.writeQueueSize ?? socket.writableLength

/**
 * Watches the answers of a server. Call it before there are routes. It looks at connections, from time to time and when a
 * large answer is about to be sent: most answers are gone at once, and pay nothing.
 */
export function limitUnsentResponses(app: FastifyInstance, given: Partial<UnsentLimits> = {}): void {
  const { maxBytes, patience, patienceUnderPressure, interval } = { ...LIMITS, ...given }
  const sockets = new Set<Socket>()
  /** Of each client that has not read everything: how much was left when it last read, and when that was seen. */
  const waiting = new Map<Socket, { queue: number; since: number }>()
  /** Bytes of all that was unsent when they were last counted. */
  let total = 0
  let timer: NodeJS.Timeout | undefined

  /** Counts what is unsent, and ends what has not moved for so long. */
  function sweep(longest: number): void {
    const now = performance.now()
    total = 0
    for (const socket of sockets) {
      const queue = queueOf(socket)
      if (queue === 0) waiting.delete(socket)
      else if (waiting.get(socket)?.queue !== queue) waiting.set(socket, { queue, since: now })
      else if (now - (waiting.get(socket)?.since ?? now) >= longest) socket.destroy()
      // An answer is in memory as a whole until all of it is sent.
      if (!socket.destroyed) total += socket.writableLength
    }
  }

  /** Whether there is too much, also without the clients that do not read. */
  function isTooMuch(more: number): boolean {
    sweep(patience)
    if (total + more > maxBytes) sweep(patienceUnderPressure)
    return total + more > maxBytes
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
  // What changes something is refused before it does.
  app.addHook('onRequest', (request, _reply, done) => {
    if (total > maxBytes && !isSafe(request.method) && isTooMuch(0)) done(refusal())
    else done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const size = sizeOf(payload)
    if (size > SMALL && isSafe(request.method) && isTooMuch(size)) {
      reply.removeHeader('etag')
      reply.removeHeader('link')
      done(refusal())
    } else done(null, payload)
  })
  app.addHook('onClose', async () => clearInterval(timer))
}
