/** Bodies in parts: a large cached buffer is sent without a copy, followed by further parts. */
import { Readable } from 'node:stream'

/** A body that is sent part by part, without a copy of any. */
export class PartedBody extends Readable {
  readonly byteLength: number
  /** The buffer of the largest part, which other responses may share. */
  readonly memory: ArrayBufferLike
  readonly #parts: Uint8Array[]

  constructor(parts: readonly [Uint8Array, ...Uint8Array[]]) {
    super()
    this.#parts = [...parts]
    this.byteLength = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
    this.memory = parts.reduce((most, part) => (part.byteLength > most.byteLength ? part : most)).buffer
  }

  override _read(): void {
    this.push(this.#parts.shift() ?? null)
  }
}
