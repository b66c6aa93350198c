/** Files in request bodies: streamed to disk, never held in memory, and for as long as they arrive at a least speed. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TSchema } from '@sinclair/typebox'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body is a file of any media type, which the route reads as a stream; `alone`: not in a form. */
    takesFile?: boolean | 'alone'
    /** The schema of a JSON body that a route with `takesFile` also accepts: the route validates it. */
    orTakes?: TSchema
  }
}

/** An uploaded file: enough to recognise a retry of the request. */
export interface Uploaded {
  bytes: number
  /** Hexadecimal. */
  sha256: string
  /** The name of the file without a folder, if the request has it. */
  name?: string | undefined
}

/** The rest of the body is not read: the connection closes after the response. */
export const refusal = (status: number, message: string) =>
  new ApiError(status, message, { headers: { connection: 'close' } })

export const tooLarge = () => refusal(413, 'Payload Too Large')

/** Bytes of a form besides its file, at most: boundaries, and headers of the part. */
const ENVELOPE = 64 * 1024

/** Whether a media type is that of a form with files. */
export const isFileForm = (type: string | undefined): type is string =>
  /^multipart\/form-data(?:;|$)/i.test(type?.trim() ?? '')

/** The largest body of a form, given the size limit of its file. */
export const formLimit = (limit: number): number => limit + ENVELOPE

/** @throws ApiError 413 for a too large Content-Length */
export function checkLength({ 'content-length': length }: IncomingHttpHeaders, limit: number): void {
  if (Number(length ?? 0) > limit) throw tooLarge()
}

/** The error of a body that failed: if its connection has ended first, perhaps before anything was read, it is truncated. */
export const errorOf = (body: Readable, error: unknown) =>
  body.readableAborted && !(error instanceof ApiError) ? refusal(400, 'Bad Request') : error

/**
 * Bytes that a body must bring for each second of waiting for it, on average: a quarter of a line of 64 kbit/s, over which the page sends two files at
 * once. So the size of a body limits its time.
 */
const LEAST_SPEED = 2048

/** Seconds that a body may be behind that speed: at first, and however fast it was before, which is the longest time without a byte. */
const FIRST_SECONDS = 10
const LONGEST_PAUSE = 30

/** Connections whose body has this limit, instead of the server's one for all other requests. */
const paced = new Set<Socket & { server?: Server }>()

/** Whether a connection is receiving a body that may take as long as its size allows. */
export const isPaced = (socket: Socket): boolean => paced.has(socket)

/** Ends a server's connections with such bodies, for which its end would wait. */
export function endPaced(server: Server): void {
  for (const socket of paced) if (socket.server === server) socket.destroy()
}

/**
 * The chunks of a body, while it keeps the least speed. Time in which it is not read, because a chunk is still being stored, does not count.
 * @throws ApiError 408
 */
async function* inTime(body: Readable & { socket?: Socket }): AsyncGenerator<Buffer> {
  // A refusal is sent over the same connection, which must stay open.
  const chunks: AsyncIterator<Buffer> = body.iterator({ destroyOnReturn: false })
  let isWaiting = false
  let giveUp = (_error: Error): void => undefined
  let seconds = FIRST_SECONDS
  const timer = setInterval(() => {
    if (!isWaiting) return
    seconds--
    if (seconds < 0) giveUp(refusal(408, 'Request Timeout'))
  }, 1000).unref()
  const next = () =>
    new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      giveUp = reject
      chunks.next().then(resolve, reject)
    })
  if (body.socket) paced.add(body.socket)
  try {
    for (;;) {
      isWaiting = true
      const { done, value } = await next()
      isWaiting = false
      if (done) return
      seconds = Math.min(seconds + value.length / LEAST_SPEED, LONGEST_PAUSE)
      yield value
    }
  } finally {
    clearInterval(timer)
    if (body.socket) paced.delete(body.socket)
    // It stops listening to the body; not awaited, because it may still be waiting for a chunk.
    chunks.return?.().catch(() => undefined)
  }
}

/** Bytes of a piece. */
const PIECE = 16 * 1024

/** The same bytes in few pieces: a client may send each byte by itself, and each chunk takes some hundred bytes of memory. */
export async function* gathered(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafeSlow(PIECE)
  let length = 0
  for await (const chunk of chunks) {
    if (length > 0 && length + chunk.length > PIECE) {
      yield piece.subarray(0, length)
      piece = Buffer.allocUnsafeSlow(PIECE)
      length = 0
    }
    if (chunk.length > PIECE) yield chunk
    else length += chunk.copy(piece, length)
  }
  if (length > 0) yield piece.subarray(0, length)
}

/** The same chunks. @param limit in bytes @throws ApiError 413 above it */
async function* upTo(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > limit) throw tooLarge()
    yield chunk
  }
}

/** The chunks of a body. @param limit in bytes @throws ApiError 413 above it, 408 if it is too slow */
export const counted = (body: Readable, limit: number): AsyncGenerator<Buffer> => upTo(inTime(body), limit)

/**
 * Writes a body to a new file, mode 0600.
 * @param limit in bytes
 * @throws ApiError 413 above it, 408 if it is too slow, 400 if it breaks off; the caller removes the incomplete file
 */
export async function receive(body: Readable, file: string, limit: number): Promise<Uploaded> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* noted() {
    for await (const chunk of counted(body, limit)) {
      bytes += chunk.length
      hash.update(chunk)
      yield chunk
    }
  }
  // Open before anything can fail: a stream destroyed while opening its file would create it after its removal.
  const opened = await open(file, 'wx', 0o600)
  try {
    await pipeline(noted, opened.createWriteStream())
  } catch (error) {
    throw errorOf(body, error)
  }
  return { bytes, sha256: hash.digest('hex') }
}
