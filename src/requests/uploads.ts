/** Files in request bodies: streamed to disk, never held in memory. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
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

/** The error of a body that failed: an error of its connection means that it is truncated. */
export const errorOf = (body: Readable, error: unknown) =>
  body.errored && !(error instanceof ApiError) ? refusal(400, 'Bad Request') : error

/** The same chunks. @param limit in bytes @throws ApiError 413 above it */
export async function* upTo(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > limit) throw tooLarge()
    yield chunk
  }
}

/** The chunks of a body. @param limit in bytes @throws ApiError 413 above it */
export const counted = (body: Readable, limit: number): AsyncGenerator<Buffer> =>
  // The refusal is sent over the same connection, which must stay open.
  upTo(body.iterator({ destroyOnReturn: false }), limit)

/**
 * Writes a body to a new file, mode 0600.
 * @param limit in bytes
 * @throws ApiError 413 above it, 400 if it breaks off; the caller removes the incomplete file
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
