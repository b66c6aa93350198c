/** Files that come as the body of a request: written to the disk as they come, never held in memory. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body is a file, of any media type: the route reads it as a stream. */
    takesFile?: boolean
  }
}

/** What was uploaded: so little that a repetition of the request is known by it. */
export interface Uploaded {
  bytes: number
  /** Hexadecimal. */
  sha256: string
  /** What the file is called, without a folder, where the request tells. */
  name?: string | undefined
}

/** What is left of the body is not read: the connection ends with the response. */
export const refusal = (status: number, message: string) =>
  new ApiError(status, message, { headers: { connection: 'close' } })

const tooLarge = () => refusal(413, 'Payload Too Large')

/** Bytes that a form may have beside its file: boundaries, and headers of the part. */
const ENVELOPE = 64 * 1024

/** Whether a media type is that of a form with files. */
export const isFileForm = (type: string | undefined): type is string =>
  /^multipart\/form-data(?:;|$)/i.test(type?.trim() ?? '')

/** How large the body of a form may be whose file may have so many bytes. */
export const formLimit = (limit: number): number => limit + ENVELOPE

/** @throws ApiError 413 for a body that says that it is too large */
export function checkLength({ 'content-length': length }: IncomingHttpHeaders, limit: number): void {
  if (Number(length ?? 0) > limit) throw tooLarge()
}

/** The chunks of a body. @param limit bytes, at most @throws ApiError 413 when there are more */
export async function* counted(body: Readable, limit: number): AsyncGenerator<Buffer> {
  let bytes = 0
  // The refusal of a body that is too large goes over the connection that it comes from: it must not be cut off.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > limit) throw tooLarge()
    yield chunk
  }
}

/**
 * Writes a body to a new file, mode 0600.
 * @param limit bytes, at most
 * @throws ApiError 413 when there are more, 400 when it breaks off; what is there of the file then, the caller removes
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
  // Open before anything can fail: a stream that is destroyed while it opens its file would make it after its removal.
  const opened = await open(file, 'wx', 0o600)
  try {
    await pipeline(noted, opened.createWriteStream())
  } catch (error) {
    if (body.errored && !(error instanceof ApiError)) throw refusal(400, 'Bad Request')
    throw error
  }
  return { bytes, sha256: hash.digest('hex') }
}
