/**
 * Files in request bodies that become attachments: streamed into the database, chunk by chunk. Loaded lazily, with its tables of media types.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { fileNameOf } from '../board/attachment-names.ts'
import { ATTACHMENTS_LIMIT, tooManyAttachments } from '../board/attachments.ts'
import { CHUNK_BYTES } from '../db/file-contents.ts'
import { ApiError, validationFailed } from '../errors.ts'
import { type FileType, fileTypeOf } from './file-types.ts'
import { counted, errorOf, tooLarge } from './uploads.ts'

interface StoredChunk {
  content: number
  bytes: Uint8Array
}

/** Stores chunks of uploads. */
export interface ChunkSink {
  /**
   * @param content null for the first chunk
   * @param bytes unusable afterwards
   * @returns the id of the content, and the same memory, for reuse
   */
  write: (content: number | null, chunk: number, bytes: Uint8Array) => Promise<StoredChunk>
  /** The stored content of a hash if its bytes are damaged, so that the upload replaces it. */
  damaged: (sha256: string) => Promise<number | undefined>
  discard: (content: number) => Promise<void>
}

/** Limits of uploads. */
interface FileLimits {
  /** Bytes of a file. */
  file: number
  files: number
}

export interface ReceivedFile extends FileType {
  /** The id of its content; null if it was not stored. */
  content: number | null
  name: string
  size: number
  sha256: string
  /** The damaged content that it replaces. */
  damaged: number | undefined
}

/** Bytes of a form besides its files, at most, for each part: boundaries and headers. */
export const ENVELOPE = 8 * 1024

/** Parts of a form that are no files, at most: they are ignored. */
const OTHER_PARTS = 20

const badForm = (problem: string) => validationFailed({ formErrors: [problem], fieldErrors: {} })
const noFile = () => badForm('must be a file')

/** Memory of stored chunks, for reuse: V8 would not collect it before there are tens of megabytes. */
const spare: Uint8Array[] = []
const SPARE = 16

/** Memory for a chunk, in its own ArrayBuffer, because it is transferred to another thread. */
const memoryFor = (size: number): Uint8Array =>
  (size === CHUNK_BYTES ? spare.pop() : undefined) ?? new Uint8Array(size)

/** Gathers the bytes of a file into chunks, and stores each while the next is received. */
class FileReceiver {
  readonly #name: string
  readonly #limit: number
  readonly #sink: ChunkSink | undefined
  readonly #hash = createHash('sha256')
  #size = 0
  #parts: Buffer[] = []
  /** Bytes of the parts. */
  #gathered = 0
  #chunk = 0
  #content: number | null = null
  #type: FileType | undefined
  #storing: Promise<number | null> = Promise.resolve(null)

  /** @param limit in bytes @param sink absent: the file is only read */
  constructor(name: string, limit: number, sink: ChunkSink | undefined) {
    this.#name = name
    this.#limit = limit
    this.#sink = sink
  }

