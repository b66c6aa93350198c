/** Compresses large responses for clients that accept it (RFC 9110, section 8.4). */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { type Coding, encoded } from '../etags.ts'
import { isSafe } from '../members/identity.ts'

/** Responses from this size on, in bytes, are worth it. */
const WORTH_IT = 32_768

/** Memory for compressed responses that have an ETag, in bytes. The least recently used are evicted first. */
const CACHE_BYTES = 8 * 1024 * 1024

/** Responses that are being compressed at the same time: libuv has four threads, which also read files and hash passwords. */
const AT_ONCE = 2

/** Bytes of responses that wait to be compressed, at most. Further ones are sent as they are. */
const MAX_WAITING = 32 * 1024 * 1024

/** Output comes in pieces of this size, in bytes: each is a callback on the event loop. */
const CHUNK = { chunkSize: 256 * 1024 }

/**
 * For 2 MB of JSON, zstd takes 6 ms of a thread, gzip 14 and brotli 18, and the sizes differ by a tenth: so zstd comes first.
 */
const COMPRESS = {
  zstd: promisify(zstdCompress),
  br: (body: Uint8Array | string) =>
    promisify(brotliCompress)(body, { ...CHUNK, params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Uint8Array | string) => promisify(gzip)(body, { ...CHUNK, level: 4 }),
} satisfies Record<Coding, (body: Uint8Array | string) => Promise<Buffer>>

/** In the order of preference, where a client accepts several alike. */
const CODINGS = Object.keys(COMPRESS) as Coding[]

/** Media types of texts, except streams of events. */
const IS_TEXT = /^(?:application\/(?:[\w.+-]*\+)?json|text\/(?!event-stream))/

/** The types of the package do not have this option yet. */
interface WithPreference {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
}

/**
 * The coding that a client prefers (RFC 9110, section 12.5.3); undefined for none.
 * @param codings in the order of preference, where the client accepts several alike
 */
export function codingFor<C extends Coding>(
  { headers }: FastifyRequest,
  codings: readonly C[],
): C | undefined {
  if (headers['accept-encoding'] === undefined) return undefined
  const client: WithPreference = new Negotiator({ headers })
  const available = [...codings, 'identity']
  const coding = client.encoding(available, { preferred: available })
  return coding === 'identity' ? undefined : (coding as C | undefined)
}

/** Compresses bodies, a few at a time. */
class Compressor {
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length,
  })
  /** Running compressions, by cache key. */
  readonly #pending = new Map<string, Promise<Buffer>>()
  readonly #queue: (() => void)[] = []
  readonly #maxWaiting: number
  #running = 0
  #waiting = 0

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /** @param etag of exactly this body; undefined if it has none: then it is not cached @returns undefined if too much is waiting */
  compress(
    body: Uint8Array | string,
    coding: Coding,
    etag: string | undefined,
  ): Promise<Buffer> | Buffer | undefined {
    const key = etag && `${coding} ${etag}`
    const known = key && (this.#cache.get(key) ?? this.#pending.get(key))
    if (known) return known
    if (this.#waiting > 0 && this.#waiting + body.length > this.#maxWaiting) return undefined
    const compressing = this.#run(body, coding)
    if (!key) return compressing
    this.#pending.set(key, compressing)
    const forget = () => this.#pending.delete(key)
    compressing.then((bytes) => this.#cache.set(key, bytes)).then(forget, forget)
    return compressing
  }

  async #run(body: Uint8Array | string, coding: Coding): Promise<Buffer> {
    this.#waiting += body.length
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#running++
    try {
      return await COMPRESS[coding](body)
    } finally {
      this.#waiting -= body.length
      const next = this.#queue.shift()
      if (next) next()
      else this.#running--
    }
  }
}

/** Adds `Accept-Encoding` to `Vary`. */
export function vary(reply: FastifyReply): void {
  const names = reply.getHeader('vary')
  if (names === undefined) reply.header('vary', 'Accept-Encoding')
  else if (!/accept-encoding/i.test(String(names))) reply.header('vary', `${names}, Accept-Encoding`)
}

/** The ETag of a 304 is the client's own: of the same bytes, perhaps compressed. */
function nameAsAsked(reply: FastifyReply, asked: string | undefined): void {
  const etag = reply.getHeader('etag')
  if (asked === undefined || typeof etag !== 'string') return
  const coding = codingFor(reply.request, CODINGS)
  if (coding === undefined || !asked.includes(encoded(etag, coding))) return
  reply.header('etag', encoded(etag, coding))
  vary(reply)
}

/**
 * Compresses the large responses of a server: texts that are in memory as a whole, not streams. A compressed response has its own ETag,
 * which requests may use like the plain one. Call it before adding routes, and before hooks that count the bytes to send.
 * @param maxWaiting bytes that wait to be compressed, at most
 */
export function compressResponses(app: FastifyInstance, { maxWaiting = MAX_WAITING } = {}): void {
  const compressor = new Compressor(maxWaiting)
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 304) nameAsAsked(reply, request.headers['if-none-match'])
    const isWhole = typeof payload === 'string' || payload instanceof Uint8Array
    if (!isWhole || payload.length < WORTH_IT || !isText(reply)) return done(null, payload)
    if (isSafe(request.method)) vary(reply)
    const coding = codingFor(request, CODINGS)
    if (coding === undefined) return done(null, payload)
    const etag = reply.getHeader('etag') as string | undefined
    // The ETag of a write's response is that of the record, which a GET shows with more or fewer fields, such as `warnings`.
    const isNamed = isSafe(request.method) && reply.statusCode === 200
    const compressed = compressor.compress(payload, coding, isNamed ? etag : undefined)
    if (compressed === undefined) return done(null, payload)
    const send = (bytes: Buffer) => {
      reply.header('content-encoding', coding)
      reply.removeHeader('content-length')
      if (etag !== undefined) reply.header('etag', encoded(etag, coding))
      done(null, bytes)
    }
    if (compressed instanceof Promise) compressed.then(send, done)
    else send(compressed)
  })
}

/**
 * Whether a response is a text that is not encoded yet. Files are not compressed: ranges count their plain bytes, and their
 * hash is the ETag.
 */
const isText = (reply: FastifyReply): boolean =>
  !reply.hasHeader('content-encoding') &&
  !reply.hasHeader('accept-ranges') &&
  IS_TEXT.test(String(reply.getHeader('content-type')))
