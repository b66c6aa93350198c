/** JSON that is written piece by piece: of all that it says, no more than one piece is in memory as records. */
import type { SharedDatabase } from './client.ts'
import { ensureRoom } from './room.ts'
import { isSplit } from './work-limits.ts'

/** Records of one piece, at most. Each may have a description of 100,000 characters. */
const PIECE = 100

/** The pieces of a list, in order: of the worker thread several, and one of what the event loop reads, which is little. */
export function* inPieces<T>(db: SharedDatabase, list: readonly T[]): Generator<readonly T[]> {
  const piece = isSplit(db) ? PIECE : list.length
  for (let start = 0; start < list.length; start += piece) yield list.slice(start, start + piece)
}

/** Frees the memory of bytes that nobody looks at any more, where it is theirs alone. It would wait for the garbage collector. */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** A text in UTF-8 that grows. */
export class JsonPieces {
  readonly #db: SharedDatabase
  #parts: Buffer[] = []
  #size = 0

  /** @param db whose room it takes: see {@link ensureRoom} */
  constructor(db: SharedDatabase) {
    this.#db = db
  }

  /** How many bytes it has. */
  get size(): number {
    return this.#size
  }

  /** @returns the bytes that were added: they are gone once the pieces are joined. @throws ApiError 503 where there is no room */
  add(text: string | Buffer): Buffer {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    this.#size += bytes.length
    ensureRoom(this.#db, this.#size)
    this.#parts.push(bytes)
    return bytes
  }

  /** All of it, in memory of its own. Nothing may be added any more. */
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
