/**
 * The thread for the bytes of files, on its own connection: reads and writes chunks, each in a short transaction. For the main thread its
 * commits are like those of another process.
 */
import { parentPort, type Transferable, workerData } from 'node:worker_threads'
import { ChunkedWriter } from '../db/chunked-writer.ts'
import { openDatabase } from '../db/client.ts'
import { FileContents } from '../db/file-contents.ts'
import type { FileMessage, FileWorkerOptions, PostedFileTask } from './file-store.ts'
import { performFileTask } from './file-tasks.ts'
import { outcomeOf, outcomeOfPromise } from './outcomes.ts'

/** Its page cache, in KiB: it reads and writes each page once. */
const CACHE_SIZE = 1024

/** A chunk takes a millisecond or two; then others, who retry every millisecond, have their turn. */
const INTERVALS = { held: 20, left: 3 }

const { databaseUrl, walCheckpoints } = workerData as FileWorkerOptions
const { db, files, close } = openDatabase(databaseUrl, walCheckpoints)
db.$client.pragma(`cache_size = -${CACHE_SIZE}`)
const ending = new AbortController()
const writes = new ChunkedWriter(db, files, ending.signal, INTERVALS)
const contents = new FileContents(db.$client)

/** One write at a time: the pause after each is for other connections. */
let current: Promise<unknown> = Promise.resolve()
const write = <T>(work: () => T): Promise<T> => {
  const written = current.then(() => writes.slice(work))
  current = written.catch(() => undefined)
  return written
}

const post = (message: FileMessage, transferred: Transferable[] = []) =>
  parentPort?.postMessage(message, transferred)

parentPort?.on('message', async (task: PostedFileTask) => {
  if (task === 'end') {
    ending.abort(new Error('the service has stopped'))
    await current
    close()
    parentPort?.close()
    return
  }
  const { id } = task
  if (task.kind !== 'read') {
    post({ id, outcome: await outcomeOfPromise(performFileTask({ contents, write }, task)) })
    return
  }
  const outcome = outcomeOf(() => contents.read(task.content, task.chunk))
  const bytes = 'value' in outcome ? (outcome.value as Buffer | undefined) : undefined
  post({ id, outcome }, bytes?.byteLength === bytes?.buffer.byteLength ? [bytes?.buffer as ArrayBuffer] : [])
})
