/**
 * The bytes of attachments in an archive: a file `files/<sha256>` for each content, all listed in `files.jsonl`. They are checked
 * and written chunk by chunk, like uploads: before the records, whose write completes them.
 */
import { createHash } from 'node:crypto'
import type SQLite from 'better-sqlite3'
import { CHUNK_BYTES, FileContents, LARGEST_CONTENT, noSpace, type Uploaded } from '../../db/file-contents.ts'
import { type WholeWrite, writeSmall } from '../../db/whole-write.ts'
import { ArchiveRefused } from './archive-manifest.ts'
import {
  type ArchivedContent,
  CONTENT_HASH,
  CONTENT_NAME,
  CONTENTS_LIMIT,
  contentName,
} from './content-names.ts'
import { altered, type OpenArchive, readFile } from './read-archive.ts'

/** Milliseconds that contents wait for the records of their import, at most: after a kill, the service removes them then. */
const WAIT = 24 * 60 * 60 * 1000

/** A content of an archive, and the damaged content of the same hash here. */
export interface CheckedContent extends ArchivedContent {
  damaged?: number | undefined
}

/** Called with the number of contents that were read. */
type OnRecords = (count: number) => void

/**
 * The bytes of a content, in chunks as they are stored: at least one, which is empty for an empty content.
 * @throws ArchiveRefused at its end, if its size or hash is another
 */
async function* chunksOf({ source }: OpenArchive, content: ArchivedContent): AsyncGenerator<Buffer> {
  const name = contentName(content)
  const digest = createHash('sha256')
  let size = 0
  let parts: Buffer[] = []
  let length = 0
  for await (const part of (await source.open(name)) as AsyncIterable<Buffer>) {
    size += part.length
    if (size > content.size) throw altered(name, `has more than ${content.size} bytes`)
    digest.update(part)
    for (let from = 0; from < part.length; ) {
      const some = part.subarray(from, from + CHUNK_BYTES - length)
      parts.push(some)
      length += some.length
      from += some.length
      if (length < CHUNK_BYTES) continue
      yield Buffer.concat(parts)
      parts = []
      length = 0
    }
  }
  if (size !== content.size) throw altered(name, `has ${size} bytes, not ${content.size}`)
  if (digest.digest('hex') !== content.sha256) throw altered(name, 'has another checksum')
  if (length > 0 || size === 0) yield Buffer.concat(parts)
}

/**
 * Reads the list of contents, and compares it with the files of the archive.
 * @throws ArchiveRefused
 */
async function readList(archive: OpenArchive, onRecords: OnRecords): Promise<ArchivedContent[]> {
  const { source, contents: of } = archive
  if (of === undefined) return []
  const { name, records } = of.file
  if (records > CONTENTS_LIMIT) throw new ArchiveRefused(`it has more than ${CONTENTS_LIMIT} files`)
  const list: ArchivedContent[] = []
  await readFile(
    archive,
    of,
    ([sha256, size]) => {
      const isSize = typeof size === 'bigint' && size >= 0n && size <= BigInt(LARGEST_CONTENT)
      if (!CONTENT_HASH.test(String(sha256)) || !isSize)
        throw new ArchiveRefused(`${name}, line ${list.length + 1}: it must have a SHA-256 and a size`)
      list.push({ sha256: String(sha256), size: Number(size) })
    },
    onRecords,
  )
  for (const content of list) {
    const found = source.sizes.get(contentName(content))
    if (found === undefined) throw altered(contentName(content), 'is missing')
    if (found !== content.size) throw altered(contentName(content), `has ${found} bytes, not ${content.size}`)
  }
  const listed = new Set(list.map(contentName))
  for (const found of source.sizes.keys())
    if (CONTENT_NAME.test(found) && !listed.has(found)) throw altered(found, 'does not belong to it')
  return list
}

/** Whether the database lacks a content, or has a damaged one. */
function isWanted(here: FileContents, { sha256, damaged }: CheckedContent): boolean {
  const known = here.known(sha256)
  return known === undefined || known === damaged
}

/**
 * Checks the contents of an archive, each byte, and those that are here already.
 * @param client the database; undefined for none
 * @param most bytes of all contents in the database together
 * @returns their list
 * @throws ArchiveRefused if one is damaged or missing, or if there is no room for them
 */
