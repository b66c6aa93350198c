/** A thread that performs one import, or ends orphaned imports, on its own connection. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Checkpoints, databasePath, openDatabase } from '../../db/client.ts'
import { type ImportJob, NotRecorded, performImport } from './import-job.ts'
import { endOrphanedImports } from './orphaned-imports.ts'
import { ReaderFailed, type ReadingLimits } from './read-apart.ts'

/** The thread's job. */
export interface ImportTask {
  databaseUrl: string
  /** Which process runs checkpoints. */
  checkpoints: Checkpoints
  /** The import; without one, it ends orphaned imports. */
  job?: ImportJob
  /** The limits of reading its file. */
  limits: ReadingLimits
  /** The most bytes of all files of the database together; unlimited by default. */
  attachmentsTotal?: number | undefined
  /** Errors of this process's imports that their threads could not record, by id. */
  failed?: ReadonlyMap<string, string>
}

/** A message of the thread: its progress, an error that its row could not record, or the last output of the reader. */
export type ImportMessage = { done: number; total: number } | { failed: string } | { reader: unknown }

const { databaseUrl, checkpoints, job, limits, attachmentsTotal, failed } = workerData as ImportTask
const { db, files, close } = openDatabase(databaseUrl, checkpoints)
const database = databasePath(databaseUrl)
const ending = new AbortController()
const post = (message: ImportMessage) => parentPort?.postMessage(message)
// A message stops this thread: terminating it inside native code could crash the process.
parentPort?.on('message', () => {
  // The reader process ends first.
  ending.abort()
  close()
  process.exit(0)
})
parentPort?.unref()

async function perform(job: ImportJob): Promise<void> {
  try {
    const onProgress = (done: number, total: number) => post({ done, total })
    const place = { db, files, database, limits, attachmentsTotal, signal: ending.signal, onProgress }
    await performImport(place, job)
  } catch (error) {
    // The rest is in its row.
    const { cause } = error as Error
    if (cause instanceof ReaderFailed) post({ reader: cause.cause })
    if (error instanceof NotRecorded) post({ failed: error.message })
  }
}

try {
  if (job) await perform(job)
  else await endOrphanedImports({ db, files }, database, failed)
} finally {
  close()
}