  /** @throws ApiError 413 above the limit, and errors of the sink */
  async add(bytes: Buffer): Promise<void> {
    this.#size += bytes.length
    if (this.#size > this.#limit) throw tooLarge()
    this.#hash.update(bytes)
    for (let rest = bytes; rest.length > 0; ) {
      const part = rest.subarray(0, CHUNK_BYTES - this.#gathered)
      rest = rest.subarray(part.length)
      this.#parts.push(part)
      this.#gathered += part.length
      if (this.#gathered === CHUNK_BYTES) await this.#flush()
    }
  }

  async end(): Promise<ReceivedFile> {
    if (this.#gathered > 0 || this.#chunk === 0) await this.#flush()
    await this.#stored()
    const name = this.#name
    const type = this.#type as FileType
    const sha256 = this.#hash.digest('hex')
    const damaged = await this.#sink?.damaged(sha256)
    return { content: this.#content, name, size: this.#size, sha256, damaged, ...type }
  }

  /** Removes the stored chunks. */
  async discard(): Promise<void> {
    await this.#storing.catch(() => undefined)
    const content = await this.#stored().catch(() => this.#content)
    if (content !== null) await this.#sink?.discard(content)
  }

  async #stored(): Promise<number | null> {
    this.#content = (await this.#storing) ?? this.#content
    return this.#content
  }

  /** Stores the gathered bytes, once the previous chunk is stored. */
  async #flush(): Promise<void> {
    const chunk = memoryFor(this.#gathered)
    let at = 0
    for (const part of this.#parts) {
      chunk.set(part, at)
      at += part.length
    }
    this.#parts = []
    this.#gathered = 0
    this.#type ??= await fileTypeOf(chunk, this.#name)
    const content = await this.#stored()
    const number = this.#chunk++
    if (this.#sink === undefined) return
    this.#storing = this.#sink.write(content, number, chunk).then((stored) => {
      if (stored.bytes.length === CHUNK_BYTES && spare.length < SPARE) spare.push(stored.bytes)
      return stored.content
    })
    this.#storing.catch(() => undefined)
  }
}

/** Receives one file. */
async function receiveOne(
  chunks: AsyncIterable<Buffer>,
  name: string | undefined,
  limit: number,
  sink: ChunkSink | undefined,
): Promise<ReceivedFile> {
  const receiver = new FileReceiver(fileNameOf(name), limit, sink)
  try {
    for await (const chunk of chunks) await receiver.add(chunk)
    return await receiver.end()
  } catch (error) {
    await receiver.discard()
    throw error
  }
}

/**
 * Receives a body that is a file.
 * @param sink absent: the file is only read, for its hash
 * @throws ApiError 413 above the limit; 400 if it is empty or truncated; errors of the sink. Then no chunk is left
 */
export async function receiveFile(
  body: Readable,
  name: string | undefined,
  { file }: FileLimits,
  sink: ChunkSink | undefined,
): Promise<ReceivedFile[]> {
  try {
    return [await receiveOne(counted(body, file), name, file, sink)]
  } catch (error) {
    throw errorOf(body, error)
  }
}

/** The parser of a form. @throws ApiError 400 if the type has no boundary */
function openForm(type: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        fieldNameSize: 100,
        fieldSize: 1024,
        fields: OTHER_PARTS,
        files: ATTACHMENTS_LIMIT,
        parts: ATTACHMENTS_LIMIT + OTHER_PARTS,
        headerPairs: 20,
        headerSize: ENVELOPE,
      },
    })
  } catch {
    throw badForm('must be a form with a boundary')
  }
}

/**
 * Receives the files of a form: its parts `file`.
 * @param type the media type of the body, with its boundary
 * @param sink absent: the files are only read, for their hashes
 * @throws ApiError 400 for an invalid or truncated form, 413 for a too large file, 409 for too many; errors of the sink. Then no chunk is
 * left
 */
export async function receiveFiles(
  body: Readable,
  type: string,
  limits: FileLimits,
  sink: ChunkSink | undefined,
): Promise<ReceivedFile[]> {
  const form = openForm(type)
  const receiving: Promise<ReceivedFile | undefined>[] = []
  let part: Readable | undefined
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    part?.destroy(error as Error)
    form.destroy(error as Error)
  }
  const refuse = (error?: unknown) =>
    fail(error instanceof ApiError ? error : badForm('must be a form of files'))
  const receive = async (stream: Readable, name: string | undefined) => {
    // The parser would report a destroyed part as a malformed form.
    const chunks: AsyncIterable<Buffer> = stream.iterator({ destroyOnReturn: false })
    const file = await receiveOne(chunks, name, limits.file, sink)
    // A browser sends a form without a chosen file like this.
    if (file.size > 0 || name) return file
    if (file.content !== null) await sink?.discard(file.content)
    return undefined
  }
  form.on('file', (field: string, stream: Readable, name?: string) => {
    part = stream
    // It may fail before it is read, or after it was read completely.
    stream.on('error', refuse)
    if (field !== 'file') return fail(badForm('must have no files but those of the parts `file`'))
    if (receiving.length >= limits.files) return fail(tooManyAttachments())
    const received = receive(stream, name)
    receiving.push(received)
    received.catch(fail)
  })
  form.on('error', refuse)
  for (const limit of ['partsLimit', 'fieldsLimit'] as const) form.on(limit, () => refuse())
  form.on('filesLimit', () => fail(tooManyAttachments()))
  const most = limits.files * (limits.file + ENVELOPE) + OTHER_PARTS * ENVELOPE
  try {
    await pipeline(() => counted(body, most), form)
    const files = (await Promise.all(receiving)).filter((file) => file !== undefined)
    if (failure !== undefined) throw failure
    if (files.length === 0) throw noFile()
    return files
  } catch (error) {
    fail(errorOf(body, error))
    for (const received of await Promise.allSettled(receiving)) {
      const content = received.status === 'fulfilled' ? (received.value?.content ?? null) : null
      if (content !== null) await sink?.discard(content)
    }
    throw failure
  }
}

/** Receives a small body as a whole. @param limit in bytes @throws ApiError 413, 400 */
export async function receiveSmall(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of counted(body, limit)) chunks.push(chunk)
  } catch (error) {
    throw errorOf(body, error)
  }
  return Buffer.concat(chunks)
}
