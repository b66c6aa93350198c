/** The tasks of the thread for the bytes of files, which an in-memory database performs without one. */
import { type FileContents, noSpace } from '../db/file-contents.ts'

interface ReadChunk {
  kind: 'read'
  content: number
  chunk: number
}

/** Begins an upload: see `FileContents.begin`. */
interface Begin {
  kind: 'begin'
  bytes: number | null
  largest: number
  most: number
}

/** Ends an upload. */
interface End {
  kind: 'end'
  upload: number
}

/** Writes a chunk of an upload. */
interface WriteChunk {
  kind: 'write'
  /** The number of the upload. */
  upload: number
  /** Null for the first chunk. */
  content: number | null
  chunk: number
  bytes: Uint8Array
  /** The most bytes of all contents together. */
  most: number
}

/** A written chunk: the id of its content, and its memory, for reuse. */
export interface WrittenChunk {
  content: number
  bytes: Uint8Array
}

/** Removes an upload. */
interface Discard {
  kind: 'discard'
  content: number
}

/** Removes contents without references, and leftovers of uploads from before a time in milliseconds since 1970. */
interface Tidy {
  kind: 'tidy'
  before: number
}

export type FileTask = ReadChunk | Begin | WriteChunk | End | Discard | Tidy

/** The connection that performs tasks. */
interface FilePlace {
  contents: FileContents
  /** Runs work in a short transaction. */
  write: <T>(work: () => T) => Promise<T>
}

/** SQLite's error of a full disk. */
const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_FULL')

/** Performs a task that writes. @throws ApiError 507 without space, 503 */
export async function performFileTask({ contents, write }: FilePlace, task: Exclude<FileTask, ReadChunk>) {
  if (task.kind === 'begin') {
    const upload = contents.begin(task.bytes, task.largest, task.most)
    if (upload === undefined) throw noSpace()
    return upload
  }
  if (task.kind === 'end') return contents.end(task.upload)
  if (task.kind === 'write') {
    const { content, chunk, bytes, most, upload } = task
    const size = bytes.byteLength
    if (!contents.hasRoomFor(size, most, upload)) throw noSpace()
    try {
      const id = await write(() => contents.write(content, chunk, bytes, Date.now(), upload))
      contents.wrote(size, upload)
      return { content: id, bytes } satisfies WrittenChunk
    } catch (error) {
      throw isFull(error) ? noSpace() : error
    }
  }
  const remove = async (content: number) => {
    while (await write(() => contents.removeSome(content)));
  }
  if (task.kind === 'discard') return await remove(task.content)
  while (contents.hasToExamine()) await write(() => contents.examineSome())
  for (const content of contents.forgotten()) await write(() => contents.forget(content))
  for (const content of contents.leftovers(task.before)) await remove(content)
}