export async function checkContents(
  archive: OpenArchive,
  client: SQLite.Database | undefined,
  most: number,
  onRecords: OnRecords,
): Promise<CheckedContent[]> {
  const listed = await readList(archive, onRecords)
  if (listed.length === 0) return listed
  const here = client && new FileContents(client)
  const list: CheckedContent[] = []
  for (const content of listed) {
    const read = async (id: number, chunk: number) => {
      onRecords(0)
      return here?.read(id, chunk)
    }
    list.push({ ...content, damaged: await here?.damaged(content.sha256, read) })
  }
  const bytes = list
    .filter((content) => here === undefined || isWanted(here, content))
    .reduce((sum, { size }) => sum + size, 0)
  if ((here?.total() ?? 0) + bytes > most)
    throw new ArchiveRefused(
      `its files have ${bytes} bytes: with the files here, ATTACHMENTS_TOTAL allows ${most}`,
    )
  for (const content of list) for await (const _ of chunksOf(archive, content)) onRecords(0)
  return list
}

/** Contents of an archive that are written, and wait for the records. */
export interface WrittenContents {
  /** Completes them, in the write of the records. @throws Error if one has been removed meanwhile */
  complete: () => void
  /** Removes those that were not completed, and damaged ones that they have replaced. */
  end: () => Promise<void>
}

/** Completes contents; others were here already. */
function completeAll(
  contents: FileContents,
  list: readonly ArchivedContent[],
  written: ReadonlyMap<string, Uploaded>,
): void {
  for (const { sha256 } of list) {
    const uploaded = written.get(sha256)
    if (uploaded) contents.restore(uploaded)
    else if (contents.known(sha256) === undefined)
      throw new Error('a file was removed from the database meanwhile: try again')
  }
}

/**
 * Writes the contents of a checked archive, each chunk in a short transaction.
 * @throws Error if there is no room: then nothing is left of them
 */
export async function writeContents(
  write: WholeWrite,
  archive: OpenArchive,
  list: readonly CheckedContent[],
  { most, onRecords }: { most: number; onRecords: OnRecords },
): Promise<WrittenContents> {
  const contents = new FileContents(write.db.$client)
  const written = new Map<string, Uploaded>()
  const put = async (content: CheckedContent) => {
    let chunk = 0
    for await (const bytes of chunksOf(archive, content)) {
      onRecords(0)
      if (!contents.takeRoomFor(bytes.length, most)) throw noSpace()
      const begun = written.get(content.sha256)?.content ?? null
      const id = await writeSmall(write, () => contents.write(begun, chunk, bytes, Date.now() + WAIT))
      written.set(content.sha256, { ...content, content: id })
      chunk++
    }
  }
  const end = async () => {
    const left = [...written.values()]
      .flatMap(({ content, damaged = content }) => [damaged, content])
      .filter((content) => contents.isIncomplete(content))
    // The import may have been cancelled, with its signal.
    const cleaning = { db: write.db }
    for (const content of left) while (await writeSmall(cleaning, () => contents.removeSome(content)));
  }
  try {
    for (const content of list) {
      if (isWanted(contents, content)) await put(content)
      onRecords(1)
    }
  } catch (error) {
    // If that fails, too, the service removes them later.
    await end().catch(() => undefined)
    throw error
  }
  return { complete: () => completeAll(contents, list, written), end }
}

/**
 * Reads the contents of a checked archive into memory, for a database that is in memory, too: they are written with the records.
 * @throws Error from `complete` if there is no room
 */
export async function holdContents(
  { db: { $client: client } }: WholeWrite,
  archive: OpenArchive,
  list: readonly CheckedContent[],
  { most, onRecords }: { most: number; onRecords: OnRecords },
): Promise<WrittenContents> {
  const contents = new FileContents(client)
  const held = new Map<CheckedContent, Buffer[]>()
  for (const content of list) {
    const chunks: Buffer[] = []
    for await (const bytes of chunksOf(archive, content)) chunks.push(bytes)
    held.set(content, chunks)
    onRecords(1)
  }
  const put = (content: CheckedContent, chunks: Buffer[]): Uploaded => {
    if (!contents.takeRoomFor(content.size, most)) throw noSpace()
    let id: number | null = null
    for (const [nth, bytes] of chunks.entries()) id = contents.write(id, nth, bytes, Date.now())
    return { ...content, content: id as number }
  }
  const complete = () => {
    const written = new Map<string, Uploaded>()
    for (const [content, chunks] of held)
      if (isWanted(contents, content)) written.set(content.sha256, put(content, chunks))
    completeAll(contents, list, written)
  }
  return { complete, end: async () => {} }
}
