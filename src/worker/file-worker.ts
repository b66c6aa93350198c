/**
 * The thread for the bytes of files, on its own connection: reads and writes chunks, each in a short transaction. For the main thread its
 * commits are like those of another process.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import SQLite from 'better-sqlite3'
import { BUSY_TIMEOUT } from '../db/busy.ts'
import { FileContents } from '../db/file-contents.ts'
import { watchFiles } from '../db/files.ts'
import { setPragmas } from '../db/pragmas.ts'
import { writeSmall } from '../db/whole-write.ts'
import type { FileMessage, FileWorkerData, PostedFileTask } from './file-store.ts'
import { performFileTask } from './file-tasks.ts'
import { outcomeOf, outcomeOfPromise } from './outcomes.ts'

/** Its page cache, in KiB: it reads and writes each page once. */
const CACHE_SIZE = 1024

/** Milliseconds without the lock after each write, which takes one or two: other connections retry every millisecond. */
const LEFT = 3

/**
 * Pages of the write-ahead log after which this connection runs a checkpoint: fewer than other connections wait for, so that those, which have an
 * event loop, rarely have to.
 */
const CHECKPOINT_PAGES = 1000

const { path, walCheckpoints } = workerData as FileWorkerData
// Without Drizzle and the migrations, which take as much memory as all of this thread.
const client = new SQLite(path, { fileMustExist: true, timeout: BUSY_TIMEOUT })
setPragmas(client, walCheckpoints, CACHE_SIZE)
const ending = new AbortController()
const writing = { db: { $client: client }, files: watchFiles(path), signal: ending.signal }
// Nothing is acknowledged before a synced commit of another connection, which syncs these, too.
client.pragma('synchronous = normal')
if (walCheckpoints === 'service') client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
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
  const written = current.then(() => writeSmall(writing, work))
  const leave = async () => {
    await syncLog()
    await pause(LEFT)
  }
  current = written.then(leave, () => undefined)
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
