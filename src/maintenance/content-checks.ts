/** Checks of the bytes of files: see `src/db/file-contents.ts`. */
import { createHash } from 'node:crypto'
import type SQLite from 'better-sqlite3'
import { CHUNK_BYTES, CHUNKS_OF_CONTENT, IS_NAMED, TO_EXAMINE } from '../db/file-contents.ts'
import { type Check, count, counted, type Finding, found, has, NOTHING, together } from './checks.ts'

/**
 * Condition: nothing names the content, and it does not wait for its removal, which comes when the changes that an undo needs are pruned.
 */
const IS_FORGOTTEN = `sha256 is not null and unnamed_since is null and not ${IS_NAMED}`

/** Condition: a chunk belongs to no content. */
const IS_STRAY = `not exists (select 1 from file_contents where id = file_chunks.place / ${CHUNKS_OF_CONTENT})`

const contents: Check = {
  name: 'contents',
  holds: 'all bytes of files belong to attachments, or wait for their removal',
  advice: 'another tool has deleted attachments or contents; --fix lets the service remove the bytes',
  find: ({ client }) => {
    if (!has(client, 'file_contents')) return NOTHING
    return together([
      count(
        client,
        `select sha256 from file_contents where ${IS_FORGOTTEN}`,
        (sha256) => `no attachment has the content ${sha256}`,
      ),
      count(
        client,
        `select distinct place / ${CHUNKS_OF_CONTENT} from file_chunks where ${IS_STRAY}`,
        (content) => `chunks of content ${content}, which does not exist`,
      ),
    ])
  },
  fix: ({ $client: client }) => {
    const marked = client
      .prepare(`update file_contents set unnamed_since = ${TO_EXAMINE} where ${IS_FORGOTTEN}`)
      .run().changes
    const removed = client.prepare(`delete from file_chunks where ${IS_STRAY}`).run().changes
    return `marked ${counted(marked, 'content')} for removal, removed ${counted(removed, 'chunk')}`
  },
}

/** A content whose chunks are not those of its size: each but the last one is whole. */
const BROKEN = `select sha256 from file_contents as content where sha256 is not null
  and (size + ${CHUNK_BYTES - 1}) / ${CHUNK_BYTES} is not (
    select case when count(*) = total(length(bytes) = min(${CHUNK_BYTES}, size - place % ${CHUNKS_OF_CONTENT} * ${CHUNK_BYTES}))
      then count(*) end
    from file_chunks where place >= content.id * ${CHUNKS_OF_CONTENT} and place < (content.id + 1) * ${CHUNKS_OF_CONTENT})`

const attachments: Check = {
  name: 'attachments',
  holds: 'every attached file and thumbnail has all of its bytes',
  advice: 'such files cannot be downloaded: restore a backup, or delete them and attach them again',
  find: ({ client }) => {
    if (!has(client, 'file_contents')) return NOTHING
    const lacks = (hash: string) =>
      `${hash} is not null and not exists (select 1 from file_contents as content where content.sha256 = attachments.${hash})`
    return together([
      count(
        client,
        `select id from attachments where ${lacks('sha256')} or kind = 'file' and sha256 is null`,
        (id) => `attachment ${id} has no complete content`,
      ),
      count(
        client,
        `select id from attachments where ${lacks('thumbnail')}`,
        (id) => `the thumbnail of attachment ${id} has no complete content`,
      ),
      count(
        client,
        `select attachments.id from attachments join file_contents as content using (sha256)
        where attachments.size is not content.size`,
        (id) => `attachment ${id} has another size than its content`,
      ),
      count(client, BROKEN, (sha256) => `chunks of the content ${sha256} are missing or of a wrong size`),
    ])
  },
}

interface Stored {
  id: number
  sha256: string
  size: number
}

/** The SHA-256 of a content's bytes, hexadecimal. @param onBytes called with the size of each chunk */
function hashOf(client: SQLite.Database, id: number, onBytes: (bytes: number) => void): string {
  const next = client.prepare<[number, number], { place: number; bytes: Buffer }>(
    'select place, bytes from file_chunks where place >= +? and place < +? order by place limit 1',
  )
  const hash = createHash('sha256')
  const end = (id + 1) * CHUNKS_OF_CONTENT
  // Each statement reads a chunk, so that no long read blocks checkpoints.
  for (let chunk = next.get(id * CHUNKS_OF_CONTENT, end); chunk; chunk = next.get(chunk.place + 1, end)) {
    hash.update(chunk.bytes)
    onBytes(chunk.bytes.byteLength)
  }
  return hash.digest('hex')
}

const hashes: Check = {
  name: 'hashes',
  holds: 'the bytes of every file have the stored SHA-256',
  advice: 'another tool or the disk has changed bytes: restore a backup, or attach such files again',
  find: ({ client, onProgress = () => undefined }): Finding => {
    if (!has(client, 'file_contents')) return NOTHING
    const all = client
      .prepare<[], Stored>('select id, sha256, size from file_contents where sha256 is not null order by id')
      .all()
    const isStill = client
      .prepare<[number, string], number>('select 1 from file_contents where id = ? and sha256 = ?')
      .pluck()
    const total = all.reduce((sum, { size }) => sum + size, 0)
    let done = 0
    const wrong = all.filter(({ id, sha256 }) => {
      const hash = hashOf(client, id, (bytes) => {
        done += bytes
        onProgress(done, total)
      })
      // The service may have removed it meanwhile.
      return hash !== sha256 && isStill.get(id, sha256) === 1
    })
    return found(wrong.map(({ sha256 }) => `the bytes of the content ${sha256} have another hash`))
  },
}

/** The checks of the bytes of files. */
export const CONTENT_CHECKS: readonly Check[] = [contents, attachments]

/** Those that read all bytes. */
export const DEEP_CONTENT_CHECKS: readonly Check[] = [hashes]
