/**
 * Answers that are not sent yet take memory until their clients have read them. Here they are counted, and clients that
 * stop reading are cut off: after a minute, or after a few seconds while all of it together is too much.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ApiError } from './errors.ts'
import { isSafe } from './identity.ts'

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

/** Watches the answers of a server. Call it before there are routes. */
export function boundUnsentAnswers(app: FastifyInstance, given: Partial<UnsentLimits> = {}): void {
  const { maxBytes, patience, patienceUnderPressure, interval } = { ...LIMITS, ...given }
  const answers = new Map<ServerResponse, { socket: Socket; size: number }>()
  /** Of each client that has not read everything: how much was left when it last read, and when that was seen. */
  const waiting = new Map<Socket, { queue: number; since: number }>()
  let total = 0
  let timer: NodeJS.Timeout | undefined

  function forget(answer: ServerResponse): void {
    total -= answers.get(answer)?.size ?? 0
    answers.delete(answer)
  }

  /** Ends what has not moved for so long. */
  function sweep(longest: number): void {
    const now = performance.now()
    for (const [answer, { socket }] of answers) {
      const queue = socket.destroyed ? 0 : queueOf(socket)
      if (queue === 0) waiting.delete(socket)
      else if (waiting.get(socket)?.queue !== queue) waiting.set(socket, { queue, since: now })
      else if (now - (waiting.get(socket)?.since ?? now) >= longest) socket.destroy()
      if (socket.destroyed) forget(answer)
    }
    for (const socket of waiting.keys()) if (socket.destroyed) waiting.delete(socket)
  }

  function tick(): void {
    sweep(patience)
    if (answers.size > 0) return
    clearInterval(timer)
    timer = undefined
    waiting.clear()
  }

  /** Whether there is too much, also without the clients that do not read. */
  function isTooMuch(more: number): boolean {
    if (total + more <= maxBytes) return false
    sweep(patienceUnderPressure)
    return total + more > maxBytes
  }
  const refusal = () =>
    new ApiError(503, 'Service Unavailable', { headers: { 'retry-after': String(RETRY_AFTER) } })

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
      return
    }
    if (payload !== undefined && payload !== null) {
      answers.set(reply.raw, { socket: request.raw.socket, size })
      total += size
      timer ??= setInterval(tick, interval).unref()
    }
    done(null, payload)
  })
  app.addHook('onResponse', (_request, reply, done) => {
    forget(reply.raw)
    done()
  })
  app.addHook('onClose', async () => clearInterval(timer))
}
