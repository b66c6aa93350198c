/** Streams an archive as one zip file. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Readable, Transform, type TransformCallback } from 'node:stream'
import type { ArchiveSnapshot } from './archive-snapshot.ts'
import { ZipFile } from './zip.ts'

/** The file's comment has the SHA-256 of everything before it: a zip file's own checksums do not cover all of it. */
const PREFIX = 'sha256:'
export const COMMENT = /^sha256:[0-9a-f]{64}$/
const COMMENT_SIZE = PREFIX.length + 64

/** The number of bytes covered by the checksum in the comment. */
export const checkedBytes = (size: number): number => size - COMMENT_SIZE

/** Times in a zip file are local, without a zone: this one is the same everywhere. */
const ENTRY = { mtime: new Date(1980, 0, 1), mode: 0o100600, forceDosTimestamp: true }

/** Replaces the comment at the end of a zip file by the checksum of the preceding bytes. */
class Sealing extends Transform {
  readonly #digest = createHash('sha256')
  /** The latest bytes: at the end, the comment. */
  #held = Buffer.alloc(0)

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = Buffer.concat([this.#held, chunk])
    const passed = bytes.subarray(0, Math.max(0, bytes.length - COMMENT_SIZE))
    this.#held = bytes.subarray(passed.length)
    this.#digest.update(passed)
    done(null, passed)
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(`${PREFIX}${this.#digest.digest('hex')}`))
  }
}

/**
 * Writes an archive as a zip file. Equal data gives equal files with the same compression library.
 * @param snapshot closed when the stream ends, even by an error
 * @param onRecords called with the number of records of each part
 */
export function zipArchive(snapshot: ArchiveSnapshot, onRecords?: (count: number) => void): Readable {
  const zip = new ZipFile()
  const sealing = new Sealing()
  let current: Readable | undefined
  const fail = (error: Error) => sealing.destroy(error)
  const addAll = async () => {
    for await (const { name, size, parts } of snapshot.files(onRecords)) {
      current = Readable.from(parts, { objectMode: false })
      zip.addReadStream(current, name, size === undefined ? ENTRY : { ...ENTRY, compress: false, size })
      await once(current, 'end')
    }
    zip.end({ forceZip64Format: false, comment: '\0'.repeat(COMMENT_SIZE) })
  }
  zip.on('error', fail)
  zip.outputStream.pipe(sealing)
  sealing.once('close', () => {
    current?.destroy()
    snapshot.close()
  })
  addAll().catch(fail)
  return sealing
}
