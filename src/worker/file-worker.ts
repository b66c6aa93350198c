/**
 * The thread for the bytes of files, on its own connection: reads and writes chunks, each in a short transaction. For the main thread its
 * commits are like those of another process.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import SQLite from 'better-sqlite3'
import { BUSY_TIMEOUT } from '../db/busy.ts'
import { ChunkedWriter } from '../db/chunked-writer.ts'
import { FileContents } from '../db/file-contents.ts'
import { watchFiles } from '../db/files.ts'
import { setPragmas } from '../db/pragmas.ts'
import type { FileMessage, FileWorkerData, PostedFileTask } from './file-store.ts'
import { performFileTask } from './file-tasks.ts'
import { outcomeOf, outcomeOfPromise } from './outcomes.ts'

/** Its page cache, in KiB: it reads and writes each page once. */
const CACHE_SIZE = 1024

/** Milliseconds with and without the lock. A chunk takes a millisecond or two; other connections retry every millisecond. */
const INTERVALS = { held: 20, left: 3 }

const { path, walCheckpoints } = workerData as FileWorkerData
// Without Drizzle and the migrations, which take as much memory as all of this thread.
const client = new SQLite(path, { fileMustExist: true, timeout: BUSY_TIMEOUT })
setPragmas(client, walCheckpoints, CACHE_SIZE)
const ending = new AbortController()
const writes = new ChunkedWriter({ $client: client }, watchFiles(path), ending.signal, INTERVALS)
const contents = new FileContents(client)

let log: FileHandle | undefined

/**
 * Syncs the written chunks, without the write lock. The next commit of another connection syncs the same file, and then has at most one chunk
 * to sync, not some megabytes.
 */
async function syncLog(): Promise<void> {
  const sync = async () => {
    log ??= await open(`${path}-wal`)
    await log.datasync()
  }
  // If it fails, that commit syncs them.
  await sync().catch(() => undefined)
}

/** One write at a time: the pause after each is for other connections. */
let current: Promise<unknown> = Promise.resolve()
const write = <T>(work: () => T): Promise<T> => {
  const written = current.then(() => writes.slice(work))
  current = written.then(syncLog, () => undefined)
  return written
}

const post = (message: FileMessage, transferred: Transferable[] = []) =>
  parentPort?.postMessage(message, transferred)

parentPort?.on('message', async (task: PostedFileTask) => {
  if (task === 'end') {
    ending.abort(new Error('the service has stopped'))
    await current
    await log?.close()
    client.close()
    parentPort?.close()
    return
  }
  const { id } = task
  if (task.kind !== 'read') {
    const outcome = await outcomeOfPromise(performFileTask({ contents, write }, task))
    const isWritten = task.kind === 'write' && 'value' in outcome
    post({ id, outcome }, isWritten ? [task.bytes.buffer as ArrayBuffer] : [])
    return
  }
  const outcome = outcomeOf(() => contents.read(task.content, task.chunk))
  const bytes = 'value' in outcome ? (outcome.value as Buffer | undefined) : undefined
  const isAlone = bytes !== undefined && bytes.byteLength === bytes.buffer.byteLength
  post({ id, outcome }, isAlone ? [bytes.buffer as ArrayBuffer] : [])
})
