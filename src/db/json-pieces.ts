/** JSON written in pieces: only one piece is in memory as records. */
import type { SharedDatabase } from './client.ts'
import { ensureRoom } from './room.ts'
import { isFollowedByWorker } from './work-limits.ts'

/** Most records of one piece. Each may have a description of 100,000 characters. */
const PIECE = 100

/** The pieces of a list, in order: several in the worker thread, one on the event loop, which reads little. */
export function* inPieces<T>(db: SharedDatabase, list: readonly T[]): Generator<readonly T[]> {
  const piece = isFollowedByWorker(db) ? list.length : PIECE
  for (let start = 0; start < list.length; start += piece) yield list.slice(start, start + piece)
}

/** Frees the memory of unused bytes, if they do not share it, without waiting for the garbage collector. */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** A growing text in UTF-8. */
export class JsonPieces {
  readonly #db: SharedDatabase
  #parts: Buffer[] = []
  #size = 0

  /** @param db the connection with the size limit: see {@link ensureRoom} */
  constructor(db: SharedDatabase) {
    this.#db = db
  }

  /** Its size in bytes. */
  get size(): number {
    return this.#size
  }

  /** @returns the added bytes, which are freed once the pieces are joined. @throws ApiError 503 above the size limit */
  add(text: string | Buffer): Buffer {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    this.#size += bytes.length
    ensureRoom(this.#db, this.#size)
    this.#parts.push(bytes)
    return bytes
  }

  /** The whole text, in one buffer. Nothing may be added afterwards. */
  join(): Buffer {
    const whole = Buffer.allocUnsafeSlow(this.#size)
    let at = 0
    for (const part of this.#parts) {
      at += part.copy(whole, at)
      free(part)
    }
    this.#parts = []
    return whole
  }
}
