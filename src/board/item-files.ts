/** Items as files for other programs. */
import { etagOf } from '../etags.ts'

/** A file, with its entity tag: the thread that writes a large one also hashes it. */
export interface ItemFile {
  body: Uint8Array
  etag: string
}

/** Creates a file of these bytes. */
export const toFile = (body: Uint8Array): ItemFile => ({ body, etag: etagOf(body) })
