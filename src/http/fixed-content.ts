/**
 * Content that is the same for everybody while the service runs: pages, scripts, the OpenAPI document. Anybody may request it, so a
 * request costs no more than sending it: its bytes are made once, and compressed once for each coding.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { encoded, etagOf } from '../etags.ts'
import { getOrMake, memoizeAsync } from '../once.ts'
import { ensureNamed, isNotModified } from '../requests/respond.ts'
import { codingFor, vary } from './compression.ts'

/** Better compression than that of other responses, since it runs once. */
const COMPRESS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
}
type FixedCoding = keyof typeof COMPRESS

/** In the order of preference, where a client accepts several alike. */
const CODINGS = Object.keys(COMPRESS) as FixedCoding[]

/** The extensions of compressed files, as the build writes them. */
const EXTENSIONS: Record<FixedCoding, string> = { br: '.br', gzip: '.gz' }

/** Contents from this size on, in bytes, are worth it: smaller ones fit into one or two packets. */
const WORTH_IT = 2048

/** A content, ready to be sent. */
export interface FixedContent {
  /** Its media type. */
  type: string
  bytes: Buffer
  /** That of the uncompressed bytes. */
  etag: string
  /** The compressed bytes; made by the first call. Absent if it is never compressed. */
  compressed?: Compressed
}

type Compressed = Record<FixedCoding, () => Promise<Buffer>>

const compressedBy = (make: (coding: FixedCoding) => Promise<Buffer>): Compressed => ({
  br: memoizeAsync(() => make('br')),
  gzip: memoizeAsync(() => make('gzip')),
})

/** A content made of a text. @param type its media type, without a charset */
export function fixedText(type: string, text: string): FixedContent {
  const bytes = Buffer.from(text)
  return {
    type: `${type}; charset=utf-8`,
    bytes,
    etag: etagOf(bytes),
    ...(bytes.length >= WORTH_IT && { compressed: compressedBy((coding) => COMPRESS[coding](bytes)) }),
  }
}

/** Errors of reading a file with a name that no file has. */
const NO_FILE = new Set<unknown>(['ENOENT', 'ENAMETOOLONG'])
const isMissing = (error: unknown) => error instanceof Error && 'code' in error && NO_FILE.has(error.code)

/** Reads a file of which the build may have written only the compressed form. */
async function readPlain(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    if (!isMissing(error)) throw error
    return promisify(brotliDecompress)(await readFile(path + EXTENSIONS.br))
  }
}

/**
 * The files of a folder, each read by the first request for it.
 * @param folder must not change, except that files are added
 * @returns finds a file; undefined if there is none. The name must be one in the folder itself; the media type ends in a charset
 *   if the file is a text, which is compressed: by the build, into a file beside it or instead of it, or here
 */
export function fixedFiles(folder: string) {
  const files = new Map<string, Promise<FixedContent | undefined>>()

  async function read(name: string, type: string): Promise<FixedContent | undefined> {
    const path = join(folder, name)
    try {
      const bytes = await readPlain(path)
      const made = (coding: FixedCoding) =>
        readFile(path + EXTENSIONS[coding]).catch(() => COMPRESS[coding](bytes))
      const isText = type.includes('charset')
      return { type, bytes, etag: etagOf(bytes), ...(isText && { compressed: compressedBy(made) }) }
    } catch (error) {
      files.delete(name)
      if (isMissing(error)) return undefined
      throw error
    }
  }

  return (name: string, type: string) => getOrMake(files, name, () => read(name, type))
}

/**
 * Sends a content, compressed if the client accepts that; or 304.
 * @param caching its `Cache-Control`, if it is not the usual one
 * @throws ApiError 412 if `If-Match` does not match
 */
export async function sendFixed(
  reply: FastifyReply,
  content: FixedContent,
  caching?: string,
): Promise<FastifyReply> {
  const { request } = reply
  const { compressed, etag } = content
  const coding = compressed && codingFor(request, CODINGS)
  ensureNamed(request, etag)
  reply.header('etag', coding === undefined ? etag : encoded(etag, coding))
  if (caching !== undefined) reply.header('cache-control', caching)
  if (compressed) vary(reply)
  if (isNotModified(request, etag)) return reply.code(304).send()
  reply.type(content.type)
  if (compressed === undefined || coding === undefined) return reply.send(content.bytes)
  const bytes = await compressed[coding]()
  return reply.header('content-encoding', coding).send(bytes)
}
