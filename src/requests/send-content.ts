/** Sends the contents of files: conditional requests, ranges (RFC 9110), and the name to save them under (RFC 6266). */
import { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parse as parseRange } from 'range-parser'
import { isShownInPlace } from '../board/media-types.ts'
import { CHUNK_BYTES } from '../db/file-contents.ts'
import { ApiError } from '../errors.ts'
import { ensureNamed, isNotModified } from './respond.ts'

/** Reads a chunk of a content. */
export type ReadChunk = (chunk: number) => Promise<Uint8Array | undefined>

/** A part of a content: the first byte, and the one after the last. */
interface Part {
  start: number
  end: number
}

/** The content to send. */
interface SentContent {
  name: string
  mediaType: string
  size: number
  sha256: string
}

/**
 * The policy of contents: browsers run no script in them, and load no resources for them.
 */
export const CONTENT_POLICY = "sandbox; default-src 'none'"

/** Milliseconds of a client for a chunk: the least speed of uploads, too. So the size of a file limits the time of its download. */
const LONGEST_CHUNK = 2 * 60_000

/** The longest `Range` header that is parsed. */
const LONGEST_RANGE = 200

/** Reads a part of a content, a chunk at a time, with backpressure, and without a transaction in between. */
class ContentStream extends Readable {
  readonly #read: ReadChunk
  readonly #end: number
  #at: number
  #timer: NodeJS.Timeout | undefined

  constructor(read: ReadChunk, { start, end }: Part) {
    // One chunk waits here, and one is being sent.
    super({ highWaterMark: 1 })
    this.#read = read
    this.#at = start
    this.#end = end
  }

  override _read(): void {
    clearTimeout(this.#timer)
    this.#next().catch((error) => this.destroy(error))
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    callback(error)
  }

  async #next(): Promise<void> {
    if (this.#at >= this.#end) {
      this.push(null)
      return
    }
    const number = Math.floor(this.#at / CHUNK_BYTES)
    const first = number * CHUNK_BYTES
    const chunk = await this.#read(number)
    const bytes = chunk?.subarray(this.#at - first, this.#end - first)
    if (bytes === undefined || bytes.length === 0) throw new Error('the content was removed')
    this.#at += bytes.length
    if (this.destroyed) return
    this.#timer = setTimeout(
      () => this.destroy(new Error('the client has stopped reading')),
      LONGEST_CHUNK,
    ).unref()
    this.push(bytes)
  }
}

/**
 * The requested part of a content; undefined for all of it: without `Range`, for another version (`If-Range`), for several
 * parts, and for an invalid range.
 * @throws ApiError 416 for a part beyond the end
 */
function partOf({ method, headers }: FastifyRequest, etag: string, size: number): Part | undefined {
  const { range, 'if-range': ifRange } = headers
  if (method !== 'GET' || range === undefined || range.length > LONGEST_RANGE) return undefined
  // A date never matches, because responses have no Last-Modified.
  if (ifRange !== undefined && ifRange !== etag) return undefined
  const { code, type, ranges } = parseRange(size, range)
  if (type !== 'bytes' || (code & 1) !== 0) return undefined
  const [one, ...others] = ranges
  if (one === undefined) {
    throw new ApiError(416, 'Range Not Satisfiable', { headers: { 'content-range': `bytes */${size}` } })
  }
  return others.length > 0 ? undefined : { start: one.start, end: one.end + 1 }
}

/** The name of a file in a header, without separators of folders of any system. */
const disposition = ({ name, mediaType }: SentContent) =>
  contentDisposition(name, { type: isShownInPlace(mediaType) ? 'inline' : 'attachment' })

/**
 * Sends a content, or a part of it; or 304, 412 or 416.
 * @param content its properties
 * @param read reads its chunks
 * @param takeSlot waits for a slot for a download of more than a chunk, and returns a function that releases it
 */
export async function sendContent(
  reply: FastifyReply,
  content: SentContent,
  read: ReadChunk,
  takeSlot: () => Promise<() => void>,
): Promise<FastifyReply> {
  const { request } = reply
  const { size, sha256, mediaType } = content
  const etag = `"${sha256}"`
  ensureNamed(request, etag)
  reply.headers({ etag, 'accept-ranges': 'bytes' })
  if (isNotModified(request, etag)) return reply.code(304).send()
  const part = partOf(request, etag, size)
  const { start, end } = part ?? { start: 0, end: size }
  // Only once nothing can fail any more: an error is not the file, nor a part of it.
  const asFile = () => {
    if (part) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`)
    return reply.headers({
      'content-type': mediaType,
      'content-length': end - start,
      'content-disposition': disposition(content),
    })
  }
  if (request.method === 'HEAD') return asFile().send(Readable.from([]))
  if (size > CHUNK_BYTES) {
    const release = await takeSlot()
    const stream = new ContentStream(read, { start, end })
    stream.once('close', release)
    return asFile().send(stream)
  }
  const chunk = size === 0 ? new Uint8Array() : await read(0)
  if (chunk?.length !== size) throw new Error('the content is incomplete')
  return asFile().send(Buffer.from(chunk.buffer, chunk.byteOffset + start, end - start))
}
